//! A fitted Gaussian process.

use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use super::decomposition::{DENSE_ROWS, Decomposition, Route};
use super::likelihood::Posterior;
use super::sample::draw;
use super::{Optimization, ProcessMethod};
use crate::gram::{self, KeptCenters, Pairs};
use crate::learn::parameter_space::{movable, movable_names};
use crate::settings::Settings;
use crate::{Compute, Expansion, Kernel, Points, Result, Sample};

/// Rows that are predicted at a time. 128 to 1024 differ by less than 3 %, 2048 is 18 % slower
/// (1000 rows, 4000 predictions).
const STRIP: usize = 512;

/// A fitted [`GaussianProcess`](super::GaussianProcess).
#[derive(Clone, Debug)]
pub struct GaussianProcessFit {
    pub(super) posterior: Posterior,
    pub(super) points: Sample,
    pub(super) kept: KeptCenters,
    pub(super) targets: Array1<f64>,
    pub(super) optimization: Option<Optimization>,
    /// Choices of smoothness that count among the parameters.
    pub(super) free: Vec<String>,
    pub(crate) settings: Settings,
}

/// The posterior of `f` at some points.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// `E f(x)`.
    pub mean: Array1<f64>,
    /// `var f(x)`, without the noise: add [`GaussianProcessFit::noise`] for a new observation. At
    /// least 0.
    pub variance: Array1<f64>,
}

/// The leave-one-out predictive density of each observation: a normal density.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveOneOutDensity {
    /// `E(yᵢ | y₋ᵢ)`.
    pub mean: Array1<f64>,
    /// `var(yᵢ | y₋ᵢ)`, with the noise.
    pub variance: Array1<f64>,
    /// `Σ log p(yᵢ | y₋ᵢ)`.
    pub log_density: f64,
}

impl GaussianProcessFit {
    pub(super) fn new(
        posterior: Posterior,
        x: Points<'_>,
        y: ArrayView1<f64>,
        optimization: Option<Optimization>,
        free: Vec<String>,
    ) -> Self {
        let settings = Settings::new();
        Self {
            posterior,
            points: x.into(),
            kept: KeptCenters::default(),
            targets: y.to_owned(),
            optimization,
            free,
            settings,
        }
    }

    /// The settings of the fit; empty for a fit from a file that does not hold them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Mean and variance of `f` at every row of `x`.
    ///
    /// # Cost
    /// `n²` per row, 512 rows at a time; along a line `O(log n)` per row, after `O(n)` the first
    /// time; in `p` features `p²` per row, after counting those of objects. On a grid without missing cells a search per row for its cells, and `O(n)` for other
    /// points with a product over the columns; else a solve on the grid per row.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Prediction> {
        let x = x.into();
        let factor = match self.posterior.decomposition(self.points(), compute)? {
            Decomposition::Dense(factor) => factor,
            Decomposition::Line(line) => {
                return line.predict(&self.posterior, self.points().vectors()?, x.vectors()?, compute);
            }
            Decomposition::Grid(grid) => {
                return grid.predict(&self.posterior, self.points(), x.vectors()?, compute);
            }
            Decomposition::Features(found) => {
                let variance = found.variances(self.points(), x, compute)?;
                return Ok(Prediction { mean: self.mean(x, compute)?, variance });
            }
        };
        let mean = self.mean(x, compute)?;
        let mut variance = self.kernel().bind(Pairs::Within(x), compute)?.diagonal()?;
        for start in (0..x.len()).step_by(STRIP) {
            let rows = s![start..x.len().min(start + STRIP)];
            let part = x.part(start..x.len().min(start + STRIP));
            let cross = self.cross(part.as_points(), compute)?;
            let half = factor.half_solve(cross.view(), compute)?;
            let known = (&half * &half).sum_axis(Axis(0));
            variance.slice_mut(rows).zip_mut_with(&known, |v, k| *v = (*v - k).max(0.0));
        }
        Ok(Prediction { mean, variance })
    }

    /// The mean of `f` at every row of `x`: what [`GaussianProcessFit::predict`] gives, without the
    /// variance.
    ///
    /// # Cost
    /// One kernel value per pair of a row and a point of the data, none of them stored; along a
    /// line `O(log n)` per row.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn mean<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array1<f64>> {
        let x = x.into();
        if self.is_summed_up(compute)? {
            let points = self.points();
            match self.posterior.decomposition(points, compute)? {
                Decomposition::Line(line) => {
                    return line.mean(&self.posterior, points.vectors()?, x.vectors()?, compute);
                }
                Decomposition::Grid(grid) => return grid.mean(&self.posterior, points, x.vectors()?, compute),
                Decomposition::Features(found) => {
                    return found.mean((points.vectors()?, self.targets()), x.vectors()?, compute);
                }
                Decomposition::Dense(_) => {}
            }
        }
        let bound = self.kept.bind(self.kernel(), x.reborrow(), &self.points, compute)?;
        let alpha = self.posterior.alpha.view().insert_axis(Axis(1));
        Ok(gram::multiply(&bound, alpha, compute)?.index_axis_move(Axis(1), 0))
    }

    /// Whether the decomposition gives the mean without all pairs of points. Objects are counted again
    /// for features, which takes as long.
    fn is_summed_up(&self, compute: &Compute) -> Result<bool> {
        if !matches!(self.points(), Points::Vectors(_)) {
            return Ok(false);
        }
        match self.posterior.known() {
            Some(decomposition) => Ok(!matches!(decomposition, Decomposition::Dense(_))),
            None => Ok(!matches!(Route::new(self.kernel(), self.noise(), self.points(), compute)?, Route::Dense)),
        }
    }

    /// The covariance of `f` at the rows of `x`, without the noise.
    ///
    /// # Cost
    /// `n²m + nm²` for `m` rows; along a line `nm²`.
    ///
    /// # Errors
    /// As [`Kernel::bind`], and [`Error::Memory`](crate::Error::Memory).
    pub fn covariance<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        let prior = gram::dense(&self.kernel().bind(Pairs::Within(x), compute)?, compute)?;
        let decomposition = self.posterior.decomposition(self.points(), compute)?;
        Ok(prior - decomposition.explained(self.cross(x, compute)?.view(), compute)?)
    }

    /// `count` functions drawn from the posterior, at the rows of `x`: one per column, without the
    /// noise. Column `s` draws from its own stream of the seed.
    ///
    /// # Errors
    /// As [`GaussianProcessFit::covariance`].
    pub fn sample<'x>(&self, x: impl Into<Points<'x>>, count: usize, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        draw(&self.predict(x, compute)?.mean, &self.covariance(x, compute)?, count, compute)
    }

    /// The leave-one-out predictive densities, in closed form.
    ///
    /// # Formula
    /// `yᵢ − αᵢ/(A⁻¹)ᵢᵢ` and `1/(A⁻¹)ᵢᵢ`.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub fn leave_one_out(&self, compute: &Compute) -> Result<LeaveOneOutDensity> {
        let decomposition = self.posterior.decomposition(self.points(), compute)?;
        let variance = Array1::from(decomposition.inverse_diagonal(compute)?).mapv(f64::recip);
        let residual = &self.posterior.alpha * &variance;
        let log = |(r, v): (&f64, &f64)| -0.5 * (r * r / v + v.ln() + (2.0 * std::f64::consts::PI).ln());
        let log_density = residual.iter().zip(&variance).map(log).sum();
        Ok(LeaveOneOutDensity { mean: &self.targets - &residual, variance, log_density })
    }

    /// The posterior mean as a function of ℋ.
    ///
    /// # Errors
    /// As [`Expansion::new`].
    pub fn function(&self, compute: &Compute) -> Result<Expansion> {
        Expansion::new(self.kernel(), self.points(), self.posterior.alpha.view(), compute)
    }

    /// `K(X, x)`: one column per row of `x`.
    fn cross(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        gram::dense(&self.kept.bind(self.kernel(), x.reborrow(), &self.points, compute)?, compute)
            .map(Array2::reversed_axes)
    }

    /// The points of the data.
    pub fn points(&self) -> Points<'_> {
        self.points.as_points()
    }

    /// The targets of the data.
    pub fn targets(&self) -> ArrayView1<'_, f64> {
        self.targets.view()
    }

    /// The kernel, with the parameters that were chosen.
    pub fn kernel(&self) -> &Kernel {
        &self.posterior.kernel
    }

    /// The variance of the noise.
    pub fn noise(&self) -> f64 {
        self.posterior.noise
    }

    /// `α = (K + σ²I)⁻¹y`.
    pub fn dual_coefficients(&self) -> ArrayView1<'_, f64> {
        self.posterior.alpha.view()
    }

    /// The log marginal likelihood.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.posterior.log_likelihood
    }

    /// A bound of the error of the log marginal likelihood along one axis of a grid, or its standard
    /// error where it is estimated from random vectors: on large grids with missing cells, and for
    /// kernels that are no product over the columns. 0 where it is exact.
    pub fn log_marginal_likelihood_error(&self) -> f64 {
        self.posterior.error
    }

    /// Its gradient by the logarithms of the parameters (by the parameter itself where it may be
    /// negative), in the order of [`GaussianProcessFit::parameter_names`]. Along a line of more
    /// than 4096 points the slope by a freed smoothness, which needs the matrix, is NaN.
    ///
    /// # Cost
    /// `2n³/3` for the columns of `A⁻¹` and one matrix of derivatives per parameter, block by
    /// block, none of them stored. Along a line `O(n)` for all parameters together, where none
    /// needs the matrix.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Canceled`](crate::Error::Canceled).
    pub fn log_marginal_likelihood_gradient(&self, compute: &Compute) -> Result<Vec<f64>> {
        let requested = movable(self.kernel(), &self.free);
        let pick = |all: Vec<f64>| {
            all.into_iter().zip(&requested).filter(|(_, requested)| **requested).map(|(g, _)| g).collect()
        };
        let gradient: Vec<f64> =
            pick(self.posterior.gradient(self.points(), self.targets.view(), &requested, None, compute)?);
        if gradient.iter().any(|g| g.is_nan()) && self.targets.len() <= DENSE_ROWS {
            return Ok(pick(self.posterior.dense_gradient(self.points(), &requested, compute)?));
        }
        Ok(gradient)
    }

    /// The parameters of the kernel in order, then `noise`. A choice of smoothness (`matern.nu`) is
    /// among them where it was [freed](super::GaussianProcess::free).
    pub fn parameter_names(&self) -> Vec<String> {
        movable_names(self.kernel(), "noise", &self.free)
    }

    /// How the posterior was found.
    pub fn method(&self) -> ProcessMethod {
        match self.posterior.known() {
            Some(decomposition) => decomposition.method(),
            // Points that were fitted can be bound.
            None => Route::new(self.kernel(), self.noise(), self.points(), &Compute::new())
                .map_or(ProcessMethod::Cholesky, |route| route.method()),
        }
    }

    /// How the parameters were chosen; absent when they were not.
    pub fn optimization(&self) -> Option<&Optimization> {
        self.optimization.as_ref()
    }
}
