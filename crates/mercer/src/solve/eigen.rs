//! Eigenvalues and eigenvectors of symmetric matrices.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};
use ndarray::{Array2, ArrayView2};

use crate::error::Remedy;
use crate::{Error, Result};

/// `A = U diag(λ) Uᵀ`.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricEigen {
    /// The eigenvalues, ascending.
    pub values: Vec<f64>,
    /// The eigenvectors: column `j` belongs to `values[j]`; the columns are orthonormal.
    pub vectors: Array2<f64>,
}

impl SymmetricEigen {
    /// `U diag(f(λ)) Uᵀ`, exactly symmetric.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Array2<f64> {
        let scaled = &self.vectors * &ndarray::Array1::from_iter(self.values.iter().map(|&v| f(v)));
        let product = scaled.dot(&self.vectors.t());
        Array2::from_shape_fn(product.dim(), |(i, j)| 0.5 * (product[[i, j]] + product[[j, i]]))
    }
}

/// The eigendecomposition of a symmetric matrix. Only the lower triangle is read.
///
/// # Cost
/// `O(n³)` time on one thread, so that the same matrix gives the same bytes whatever the number of
/// threads; three matrices of the size of `A`.
///
/// # Errors
/// [`Error::Shape`] unless the matrix is square, [`Error::Value`] if it holds NaN or an infinity,
/// [`Error::Undefined`] if the iteration does not converge.
///
/// # Example
/// ```
/// use mercer::solve::symmetric_eigen;
/// let eigen = symmetric_eigen(ndarray::array![[2.0, 1.0], [1.0, 2.0]].view())?;
/// mercer::assert_close!(eigen.values[0], 1.0, abs = 1e-15);
/// mercer::assert_close!(eigen.values[1], 3.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn symmetric_eigen(a: ArrayView2<f64>) -> Result<SymmetricEigen> {
    let n = a.nrows();
    let mut vectors = Mat::<f64>::zeros(n, n);
    let values = decompose(a, Some(&mut vectors))?;
    Ok(SymmetricEigen { values, vectors: Array2::from_shape_fn((n, n), |(i, j)| vectors[(i, j)]) })
}

/// The eigenvalues of a symmetric matrix, ascending. Only the lower triangle is read.
///
/// # Cost
/// `O(n³)`, about a fifth of [`symmetric_eigen`].
///
/// # Errors
/// As [`symmetric_eigen`].
///
/// # Example
/// ```
/// let values = mercer::solve::eigenvalues(ndarray::array![[0.0, 1.0], [1.0, 0.0]].view())?;
/// mercer::assert_close!(values[0], -1.0, abs = 1e-15);
/// mercer::assert_close!(values[1], 1.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn eigenvalues(a: ArrayView2<f64>) -> Result<Vec<f64>> {
    decompose(a, None)
}

fn decompose(a: ArrayView2<f64>, vectors: Option<&mut Mat<f64>>) -> Result<Vec<f64>> {
    if a.nrows() != a.ncols() {
        return Err(Error::shape("columns of a symmetric matrix", a.nrows(), a.ncols()));
    }
    crate::Points::Vectors(a).check_finite("a symmetric matrix")?;
    let n = a.nrows();
    if n == 0 {
        return Ok(Vec::new());
    }
    let lower = Mat::from_fn(n, n, |i, j| a[[i.max(j), i.min(j)]]);
    let requested = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let mut values = Diag::<f64>::zeros(n);
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(n, requested, Par::Seq, Default::default()));
    let vectors = vectors.map(|v| v.as_mut());
    self_adjoint_evd(
        lower.as_ref(),
        values.as_mut(),
        vectors,
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| {
        Error::undefined(
            format!("the eigendecomposition of a {n} × {n} matrix, which did not converge,"),
            Remedy::Rescale,
        )
    })?;
    Ok(values.column_vector().iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn random_symmetric(n: usize) -> Array2<f64> {
        let mut stream = Seed(3).stream("matrix", n as u64);
        let b = Array2::from_shape_fn((n, n), |_| stream.normal());
        &b + &b.t()
    }

    #[test]
    fn decomposition_gives_the_matrix_back() {
        for n in [0, 1, 2, 3, 17, 60, 130] {
            let a = random_symmetric(n);
            let eigen = symmetric_eigen(a.view()).unwrap();
            assert!(eigen.values.windows(2).all(|w| w[0] <= w[1]));
            let error = (&eigen.map(|v| v) - &a).mapv(f64::abs).into_iter().fold(0.0, f64::max);
            assert!(error <= 1e-13 * (n as f64 + 1.0), "n = {n}: {error}");
            let unit = eigen.vectors.t().dot(&eigen.vectors) - Array2::<f64>::eye(n);
            assert!(unit.iter().all(|v| v.abs() <= 1e-13), "n = {n}: not orthonormal");
            for (found, expected) in eigenvalues(a.view()).unwrap().iter().zip(&eigen.values) {
                assert_close!(*found, *expected, abs = 1e-12 * expected.abs().max(1.0));
            }
        }
    }

    #[test]
    fn one_entry_is_its_own_eigenvalue() {
        assert_eq!(symmetric_eigen(ndarray::array![[-2.5]].view()).unwrap().values, [-2.5]);
    }

    #[test]
    fn bad_matrices_are_refused() {
        assert!(matches!(eigenvalues(Array2::zeros((2, 3)).view()), Err(Error::Shape { .. })));
        assert!(matches!(eigenvalues(ndarray::array![[f64::NAN]].view()), Err(Error::Value { .. })));
    }
}
