//! In the features of a kernel with finitely many: the same solution as the dense solve, in time
//! linear in the rows.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::problem::Problem;
use super::solution::{RidgeMethod, Solution};
use crate::features::{ExplicitFeatures, FeatureMap};
use crate::operator::products::{multiply, multiply_transposed};
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::{Compute, Error, Kernel, Result};

/// The smallest λ as a part of the trace of `ZᵀZ`: below it rounding errors would be seen in the
/// solution.
const SMALLEST: f64 = 1e-12;
/// Rows whose leverages are computed at a time. Not tuned.
const ROWS: usize = 4096;
/// Refinements of the solution: each removes what the subtraction in `(r − Zw)/λ` lost.
const REFINEMENTS: usize = 2;

/// The number of features of a kernel on vectors of this many columns, if they are finitely many.
pub(super) fn rank(kernel: &Kernel, columns: usize) -> Option<usize> {
    ExplicitFeatures::new(kernel.clone(), columns).ok().map(|map| map.components())
}

/// Solves `(SKS + λI)[c₁ … | …] = [Sy | Q]` with `SKS = ZZᵀ`.
///
/// # Formula
/// `(ZZᵀ + λI)⁻¹r = (r − Z(ZᵀZ + λI)⁻¹Zᵀr)/λ`.
///
/// # Errors
/// [`Error::Singular`] where λ is too small beside the features.
pub(super) fn solve(
    problem: &Problem<'_>,
    x: ArrayView2<f64>,
    lambda: f64,
    diagnostics: bool,
    compute: &Compute,
) -> Result<Solution> {
    let system = System::new(problem, x, lambda, compute)?;
    let solved = system.solve(&problem.right_sides(), compute)?;
    let diagonal = if diagnostics { Some(system.inverse_diagonal(compute)?) } else { None };
    let condition = Some(system.factor.condition(compute)?);
    let method = RidgeMethod::FiniteRank { features: system.features.ncols() };
    Solution::of_system(problem, lambda, solved.view(), diagonal, condition, method)
}

struct System {
    /// `Z`, the features of every row times the root of its weight.
    features: Array2<f64>,
    /// Of `ZᵀZ + λI`.
    factor: CholeskyFactor,
    lambda: f64,
}

impl System {
    fn new(problem: &Problem<'_>, x: ArrayView2<f64>, lambda: f64, compute: &Compute) -> Result<Self> {
        let map = ExplicitFeatures::new(problem.bound.kernel().clone(), x.ncols())?;
        let mut features = map.transform(x, compute)?;
        if problem.roots.iter().any(|s| *s != 1.0) {
            features *= &problem.roots.view().insert_axis(Axis(1));
        }
        let mut gram = multiply_transposed(features.view(), features.view(), compute)?;
        let too_small = || {
            let what = format!("the system of {} features with λ = {lambda:e}", features.ncols());
            Error::singular(what, "use a larger λ, or another solver")
        };
        if lambda <= SMALLEST * gram.diag().sum() {
            return Err(too_small());
        }
        gram.diag_mut().mapv_inplace(|d| d + lambda);
        match factor(gram, compute)? {
            Factored::Definite(factor) => Ok(Self { features, factor, lambda }),
            Factored::Singular(_) => Err(too_small()),
        }
    }

    fn solve(&self, right: &Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let mut solution = self.solve_once(right.view(), compute)?;
        for _ in 0..REFINEMENTS {
            let inner = multiply_transposed(self.features.view(), solution.view(), compute)?;
            let left = multiply(self.features.view(), inner.view(), compute)? + &solution * self.lambda;
            solution += &self.solve_once((right - &left).view(), compute)?;
        }
        Ok(solution)
    }

    fn solve_once(&self, right: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let weights = self.factor.solve(multiply_transposed(self.features.view(), right, compute)?.view(), compute)?;
        Ok((&right - &multiply(self.features.view(), weights.view(), compute)?) / self.lambda)
    }

    /// The diagonal of `(ZZᵀ + λI)⁻¹`: `(1 − zᵢᵀ(ZᵀZ + λI)⁻¹zᵢ)/λ`.
    fn inverse_diagonal(&self, compute: &Compute) -> Result<Array1<f64>> {
        let n = self.features.nrows();
        let mut gain = Array1::zeros(n);
        for start in (0..n).step_by(ROWS) {
            let rows = start..n.min(start + ROWS);
            let part = self.features.slice(s![rows.clone(), ..]);
            let half = self.factor.half_solve(part.t(), compute)?;
            let leverages = half.mapv(|v| v * v).sum_axis(Axis(0));
            gain.slice_mut(s![rows]).assign(&leverages.mapv(|h| (1.0 - h) / self.lambda));
        }
        Ok(gain)
    }
}

/// The function of a fit in its features: `f(x) = z(x)ᵀw` with `w = Zᵀα`.
#[derive(Clone, Debug)]
pub(in crate::learn) struct FeatureFunction {
    map: ExplicitFeatures,
    weights: Array2<f64>,
}

impl FeatureFunction {
    pub(in crate::learn) fn new(
        kernel: &Kernel,
        points: ArrayView2<f64>,
        dual: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Self> {
        let map = ExplicitFeatures::new(kernel.clone(), points.ncols())?;
        let weights = multiply_transposed(map.transform(points, compute)?.view(), dual, compute)?;
        Ok(Self { map, weights })
    }

    pub(in crate::learn) fn values(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply(self.map.transform(x, compute)?.view(), self.weights.view(), compute)
    }
}
