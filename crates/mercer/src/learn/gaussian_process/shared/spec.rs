//! The specification of processes that share a kernel.

use ndarray::{ArrayView1, ArrayView2};

use super::evidence::gradient_bytes;
use super::{EvidenceGradient, ProcessEvidence, SharedGaussianProcessFit};
use crate::definiteness::require_psd_for;
use crate::error::{AllowedRange, MemoryPurpose};
use crate::gram::{self, Bound, Pairs};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Gaussian process regression of several targets with one kernel and a noise variance per row;
/// nothing is optimized.
///
/// # Formula
/// With `A = K + diag(σ²₁, …, σ²ₙ)`: means `k(x)ᵀA⁻¹Y`, covariance `k(x, x′) − k(x)ᵀA⁻¹k(x′)` for
/// every target, and the likelihood of [`ProcessEvidence`].
///
/// # Cost
/// `n³/3` for a fit, about `n³` and the derivatives for a gradient; `8n²` bytes.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::SharedGaussianProcess};
/// use ndarray::array;
/// let process = SharedGaussianProcess::new("gaussian()".parse()?);
/// let (x, y, noise) = (array![[0.0]], array![[2.0, -4.0]], array![1.0]);
/// let fit = process.fit(x.view(), y.view(), noise.view(), &Compute::new())?;
/// // A = 2: means 2/2 and −4/2, variance 1 − 1/2.
/// let mean = fit.mean(x.view(), &Compute::new())?;
/// assert!((mean - array![[1.0, -2.0]]).iter().all(|d| d.abs() < 1e-15));
/// assert!((fit.variance(x.view(), &Compute::new())?[0] - 0.5).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SharedGaussianProcess {
    /// The kernel: the covariance of every target.
    pub kernel: Kernel,
}

impl SharedGaussianProcess {
    /// Processes with this kernel.
    pub fn new(kernel: Kernel) -> Self {
        Self { kernel }
    }

    /// Fits the processes to the columns of `y`, with the noise variances of the rows.
    ///
    /// # Errors
    /// [`Error::Shape`] and [`Error::Value`] for data that does not fit, [`Error::Parameter`] for a
    /// negative variance, [`Error::NotPositiveDefinite`], [`Error::Memory`], [`Error::Singular`]
    /// when `A` is not positive definite to working precision, [`Error::Canceled`]; and as
    /// [`Kernel::bind`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView2<f64>,
        noise: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<SharedGaussianProcessFit> {
        let x = x.into();
        let bound = self.checked(x, y, noise, compute)?;
        let evidence = evidence(&bound, y, noise, compute)?;
        let fit = SharedGaussianProcessFit::new(bound.kernel().clone(), evidence, x, y, noise);
        Ok(SharedGaussianProcessFit { settings: self.settings(), ..fit })
    }

    /// The settings by name: `kernel`. The noise variances are data: a row each.
    pub fn settings(&self) -> Settings {
        Settings::new().with("kernel", &self.kernel)
    }

    /// The log likelihood, and its gradient by the parameters of [`Kernel::parameters`] that are
    /// `requested`, without a fit.
    ///
    /// # Errors
    /// As [`SharedGaussianProcess::fit`]; [`Error::Shape`] unless there is a `requested` for every
    /// parameter.
    pub fn likelihood_gradient<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView2<f64>,
        noise: ArrayView1<f64>,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<(f64, EvidenceGradient)> {
        let x = x.into();
        let count = self.kernel.parameter_count();
        if requested.len() != count {
            return Err(Error::shape("wanted parameters", count, requested.len()));
        }
        // The factor stays while columns of the inverse are made.
        let bytes = (8 * (x.len() as u64).pow(2)).saturating_add(gradient_bytes(x.len(), compute));
        let advice = "use fewer rows, fewer threads or a higher memory limit";
        compute.reserve(MemoryPurpose::Fit, "the gradient of the likelihood", bytes, advice)?;
        let bound = self.checked(x, y, noise, compute)?;
        let evidence = evidence(&bound, y, noise, compute)?;
        let gradient = evidence.kernel_gradient(&bound, requested, compute)?;
        Ok((evidence.log_likelihood(), gradient))
    }

    fn checked<'a>(
        &self,
        x: Points<'a>,
        y: ArrayView2<f64>,
        noise: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<Bound<'a>> {
        check_data(x, y, noise)?;
        require_psd_for(&self.kernel, x, compute)?;
        let bytes = 8 * (x.len() as u64).pow(2) + x.object_bytes();
        compute.reserve(MemoryPurpose::Fit, "a Gaussian process", bytes, "use fewer rows or a higher memory limit")?;
        self.kernel.bind(Pairs::Within(x), compute)
    }
}

fn check_data(x: Points<'_>, y: ArrayView2<f64>, noise: ArrayView1<f64>) -> Result<()> {
    let n = x.len();
    if n == 0 {
        return Err(Error::too_few("a fit", "rows of the data", 1, 0));
    }
    if y.nrows() != n || y.ncols() == 0 {
        return Err(Error::shape("targets", format!("{n} rows, at least 1 column"), format!("{:?}", y.dim())));
    }
    if noise.len() != n {
        return Err(Error::shape("noise variances", format!("one per row ({n})"), noise.len()));
    }
    if let Some(wrong) = noise.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
        return Err(Error::parameter("noise", wrong, AllowedRange::NON_NEGATIVE));
    }
    Points::Vectors(y).check_finite("targets")
}

/// The factor of `K + diag(σ²)` and the likelihood.
pub(super) fn evidence(
    bound: &Bound<'_>,
    y: ArrayView2<f64>,
    noise: ArrayView1<f64>,
    compute: &Compute,
) -> Result<ProcessEvidence> {
    let mut matrix = gram::dense(bound, compute)?;
    matrix.diag_mut().zip_mut_with(&noise, |d, v| *d += v);
    ProcessEvidence::new(matrix, y, compute)
}
