//! Two-sample tests: do two samples have the same distribution?

mod aggregated;
mod approximate;
mod bandwidths;
mod bounds;
mod columns;
mod features;
mod null_spectrum;
mod optimized;
mod permutation;

pub use aggregated::KernelWeights;
pub(super) use aggregated::smallest_p;
pub(super) use bandwidths::{COUNT, of_objects, quantiles};
pub use columns::ColumnOutcome;
pub(super) use null_spectrum::{gamma, spectrum_cost};

use super::TestOutcome;
use super::engine::Enumeration;
use super::groups::Strata;
use super::outcome::check_level;
use super::precomputed::{check_variable, variable};
use crate::gram::Pairs;
use crate::measure::{Estimator, Pooled};
use crate::{Compute, Error, Kernel, Points, Result};

/// A test of `P = Q` from a sample of each.
///
/// # Theory
/// The statistic is the squared maximum mean discrepancy ([`mmd`](crate::measure::mmd)), or several
/// of them. Permutation tests have their level exactly, for every kernel, sample size and
/// distribution; the approximations (gamma, spectral, linear) in the limit; the bounds always, at
/// the cost of power.
///
/// # Example
/// ```
/// use mercer::{Compute, hypothesis::{TwoSample, TwoSampleMethod}};
/// use ndarray::array;
/// let (x, y) = (array![[0.1], [0.2], [0.3], [0.4], [0.5]], array![[5.1], [5.2], [5.3], [5.4], [5.5]]);
/// let test = TwoSample { method: TwoSampleMethod::Exact, ..TwoSample::permutation("gaussian()".parse()?) };
/// let outcome = test.test(&x, &y, &Compute::new())?;
/// // Of the 252 ways to divide ten points, two separate these samples.
/// assert_eq!(outcome.p_value, 2.0 / 252.0);
/// assert!(outcome.reject);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TwoSample {
    /// The kernel; `None` chooses: Gaussian and Laplacian kernels of many lengthscales for the
    /// aggregated and the fused test, a Gaussian kernel with the median lengthscale of the pooled
    /// sample for the others.
    pub kernel: Option<Kernel>,
    /// The method of the p-value.
    pub method: TwoSampleMethod,
    /// The estimator that is relabeled: [`Estimator::Biased`] or [`Estimator::Unbiased`].
    pub estimator: Estimator,
    /// The number of random permutations, besides the observed labeling.
    pub permutations: usize,
    /// The significance level.
    pub level: f64,
    /// Points exchange their labels only within a stratum: one number for each point of the pooled
    /// sample.
    pub strata: Option<Vec<usize>>,
}

/// Methods of two-sample tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TwoSampleMethod {
    /// Random relabelings; all of them when there are not more than would be drawn. Exact level.
    Permutation,
    /// All relabelings; refused when there are more than a million. Exact level.
    Exact,
    /// For matched pairs `(xᵢ, yᵢ)`: exchanges within pairs. Exact level.
    Paired,
    /// Random relabelings until rejection has become impossible (Besag, Clifford). Exact level.
    Sequential,
    /// Moments of a gamma distribution matched to the null distribution.
    Gamma,
    /// The limit `Σ λⱼzⱼ²` with the eigenvalues of the centered kernel matrix, simulated.
    Spectral,
    /// The distribution-free bound on the biased statistic: a valid level, with little power.
    BiasedBound,
    /// The distribution-free bound on the unbiased statistic.
    UnbiasedBound,
    /// The linear-time statistic with its normal limit.
    Linear,
    /// The block statistic with its normal limit, for blocks of this many pairs.
    Block(usize),
    /// Many kernels at once, without splitting the data (MMDAgg). Exact level.
    Aggregated {
        /// The importance of the kernels, in the order of their lengthscales.
        weights: KernelWeights,
        /// Signs of pairs `(xᵢ, yᵢ)` instead of permutations, for `m = n`: a quarter of the work.
        wild: bool,
    },
    /// Many kernels in one soft maximum of normalized statistics (MMD-FUSE). Exact level.
    Fused,
    /// The means of this many random Fourier features (an even number), permuted: linear in the
    /// number of points, for shift-invariant kernels. Exact level.
    Features(usize),
    /// A random half of the data chooses the lengthscale with the most power, the other half tests.
    /// Exact level.
    Split,
}

impl Default for TwoSample {
    /// Aggregated over Gaussian and Laplacian kernels, 1999 permutations, level 0.05.
    fn default() -> Self {
        Self {
            kernel: None,
            method: TwoSampleMethod::Aggregated { weights: KernelWeights::Uniform, wild: false },
            estimator: Estimator::Biased,
            permutations: 1999,
            level: 0.05,
            strata: None,
        }
    }
}

impl TwoSample {
    /// A permutation test with one kernel.
    pub fn permutation(kernel: Kernel) -> Self {
        Self { kernel: Some(kernel), method: TwoSampleMethod::Permutation, ..Self::default() }
    }

    /// The default test with another method.
    pub fn with_method(method: TwoSampleMethod) -> Self {
        Self { method, ..Self::default() }
    }

    /// Tests whether the two samples have the same distribution.
    ///
    /// With a kernel over `precomputed()`, a sample is the rows of its kernel values with all points
    /// of the first sample and then of the second: both together are a symmetric matrix.
    ///
    /// # Cost
    /// For `N = m + n` points and `B` permutations: every pair once and `N²B/2` multiplications for
    /// each kernel, as products of tiles with all label vectors; no matrix is stored (the spectral
    /// method stores one, and computes 36 of its eigenvalues from 1024 points on).
    ///
    /// # Errors
    /// [`Error::Shape`] for fewer than 2 points in a sample or different columns, [`Error::Value`]
    /// for NaN and infinities, [`Error::Parameter`] for a level outside of (0, 1) or no
    /// permutations, [`Error::Unsupported`] or [`Error::AllEqual`] for choices that do not fit
    /// together or points that are all equal where lengthscales are to be chosen,
    /// [`Error::Precomputed`] for kernel values without a kernel or that are not symmetric,
    /// [`Error::Memory`], [`Error::Canceled`].
    pub fn test<'a, 'b>(
        &self,
        x: impl Into<Points<'a>>,
        y: impl Into<Points<'b>>,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        check_level(self.level)?;
        let of = self.kernel.as_ref();
        let pooled = Pooled::new(variable(of, x.into())?, variable(of, y.into())?, 2)?;
        self.test_pooled(pooled.points(), pooled.first(), compute)
    }

    /// As [`TwoSample::test`], from both samples as one, of which the first `first` points are the
    /// first sample: nothing is copied. Precomputed kernel values are those of all pairs of the
    /// pooled sample.
    ///
    /// # Errors
    /// As [`TwoSample::test`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, hypothesis::TwoSample};
    /// use ndarray::array;
    /// let k = array![[1.0, 0.9, 0.1, 0.1], [0.9, 1.0, 0.1, 0.1], [0.1, 0.1, 1.0, 0.9], [0.1, 0.1, 0.9, 1.0]];
    /// let outcome = TwoSample::permutation("precomputed()".parse()?).test_pooled(&k, 2, &Compute::new())?;
    /// assert_eq!(outcome.p_value, 2.0 / 6.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn test_pooled<'a>(
        &self,
        points: impl Into<Points<'a>>,
        first: usize,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        check_level(self.level)?;
        let points = variable(self.kernel.as_ref(), points.into())?;
        let total = check_variable("pooled sample", points, 2)?;
        for (name, size) in [("first", first), ("second", total.saturating_sub(first))] {
            if size < 2 {
                return Err(Error::too_few("a two-sample test", format!("points of the {name} sample"), 2, size));
            }
        }
        self.run(&PooledPairs { pairs: Pairs::Within(points), first, total }, compute)
    }

    fn run(&self, data: &PooledPairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        use TwoSampleMethod as Method;
        if self.strata.is_some()
            && !matches!(self.method, Method::Permutation | Method::Exact | Method::Sequential | Method::Features(_))
        {
            return Err(Error::unsupported(
                "strata",
                "this method",
                "",
                "use permutation, exact, sequential or features",
            ));
        }
        match self.method {
            Method::Permutation => self.permute(data, "permutation", Enumeration::WhenFew, None, compute),
            Method::Exact => self.permute(data, "exact", Enumeration::Always, None, compute),
            Method::Sequential => self.permute(data, "sequential", Enumeration::WhenFew, Some(self.level), compute),
            Method::Paired => self.exchange(data, compute),
            Method::Gamma => self.gamma(data, compute),
            Method::Spectral => self.spectral(data, compute),
            Method::BiasedBound => self.bound(data, Estimator::Biased, compute),
            Method::UnbiasedBound => self.bound(data, Estimator::Unbiased, compute),
            Method::Linear => self.blocks(data, 2, "linear", compute),
            Method::Block(size) => self.blocks(data, size, "block", compute),
            Method::Aggregated { weights, wild } => self.aggregate(data, weights, wild, compute),
            Method::Features(components) => self.features(data, components, compute),
            Method::Fused => self.fuse(data, compute),
            Method::Split => self.split(data, compute),
        }
    }

    /// The kernel, or that of the kind of the points: a Gaussian one with the median lengthscale on
    /// vectors.
    fn one_kernel(&self, pairs: Pairs<'_>) -> Result<Kernel> {
        self.kernel.clone().map_or_else(|| pairs.default_kernel(), Ok)
    }

    fn strata(&self, total: usize) -> Result<Strata> {
        self.strata.as_ref().map_or_else(|| Ok(Strata::one(total)), |codes| Strata::of(codes, total))
    }
}

/// The pooled sample, or its kernel values.
struct PooledPairs<'a> {
    pairs: Pairs<'a>,
    first: usize,
    total: usize,
}

impl PooledPairs<'_> {
    /// The number of pairs `(xᵢ, yᵢ)`, when there are as many points in both samples.
    fn equal_sizes(&self) -> Result<usize> {
        let second = self.total - self.first;
        if self.first == second {
            return Ok(second);
        }
        let expected = format!("as many as in the first ({})", self.first);
        Err(Error::shape("points of the second sample", expected, second))
    }
}
