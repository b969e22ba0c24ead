//! Do three variables interact?

use super::TestOutcome;
use super::dependence::{check_matrix, check_variable};
use super::engine::{Resampled, Resampling, resample};
use super::groups::{Orders, Strata};
use super::orders::{OrderProducts, centred, reserve};
use super::outcome::check_level;
use crate::gram::{Pairs, Tiles};
use crate::measure::{Centring, check_same_rows, row_sums};
use crate::{Compute, Kernel, Points, Result};

/// Lancaster's test of a three-variable interaction.
///
/// # Theory
/// The statistic is [`lancaster`](crate::measure::lancaster), which vanishes when the joint law factorises in any way: `(X, Y) ⫫ Z`, `(X, Z) ⫫ Y` or `(Y, Z) ⫫ X`. The
/// hypothesis is the union of these three. Each is tested by permuting the variable that stands alone, and the union is rejected when all three are: the
/// p-value is the largest of the three. No correction is needed, because a union is rejected wrongly only if the one part that is true is
/// (intersection–union test; the Holm correction of Sejdinovic et al. 2013 is more careful than it has to be).
///
/// # Example
/// ```
/// use mercer::{Compute, hypothesis::Interaction};
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((32, 1), |(i, _)| if i % 2 == 0 { 1.0 } else { -1.0 });
/// let y = Array2::from_shape_fn((32, 1), |(i, _)| if i / 2 % 2 == 0 { 1.0 } else { -1.0 });
/// let outcome = Interaction::default().test([(&x).into(), (&y).into(), (&(&x * &y)).into()], &Compute::new())?;
/// assert!(outcome.reject);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// The kernels of the variables; `None` for Gaussian kernels with median lengthscales.
    pub kernels: Option<[Kernel; 3]>,
    /// How many permutations of each variable are drawn, beside the observed order.
    pub permutations: usize,
    /// The level of the decision.
    pub level: f64,
}

impl Default for Interaction {
    /// Gaussian kernels with median lengthscales, 1999 permutations, level 0.05.
    fn default() -> Self {
        Self { kernels: None, permutations: 1999, level: 0.05 }
    }
}

impl Interaction {
    /// Tests whether the law of the three variables factorises in some way.
    ///
    /// # Cost
    /// Six matrices, stored; three times `n²/2` operations per permutation.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for different numbers of rows or fewer than 4, and as [`Independence::test`](super::Independence::test).
    pub fn test(&self, samples: [Points<'_>; 3], compute: &Compute) -> Result<TestOutcome> {
        self.test_pairs(samples.map(Pairs::Within), compute)
    }

    /// As [`Interaction::test`], for each variable from its points, or from its kernel values where its kernel is one over `precomputed()`.
    ///
    /// # Errors
    /// As [`Interaction::test`], and [`Error::Request`](crate::Error::Request) for a matrix that is not symmetric.
    pub fn test_pairs(&self, variables: [Pairs<'_>; 3], compute: &Compute) -> Result<TestOutcome> {
        check_level(self.level)?;
        let names = ["first sample", "second sample", "third sample"];
        names.iter().zip(variables).try_for_each(|(name, pairs)| check_variable(name, pairs, 4))?;
        let median: Kernel = "gaussian(lengthscale=median)".parse()?;
        let kernels = self.kernels.clone().unwrap_or_else(|| std::array::from_fn(|_| median.clone()));
        let bounds =
            variables.iter().zip(&kernels).map(|(pairs, k)| k.bind(*pairs, compute)).collect::<Result<Vec<_>>>()?;
        bounds.iter().try_for_each(|bound| check_matrix(bound))?;
        let sizes: Vec<(&str, usize)> = ["x", "y", "z"].into_iter().zip(bounds.iter().map(|b| b.shape().0)).collect();
        check_same_rows(&sizes)?;
        let n = sizes[0].1;
        reserve(n, 6, compute)?;
        let centre = |bound| centred(bound, &Centring::double(&row_sums(bound, compute)?), compute);
        let matrices = bounds.iter().map(|bound| centre(bound)).collect::<Result<Vec<_>>>()?;
        let texts: Vec<String> = bounds.iter().map(|bound| bound.kernel().to_string()).collect();
        let parts = (0..3).map(|alone| self.part(&matrices, alone, n, compute)).collect::<Result<Vec<_>>>()?;
        Ok(self.outcome(&parts, texts.join(", "), compute))
    }

    /// The permutation test in which variable `alone` is permuted against the product of the two others.
    fn part(&self, matrices: &[ndarray::Array2<f64>], alone: usize, n: usize, compute: &Compute) -> Result<Resampled> {
        let product = &matrices[(alone + 1) % 3] * &matrices[(alone + 2) % 3];
        let orders = Orders(Strata::one(n));
        let statistic = OrderProducts::new(vec![product], vec![matrices[alone].clone()], orders, (n * n) as f64);
        resample(&statistic, &Resampling::new(self.permutations), compute)
    }

    /// The part with the largest p-value decides.
    fn outcome(&self, parts: &[Resampled], kernels: String, compute: &Compute) -> TestOutcome {
        let p: Vec<f64> = parts.iter().map(|part| part.p_value(0)).collect();
        let worst = (1..3).fold(0, |worst, i| if p[i] > p[worst] { i } else { worst });
        TestOutcome::of_resampled("permutation", &parts[worst], self.level, kernels, compute.seed())
            .with_detail("p_x", p[0])
            .with_detail("p_y", p[1])
            .with_detail("p_z", p[2])
    }
}
