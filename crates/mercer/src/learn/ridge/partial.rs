//! A partial Cholesky factor as preconditioner of conjugate gradients.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::problem::Problem;
use crate::operator::Operator;
use crate::operator::products::{multiply, multiply_single, multiply_single_transposed, multiply_transposed};
use crate::solve::{CholeskyFactor, Factored, block_randomly_pivoted_cholesky, factor};
use crate::{Compute, Error, Result};

/// Pivots that are proposed at a time. 16 to 64 differ by less than 8 % of a fit of 4000 rows, 128 takes
/// 4 to 8 % more time.
const PROPOSALS: usize = 64;
/// Residual trace in units of λ at which the factor is complete: a smaller residual does not
/// improve the condition number.
const SHARE: f64 = 0.01;

/// `(FFᵀ + λI)⁻¹ = (I − F(FᵀF + λI)⁻¹Fᵀ)/λ` with a factor `FFᵀ ≈ SKS` of few columns, in single or
/// double precision.
pub(super) struct Partial<T> {
    factor: Array2<T>,
    inner: CholeskyFactor,
    lambda: f64,
    compute: Compute,
    /// The mean eigenvalue of what is left of the matrix without weights.
    pub(super) mean_left: f64,
}

/// The precision of a factor: single precision has half of the memory traffic.
pub(super) trait Entry: Copy + Sync {
    fn round(value: f64) -> Self;

    fn to_double(self) -> f64;

    /// `FV`.
    fn multiply(f: ArrayView2<Self>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>>;

    /// `FᵀV`.
    fn multiply_transposed(f: ArrayView2<Self>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>>;
}

impl Entry for f64 {
    fn round(value: f64) -> Self {
        value
    }

    fn to_double(self) -> f64 {
        self
    }

    fn multiply(f: ArrayView2<f64>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply(f, v, compute)
    }

    fn multiply_transposed(f: ArrayView2<f64>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply_transposed(f, v, compute)
    }
}

impl Entry for f32 {
    fn round(value: f64) -> Self {
        value as f32
    }

    fn to_double(self) -> f64 {
        f64::from(self)
    }

    fn multiply(f: ArrayView2<f32>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply_single(f, v, compute)
    }

    fn multiply_transposed(f: ArrayView2<f32>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply_single_transposed(f, v, compute)
    }
}

impl<T: Entry> Partial<T> {
    /// From at most `rank` pivots, drawn by what is left of the diagonal.
    pub(super) fn new(problem: &Problem<'_>, lambda: f64, rank: usize, compute: &Compute) -> Result<Self> {
        let trace: f64 = crate::gram::Tiles::diagonal(&problem.bound)?.iter().sum();
        let enough = if trace > 0.0 { (SHARE * lambda / trace).max(f64::EPSILON) } else { f64::EPSILON };
        let found = block_randomly_pivoted_cholesky(&problem.bound, rank, enough, PROPOSALS, compute)?;
        let mean_left = found.trace_left / problem.rows() as f64;
        // The inner matrix belongs to the rounded factor, so that the preconditioner is definite.
        let rounded = |v: f64| T::round(v).to_double();
        let mut factor_of = (found.factor * problem.roots.view().insert_axis(Axis(1))).mapv(rounded);
        loop {
            let mut inner = multiply_transposed(factor_of.view(), factor_of.view(), compute)?;
            inner.diag_mut().mapv_inplace(|d| d + lambda);
            match factor(inner, compute)? {
                Factored::Definite(inner) => {
                    let (factor, compute) = (factor_of.mapv(T::round), compute.clone());
                    return Ok(Self { factor, inner, lambda, compute, mean_left });
                }
                // The last pivots are rounding error: half of the rank suffices.
                Factored::Singular(_) => {
                    let half: Vec<usize> = (0..factor_of.ncols() / 2).collect();
                    factor_of = factor_of.select(Axis(1), &half);
                }
            }
        }
    }

    /// Columns of the factor.
    pub(super) fn rank(&self) -> usize {
        self.factor.ncols()
    }

    /// `FFᵀv`.
    pub(super) fn image(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let inner = T::multiply_transposed(self.factor.view(), v, &self.compute)?;
        T::multiply(self.factor.view(), inner.view(), &self.compute)
    }
}

/// `(FFᵀ + λI)⁻¹`.
impl<T: Entry> Operator for Partial<T> {
    fn shape(&self) -> (usize, usize) {
        (self.factor.nrows(), self.factor.nrows())
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (factor, compute) = (self.factor.view(), &self.compute);
        let inner = self.inner.solve(T::multiply_transposed(factor, v, compute)?.view(), compute)?;
        Ok((&v - &T::multiply(factor, inner.view(), compute)?) / self.lambda)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Err(Error::unsupported("the diagonal", "an inverse", "", "solve for unit vectors"))
    }
}
