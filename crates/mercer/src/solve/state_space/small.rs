//! Matrices of a few rows, on the stack.

/// An `M × M` matrix, by rows.
pub(super) type Matrix<const M: usize> = [[f64; M]; M];
/// A column of `M` numbers.
pub(super) type Vector<const M: usize> = [f64; M];

/// `Σ aᵢbᵢ`.
#[inline(always)]
pub(super) fn dot<const M: usize>(a: &Vector<M>, b: &Vector<M>) -> f64 {
    (0..M).map(|i| a[i] * b[i]).sum()
}

/// `Av`.
#[inline(always)]
pub(super) fn times<const M: usize>(a: &Matrix<M>, v: &Vector<M>) -> Vector<M> {
    std::array::from_fn(|i| dot(&a[i], v))
}

/// `Aᵀv`.
#[inline(always)]
pub(super) fn transposed_times<const M: usize>(a: &Matrix<M>, v: &Vector<M>) -> Vector<M> {
    std::array::from_fn(|j| (0..M).map(|i| a[i][j] * v[i]).sum())
}

/// `AB`.
#[inline(always)]
pub(super) fn product<const M: usize>(a: &Matrix<M>, b: &Matrix<M>) -> Matrix<M> {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..M).map(|k| a[i][k] * b[k][j]).sum()))
}

/// `AᵀB`.
#[inline(always)]
pub(super) fn transposed_product<const M: usize>(a: &Matrix<M>, b: &Matrix<M>) -> Matrix<M> {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..M).map(|k| a[k][i] * b[k][j]).sum()))
}

/// `AAᵀ`.
#[inline(always)]
pub(super) fn square<const M: usize>(a: &Matrix<M>) -> Matrix<M> {
    std::array::from_fn(|i| std::array::from_fn(|j| dot(&a[i], &a[j])))
}

/// The lower triangular `L` with `LLᵀ = AAᵀ + BBᵀ`: reflections of the rows of `[A B]` from the
/// right, so that no square is formed.
#[inline(always)]
pub(super) fn root_of_sum<const M: usize>(mut a: Matrix<M>, mut b: Matrix<M>) -> Matrix<M> {
    for k in 0..M {
        let mut tail = 0.0;
        for j in k + 1..M {
            tail += a[k][j] * a[k][j];
        }
        for j in 0..M {
            tail += b[k][j] * b[k][j];
        }
        if tail > 0.0 {
            reflect(&mut a, &mut b, k, tail);
        }
    }
    a
}

/// Moves the row `k` of `[A B]` beyond the diagonal into the diagonal; `tail` is the square of what
/// is moved.
#[inline(always)]
fn reflect<const M: usize>(a: &mut Matrix<M>, b: &mut Matrix<M>, k: usize, tail: f64) {
    let pivot = a[k][k];
    let norm = (pivot * pivot + tail).sqrt();
    // The sign that does not cancel: v = x − βe₁ with β = −sign(x₁)‖x‖.
    let beta = -norm.copysign(pivot);
    let head = pivot - beta;
    let factor = 1.0 / (norm * head.abs());
    let (row_a, row_b) = (a[k], b[k]);
    for i in k + 1..M {
        let mut sum = head * a[i][k];
        for j in k + 1..M {
            sum += row_a[j] * a[i][j];
        }
        for j in 0..M {
            sum += row_b[j] * b[i][j];
        }
        sum *= factor;
        a[i][k] -= sum * head;
        for j in k + 1..M {
            a[i][j] -= sum * row_a[j];
        }
        for j in 0..M {
            b[i][j] -= sum * row_b[j];
        }
    }
    a[k] = [0.0; M];
    a[k][..k].copy_from_slice(&row_a[..k]);
    a[k][k] = beta;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_has_the_square_of_the_sum() {
        let a = [[1.0, 2.0, -1.0], [0.5, -3.0, 2.0], [4.0, 0.0, 1e-3]];
        let b = [[1e-9, 0.0, 0.0], [2.0, 1.0, 0.0], [0.3, -0.2, 0.1]];
        let (root, expected) = (root_of_sum(a, b), (square(&a), square(&b)));
        let found = square(&root);
        for i in 0..3 {
            assert!(root[i][i + 1..].iter().all(|v| *v == 0.0));
            for j in 0..3 {
                let sum = expected.0[i][j] + expected.1[i][j];
                assert_close!(found[i][j], sum, abs = 1e-14 * sum.abs().max(1.0), "{i} {j}");
            }
        }
    }

    #[test]
    fn nothing_added_to_nothing_is_nothing() {
        assert_eq!(root_of_sum([[0.0; 2]; 2], [[0.0; 2]; 2]), [[0.0; 2]; 2]);
    }
}
