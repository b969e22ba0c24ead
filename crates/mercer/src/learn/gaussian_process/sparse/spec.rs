//! The specification of a sparse Gaussian process, and its fit.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::basis::{InducingBasis, STRIP};
use super::optimize::optimize;
use super::posterior::{Posterior, SparseData};
use super::record::name_of;
use super::{Approximation, Inducing, SparseGaussianProcessFit};
use crate::error::{AllowedRange, MemoryPurpose};
use crate::learn::GaussianProcess;
use crate::learn::parameter_space::check_names;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Result};

/// Gaussian process regression of one output through inducing points.
///
/// # Formula
/// With `Q = K_XZ K_ZZ⁻¹ K_ZX` instead of `K`, and `Λ` by the [`Approximation`]: mean
/// `k_Z(x)ᵀ(K_ZZ + K_ZX Λ⁻¹ K_XZ)⁻¹K_ZX Λ⁻¹ y`, variance
/// `k(x, x) − k_Z(x)ᵀ(K_ZZ⁻¹ − (K_ZZ + K_ZX Λ⁻¹ K_XZ)⁻¹)k_Z(x)`, log likelihood that of
/// `N(0, Q + Λ)`.
///
/// # Theory
/// With the data itself as inducing points all of them are the exact process. The
/// [variational](Approximation::Variational) objective never exceeds the exact log likelihood,
/// which is why it is the default.
///
/// # Cost
/// `O(nm²)` for a fit and for each step of the optimization, and with `move_inducing` `nmd` kernel
/// values in dual numbers; `O(m²)` bytes and strips of 1024 rows. Choosing the inducing points from
/// the data takes `8nm` bytes.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::SparseGaussianProcess, learn::gaussian_process::sparse::Inducing};
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [0.0]], array![2.0, 4.0]);
/// let inducing = Inducing::Points(array![[0.0]]);
/// let process = SparseGaussianProcess { optimize: false, ..SparseGaussianProcess::new("gaussian()".parse()?, 1.0, inducing) };
/// let fit = process.fit(x.view(), y.view(), &Compute::new())?;
/// // Two observations of one normal number: mean (2 + 4)/(2 + σ²), variance σ²/(2 + σ²).
/// let at = fit.predict(array![[0.0]].view(), &Compute::new())?;
/// assert!((at.mean[0] - 2.0).abs() < 1e-14 && (at.variance[0] - 1.0 / 3.0).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SparseGaussianProcess {
    /// The kernel: the covariance of `f`.
    pub kernel: Kernel,
    /// The variance `σ² > 0` of the noise.
    pub noise: f64,
    /// The inducing points, or how they are chosen.
    pub inducing: Inducing,
    /// Which matrix replaces `K + σ²I`.
    pub approximation: Approximation,
    /// Whether to choose the parameters by the log likelihood (or its bound), starting from those
    /// given.
    pub optimize: bool,
    /// Whether the optimization moves the inducing points too; for differentiable kernels.
    pub move_inducing: bool,
    /// Parameters that are kept fixed: names of [`Kernel::parameters`], or `noise`.
    pub fixed: Vec<String>,
    /// Choices of smoothness that move too, as in [`GaussianProcess::free`].
    pub free: Vec<String>,
    /// The number of additional starts, from points drawn from the seed around the first.
    pub restarts: usize,
}

impl SparseGaussianProcess {
    /// A process by the variational bound whose parameters are optimized from one start, with the
    /// inducing points where they are; the smoothness `nu` of Matérn kernels and its like are kept
    /// fixed.
    pub fn new(kernel: Kernel, noise: f64, inducing: Inducing) -> Self {
        let (approximation, fixed, free) = (Approximation::default(), Vec::new(), Vec::new());
        Self { kernel, noise, inducing, approximation, optimize: true, move_inducing: false, fixed, free, restarts: 0 }
    }

    /// Fits the process to one value per row of `x`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a noise that is not positive, no inducing point or an unknown fixed
    /// or freed name, [`Error::Unsupported`] to move inducing points of a kernel that is not
    /// differentiable, [`Error::Shape`] and [`Error::Value`] for data that does not fit,
    /// [`Error::NotPositiveDefinite`], [`Error::Memory`], [`Error::Singular`] when no inducing
    /// point can be used, [`Error::Canceled`]; and as [`Kernel::bind`].
    pub fn fit(&self, x: ArrayView2<f64>, y: ArrayView1<f64>, compute: &Compute) -> Result<SparseGaussianProcessFit> {
        self.check(x, y, compute)?;
        let kernel = self.kernel.resolve(x, compute)?;
        check_names(&kernel, "noise", &self.fixed, &self.free)?;
        self.reserve(x.nrows(), compute)?;
        let points = self.inducing.choose(&kernel, x, compute)?;
        let data = SparseData { x, y };
        let (start, requested) = ((kernel, self.noise, points.clone()), points.nrows());
        let (position, optimization) = if self.optimize {
            let (position, found) = optimize(self, start, data, compute)?;
            (position, Some(found))
        } else {
            (start, None)
        };
        // What a time limit left is finished beyond it.
        let rest = match &optimization {
            Some(found) if found.interrupted => compute.after_part()?,
            _ => compute.clone(),
        };
        let posterior = self.posterior(&position.0, position.1, position.2.view(), data, &rest)?;
        let fit = SparseGaussianProcessFit::new(posterior, data, requested, optimization, self.free.clone());
        Ok(SparseGaussianProcessFit { settings: self.recorded(compute), ..fit })
    }

    /// The settings by name: `kernel` and `noise` where the optimization starts, `inducing`
    /// (`points`, `greedy` or `random`) with `inducing_count`, `approximation`, `optimize`,
    /// `move_inducing`, `fixed`, `free`, `restarts`.
    pub fn settings(&self) -> Settings {
        let (inducing, count) = match &self.inducing {
            Inducing::Points(points) => ("points", points.nrows()),
            Inducing::Greedy(count) => ("greedy", *count),
            Inducing::Random(count) => ("random", *count),
        };
        Settings::new()
            .with("kernel", &self.kernel)
            .with("noise", self.noise)
            .with("inducing", inducing)
            .with("inducing_count", count)
            .with("approximation", name_of(self.approximation))
            .with("optimize", self.optimize)
            .with("move_inducing", self.move_inducing)
            .with("fixed", &self.fixed[..])
            .with("free", &self.free[..])
            .with("restarts", self.restarts)
    }

    /// The settings of a fit: with the seed, where something is drawn from it.
    fn recorded(&self, compute: &Compute) -> Settings {
        let random = matches!(self.inducing, Inducing::Random(_)) || (self.optimize && self.restarts > 0);
        self.settings().with_some("seed", random.then(|| compute.seed()))
    }

    /// The posterior with some parameters and inducing points.
    pub(super) fn posterior(
        &self,
        kernel: &Kernel,
        noise: f64,
        points: ArrayView2<f64>,
        data: SparseData<'_>,
        compute: &Compute,
    ) -> Result<Posterior> {
        let basis = InducingBasis::new(kernel, points, compute)?;
        Posterior::new(basis, noise, self.approximation, data, compute)
    }

    fn check(&self, x: ArrayView2<f64>, y: ArrayView1<f64>, compute: &Compute) -> Result<()> {
        if !(self.noise.is_finite() && self.noise > 0.0) {
            return Err(Error::parameter("noise", self.noise, AllowedRange::POSITIVE));
        }
        if self.optimize && self.move_inducing && !self.kernel.is_differentiable() {
            let text = &self.kernel;
            return Err(Error::unsupported(
                "moving inducing points",
                text,
                "it is not differentiable everywhere",
                "keep the inducing points where they are",
            ));
        }
        GaussianProcess::new(self.kernel.clone(), self.noise).check(x.into(), y, compute)
    }

    /// Six matrices of size `m` and three strips.
    pub(in crate::learn::gaussian_process) fn bytes(&self, rows: usize) -> u64 {
        let (m, choice) = self.inducing.size(rows);
        let size = m as u64;
        choice.max(8 * size * (6 * size + 3 * rows.min(STRIP) as u64))
    }

    fn reserve(&self, rows: usize, compute: &Compute) -> Result<()> {
        let (m, bytes) = (self.inducing.size(rows).0, self.bytes(rows));
        let advice = "use fewer inducing points or a higher memory limit";
        compute.reserve(MemoryPurpose::Fit, &format!("a Gaussian process with {m} inducing points"), bytes, advice)
    }
}

/// A kernel, a noise and inducing points.
pub(super) type SparseParameters = (Kernel, f64, Array2<f64>);
