//! In the features of a kernel with finitely many: the same solution as the dense solve, in time
//! linear in the rows.

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::problem::Problem;
use super::solution::{Influence, RidgeMethod, Solution};
use crate::features::{ExplicitFeatures, FeatureMap};
use crate::operator::products::{multiply, multiply_transposed};
use crate::solve::FeatureSystem;
use crate::{Compute, Error, Kernel, Result};

/// The smallest λ as a part of the trace of the features: below it rounding errors of their products
/// would be seen in the solution.
pub(super) const SMALLEST: f64 = 1e-12;

/// The number of features of a kernel on vectors of this many columns, if they are finitely many.
pub(super) fn rank(kernel: &Kernel, columns: usize) -> Option<usize> {
    ExplicitFeatures::new(kernel.clone(), columns).ok().map(|map| map.components())
}

/// The solution, with `Z̃ = (I − QQᵀ)Z` for `SKS = ZZᵀ`: what the unpenalized functions explain is
/// taken away first, so that columns far from the origin cost no digits.
///
/// # Formula
/// `G = (I − QQᵀ − Z̃(Z̃ᵀZ̃ + λI)⁻¹Z̃ᵀ)/λ`.
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
    let q = &problem.null_space.q;
    let along = q.t().dot(&problem.targets);
    let right = &problem.targets - &q.dot(&along);
    let weights = system.within.weights(right.view(), compute)?;
    let mut dual = system.within.solve_with(right.view(), weights.view(), compute)?;
    // Rounding along Q would be multiplied by the means of the features.
    dual -= &q.dot(&q.t().dot(&dual));
    // SPβ is what of Sy − SKSc lies along Q; λc has no part there.
    let null = problem.null_space.coefficients(&(along - system.along.dot(&weights)));
    let influence = match diagnostics {
        true => Some(Influence::new(lambda, &dual, &system.gain(q, compute)?, &problem.roots)),
        false => None,
    };
    let condition = Some(system.within.factor().condition(compute)?);
    let method = RidgeMethod::FiniteRank { features: system.within.features().ncols() };
    let residual = &dual * lambda;
    let feature_weights = Some(weights);
    Ok(Solution { residual, dual, null, influence, condition, method, negative: None, feature_weights })
}

/// `Z̃`, `QᵀZ`, and the geometric mean of the traces of `ZᵀZ` and `Z̃ᵀZ̃`, to which the errors of
/// products are relative.
///
/// # Errors
/// [`Error::Canceled`].
pub(super) fn centered(
    mut features: Array2<f64>,
    problem: &Problem<'_>,
    compute: &Compute,
) -> Result<(Array2<f64>, Array2<f64>, f64)> {
    if problem.roots.iter().any(|s| *s != 1.0) {
        features *= &problem.roots.view().insert_axis(Axis(1));
    }
    let trace = |features: &Array2<f64>| features.iter().map(|v| v * v).sum::<f64>();
    let q = &problem.null_space.q;
    let whole = trace(&features);
    if q.ncols() == 0 {
        let none = Array2::zeros((0, features.ncols()));
        return Ok((features, none, whole));
    }
    let along = multiply_transposed(q.view(), features.view(), compute)?;
    features -= &multiply(q.view(), along.view(), compute)?;
    let scale = (whole * trace(&features)).sqrt();
    Ok((features, along, scale))
}

struct System {
    /// In `Z̃`.
    within: FeatureSystem,
    /// `QᵀZ`.
    along: Array2<f64>,
    lambda: f64,
}

impl System {
    fn new(problem: &Problem<'_>, x: ArrayView2<f64>, lambda: f64, compute: &Compute) -> Result<Self> {
        let map = ExplicitFeatures::new(problem.bound.kernel().clone(), x.ncols())?;
        let (features, along, scale) = centered(map.transform(x, compute)?, problem, compute)?;
        let too_small = || {
            let what = format!("the system of {} features with λ = {lambda:e}", map.components());
            Error::singular(what, "use a larger λ, or another solver")
        };
        let gram = multiply_transposed(features.view(), features.view(), compute)?;
        let within = FeatureSystem::new(Arc::new(features), gram, (lambda, scale), compute)?.ok_or_else(too_small)?;
        Ok(Self { within, along, lambda })
    }

    /// The diagonal of `G`: `(1 − ‖qᵢ‖² − z̃ᵢᵀ(Z̃ᵀZ̃ + λI)⁻¹z̃ᵢ)/λ`.
    fn gain(&self, q: &Array2<f64>, compute: &Compute) -> Result<Array1<f64>> {
        let fixed = (q * q).sum_axis(Axis(1)) + self.within.leverages(compute)?;
        Ok(fixed.mapv(|h| (1.0 - h) / self.lambda))
    }
}

/// The function of a fit in its features: `f(x) = z(x)ᵀw` with `w = Zᵀα`. Where the coefficients have
/// the sum 0, as beside an intercept, the features less their means give the same weights with more
/// digits.
#[derive(Clone, Debug)]
pub(in crate::learn) struct FeatureFunction {
    map: ExplicitFeatures,
    weights: Array2<f64>,
}

impl FeatureFunction {
    /// The function with these weights, of points with so many columns.
    pub(super) fn with_weights(kernel: &Kernel, columns: usize, weights: Array2<f64>) -> Result<Self> {
        let map = ExplicitFeatures::new(kernel.clone(), columns)?;
        match map.components() == weights.nrows() {
            true => Ok(Self { map, weights }),
            false => Err(Error::shape("weights of features", map.components(), weights.nrows())),
        }
    }

    pub(in crate::learn) fn new(
        kernel: &Kernel,
        points: ArrayView2<f64>,
        dual: ArrayView2<f64>,
        sum_is_zero: bool,
        compute: &Compute,
    ) -> Result<Self> {
        let map = ExplicitFeatures::new(kernel.clone(), points.ncols())?;
        let mut features = map.transform(points, compute)?;
        if let Some(means) = features.mean_axis(Axis(0)).filter(|_| sum_is_zero) {
            features -= &means;
        }
        let weights = multiply_transposed(features.view(), dual, compute)?;
        Ok(Self { map, weights })
    }

    pub(in crate::learn) fn values(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply(self.map.transform(x, compute)?.view(), self.weights.view(), compute)
    }
}
