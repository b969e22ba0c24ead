//! The specification of a fit with centers, and the fit.

use ndarray::{Array1, ArrayView1, ArrayView2};

use super::fit::CenterFit;
use super::run;
use super::validation::CenterData;
use crate::error::PrecomputedNeed;
use crate::features::Landmarks;
use crate::learn::loss::{Loss, LossTerm};
use crate::learn::observations::{check_penalty, weights};
use crate::{Compute, Error, Kernel, Points, Result};

/// Held-out rows for early stopping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyStopping {
    /// The share of the rows, drawn from the seed.
    pub share: f64,
    /// Stop after so many iterations without a better score, and go back to the best.
    pub patience: usize,
}

/// Regularized learning on a few centers, for samples of any length: ridge regression with several
/// outputs, and every smooth loss.
///
/// # Formula
/// `min Σ vᵢℓ(yᵢ, f(xᵢ)) + λ‖h‖²` over `f = h + b`, `h = Σ αⱼk(·, zⱼ)` with `m` centers: a *sum* of
/// losses, without `1/n`. For the squared loss `(K_mnK_nm + λK_mm)α = K_mn y`.
///
/// # Theory
/// With `m ~ √n` centers and the right λ the error is of the order of that with all points (Rudi,
/// Camoriano and Rosasco 2015). Newton's steps (one, for the squared loss) are solved by conjugate
/// gradients (Rudi, Carratino and Rosasco 2017) with the same system on `2m` to `8m` rows of the
/// sample as preconditioner, so that the number of iterations does not grow with `n`.
///
/// # Cost
/// `O(nm)` kernel values per iteration (or `8nm` bytes, where that fits), `O(m³)` once.
/// [`CenterMachine::plan`] reports the cost in advance. With
/// [`Precision::SingleTiles`](crate::Precision::SingleTiles) the kernel values are in `f32` and the
/// sums in `f64`.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::CenterMachine};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((500, 1), |(i, _)| i as f64 / 50.0);
/// let y = x.mapv(f64::sin);
/// let fit = CenterMachine::new("gaussian()".parse()?, 1e-6, 30).fit(x.view(), y.view(), None, &compute)?;
/// let found = fit.predict(x.view(), &compute)?;
/// assert!((&found - &y).iter().all(|e| e.abs() < 1e-3));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CenterMachine {
    /// The kernel, positive semi-definite.
    pub kernel: Kernel,
    /// The loss: squared, or any other smooth one.
    pub loss: Loss,
    /// `λ > 0`, which multiplies `‖h‖²` beside a sum (not a mean) of losses.
    pub lambda: f64,
    /// `m`: the centers, at most.
    pub centers: usize,
    /// How the centers are chosen.
    pub landmarks: Landmarks,
    /// Whether to fit an unpenalized intercept.
    pub intercept: bool,
    /// Stop when the residual is at most this part of the right-hand side (squared loss), or a
    /// Newton step improves the objective by less than this part.
    pub tolerance: f64,
    /// Iterations of conjugate gradients, over all Newton steps.
    pub max_iterations: usize,
    /// Held-out rows for early stopping.
    pub held_out: Option<EarlyStopping>,
}

impl CenterMachine {
    /// Ridge regression on uniformly drawn centers, without intercept.
    pub fn new(kernel: Kernel, lambda: f64, centers: usize) -> Self {
        Self {
            kernel,
            loss: Loss::Squared,
            lambda,
            centers,
            landmarks: Landmarks::Uniform,
            intercept: false,
            tolerance: 1e-7,
            max_iterations: 200,
            held_out: None,
        }
    }

    /// Fits `y`: one row per point, one column per output (one column for losses other than the
    /// squared one).
    ///
    /// A fit that ran out of iterations returns a valid model: see
    /// [`CenterEvidence::converged`](super::CenterEvidence::converged).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless λ > 0 and there is a center, [`Error::Unsupported`] for a loss
    /// with kinks or several outputs of another loss than the squared one, [`Error::Shape`] and
    /// [`Error::Value`] for data that does not fit, [`Error::NotPositiveDefinite`],
    /// [`Error::Memory`],
    /// [`Error::Canceled`]; and as [`Kernel::bind`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView2<f64>,
        sample_weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<CenterFit> {
        let x = self.kernel.points(x);
        let weights = self.check(x, y, sample_weights)?;
        let term = LossTerm::of_values(self.loss, y, weights);
        run::fit(self, &CenterData { x: x.reborrow(), term }, compute)
    }

    /// Fits a function per class to the classes `0, 1, …` of the rows, which were checked already.
    pub(in crate::learn) fn fit_classes(
        &self,
        x: Points<'_>,
        labels: &[usize],
        count: usize,
        weights: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<CenterFit> {
        self.check_options()?;
        x.check_finite("points")?;
        let term = LossTerm::of_classes(labels, count, weights);
        run::fit(self, &CenterData { x: x.reborrow(), term }, compute)
    }

    fn check_options(&self) -> Result<()> {
        check_penalty(self.lambda)?;
        if self.centers == 0 {
            return Err(Error::parameter("centers", 0, 1..));
        }
        if self.kernel.is_precomputed() {
            return Err(Error::precomputed("a fit on centers over precomputed()", PrecomputedNeed::Points));
        }
        Ok(())
    }

    fn check(&self, x: Points<'_>, y: ArrayView2<f64>, sample_weights: Option<ArrayView1<f64>>) -> Result<Array1<f64>> {
        self.check_options()?;
        if x.is_empty() || y.nrows() != x.len() || y.ncols() == 0 {
            return Err(Error::shape(
                "targets",
                format!("at least one column of {} rows", x.len().max(1)),
                format!("{:?}", y.dim()),
            ));
        }
        self.check_loss(y.ncols())?;
        x.check_finite("points")?;
        Points::Vectors(y).check_finite("targets")?;
        let weights = weights(sample_weights, x.len())?;
        self.loss.check_targets(&y.column(0).to_vec(), &weights.to_vec())?;
        Ok(weights)
    }

    /// A loss that Newton's method can minimize, with parameters that it allows.
    pub(in crate::learn) fn check_loss(&self, outputs: usize) -> Result<()> {
        if !self.loss.is_smooth() {
            return Err(Error::unsupported(
                "fit on centers",
                format!("the loss {}", self.loss),
                "it has kinks, where Newton's method has no second derivative",
                "use a smooth loss",
            ));
        }
        if self.loss != Loss::Squared && outputs > 1 {
            return Err(Error::unsupported(
                "fit of several outputs",
                format!("the loss {}", self.loss),
                "it is for one output",
                "fit the outputs one by one",
            ));
        }
        self.loss.check()
    }
}
