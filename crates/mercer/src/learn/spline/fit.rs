//! A fitted smoothing spline and its diagnostics.

use ndarray::{Array1, ArrayView1};

use super::SmoothingSpline;
use super::criteria::Criteria;
use super::data::SplineData;
use super::search::Chosen;
use crate::settings::Settings;
use crate::solve::chain::{Pass, States};
use crate::{Error, Result};

/// A fitted [`SmoothingSpline`].
///
/// # Example
/// ```
/// use mercer::learn::spline::{SmoothingSpline, Smoothing};
/// use mercer::Compute;
/// use ndarray::array;
/// // The line y = x needs no bending, whatever λ is.
/// let (x, y) = (array![0.0, 1.0, 3.0, 4.0], array![0.0, 1.0, 3.0, 4.0]);
/// let spline = SmoothingSpline { smoothing: Smoothing::Lambda(5.0), ..SmoothingSpline::default() };
/// let fit = spline.fit(x.view(), y.view(), None, &Compute::new())?;
/// mercer::assert_close!(fit.predict(array![10.0].view(), 0)?[0], 10.0, abs = 1e-12);
/// assert!(fit.roughness() < 1e-24 && fit.residual_sum_of_squares() < 1e-24);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SplineFit {
    pub(super) order: usize,
    pub(super) periodic: bool,
    pub(super) data: SplineData,
    pub(super) states: States,
    /// λ on the scale of the nodes.
    pub(super) scaled_lambda: f64,
    pub(super) chosen: Chosen,
    pub(super) degrees_of_freedom: f64,
    pub(super) gcv: f64,
    pub(super) reml: f64,
    pub(super) residual_sum: f64,
    pub(super) variance: Option<f64>,
    pub(super) fitted: Array1<f64>,
    pub(super) residuals: Array1<f64>,
    pub(super) leverages: Array1<f64>,
    pub(super) loo_score: f64,
    pub(crate) settings: Settings,
}

impl SplineFit {
    pub(super) fn new(
        spline: &SmoothingSpline,
        data: SplineData,
        criteria: &Criteria,
        chosen: Chosen,
        pass: Pass,
        states: States,
    ) -> Self {
        let residual_sum = criteria.residual(&pass);
        let freedom = criteria.count - pass.trace;
        let variance = (freedom > 1e-9 * criteria.count).then(|| residual_sum / freedom);
        Self {
            order: spline.order,
            periodic: spline.period.is_some(),
            scaled_lambda: chosen.lambda,
            chosen,
            degrees_of_freedom: pass.trace,
            gcv: criteria.gcv(&pass, chosen.lambda),
            reml: criteria.reml(&pass, chosen.lambda),
            residual_sum,
            variance,
            fitted: Array1::zeros(0),
            residuals: Array1::zeros(0),
            leverages: Array1::zeros(0),
            loo_score: 0.0,
            data,
            states,
            settings: spline.settings(),
        }
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The evidence: every number is finite, no leverage exceeds 1, and the sum that was minimized
    /// is the sum of its parts.
    pub(super) fn check(&self, pass: &Pass) -> Result<()> {
        let parts = pass.residual + self.scaled_lambda * self.scaled_roughness();
        let size: f64 = self.data.nodes.iter().map(|n| n.weight * n.y * n.y).sum();
        let agree = (parts - pass.objective).abs() <= 1e-6 * size;
        if pass.trace.is_finite() && parts.is_finite() && agree {
            return self.check_units();
        }
        Err(Error::singular(
            format!("the spline of order {} at λ = {:.3e}", self.order, self.lambda()),
            "use a larger λ, a lower order, or values, weights and gaps of x of less different sizes",
        ))
    }

    /// λ and the roughness in the units of `x` as given are numbers.
    fn check_units(&self) -> Result<()> {
        if self.lambda().is_finite() && self.roughness().is_finite() {
            return Ok(());
        }
        Err(Error::overflow("λ or the roughness in the units of x", "rescale x, y or the weights"))
    }

    /// Fills in what belongs to single observations.
    pub(super) fn with_observations(
        mut self,
        x: ArrayView1<f64>,
        y: ArrayView1<f64>,
        weights: Option<ArrayView1<f64>>,
    ) -> Self {
        let n = x.len();
        let m = self.order;
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        self.fitted = Array1::from_shape_fn(n, |i| match self.data.node_of[i] {
            Some(node) => self.data.center + self.states.mean[node * m],
            None => self.value_at(x[i], 0),
        });
        self.residuals = &y - &self.fitted;
        self.leverages = Array1::from_shape_fn(n, |i| match self.data.node_of[i] {
            Some(node) => weight(i) / self.scaled_lambda * self.states.covariance[node * m * m],
            None => 0.0,
        });
        let squares = self
            .loo_residuals()
            .iter()
            .enumerate()
            .map(|(i, r)| if weight(i) > 0.0 { weight(i) * r * r } else { 0.0 })
            .sum::<f64>();
        self.loo_score = squares / self.data.count as f64;
        self
    }

    /// The order `m`.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The period, for periodic splines.
    pub fn period(&self) -> Option<f64> {
        self.periodic.then_some(self.data.scale)
    }

    /// λ on the scale of `x` as given.
    pub fn lambda(&self) -> f64 {
        self.scaled_lambda * self.data.scale.powi(2 * self.order as i32 - 1)
    }

    /// `tr S`, the sum of the leverages.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.degrees_of_freedom
    }

    /// Generalized cross-validation, `(1/n) Σ wᵢrᵢ² / (1 − tr S/n)²`; infinite where the spline
    /// interpolates. A residual sum at the level of rounding counts as that level.
    pub fn gcv(&self) -> f64 {
        self.gcv
    }

    /// Twice the negative restricted log likelihood with σ² at its maximum, up to a constant that
    /// depends only on `x` and the weights: comparable between values of λ, not between samples.
    pub fn reml(&self) -> f64 {
        self.reml
    }

    /// `Σ wᵢ(yᵢ − f(xᵢ))²`, the scatter inside ties included.
    pub fn residual_sum_of_squares(&self) -> f64 {
        self.residual_sum
    }

    /// The estimate `Σ wᵢrᵢ²/(n − tr S)` of the noise variance at weight 1; none where the spline
    /// interpolates.
    pub fn variance(&self) -> Option<f64> {
        self.variance
    }

    /// `∫ (f⁽ᵐ⁾)²`, over one period for periodic splines.
    pub fn roughness(&self) -> f64 {
        self.scaled_roughness() / self.data.scale.powi(2 * self.order as i32 - 1)
    }

    /// The distinct `x`, ascending; for periodic splines, along one period from after the largest
    /// gap.
    pub fn knots(&self) -> Array1<f64> {
        self.data.nodes.iter().map(|n| self.data.origin + self.data.scale * n.t).collect()
    }

    /// `f(xᵢ)`.
    pub fn fitted(&self) -> ArrayView1<'_, f64> {
        self.fitted.view()
    }

    /// `yᵢ − f(xᵢ)`.
    pub fn residuals(&self) -> ArrayView1<'_, f64> {
        self.residuals.view()
    }

    /// The diagonal of `S`: `∂f(xᵢ)/∂yᵢ`. Observations at one `x` share the leverage of that place
    /// by weight.
    pub fn leverages(&self) -> ArrayView1<'_, f64> {
        self.leverages.view()
    }

    /// `yᵢ − f₋ᵢ(xᵢ) = rᵢ/(1 − Sᵢᵢ)`: the residual of each observation from the spline fitted
    /// without it, at the same λ.
    ///
    /// Not finite for an observation that the rest does not determine (`Sᵢᵢ = 1`).
    pub fn loo_residuals(&self) -> Array1<f64> {
        &self.residuals / &(1.0 - &self.leverages)
    }

    /// `(1/n) Σ wᵢ(rᵢ/(1 − Sᵢᵢ))²`.
    pub fn loo_score(&self) -> f64 {
        self.loo_score
    }

    /// Passes over the data that the search for λ took (0 for a given λ).
    pub fn passes(&self) -> usize {
        self.chosen.passes
    }

    /// Whether the search ended at an end of its range: the best fit is an interpolant or a
    /// polynomial.
    pub fn at_limit(&self) -> bool {
        self.chosen.at_limit
    }
}
