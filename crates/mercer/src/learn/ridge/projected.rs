//! Conjugate gradients on the complement of the unpenalized functions.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::null_space::NullSpace;
use crate::solve::{Product, Solved, solve_positive};
use crate::{Error, Result};

/// A system `Ac + Qγ = b`, `Qᵀc = 0`, known by products, with a preconditioner `M⁻¹ ≈ A⁻¹`.
///
/// # Theory
/// Directions `z = M⁻¹(r − Qγ)` with `Qᵀz = 0` stay where the solution lies, so that `Q` needs no
/// solution of its own: one column per output instead of one more per unpenalized function.
pub(super) struct Projected<'a> {
    q: ArrayView2<'a, f64>,
    precondition: &'a Product<'a>,
    /// `M⁻¹Q`.
    images: Array2<f64>,
    /// `QᵀM⁻¹Q`.
    schur: Array2<f64>,
}

/// When an iteration ends.
pub(super) struct Goal {
    /// The largest `‖r‖/(λ‖c‖)` of a column.
    pub(super) tolerance: f64,
    pub(super) lambda: f64,
    pub(super) max_iterations: usize,
}

impl Goal {
    /// Whether every column has `‖r‖ ≤ tolerance·λ‖c‖`: the norm of the error of the fitted values
    /// is at most `‖r‖`, and that of the residuals is `λ‖c‖`.
    pub(super) fn is_reached(&self, residual: &Array2<f64>, c: &Array2<f64>) -> bool {
        let mut pairs = norms(residual).into_iter().zip(norms(c));
        pairs.all(|(r, c)| r <= self.tolerance * self.lambda * c)
    }
}

impl<'a> Projected<'a> {
    pub(super) fn new(null_space: &'a NullSpace, precondition: &'a Product<'a>) -> Result<Self> {
        let q = null_space.q.view();
        let images = if q.ncols() == 0 { q.to_owned() } else { precondition(q)? };
        let schur = q.t().dot(&images);
        Ok(Self { q, precondition, images, schur })
    }

    /// `(I − QQᵀ)v`.
    pub(super) fn remove(&self, v: Array2<f64>) -> Array2<f64> {
        if self.q.ncols() == 0 { v } else { &v - &self.q.dot(&self.q.t().dot(&v)) }
    }

    fn apply(&self, r: ArrayView2<f64>) -> Result<Array2<f64>> {
        let z = (self.precondition)(r)?;
        if self.q.ncols() == 0 {
            return Ok(z);
        }
        let found = solve_positive(self.schur.view(), self.q.t().dot(&z).view())?;
        if found.solved != Solved::Cholesky {
            return Err(Error::singular(
                "the system of the unpenalized coefficients",
                "leave unpenalized functions out that depend on others",
            ));
        }
        Ok(self.remove(z - self.images.dot(&found.solution)))
    }

    /// Improves `c` by conjugate gradients until the goal is reached by the recurrence, and gives
    /// the number of steps; `left` is `b − Ac`, before and after.
    ///
    /// # Errors
    /// [`Error::NotConverged`] beyond the maximum number of steps; errors of the products.
    pub(super) fn improve(
        &self,
        apply: &Product<'_>,
        left: &mut Array2<f64>,
        c: &mut Array2<f64>,
        goal: &Goal,
    ) -> Result<usize> {
        let mut residual = self.remove(left.clone());
        let mut direction = Array2::zeros(c.dim());
        let mut rho = Array1::zeros(c.ncols());
        for steps in 0..=goal.max_iterations {
            if goal.is_reached(&residual, c) {
                return Ok(steps);
            }
            let z = self.apply(residual.view())?;
            let next = inner(&residual, &z);
            direction = z + &direction * &ratio(&next, &rho);
            rho = next;
            let image = apply(direction.view())?;
            let step = ratio(&rho, &inner(&direction, &image));
            *c += &(&direction * &step);
            *left -= &(&image * &step);
            residual -= &(self.remove(image) * &step);
        }
        let (solver, iterations) = ("conjugate gradients", goal.max_iterations);
        let reached =
            norms(&residual).into_iter().zip(norms(c)).fold(0.0_f64, |m, (r, c)| m.max(r / (goal.lambda * c)));
        Err(Error::NotConverged { solver, iterations, residual: reached, tolerance: goal.tolerance })
    }
}

pub(super) fn norms(x: &Array2<f64>) -> Vec<f64> {
    inner(x, x).mapv(f64::sqrt).to_vec()
}

/// The inner products of corresponding columns.
fn inner(x: &Array2<f64>, y: &Array2<f64>) -> Array1<f64> {
    (x * y).sum_axis(Axis(0))
}

/// `a/b`, and 0 for columns that are finished.
fn ratio(a: &Array1<f64>, b: &Array1<f64>) -> Array1<f64> {
    a.iter().zip(b).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect()
}
