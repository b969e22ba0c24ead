//! Independence tests (HSIC).

mod aggregated;
mod features;
mod gamma;
mod joint;

pub(super) use aggregated::MULTIPLES;
pub use joint::JointIndependence;

use ndarray::Array2;

use super::TestOutcome;
use super::engine::{Enumeration, Resampled, Resampling, resample};
use super::factors::FactorProducts;
use super::groups::{Orders, Strata};
use super::orders::{Interleaved, OrderProducts, centered, reserve};
use super::outcome::check_level;
use super::precomputed::{check_symmetric, check_variable, variable};
use crate::gram::{Bound, Pairs, Tiles};
use crate::measure::{Centering, HsicEstimator, aligned_hsic, check_same_rows, hsic_of, row_sums};
use crate::{Compute, Error, Kernel, Points, Result};

/// A test of the independence of `x` and `y` from pairs `(xᵢ, yᵢ)`.
///
/// # Theory
/// The statistic is the Hilbert–Schmidt independence criterion ([`hsic`](crate::measure::hsic)).
/// When `x` and `y` are independent, permuting `y` does not change the distribution of the pairs,
/// so that permutation tests have their level exactly.
///
/// # Example
/// ```
/// use mercer::{Compute, hypothesis::Independence};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 1), |(i, _)| (i as f64 * 0.7).sin());
/// let y = x.mapv(|v| v * v);
/// let outcome = Independence::default().test(&x, &y, &Compute::new())?;
/// assert!(outcome.reject && outcome.p_value < 0.005);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Independence {
    /// The kernel of `x`; `None` for a Gaussian kernel with the median lengthscale, or many
    /// lengthscales for the aggregated test.
    pub kernel_x: Option<Kernel>,
    /// The kernel of `y`, likewise.
    pub kernel_y: Option<Kernel>,
    /// The method of the p-value.
    pub method: IndependenceMethod,
    /// The estimator that is permuted.
    pub estimator: HsicEstimator,
    /// How many permutations are drawn, beside the observed order.
    pub permutations: usize,
    /// The significance level.
    pub level: f64,
    /// Points are permuted only within a stratum: one number for each pair.
    pub strata: Option<Vec<usize>>,
}

/// How the p-value of an independence test is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndependenceMethod {
    /// Random permutations; all of them when there are not more than would be drawn. Exact level.
    Permutation,
    /// All permutations; refused when there are more than a million (`n > 9`). Exact level.
    Exact,
    /// Random permutations until rejection has become impossible (Besag, Clifford). Exact level.
    Sequential,
    /// Moments of a gamma distribution matched to the null distribution (Gretton et al. 2007).
    Gamma,
    /// Many pairs of lengthscales at once (HSICAgg). Exact level.
    Aggregated {
        /// Whether the points are paired and `y` is exchanged within pairs (a wild bootstrap, as
        /// the method was published) instead of permuted: linear in the number of relabelings, with
        /// the power of half as many points.
        wild: bool,
    },
    /// This many random Fourier features of each variable (an even number), permuted: linear in the
    /// number of points, for shift-invariant kernels. Exact level.
    Features(usize),
}

impl Default for Independence {
    /// Gaussian kernels with median lengthscales, the biased statistic, 1999 permutations, level
    /// 0.05.
    fn default() -> Self {
        Self {
            kernel_x: None,
            kernel_y: None,
            method: IndependenceMethod::Permutation,
            estimator: HsicEstimator::Biased,
            permutations: 1999,
            level: 0.05,
            strata: None,
        }
    }
}

impl Independence {
    /// The default test with another method.
    pub fn with_method(method: IndependenceMethod) -> Self {
        Self { method, ..Self::default() }
    }

    /// Tests whether `x` and `y` are independent.
    ///
    /// A variable with a kernel over `precomputed()` is the matrix of its kernel values.
    ///
    /// # Cost
    /// For smooth kernels and 256 points or more, `O(nrs)` for each permutation, with the ranks `r`
    /// and `s` of the two matrices to eleven digits, and nothing of size `n²`. Otherwise both
    /// matrices are stored, from 1024 points on also in single precision, and a permutation takes
    /// `n²/2` operations. The gamma method stores nothing.
    ///
    /// # Errors
    /// [`Error::Shape`] for different numbers of rows or fewer than 4, [`Error::Value`] for NaN and
    /// infinities, [`Error::Parameter`] for a level outside of (0, 1) or no permutations,
    /// [`Error::AllEqual`] for a constant sample where its lengthscale is to be chosen,
    /// [`Error::Precomputed`] for kernel values without a kernel or that are not symmetric,
    /// [`Error::Memory`] when the matrices do not fit, [`Error::Canceled`].
    ///
    /// # Example
    /// A variable known by its kernel values:
    /// ```
    /// use mercer::{Compute, hypothesis::Independence};
    /// use ndarray::Array2;
    /// let k = Array2::from_shape_fn((6, 6), |(i, j)| if i % 2 == j % 2 { 1.0 } else { 0.0 });
    /// let test = Independence { kernel_x: Some("precomputed()".parse()?), kernel_y: Some("precomputed()".parse()?), ..Independence::default() };
    /// // Of the 20 ways to choose three points out of six, two give the same groups.
    /// mercer::assert_close!(test.test(&k, &k, &Compute::new())?.p_value, 0.1, abs = 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn test<'a, 'b>(
        &self,
        x: impl Into<Points<'a>>,
        y: impl Into<Points<'b>>,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        let (x, y) = (variable(self.kernel_x.as_ref(), x.into())?, variable(self.kernel_y.as_ref(), y.into())?);
        check_variable("first sample", x, 4)?;
        check_variable("second sample", y, 4)?;
        self.run(Pairs::Within(x), Pairs::Within(y), compute)
    }

    fn run<'a, 'b>(&self, x: Pairs<'a>, y: Pairs<'b>, compute: &Compute) -> Result<TestOutcome> {
        check_level(self.level)?;
        use IndependenceMethod as Method;
        if self.strata.is_some() && matches!(self.method, Method::Gamma | Method::Aggregated { wild: true }) {
            return Err(Error::unsupported("strata", "this method", "", "use the method permutation"));
        }
        match self.method {
            Method::Aggregated { wild: false } => self.aggregate(x, y, compute),
            Method::Aggregated { wild: true } => self.aggregate_pairs(x, y, compute),
            Method::Features(components) => self.features(x, y, components, compute),
            Method::Gamma => {
                let (k, l) = self.bind(x, y, compute)?;
                self.gamma(&k, &l, compute)
            }
            Method::Permutation => self.permute(x, y, "permutation", Enumeration::WhenFew, None, compute),
            Method::Exact => self.permute(x, y, "exact", Enumeration::Always, None, compute),
            Method::Sequential => self.permute(x, y, "sequential", Enumeration::WhenFew, Some(self.level), compute),
        }
    }

    fn permute<'a, 'b>(
        &self,
        x: Pairs<'a>,
        y: Pairs<'b>,
        method: &str,
        enumeration: Enumeration,
        stop_at: Option<f64>,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        let (k, l) = self.bind(x, y, compute)?;
        let how = Resampling { permutations: self.permutations, enumeration, stop_at };
        let found = self.resampled(&k, &l, &how, compute)?;
        let text = format!("{}, {}", k.kernel(), l.kernel());
        let outcome = TestOutcome::of_resampled(method, &found, self.level, text, compute.seed());
        // The statistic itself is reported in double precision, whatever the permutations were
        // compared in.
        let (biased, share) = aligned_hsic(&k, &l, compute)?;
        let statistic = match self.estimator {
            HsicEstimator::Biased => biased,
            HsicEstimator::Unbiased => hsic_of(&k, &l, HsicEstimator::Unbiased, compute)?,
        };
        Ok(TestOutcome { statistic, ..outcome }.with_detail("normalized_hsic", share))
    }

    /// The statistic under permutations, by low-rank factors where there are some, otherwise by
    /// stored matrices.
    fn resampled(&self, k: &Bound<'_>, l: &Bound<'_>, how: &Resampling, compute: &Compute) -> Result<Resampled> {
        let n = k.shape().0;
        let orders = Orders(self.strata(n)?);
        if self.estimator == HsicEstimator::Biased
            && let Some(factors) = FactorProducts::new(k, l, orders.clone(), compute)?
        {
            return resample(&factors, how, compute);
        }
        reserve(n, 2, 1, compute)?;
        let moved = Interleaved::new(vec![self.centered(l, compute)?]);
        let fixed = self.centered(k, compute)?;
        resample(&OrderProducts::new(vec![fixed], moved, orders, self.divisor(n)), how, compute)
    }

    /// The kernels on the two samples.
    fn bind<'a, 'b>(&self, x: Pairs<'a>, y: Pairs<'b>, compute: &Compute) -> Result<(Bound<'a>, Bound<'b>)> {
        let k = self.kernel_x.clone().map_or_else(|| x.default_kernel(), Ok)?.bind(x, compute)?;
        let l = self.kernel_y.clone().map_or_else(|| y.default_kernel(), Ok)?.bind(y, compute)?;
        check_symmetric(&k)?;
        check_symmetric(&l)?;
        check_same_rows(&[("x", k.shape().0), ("y", l.shape().0)])?;
        Ok((k, l))
    }

    /// The matrix of a sample, centered for the estimator.
    fn centered(&self, tiles: &dyn Tiles, compute: &Compute) -> Result<Array2<f64>> {
        let sums = row_sums(tiles, compute)?;
        let centering = match self.estimator {
            HsicEstimator::Biased => Centering::double(&sums),
            HsicEstimator::Unbiased => Centering::unbiased(&sums, &tiles.diagonal()?),
        };
        centered(tiles, &centering, compute)
    }

    /// `n²`, or `n(n − 3)`.
    fn divisor(&self, n: usize) -> f64 {
        let n = n as f64;
        if self.estimator == HsicEstimator::Biased { n * n } else { n * (n - 3.0) }
    }

    fn strata(&self, n: usize) -> Result<Strata> {
        self.strata.as_ref().map_or_else(|| Ok(Strata::one(n)), |codes| Strata::of(codes, n))
    }
}
