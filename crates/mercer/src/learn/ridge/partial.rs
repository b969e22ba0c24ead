//! A partial Cholesky factor as preconditioner of conjugate gradients.

use ndarray::{Array2, ArrayView2, Axis};

use super::problem::Problem;
use crate::solve::products::{multiply, multiply_single, multiply_single_transposed, multiply_transposed};
use crate::solve::{CholeskyFactor, Factored, block_randomly_pivoted_cholesky, factor};
use crate::{Compute, Result};

/// Pivots that are proposed at a time.
const PROPOSALS: usize = 64;
/// Residual trace in units of λ at which the factor is complete: a smaller residual does not
/// improve the condition number.
const SHARE: f64 = 0.01;

/// `(FFᵀ + λI)⁻¹ = (I − F(FᵀF + λI)⁻¹Fᵀ)/λ` with a factor `FFᵀ ≈ SKS` of few columns.
pub(super) struct Partial {
    factor: Array2<f64>,
    inner: CholeskyFactor,
    lambda: f64,
    /// The mean eigenvalue of what is left of the matrix without weights.
    mean_left: f64,
}

impl Partial {
    /// From at most `rank` pivots, drawn by what is left of the diagonal.
    pub(super) fn new(problem: &Problem<'_>, lambda: f64, rank: usize, compute: &Compute) -> Result<Self> {
        Self::of(problem, lambda, rank, |v| v, compute)
    }

    fn of(problem: &Problem<'_>, lambda: f64, rank: usize, rounded: fn(f64) -> f64, compute: &Compute) -> Result<Self> {
        let trace: f64 = crate::gram::Tiles::diagonal(&problem.bound)?.iter().sum();
        let enough = if trace > 0.0 { (SHARE * lambda / trace).max(f64::EPSILON) } else { f64::EPSILON };
        let found = block_randomly_pivoted_cholesky(&problem.bound, rank, enough, PROPOSALS, compute)?;
        let mean_left = found.trace_left / problem.rows() as f64;
        let mut factor_of = (found.factor * problem.roots.view().insert_axis(Axis(1))).mapv(rounded);
        loop {
            let mut inner = multiply_transposed(factor_of.view(), factor_of.view(), compute)?;
            inner.diag_mut().mapv_inplace(|d| d + lambda);
            match factor(inner, compute)? {
                Factored::Definite(inner) => return Ok(Self { factor: factor_of, inner, lambda, mean_left }),
                // The last pivots are rounding error: half of the rank suffices.
                Factored::Singular(_) => {
                    let half: Vec<usize> = (0..factor_of.ncols() / 2).collect();
                    factor_of = factor_of.select(Axis(1), &half);
                }
            }
        }
    }

    /// The same in single precision.
    pub(super) fn single(problem: &Problem<'_>, lambda: f64, rank: usize, compute: &Compute) -> Result<SinglePartial> {
        let rounded = |v: f64| f64::from(v as f32);
        // The inner matrix belongs to the rounded factor, so that the preconditioner is definite.
        let Self { factor, inner, lambda, mean_left } = Self::of(problem, lambda, rank, rounded, compute)?;
        Ok(SinglePartial { factor: factor.mapv(|v| v as f32), inner, lambda, mean_left })
    }

    /// Columns of the factor.
    pub(super) fn rank(&self) -> usize {
        self.factor.ncols()
    }

    /// `(FFᵀ + λI)⁻¹v`.
    pub(super) fn apply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let inner = self.inner.solve(multiply_transposed(self.factor.view(), v, compute)?.view(), compute)?;
        Ok((&v - &multiply(self.factor.view(), inner.view(), compute)?) / self.lambda)
    }
}

/// [`Partial`] with a factor in single precision: half of the memory traffic.
pub(super) struct SinglePartial {
    factor: Array2<f32>,
    inner: CholeskyFactor,
    lambda: f64,
    /// The mean eigenvalue of what is left of the matrix without weights.
    pub(super) mean_left: f64,
}

impl SinglePartial {
    /// Columns of the factor.
    pub(super) fn rank(&self) -> usize {
        self.factor.ncols()
    }

    /// `(FFᵀ + λI)⁻¹v`.
    pub(super) fn apply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let inner = self.inner.solve(multiply_single_transposed(self.factor.view(), v, compute)?.view(), compute)?;
        Ok((&v - &multiply_single(self.factor.view(), inner.view(), compute)?) / self.lambda)
    }

    /// `FFᵀv`.
    pub(super) fn image(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply_single(self.factor.view(), multiply_single_transposed(self.factor.view(), v, compute)?.view(), compute)
    }
}
