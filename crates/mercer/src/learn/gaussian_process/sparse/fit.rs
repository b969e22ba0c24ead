//! A fitted sparse Gaussian process.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

use super::super::sample::draw;
use super::Approximation;
use super::basis::{column_squares, strips};
use super::posterior::{Posterior, SparseData};
use crate::gram::{self, Pairs};
use crate::learn::gaussian_process::{Optimization, Prediction};
use crate::learn::parameter_space::{movable, movable_names};
use crate::settings::Settings;
use crate::{Compute, Error, Expansion, Kernel, Result};

/// A fitted [`SparseGaussianProcess`](super::SparseGaussianProcess).
#[derive(Clone, Debug)]
pub struct SparseGaussianProcessFit {
    pub(super) posterior: Posterior,
    pub(super) x: Array2<f64>,
    pub(super) y: Array1<f64>,
    pub(super) dropped: Vec<usize>,
    pub(super) optimization: Option<Optimization>,
    /// Choices of smoothness that count among the parameters.
    pub(super) free: Vec<String>,
    pub(crate) settings: Settings,
}

impl SparseGaussianProcessFit {
    pub(super) fn new(
        posterior: Posterior,
        data: SparseData<'_>,
        requested: usize,
        optimization: Option<Optimization>,
        free: Vec<String>,
    ) -> Self {
        let dropped = (0..requested).filter(|j| posterior.basis.kept.binary_search(j).is_err()).collect();
        let (x, y, settings) = (data.x.to_owned(), data.y.to_owned(), Settings::new());
        Self { posterior, x, y, dropped, optimization, free, settings }
    }

    /// The settings of the fit; empty for a fit from a file that does not hold them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Mean and variance of `f` at every row of `x`.
    ///
    /// # Formula
    /// With `v = L⁻¹k_Z(x)`: mean `vᵀβ`, variance `k(x, x) − ‖v‖² + ‖L_B⁻¹v‖²`; for
    /// [`Approximation::Sor`] the last term alone.
    ///
    /// # Cost
    /// `2m²` per row, 1024 rows at a time.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Prediction> {
        let (mut mean, mut variance) = (Array1::zeros(x.nrows()), Array1::zeros(x.nrows()));
        for rows in strips(x.nrows()) {
            let part = x.slice(s![rows.clone(), ..]);
            let white = self.posterior.basis.whiten(part, compute)?;
            mean.slice_mut(s![rows.clone()]).assign(&white.t().dot(&self.posterior.beta));
            let mut known = column_squares(&self.posterior.inner.half_solve(white.view(), compute)?);
            if self.approximation() != Approximation::Sor {
                known += &self.posterior.basis.left(part, &white, compute)?;
            }
            variance.slice_mut(s![rows]).assign(&known);
        }
        Ok(Prediction { mean, variance })
    }

    /// The covariance of `f` at the rows of `x`, without the noise.
    ///
    /// # Cost
    /// `2m²t + 2mt²` for `t` rows.
    ///
    /// # Errors
    /// As [`Kernel::bind`], and [`Error::Memory`](crate::Error::Memory).
    pub fn covariance(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let white = self.posterior.basis.whiten(x, compute)?;
        let half = self.posterior.inner.half_solve(white.view(), compute)?;
        let known = half.t().dot(&half);
        if self.approximation() == Approximation::Sor {
            return Ok(known);
        }
        let prior = gram::dense(&self.kernel().bind(Pairs::within(x), compute)?, compute)?;
        Ok(prior - white.t().dot(&white) + known)
    }

    /// `count` functions drawn from the posterior, at the rows of `x`: one per column, without the
    /// noise. Column `s` draws from its own stream of the seed.
    ///
    /// # Errors
    /// As [`SparseGaussianProcessFit::covariance`].
    pub fn sample(&self, x: ArrayView2<f64>, count: usize, compute: &Compute) -> Result<Array2<f64>> {
        draw(&self.predict(x, compute)?.mean, &self.covariance(x, compute)?, count, compute)
    }

    /// The posterior mean as a function of ℋ: `Σ wⱼk(·, zⱼ)` with `w = L⁻ᵀβ`.
    ///
    /// # Errors
    /// As [`Expansion::new`].
    pub fn function(&self, compute: &Compute) -> Result<Expansion> {
        let basis = &self.posterior.basis;
        let root = basis.factor.half_solve(Array2::eye(basis.points.nrows()).view(), compute)?;
        Expansion::new(&basis.kernel, basis.points.view(), root.t().dot(&self.posterior.beta).view(), compute)
    }

    /// The log marginal likelihood of the approximation; for [`Approximation::Variational`] the
    /// bound.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.posterior.objective
    }

    /// Its gradient by the logarithms of the parameters (by the parameter itself where it may be
    /// negative), in the order of [`SparseGaussianProcessFit::parameter_names`].
    ///
    /// # Cost
    /// `O(nm²)` and `nm` derivatives per parameter, in strips.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled);
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a fit from a model file, which does
    /// not hold the data.
    pub fn log_marginal_likelihood_gradient(&self, compute: &Compute) -> Result<Vec<f64>> {
        let slopes = self.posterior.slopes(self.data()?, &movable(self.kernel(), &self.free), false, compute)?;
        let requested = slopes.parameters.into_iter().zip(movable(self.kernel(), &self.free));
        Ok(requested.filter(|(_, requested)| *requested).map(|(slope, _)| slope).collect())
    }

    /// Its gradient by the inducing points, one row for each that is used; by dual numbers.
    ///
    /// # Errors
    /// [`Error::Undetermined`](crate::Error::Undetermined) or
    /// [`Error::Unsupported`](crate::Error::Unsupported) where an inducing point lies in a kink of
    /// the
    /// kernel, and for a fit from a model
    /// file, which does not hold the data.
    pub fn inducing_gradient(&self, compute: &Compute) -> Result<Array2<f64>> {
        self.check_smooth()?;
        let none = vec![false; self.kernel().parameter_count() + 1];
        let slopes = self.posterior.slopes(self.data()?, &none, true, compute)?;
        Ok(slopes.inducing.expect("slopes by the inducing points were asked for in the line above"))
    }

    /// An error where an inducing point lies in a kink of the kernel: at a row of the data or
    /// another inducing point.
    fn check_smooth(&self) -> Result<()> {
        let (kernel, points) = (self.kernel(), self.posterior.basis.points.view());
        for (i, point) in points.rows().into_iter().enumerate() {
            let point = point.to_vec();
            let at_data =
                kernel.first_kink(&point, self.x.view(), |_| true).map(|row| format!("row {row} of the data"));
            let at_others = || kernel.first_kink(&point, points, |j| j != i).map(|j| format!("inducing point {j}"));
            let at_itself = || kernel.has_kink_on_diagonal(&point).then(|| "itself".to_owned());
            if let Some(center) = at_data.or_else(at_others).or_else(at_itself) {
                return Err(Error::undetermined(
                    format!("the gradient by inducing point {i}"),
                    format!("{kernel} has a kink there, with center {center}"),
                    "choose other inducing points",
                ));
            }
        }
        Ok(())
    }

    fn data(&self) -> Result<SparseData<'_>> {
        if self.y.is_empty() {
            return Err(Error::unsupported(
                "gradient",
                "a fit that was loaded from a model file",
                "the file does not hold the data",
                "fit again",
            ));
        }
        Ok(SparseData { x: self.x.view(), y: self.y.view() })
    }

    /// The parameters of the kernel in order, then `noise`. A choice of smoothness (`matern.nu`) is
    /// among them where it was [freed](super::SparseGaussianProcess::free).
    pub fn parameter_names(&self) -> Vec<String> {
        movable_names(self.kernel(), "noise", &self.free)
    }

    /// The kernel, with the parameters that were chosen.
    pub fn kernel(&self) -> &Kernel {
        &self.posterior.basis.kernel
    }

    /// The variance of the noise.
    pub fn noise(&self) -> f64 {
        self.posterior.noise
    }

    /// The inducing points that are used, one per row.
    pub fn inducing(&self) -> ArrayView2<'_, f64> {
        self.posterior.basis.points.view()
    }

    /// The inducing points that are not used, because the others determine them to working
    /// precision: their positions among those given or chosen.
    pub fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// Which matrix replaced `K + σ²I`.
    pub fn approximation(&self) -> Approximation {
        self.posterior.approximation
    }

    /// `tr(K − Q)`: what of the variance of the data the inducing points leave open.
    pub fn trace_left(&self) -> f64 {
        self.posterior.trace_left
    }

    /// The posterior mean in coordinates in which the inducing values are white, `β`.
    pub fn white_coefficients(&self) -> ArrayView1<'_, f64> {
        self.posterior.beta.view()
    }

    /// How the parameters were chosen; absent when they were not.
    pub fn optimization(&self) -> Option<&Optimization> {
        self.optimization.as_ref()
    }
}
