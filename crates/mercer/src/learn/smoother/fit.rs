//! A fitted local smoother.

use ndarray::{Array1, ArrayView1, ArrayView2};
use rayon::prelude::*;

use super::local::{Degree, Local, NoLocalFit};
use super::positions::Positions;
use super::record::settings;
use super::{Bandwidth, LocalWeight, bandwidth};
use crate::error::{AllowedRange, Remedy};
use crate::settings::Settings;
use crate::{Compute, Error, Result};

/// A fitted [`NadarayaWatson`](super::NadarayaWatson) or [`LocalLinear`](super::LocalLinear)
/// smoother.
///
/// # Example
/// ```
/// use mercer::learn::smoother::{Bandwidth, LocalWeight, NadarayaWatson};
/// use mercer::Compute;
/// use ndarray::array;
/// let spec = NadarayaWatson { bandwidth: Bandwidth::Fixed(1.0), weights: LocalWeight::Uniform };
/// let fit = spec.fit(array![[0.0], [1.0], [2.0]].view(), array![0.0, 3.0, 6.0].view(), &Compute::new())?;
/// assert_eq!(fit.leverages().to_vec(), [0.5, 1.0 / 3.0, 0.5]);
/// // Without its own observation, the mean at 0 is 3.
/// assert_eq!(fit.loo_residuals()[0], -3.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LocalFit {
    pub(super) degree: Degree,
    pub(super) weights: LocalWeight,
    pub(super) bandwidth: f64,
    pub(super) positions: Positions,
    pub(super) y: Array1<f64>,
    pub(super) fitted: Array1<f64>,
    pub(super) leverages: Array1<f64>,
    pub(super) loo_residuals: Array1<f64>,
    pub(crate) settings: Settings,
}

/// The bandwidth to try, on data that stay.
struct Trial<'a> {
    degree: Degree,
    weights: LocalWeight,
    bandwidth: f64,
    positions: &'a Positions,
    y: ArrayView1<'a, f64>,
}

impl Trial<'_> {
    /// The local fit at each position; `except` leaves the observation with the number of the
    /// position out. A position may have all observations around it, so that each of them checks
    /// whether to go on.
    fn at(&self, t: ArrayView2<f64>, except: bool, compute: &Compute) -> Result<Vec<Result<Local, NoLocalFit>>> {
        let one = |near: &mut Vec<_>, i: usize| {
            compute.check_canceled()?;
            let position = t.row(i);
            self.positions.around(position, self.bandwidth, self.weights, except.then_some(i), near);
            Ok(self.degree.fit(position[0], near, |row| self.positions.x[[row, 0]], |row| self.y[row]))
        };
        compute.install(|| (0..t.nrows()).into_par_iter().with_min_len(32).map_init(Vec::new, one).collect())
    }

    /// The residual of each observation from the fit without it; NaN where there is none.
    fn loo_residuals(&self, compute: &Compute) -> Result<Array1<f64>> {
        let without = self.at(self.positions.x.view(), true, compute)?;
        Ok(without.iter().zip(self.y).map(|(local, y)| local.map_or(f64::NAN, |l| y - l.value)).collect())
    }

    /// The mean squared leave-one-out error; infinite where an observation has no neighbors.
    fn score(&self, compute: &Compute) -> Result<f64> {
        let residuals = self.loo_residuals(compute)?;
        let mean = residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len() as f64;
        Ok(if mean.is_finite() { mean } else { f64::INFINITY })
    }

    /// The bandwidth of least leave-one-out error.
    fn choose(&mut self, compute: &Compute) -> Result<f64> {
        let (low, high) = range(self.positions);
        if high <= 0.0 {
            return Err(Error::all_equal("a choice of the bandwidth", "x", Remedy::give("bandwidth")));
        }
        let mut tried = 0;
        let mut score = |h: f64| {
            compute.check_canceled()?;
            tried += 1;
            compute.report("bandwidth", tried.min(99), 100);
            self.bandwidth = h;
            self.score(compute)
        };
        let found = bandwidth::least(&mut score, low, high)?;
        compute.report("bandwidth", 100, 100);
        Ok(found)
    }
}

/// Bandwidths to choose from: between a fraction of the mean spacing and twice the diameter.
fn range(positions: &Positions) -> (f64, f64) {
    let (n, d) = (positions.x.nrows() as f64, positions.x.ncols() as f64);
    let diameter = positions.diameter();
    (0.25 * diameter / n.powf(1.0 / d), 2.0 * diameter)
}

impl LocalFit {
    /// Whether the bandwidth lies at an end of the range from which [`Bandwidth::LeaveOneOut`]
    /// chooses, a quarter of the mean spacing to twice the diameter of the data: at the lower end
    /// the best fit is an interpolant, at the upper end a constant or a line.
    pub fn at_limit(&self) -> bool {
        let (low, high) = range(&self.positions);
        self.bandwidth <= low * 1.001 || self.bandwidth >= high / 1.001
    }

    pub(super) fn new(
        degree: Degree,
        weights: LocalWeight,
        bandwidth: Bandwidth,
        x: ArrayView2<f64>,
        y: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<Self> {
        super::check(x, y)?;
        let positions = Positions::new(x);
        let settings = settings(degree, weights, bandwidth);
        let mut trial = Trial { degree, weights, bandwidth: 1.0, positions: &positions, y };
        trial.bandwidth = match bandwidth {
            Bandwidth::Fixed(h) if h.is_finite() && h > 0.0 => h,
            Bandwidth::Fixed(h) => return Err(Error::parameter("bandwidth", h, AllowedRange::POSITIVE)),
            Bandwidth::LeaveOneOut => trial.choose(compute)?,
        };
        let loo_residuals = trial.loo_residuals(compute)?;
        let locals = trial.at(x, false, compute)?;
        let bandwidth = trial.bandwidth;
        let mut fit = Self {
            degree,
            weights,
            bandwidth,
            positions,
            y: y.to_owned(),
            fitted: Array1::zeros(0),
            leverages: Array1::zeros(0),
            loo_residuals,
            settings,
        };
        let locals = fit.all(locals, x)?;
        fit.fitted = locals.iter().map(|l| l.value).collect();
        // At an observation the largest weight is its own, W(0) = 1.
        fit.leverages = locals.iter().map(|l| l.leverage_of_unit).collect();
        Ok(fit)
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The local fits, or an error that names the first position without one.
    fn all(&self, locals: Vec<Result<Local, NoLocalFit>>, t: ArrayView2<f64>) -> Result<Vec<Local>> {
        let named = locals.into_iter().enumerate().map(|(row, local)| {
            local.map_err(|missing| {
                let why = match missing {
                    NoLocalFit::Empty => "has no observation",
                    NoLocalFit::OnePosition => "has observations at one position only, which fix no line,",
                };
                Error::undetermined(
                    format!("the value at row {row} at {}", crate::wording::list_text(&t.row(row).to_vec())),
                    format!("it {why} within the bandwidth {:e}", self.bandwidth),
                    "use a larger bandwidth or gaussian weights",
                )
            })
        });
        named.collect()
    }

    fn locals(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Vec<Local>> {
        if x.ncols() != self.positions.x.ncols() {
            return Err(Error::shape("columns of x", self.positions.x.ncols(), x.ncols()));
        }
        crate::Points::Vectors(x).check_finite("x")?;
        let trial = Trial {
            degree: self.degree,
            weights: self.weights,
            bandwidth: self.bandwidth,
            positions: &self.positions,
            y: self.y.view(),
        };
        self.all(trial.at(x, false, compute)?, x)
    }

    /// `f` at each row of `x`.
    ///
    /// # Cost
    /// `O(log n + k)` per row on a line with `k` neighbors, `O(n d)` in several columns.
    ///
    /// # Errors
    /// [`Error::Undetermined`], naming the row, where no observation has weight or (for lines) only
    /// one place has; [`Error::Shape`] for another number of columns, [`Error::Value`] for NaN and
    /// infinities.
    pub fn predict(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array1<f64>> {
        Ok(self.locals(x, compute)?.iter().map(|l| l.value).collect())
    }

    /// The slope of the local line at each position.
    ///
    /// # Errors
    /// As [`LocalFit::predict`]; [`Error::Unsupported`] for a Nadaraya–Watson fit, which has no
    /// lines.
    pub fn slopes(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array1<f64>> {
        if self.degree == Degree::Mean {
            return Err(Error::unsupported("slopes", "a Nadaraya–Watson fit", "", "use a local linear one"));
        }
        Ok(self.locals(x, compute)?.iter().map(|l| l.slope).collect())
    }

    /// The positions of the observations, one per row.
    pub fn points(&self) -> ArrayView2<'_, f64> {
        self.positions.x.view()
    }

    /// The values `yᵢ`.
    pub fn targets(&self) -> ArrayView1<'_, f64> {
        self.y.view()
    }

    /// How weights fall with distance.
    pub fn weights(&self) -> LocalWeight {
        self.weights
    }

    /// Whether lines are fitted (local linear) and not means (Nadaraya–Watson).
    pub fn is_linear(&self) -> bool {
        self.degree == Degree::Line
    }

    /// The bandwidth `h`.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// `f(xᵢ)`.
    pub fn fitted(&self) -> ArrayView1<'_, f64> {
        self.fitted.view()
    }

    /// `yᵢ − f(xᵢ)`.
    pub fn residuals(&self) -> Array1<f64> {
        &self.y - &self.fitted
    }

    /// `Sᵢᵢ = ∂f(xᵢ)/∂yᵢ`.
    pub fn leverages(&self) -> ArrayView1<'_, f64> {
        self.leverages.view()
    }

    /// `Σ Sᵢᵢ`.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.leverages.sum()
    }

    /// The residual of each observation from the fit without it, which equals `rᵢ/(1 − Sᵢᵢ)`; NaN
    /// where the others have no weight or (for lines) lie at one position.
    pub fn loo_residuals(&self) -> ArrayView1<'_, f64> {
        self.loo_residuals.view()
    }

    /// `(1/n) Σ (yᵢ − f₋ᵢ(xᵢ))²`.
    pub fn loo_score(&self) -> f64 {
        self.loo_residuals.iter().map(|r| r * r).sum::<f64>() / self.loo_residuals.len() as f64
    }
}
