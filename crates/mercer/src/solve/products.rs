//! Products of dense matrices on every thread, with the same bytes for any number of threads.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use rayon::prelude::*;

use crate::Compute;

/// Rows of a block of the answer.
const BLOCK: usize = 64;

/// `AB`.
pub(crate) fn multiply(a: ArrayView2<f64>, b: ArrayView2<f64>, compute: &Compute) -> Array2<f64> {
    let mut out = Array2::zeros((a.nrows(), b.ncols()));
    each_block(&mut out, compute, |start, mut block| {
        let rows = a.slice(s![start..start + block.nrows(), ..]);
        general_mat_mul(1.0, &rows, &b, 0.0, &mut block);
    });
    out
}

/// `S ← S + UVᵀ`, a symmetric product, on and below the diagonal (blocks on the diagonal as a whole).
pub(crate) fn add_symmetric(sum: &mut Array2<f64>, u: &Array2<f64>, v: &Array2<f64>, compute: &Compute) {
    each_block(sum, compute, |start, mut block| {
        let end = start + block.nrows();
        let mut left = block.slice_mut(s![.., ..end]);
        general_mat_mul(1.0, &u.slice(s![start..end, ..]), &v.slice(s![..end, ..]).t(), 1.0, &mut left);
    });
}

/// What stands below the diagonal, above it too.
pub(crate) fn mirror(matrix: &mut Array2<f64>) {
    for i in 0..matrix.nrows() {
        for j in 0..i {
            matrix[[j, i]] = matrix[[i, j]];
        }
    }
}

fn each_block(out: &mut Array2<f64>, compute: &Compute, work: impl Fn(usize, ArrayViewMut2<'_, f64>) + Sync) {
    let columns = out.ncols();
    if columns == 0 {
        return;
    }
    let values = out.as_slice_mut().expect("sums are made in standard layout");
    let task = |(index, part): (usize, &mut [f64])| {
        let block = ArrayViewMut2::from_shape((part.len() / columns, columns), part).expect("blocks are whole rows");
        work(index * BLOCK, block);
    };
    compute.install(|| values.par_chunks_mut(BLOCK * columns).enumerate().for_each(task));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_squares_are_those_of_the_plain_formula() {
        let v = Array2::from_shape_fn((150, 7), |(i, j)| ((i * 7 + j) as f64).sin());
        let compute = Compute::new();
        let mut sum = Array2::eye(150);
        add_symmetric(&mut sum, &v, &v, &compute);
        mirror(&mut sum);
        let expected = v.dot(&v.t()) + Array2::<f64>::eye(150);
        assert!((&sum - &expected).iter().all(|d| d.abs() <= 1e-14));
        let product = multiply(v.t(), sum.view(), &compute);
        assert!((&product - &v.t().dot(&expected)).iter().all(|d| d.abs() <= 1e-12));
    }
}
