//! Goodness-of-fit tests (kernel Stein discrepancy).

use ndarray::ArrayView2;

use super::TestOutcome;
use super::engine::{Enumeration, Resampling, resample};
use super::labels::{Matrices, SignForms};
use super::outcome::check_level;
use crate::measure::{Density, Estimator, SteinKernel, SteinTiles};
use crate::{Compute, Error, Result};

/// A test of whether a sample was drawn from a density that is known up to its constant.
///
/// # Theory
/// The statistic is the squared kernel Stein discrepancy
/// ([`stein_discrepancy`](crate::measure::stein_discrepancy)); its null distribution is simulated
/// by the wild bootstrap: `(1/n²) Σ εᵢεⱼu(xᵢ, xⱼ)` with random signs, which has the right limit for
/// independent points [Chwialkowski et al. 2016; Arcones, Giné 1992]. The level holds in the limit;
/// for densities symmetric in every point it holds for every sample size.
///
/// # Example
/// ```
/// use mercer::{Compute, hypothesis::GoodnessOfFit, measure::Density};
/// use ndarray::Array2;
/// // Equally spaced points are not normal.
/// let x = Array2::from_shape_fn((100, 1), |(i, _)| 0.1 * i as f64 - 5.0);
/// let outcome = GoodnessOfFit::default().test_density(x.view(), &Density::standard_normal(1), &Compute::new())?;
/// assert!(outcome.reject);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoodnessOfFit {
    /// The kernel under the Stein kernel.
    pub kernel: SteinKernel,
    /// [`Estimator::Biased`] or [`Estimator::Unbiased`]: the p-value is the same, signs do not
    /// change the terms `i = j`.
    pub estimator: Estimator,
    /// How many vectors of signs are drawn.
    pub permutations: usize,
    /// The significance level.
    pub level: f64,
}

impl Default for GoodnessOfFit {
    /// The inverse multiquadric, the biased statistic, 1999 vectors of signs, level 0.05.
    fn default() -> Self {
        Self { kernel: SteinKernel::default(), estimator: Estimator::Biased, permutations: 1999, level: 0.05 }
    }
}

impl GoodnessOfFit {
    /// Tests a sample against the density whose scores `∇ log p(xᵢ)` are given, a row per point.
    ///
    /// # Cost
    /// `O(n²d)` for the kernel and `n²B/2` multiplications for `B` vectors of signs; no matrix is
    /// stored.
    ///
    /// # Errors
    /// [`Error::Shape`] for scores that do not fit or fewer than 2 points, [`Error::Value`] for NaN
    /// and infinities, [`Error::Parameter`] for a level outside of (0, 1) or no permutations,
    /// [`Error::Canceled`].
    pub fn test(&self, x: ArrayView2<'_, f64>, scores: ArrayView2<'_, f64>, compute: &Compute) -> Result<TestOutcome> {
        check_level(self.level)?;
        let tiles = SteinTiles::new(self.kernel, x, scores)?;
        let n = x.nrows() as f64;
        if x.nrows() < 2 {
            return Err(Error::too_few("a goodness-of-fit test", "points", 2, x.nrows()));
        }
        let (hollow, divisor) = match self.estimator {
            Estimator::Biased => (false, n * n),
            Estimator::Unbiased => (true, n * (n - 1.0)),
            _ => {
                return Err(Error::unsupported(
                    "Stein discrepancy",
                    "this estimator",
                    "",
                    "use the biased or the unbiased estimator",
                ));
            }
        };
        let statistic = SignForms::new(Matrices::One(&tiles), hollow, divisor);
        let how = Resampling { enumeration: Enumeration::Never, ..Resampling::new(self.permutations) };
        let found = resample(&statistic, &how, compute)?;
        Ok(TestOutcome::of_resampled("wild bootstrap", &found, self.level, self.kernel.to_string(), compute.seed()))
    }

    /// Tests a sample against a density known by name.
    ///
    /// # Errors
    /// As [`GoodnessOfFit::test`].
    pub fn test_density(&self, x: ArrayView2<'_, f64>, density: &Density, compute: &Compute) -> Result<TestOutcome> {
        self.test(x, density.score(x)?.view(), compute)
    }
}
