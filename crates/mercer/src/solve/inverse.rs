//! The inverse of a square matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::inverse::{inverse as inverse_of_factors, inverse_scratch};
use faer::{Mat, Par};

/// `A⁻¹` by an LU factor with partial pivoting, in one thread: the same bytes for any number of
/// threads.
pub(crate) fn inverse(mut a: Mat<f64>) -> Mat<f64> {
    let n = a.nrows();
    let (mut forward, mut backward) = (vec![0_usize; n], vec![0_usize; n]);
    let mut memory = MemBuffer::new(
        lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default())
            .or(inverse_scratch::<usize, f64>(n, Par::Seq)),
    );
    let stack = MemStack::new(&mut memory);
    let (_, order) = lu_in_place(a.as_mut(), &mut forward, &mut backward, Par::Seq, stack, Default::default());
    let mut out = Mat::zeros(n, n);
    let stack = MemStack::new(&mut memory);
    inverse_of_factors(out.as_mut(), a.as_ref(), a.as_ref(), order, Par::Seq, stack);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_needs_pivots_is_inverted() {
        let a = Mat::from_fn(3, 3, |i, j| [[0.0, 2.0, 1.0], [4.0, 1.0, 0.0], [1.0, 0.0, 0.5]][i][j]);
        let found = inverse(a.clone());
        for i in 0..3 {
            for j in 0..3 {
                let unit: f64 = (0..3).map(|k| a[(i, k)] * found[(k, j)]).sum();
                assert_close!(unit, f64::from(u8::from(i == j)), abs = 1e-14, "{i} {j}: {unit}");
            }
        }
        assert_eq!(inverse(Mat::zeros(0, 0)).nrows(), 0);
    }
}
