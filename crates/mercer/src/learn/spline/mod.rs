//! Smoothing splines: the function of least roughness near the data, in linear time.

mod criteria;
mod data;
pub(crate) mod entry;
mod evaluate;
mod fit;
mod record;
mod search;

use ndarray::ArrayView1;

use self::criteria::Criteria;
use self::data::SplineData;
use self::search::{Chosen, Search};
use crate::error::{AllowedRange, MemoryPurpose, Remedy};
use crate::settings::Settings;
use crate::solve::chain::{Smoother, smoother};
use crate::{Compute, Error, Result};

pub use self::fit::SplineFit;

/// How the smoothing parameter λ is chosen.
///
/// # Formula
/// With `n` observations of positive weight, `S` the map from `y` to the fitted values,
/// `r = y − Sy`: GCV is `(1/n) Σ wᵢrᵢ² / (1 − tr S/n)²`; REML is
/// `(n−q) log(min J/(n−q)) + log det(…)`, the restricted likelihood of
/// `f = polynomial + (σ/√λ)·(integrated Brownian motion)`, with `J` the penalized sum and `q` the
/// dimension of the null space.
///
/// # Example
/// ```
/// use mercer::learn::spline::{SmoothingSpline, Smoothing};
/// use mercer::Compute;
/// use ndarray::array;
/// let (x, y) = (array![0.0, 1.0, 2.0, 3.0, 4.0], array![0.1, 0.9, 2.2, 2.8, 4.1]);
/// let spline = SmoothingSpline { smoothing: Smoothing::DegreesOfFreedom(3.0), ..SmoothingSpline::default() };
/// let fit = spline.fit(x.view(), y.view(), None, &Compute::new())?;
/// mercer::assert_close!(fit.degrees_of_freedom(), 3.0, abs = 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Smoothing {
    /// This λ, on the scale of `x` as given, beside the residual *sum* of squares.
    Lambda(f64),
    /// The λ for which `tr S` has this value.
    DegreesOfFreedom(f64),
    /// The λ of least generalized cross-validation.
    #[default]
    Gcv,
    /// The λ of largest restricted likelihood.
    Reml,
}

/// A smoothing spline: a specification that is fitted to data.
///
/// # Formula
/// `f` minimizes `Σ wᵢ(yᵢ − f(xᵢ))² + λ ∫ (f⁽ᵐ⁾(x))² dx` with `m` the order: 1 is piecewise linear,
/// 2 the natural cubic spline, 3 the natural quintic one. With a period, over functions of that
/// period and the integral over one period.
///
/// # Theory
/// The minimizer is a natural spline of degree `2m − 1` with a knot at every distinct `x`; it
/// continues as a polynomial of degree `m − 1` outside the data. It is kernel ridge with the
/// Sobolev kernel `sobolev(order=m, null_space=false)` and the polynomials of degree below `m`
/// unpenalized, and the mean of a Gaussian process: integrated Brownian motion with a flat prior on
/// those polynomials [Wahba 1990]. It is computed along the line by orthogonal transformations (the
/// square-root information smoother), so neither many points nor badly spaced ones spoil it.
///
/// # Cost
/// `O(n log n)` to sort, then `O(n m³)` time per value of λ and `O(n m²)` memory.
///
/// # Example
/// ```
/// use mercer::learn::spline::{SmoothingSpline, Smoothing};
/// use mercer::Compute;
/// use ndarray::array;
/// let (x, y) = (array![0.0, 1.0, 2.0], array![0.0, 1.0, 0.0]);
/// let spline = SmoothingSpline { smoothing: Smoothing::Lambda(1.0), ..SmoothingSpline::default() };
/// let fit = spline.fit(x.view(), y.view(), None, &Compute::new())?;
/// // Reinsch's equation has one unknown here: γ = −2/(2/3 + 6λ), f(1) = 1 + 2λγ.
/// mercer::assert_close!(fit.fitted()[1], 0.4, abs = 1e-14);
/// mercer::assert_close!(fit.predict(array![1.0].view(), 2)?[0], -0.3, abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothingSpline {
    /// The order `m` of the derivative in the penalty: 1, 2 or 3.
    pub order: usize,
    /// How λ is chosen.
    pub smoothing: Smoothing,
    /// The period of `f`, for periodic splines.
    pub period: Option<f64>,
}

impl Default for SmoothingSpline {
    /// The natural cubic spline with λ by GCV.
    fn default() -> Self {
        Self { order: 2, smoothing: Smoothing::default(), period: None }
    }
}

impl SmoothingSpline {
    /// Fits the spline. Observations at the same `x` are pooled by weight, and their scatter stays
    /// in the residual sum. Observations of weight 0 are not counted.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an order, λ, degrees of freedom or period out of range,
    /// [`Error::Shape`] when lengths differ or there are fewer distinct `x` than the order,
    /// [`Error::Value`] for NaN, infinities and negative weights, [`Error::Undetermined`] when the
    /// data cannot choose λ, [`Error::Singular`] for values that overflow when squared and for gaps
    /// of so different sizes that no digits are left, [`Error::Memory`], [`Error::Canceled`].
    pub fn fit(
        &self,
        x: ArrayView1<f64>,
        y: ArrayView1<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<SplineFit> {
        self.check()?;
        let bytes = (x.len() * 8 * (12 + 6 * self.order + 6 * self.order * self.order)) as u64;
        compute.reserve(MemoryPurpose::Fit, "a smoothing spline", bytes, "fit fewer observations at a time")?;
        let data = SplineData::new(x, y, weights, self.period)?;
        let null = self.null_dimension();
        if data.nodes.len() < null {
            let purpose = format!("a spline of order {}", self.order);
            return Err(Error::too_few(purpose, "distinct x of positive weight", null, data.nodes.len()));
        }
        let (count, within, floor) = (data.count as f64, data.within, data.rounding());
        let criteria = Criteria { count, within, null: null as f64, floor };
        let period = self.period.map(|_| 1.0);
        let mut chain = smoother(self.order, data.nodes.clone(), period);
        let chosen = self.choose(&data, &criteria, &mut *chain, compute)?;
        let (pass, states) = chain.states(chosen.lambda);
        compute.report("smoothing spline", 1, 1);
        let fit = SplineFit::new(self, data, &criteria, chosen, pass, states);
        fit.check(&pass)?;
        Ok(fit.with_observations(x, y, weights))
    }

    /// The settings by name: `order`, `smoothing` (`lambda`, `degrees_of_freedom`, `gcv` or `reml`)
    /// with the number that it names, `period`.
    pub fn settings(&self) -> Settings {
        let settings = Settings::new().with("order", self.order).with_some("period", self.period);
        match self.smoothing {
            Smoothing::Lambda(lambda) => settings.with("smoothing", "lambda").with("lambda", lambda),
            Smoothing::DegreesOfFreedom(df) => {
                settings.with("smoothing", "degrees_of_freedom").with("degrees_of_freedom", df)
            }
            Smoothing::Gcv => settings.with("smoothing", "gcv"),
            Smoothing::Reml => settings.with("smoothing", "reml"),
        }
    }

    /// The dimension of the functions without penalty.
    fn null_dimension(&self) -> usize {
        if self.period.is_some() { 1 } else { self.order }
    }

    fn check(&self) -> Result<()> {
        if !(1..=3).contains(&self.order) {
            return Err(Error::parameter("order", self.order, 1..=3));
        }
        match self.period {
            Some(period) if !(period.is_finite() && period > 0.0) => {
                Err(Error::parameter("period", period, AllowedRange::POSITIVE))
            }
            _ => Ok(()),
        }
    }

    /// λ on the scale of the nodes.
    fn choose(
        &self,
        data: &SplineData,
        criteria: &Criteria,
        chain: &mut dyn Smoother,
        compute: &Compute,
    ) -> Result<Chosen> {
        let period = self.period.map(|_| 1.0);
        let least = |chain: &mut dyn Smoother, score| {
            if data.nodes.len() == self.null_dimension() {
                return Err(Error::undetermined(
                    "lambda",
                    format!("on {} distinct x every λ gives the same fit of order {}", data.nodes.len(), self.order),
                    Remedy::give("lambda"),
                ));
            }
            Search { data, order: self.order, period, criteria, score, compute }.minimum(chain)
        };
        match self.smoothing {
            Smoothing::Lambda(lambda) => self.fixed(lambda, data.scale),
            Smoothing::DegreesOfFreedom(target) => {
                search::degrees_of_freedom(data, self.order, chain, criteria.null, target, compute)
            }
            Smoothing::Gcv => least(chain, Criteria::gcv),
            Smoothing::Reml => least(chain, Criteria::reml),
        }
    }

    fn fixed(&self, lambda: f64, scale: f64) -> Result<Chosen> {
        let scaled = lambda / scale.powi(2 * self.order as i32 - 1);
        if !(lambda.is_finite() && lambda > 0.0) {
            return Err(Error::parameter("lambda", lambda, AllowedRange::POSITIVE));
        }
        if !(1e-200..=1e200).contains(&scaled) {
            let requirement = "between 1e-200 and 1e200 once x is scaled to [0, 1]";
            return Err(Error::parameter("lambda", lambda, requirement));
        }
        Ok(Chosen { lambda: scaled, passes: 0, at_limit: false })
    }
}
