//! Fitted processes that share a kernel.

use std::sync::OnceLock;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use super::ProcessEvidence;
use super::spec::evidence;
use crate::error::MemoryPurpose;
use crate::gram::{self, KeptCenters, Pairs};
use crate::settings::Settings;
use crate::solve::CholeskyFactor;
use crate::{Compute, Expansion, Kernel, Points, Result, Sample};

/// Rows that are predicted at a time. 128 to 1024 differ by less than 4 %, 2048 is 18 % slower
/// (1000 rows, 4000 predictions).
const STRIP: usize = 512;

/// Fitted [`SharedGaussianProcess`](super::SharedGaussianProcess)es.
#[derive(Clone, Debug)]
pub struct SharedGaussianProcessFit {
    pub(super) kernel: Kernel,
    pub(super) points: Sample,
    pub(super) kept: KeptCenters,
    pub(super) targets: Array2<f64>,
    pub(super) noise: Array1<f64>,
    pub(super) alpha: Array2<f64>,
    pub(super) log_likelihood: f64,
    pub(super) evidence: OnceLock<ProcessEvidence>,
    pub(crate) settings: Settings,
}

impl SharedGaussianProcessFit {
    pub(super) fn new(
        kernel: Kernel,
        evidence: ProcessEvidence,
        x: Points<'_>,
        y: ArrayView2<f64>,
        noise: ArrayView1<f64>,
    ) -> Self {
        let (alpha, log_likelihood) = (evidence.dual_coefficients().to_owned(), evidence.log_likelihood());
        let parts = (Sample::from(x), y.to_owned(), noise.to_owned());
        Self { evidence: evidence.into(), ..Self::from_parts(kernel, parts, alpha, log_likelihood) }
    }

    /// From what was saved: everything but the factor, which is made again, with the same bytes,
    /// when it is needed.
    pub(super) fn from_parts(
        kernel: Kernel,
        (points, targets, noise): (Sample, Array2<f64>, Array1<f64>),
        alpha: Array2<f64>,
        log_likelihood: f64,
    ) -> Self {
        Self {
            kernel,
            points,
            kept: KeptCenters::default(),
            targets,
            noise,
            alpha,
            log_likelihood,
            evidence: OnceLock::new(),
            settings: Settings::new(),
        }
    }

    /// The means at every row of `x`: one column per target.
    ///
    /// # Cost
    /// One kernel value per pair of a row and a point of the data, none of them stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn mean<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        let bound = self.kept.bind(&self.kernel, x.reborrow(), &self.points, compute)?;
        gram::multiply(&bound, self.alpha.view(), compute)
    }

    /// The variance of every target at every row of `x`, without the noise. Rounding may make it
    /// slightly negative.
    ///
    /// # Cost
    /// `n²` per row, 512 rows at a time.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn variance<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array1<f64>> {
        let x = x.into();
        let factor = self.factor(compute)?;
        let mut variance = self.kernel.bind(Pairs::Within(x), compute)?.diagonal()?;
        for start in (0..x.len()).step_by(STRIP) {
            let rows = start..x.len().min(start + STRIP);
            let part = x.part(rows.clone());
            let half = factor.half_solve(self.cross(part.as_points(), compute)?.view(), compute)?;
            let known = (&half * &half).sum_axis(Axis(0));
            variance.slice_mut(s![rows]).zip_mut_with(&known, |v, k| *v -= k);
        }
        Ok(variance)
    }

    /// The covariance of every target at the rows of `x`, without the noise.
    ///
    /// # Cost
    /// `n²m + nm²` for `m` rows, and `2m(n + m)` numbers.
    ///
    /// # Errors
    /// As [`Kernel::bind`], and [`Error::Memory`](crate::Error::Memory).
    pub fn covariance<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        let (n, m) = (self.points.len() as u64, x.len() as u64);
        // The prior and what is explained of it, the kernel values between the points, and their
        // solution.
        let bytes = 16 * m.saturating_mul(n + m);
        let what = format!("the covariance of {m} points given {n}");
        compute.reserve(MemoryPurpose::KernelMatrix, &what, bytes, "use fewer points or a higher memory limit")?;
        let prior = gram::dense(&self.kernel.bind(Pairs::Within(x), compute)?, compute)?;
        let half = self.factor(compute)?.half_solve(self.cross(x, compute)?.view(), compute)?;
        Ok(prior - half.t().dot(&half))
    }

    /// The mean of one target as a function of ℋ.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such target; as
    /// [`Expansion::new`].
    pub fn function(&self, target: usize, compute: &Compute) -> Result<Expansion> {
        if target >= self.alpha.ncols() {
            let requirement = format!("below the number of targets ({})", self.alpha.ncols());
            return Err(crate::Error::parameter("target", target, &requirement));
        }
        Expansion::new(&self.kernel, self.points(), self.alpha.column(target), compute)
    }

    /// The Cholesky factor of `K + diag(σ²)`.
    ///
    /// # Errors
    /// As [`SharedGaussianProcess::fit`](super::SharedGaussianProcess::fit), where it has to be
    /// made again after loading.
    pub fn factor(&self, compute: &Compute) -> Result<&CholeskyFactor> {
        if let Some(evidence) = self.evidence.get() {
            return Ok(evidence.factor());
        }
        let bound = self.kernel.bind(Pairs::Within(self.points()), compute)?;
        let made = evidence(&bound, self.targets.view(), self.noise.view(), compute)?;
        Ok(self.evidence.get_or_init(|| made).factor())
    }

    /// `K(X, x)`: one column per row of `x`.
    fn cross(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        gram::dense(&self.kept.bind(&self.kernel, x.reborrow(), &self.points, compute)?, compute)
            .map(Array2::reversed_axes)
    }

    /// The settings of the fit; empty for a fit from a file that does not hold them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The points of the data.
    pub fn points(&self) -> Points<'_> {
        self.points.as_points()
    }

    /// The targets of the data, one per column.
    pub fn targets(&self) -> ArrayView2<'_, f64> {
        self.targets.view()
    }

    /// The noise variance of every row of the data.
    pub fn noise(&self) -> ArrayView1<'_, f64> {
        self.noise.view()
    }

    /// The noise variance of a new observation: that of the data, where all rows have the same.
    pub fn common_noise(&self) -> Option<f64> {
        let first = *self.noise.first()?;
        self.noise.iter().all(|v| *v == first).then_some(first)
    }

    /// `(K + diag(σ²))⁻¹Y`.
    pub fn dual_coefficients(&self) -> ArrayView2<'_, f64> {
        self.alpha.view()
    }

    /// The log marginal likelihood, summed over the targets.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.log_likelihood
    }
}
