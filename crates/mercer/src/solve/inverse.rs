//! The inverse of a square matrix.

use ndarray::{Array2, ArrayViewMut2, Axis, ShapeBuilder, s};

use super::triangular::{solve_lower, solve_lower_transposed};
use crate::gram::simd::matmul::{Target, matmul};

/// Columns of a panel: its pivots are searched and eliminated column by column, what stands behind it
/// in products of matrices, which are at two thirds of their speed at this depth. 16 is as fast and
/// 64 5 % slower at 300 rows; at 1000 they differ by less than 3 %.
const PANEL: usize = 32;

/// `A⁻¹` by an LU factor with partial pivoting, in one thread: the same bytes for any number of
/// threads. Infinities and NaN for a singular matrix.
///
/// # Formula
/// `PA = LU`, `A⁻¹ = U⁻¹L⁻¹P`.
pub(crate) fn inverse(a: Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    let (factors, order) = factor(a);
    let mut unit_lower = factors.clone();
    unit_lower.diag_mut().fill(1.0);
    let mut x = Array2::zeros((n, n));
    order.iter().enumerate().for_each(|(i, &row)| x[[i, row]] = 1.0);
    solve_lower(unit_lower.view(), x.view_mut());
    // `U = (Uᵀ)ᵀ`, and `Uᵀ` is a lower triangle.
    solve_lower_transposed(factors.t(), x.view_mut());
    x
}

/// `L` below the diagonal and `U` on and above it, and which row of `A` each of their rows is.
fn factor(a: Array2<f64>) -> (Array2<f64>, Vec<usize>) {
    let n = a.nrows();
    let mut factors = Array2::zeros((n, n).f());
    factors.assign(&a);
    let mut order: Vec<usize> = (0..n).collect();
    for start in (0..n).step_by(PANEL) {
        let end = n.min(start + PANEL);
        for j in start..end {
            let pivot =
                (j..n).fold(j, |best, i| if factors[[i, j]].abs() > factors[[best, j]].abs() { i } else { best });
            order.swap(j, pivot);
            swap_rows(&mut factors, j, pivot);
            eliminate(factors.slice_mut(s![j.., j..end]));
        }
        let (done, rest) = factors.view_mut().split_at(Axis(1), end);
        let (mut upper, below) = rest.split_at(Axis(0), end);
        let mut corner = done.slice(s![start..end, start..end]).to_owned();
        corner.diag_mut().fill(1.0);
        solve_lower(corner.view(), upper.slice_mut(s![start.., ..]));
        matmul(below, Target::Add, done.slice(s![end.., start..]), upper.slice(s![start.., ..]), -1.0);
    }
    (factors, order)
}

fn swap_rows(a: &mut Array2<f64>, i: usize, j: usize) {
    if i != j {
        (0..a.ncols()).for_each(|k| a.swap([i, k], [j, k]));
    }
}

/// Divides the first column below the diagonal by its head and takes its multiples from the others.
fn eliminate(a: ArrayViewMut2<f64>) {
    let (mut column, mut others) = a.split_at(Axis(1), 1);
    let head = column[[0, 0]];
    let mut multiples = column.slice_mut(s![1.., 0]);
    multiples /= head;
    for mut other in others.columns_mut() {
        let share = other[0];
        other.slice_mut(s![1..]).zip_mut_with(&multiples, |entry, multiple| *entry -= share * multiple);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_needs_pivots_is_inverted() {
        let small = ndarray::array![[0.0, 2.0, 1.0], [4.0, 1.0, 0.0], [1.0, 0.0, 0.5]];
        let mut stream = crate::Seed(4).stream("matrix", 0);
        let large = Array2::from_shape_fn((100, 100), |_| stream.normal());
        for a in [small, large] {
            let unit = a.dot(&inverse(a.clone()));
            for ((i, j), entry) in unit.indexed_iter() {
                assert_close!(*entry, f64::from(u8::from(i == j)), abs = 1e-11, "{i} {j}: {entry}");
            }
        }
        assert_eq!(inverse(Array2::zeros((0, 0))).nrows(), 0);
    }
}
