//! The elimination of unpenalized functions: iterations on their complement.

use ndarray::{Array2, ArrayView2};

use crate::operator::Operator;
use crate::solve::{Solved, solve_positive};
use crate::{Error, Result};

/// The system `Ax + Nγ = b`, `Nᵀx = 0`: what an iteration needs of `N` and the preconditioner
/// `M⁻¹ ≈ A⁻¹`.
///
/// # Theory
/// Directions `z = M⁻¹(r − Nγ)` with `Nᵀz = 0` stay where the solution lies, so that `N` needs no
/// solution of its own: one column per output instead of one more per unpenalized function.
/// At the end `Nγ` is what is left of `b − Ax`.
pub(crate) struct NullSpace<'a> {
    basis: ArrayView2<'a, f64>,
    /// `(NᵀN)⁻¹`.
    small: Array2<f64>,
    /// `M⁻¹N`.
    images: Array2<f64>,
    /// `(NᵀM⁻¹N)⁻¹`.
    weight: Array2<f64>,
}

impl<'a> NullSpace<'a> {
    /// Of unpenalized functions that are independent on the data; none without columns.
    ///
    /// # Errors
    /// [`Error::Singular`] for functions that depend on others.
    pub(crate) fn new(basis: ArrayView2<'a, f64>, preconditioner: &dyn Operator) -> Result<Option<Self>> {
        Self::with_inverse(basis, preconditioner, &inverse)
    }

    /// Of the constants of functions, which are determined but for a common one where there are
    /// several.
    pub(crate) fn of_constants(basis: ArrayView2<'a, f64>, preconditioner: &dyn Operator) -> Result<Option<Self>> {
        Self::with_inverse(basis, preconditioner, &pinned_inverse)
    }

    fn with_inverse(
        basis: ArrayView2<'a, f64>,
        preconditioner: &dyn Operator,
        inverse: &dyn Fn(&Array2<f64>) -> Result<Array2<f64>>,
    ) -> Result<Option<Self>> {
        if basis.ncols() == 0 {
            return Ok(None);
        }
        let images = preconditioner.apply(basis)?;
        let (small, weight) = (inverse(&basis.t().dot(&basis))?, inverse(&basis.t().dot(&images))?);
        Ok(Some(Self { basis, small, images, weight }))
    }

    /// `v − N(NᵀN)⁻¹Nᵀv`.
    pub(crate) fn remove(&self, mut v: Array2<f64>) -> Array2<f64> {
        v -= &self.basis.dot(&self.coefficients(&v));
        v
    }

    /// `(NᵀN)⁻¹Nᵀv`: `γ` with `Nγ` nearest to `v`.
    pub(crate) fn coefficients(&self, v: &Array2<f64>) -> Array2<f64> {
        self.small.dot(&self.basis.t().dot(v))
    }

    /// The shortest `x` with `Nᵀx = sums`.
    pub(crate) fn shortest(&self, sums: &Array2<f64>) -> Array2<f64> {
        self.basis.dot(&self.small.dot(sums))
    }

    /// `M⁻¹(r − Nγ)` with `γ` such that `Nᵀ` times it is 0.
    pub(super) fn precondition(&self, preconditioner: &dyn Operator, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut z = preconditioner.apply(r)?;
        z -= &self.images.dot(&self.weight.dot(&self.basis.t().dot(&z)));
        // What rounding has left.
        Ok(self.remove(z))
    }
}

/// The inverse of a small positive definite matrix.
fn inverse(a: &Array2<f64>) -> Result<Array2<f64>> {
    let found = solve_positive(a.view(), Array2::eye(a.nrows()).view())?;
    if found.solved == Solved::Cholesky {
        return Ok(found.solution);
    }
    Err(Error::singular(
        "the system of the unpenalized coefficients",
        "leave unpenalized functions out that depend on others",
    ))
}

/// The inverse of a small matrix over the functions. Those of several classes are determined but
/// for a common constant, in whose direction the matrix is 0 and any number may stand: the mean of
/// the diagonal does.
pub(crate) fn pinned_inverse(a: &Array2<f64>) -> Result<Array2<f64>> {
    let c = a.nrows();
    let pin = if c > 1 { a.diag().sum() / (c * c) as f64 } else { 0.0 };
    let symmetric = (a + &a.t()) * 0.5 + pin;
    Ok(solve_positive(symmetric.view(), Array2::eye(c).view())?.solution)
}
