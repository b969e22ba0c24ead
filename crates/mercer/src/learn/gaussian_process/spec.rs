//! The specification of a Gaussian process, and its fit.

use ndarray::{ArrayView1, Axis};

use super::GaussianProcessFit;
use super::decomposition::Route;
use super::likelihood::{Posterior, names};
use super::optimize::optimize;
use super::state_space;
use crate::definiteness::require_psd_for;
use crate::error::{AllowedRange, MemoryPurpose};
use crate::learn::parameter_space::{check_names, movable};
use crate::learner::Plan;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Evaluations of the likelihood with its gradient that a choice takes, about.
pub(super) const EVALUATIONS: f64 = 20.0;

/// Gaussian process regression of one output.
///
/// # Formula
/// With `A = K + σ²I`: mean `k(x)ᵀA⁻¹y`, covariance `k(x, x′) − k(x)ᵀA⁻¹k(x′)`, log marginal
/// likelihood `−½yᵀA⁻¹y − ½ log det A − (n/2) log 2π`.
///
/// # Theory
/// The mean is the ridge regression with `λ = σ²`. A scale in front of the kernel
/// (`1*gaussian(lengthscale=1)`) is the signal variance, and is optimized with the rest. The
/// likelihood of centered targets is meant: subtract their mean where it is not near 0.
///
/// # Cost
/// `n³/3` for a fit; about `n³` and one matrix of derivatives per parameter for each step of the
/// optimization; `8n²` bytes. Along one column, with positive noise and the kernel of a Markov
/// process (`matern` of smoothness 1/2, 3/2, 5/2, `laplacian`, `wiener`, `brownian(hurst=0.5)`,
/// `bridge`, `sobolev` up to order 3, and sums of these with constants and `linear`), everything is
/// linear in `n`, and on large grids nearly so (`docs/grids.md`). With a kernel of `p ≤ n/4` features
/// (`linear`, `polynomial`, `finite_rank`, counts of parts of strings and graphs, their sums) an
/// evaluation takes `np²` operations and a fit `32np` bytes. See [`GaussianProcessFit::method`].
///
/// # Example
/// ```
/// use mercer::{Compute, learn::GaussianProcess};
/// use ndarray::array;
/// let process = GaussianProcess { optimize: false, ..GaussianProcess::new("gaussian()".parse()?, 1.0) };
/// let fit = process.fit(array![[0.0]].view(), array![2.0].view(), &Compute::new())?;
/// // A = 2: mean 2/2, variance 1 − 1/2.
/// let at = fit.predict(array![[0.0]].view(), &Compute::new())?;
/// assert!((at.mean[0] - 1.0).abs() < 1e-15 && (at.variance[0] - 0.5).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianProcess {
    /// The kernel: the covariance of `f`.
    pub kernel: Kernel,
    /// The variance `σ² ≥ 0` of the noise.
    pub noise: f64,
    /// Whether to choose the parameters by the marginal likelihood, starting from those given.
    pub optimize: bool,
    /// Parameters that are kept fixed: names of [`Kernel::parameters`] (`gaussian.lengthscale`, or
    /// `lengthscale` alone), or `noise`.
    pub fixed: Vec<String>,
    /// Smoothness parameters that are optimized, which are fixed by default: `nu` of Matérn
    /// kernels, `hurst`, `power` of a distance.
    pub free: Vec<String>,
    /// The number of additional starts, from points drawn from the seed around the first.
    pub restarts: usize,
}

impl GaussianProcess {
    /// A process whose parameters are optimized from one start; the smoothness `nu` of Matérn
    /// kernels and its like are kept fixed.
    pub fn new(kernel: Kernel, noise: f64) -> Self {
        Self { kernel, noise, optimize: true, fixed: Vec::new(), free: Vec::new(), restarts: 0 }
    }

    /// Fits the process to one value per row of `x`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a negative noise or an unknown fixed or freed name,
    /// [`Error::Shape`] and [`Error::Value`] for data that does not fit,
    /// [`Error::NotPositiveDefinite`], [`Error::Memory`], [`Error::Singular`] when `K + σ²I` is
    /// singular to working precision, [`Error::Canceled`]; and as [`Kernel::bind`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<GaussianProcessFit> {
        let x = x.into();
        self.check(x, y, compute)?;
        // Medians become numbers, so that they can be optimized.
        let kernel = self.kernel.resolve(x, compute)?;
        check_names(&kernel, "noise", &self.fixed, &self.free)?;
        let bytes = self.route(&kernel, x, compute)?.bytes(x, compute);
        compute.reserve(MemoryPurpose::Fit, "a Gaussian process", bytes, "use fewer rows or a higher memory limit")?;
        let (kernel, noise, optimization) = if self.optimize {
            let (kernel, noise, found) = match state_space::ascending(&kernel, self.noise, x, y) {
                Some((x, y)) => optimize(self, &kernel, (&x).into(), y.view(), compute)?,
                None => optimize(self, &kernel, x, y, compute)?,
            };
            (kernel, noise, Some(found))
        } else {
            (kernel, self.noise, None)
        };
        // What a time limit left is finished beyond it.
        let rest = match &optimization {
            Some(found) if found.interrupted => compute.after_part()?,
            _ => compute.clone(),
        };
        let posterior = Posterior::new(&kernel, noise, x, y, &rest)?;
        let fit = GaussianProcessFit::new(posterior, x, y, optimization, self.free.clone());
        Ok(GaussianProcessFit { settings: self.recorded(compute), ..fit })
    }

    /// The settings by name: `kernel` and `noise` where the optimization starts, `optimize`,
    /// `fixed`, `free`, `restarts`.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("kernel", &self.kernel)
            .with("noise", self.noise)
            .with("optimize", self.optimize)
            .with("fixed", &self.fixed[..])
            .with("free", &self.free[..])
            .with("restarts", self.restarts)
    }

    /// The settings of a fit: with the seed, where starts are drawn from it.
    fn recorded(&self, compute: &Compute) -> Settings {
        let random = self.optimize && self.restarts > 0;
        self.settings().with_some("seed", random.then(|| compute.seed()))
    }

    /// What a fit of these points will run, and what it will take. The plan of the
    /// [catalogue](crate::learner) knows the number of points only.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Points, learn::GaussianProcess};
    /// use ndarray::Array2;
    /// let process = GaussianProcess::new("linear()".parse()?, 0.1);
    /// let plan = process.plan_on(Array2::zeros((10_000, 3)).view(), &Compute::new())?;
    /// assert_eq!(plan.solver, "in 3 features: O(n)");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Kernel::resolve`] and [`Kernel::bind`].
    pub fn plan_on<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Plan> {
        let x = x.into();
        let kernel = self.kernel.resolve(x, compute)?;
        let route = self.route(&kernel, x, compute)?;
        let flops = self.evaluations() * route.operations(x.len(), self.optimize, compute);
        Ok(Plan::new(route.method().to_string(), route.bytes(x, compute), flops, route.reason(), compute))
    }

    /// Evaluations of the likelihood, about.
    pub(super) fn evaluations(&self) -> f64 {
        if self.optimize { EVALUATIONS * (1 + self.restarts) as f64 } else { 1.0 }
    }

    /// The decomposition of a fit: that of the matrix where a parameter moves whose derivatives are
    /// not known along a line.
    fn route(&self, kernel: &Kernel, x: Points<'_>, compute: &Compute) -> Result<Route> {
        let (names, allowed) = (names(kernel), movable(kernel, &self.free));
        let moves = |i: usize| self.optimize && allowed[i] && !self.fixed.contains(&names[i]);
        Ok(match Route::new(kernel, self.noise, x, compute)? {
            Route::Line(process_sum) if process_sum.unknown(kernel).into_iter().any(moves) => Route::Dense,
            other => other,
        })
    }

    pub(super) fn check(&self, x: Points<'_>, y: ArrayView1<f64>, compute: &Compute) -> Result<()> {
        if !self.noise.is_finite() || self.noise < 0.0 {
            return Err(Error::parameter("noise", self.noise, AllowedRange::NON_NEGATIVE));
        }
        if x.is_empty() {
            return Err(Error::too_few("a fit", "rows of the data", 1, 0));
        }
        if y.len() != x.len() {
            return Err(Error::shape("targets", format!("one per row ({})", x.len()), y.len()));
        }
        Points::Vectors(y.insert_axis(Axis(1))).check_finite("targets")?;
        require_psd_for(&self.kernel, x, compute)
    }
}
