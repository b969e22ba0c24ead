//! Three-variable interaction tests (Lancaster).

use ndarray::Array2;

use super::TestOutcome;
use super::engine::{Resampled, Resampling, resample};
use super::groups::{Orders, Strata};
use super::orders::{Interleaved, OrderProducts, centered, reserve};
use super::outcome::check_level;
use super::precomputed::{check_symmetric, check_variable, variable};
use crate::gram::Pairs;
use crate::measure::{Centering, check_same_rows, row_sums};
use crate::{Compute, Kernel, Points, Result};

/// Lancaster's test of a three-variable interaction.
///
/// # Theory
/// The statistic is [`lancaster`](crate::measure::lancaster), which vanishes when the joint
/// distribution factorizes in any way: `(X, Y) ⫫ Z`, `(X, Z) ⫫ Y` or `(Y, Z) ⫫ X`. The hypothesis
/// is the union of these three. Each is tested by permuting the variable that stands alone, and the
/// union is rejected when all three are: the p-value is the largest of the three. No correction is
/// needed, because a union is rejected wrongly only if the one part that is true is
/// (intersection–union test; the Holm correction of Sejdinovic et al. 2013 is more careful than it
/// has to be).
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
    /// The significance level.
    pub level: f64,
}

impl Default for Interaction {
    /// Gaussian kernels with median lengthscales, 1999 permutations, level 0.05.
    fn default() -> Self {
        Self { kernels: None, permutations: 1999, level: 0.05 }
    }
}

impl Interaction {
    /// Tests whether the distribution of the three variables factorizes in some way.
    ///
    /// # Cost
    /// Six matrices, stored; three times `n²/2` operations per permutation.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for different numbers of rows or fewer than 4, and as
    /// [`Independence::test`](super::Independence::test).
    pub fn test(&self, samples: [Points<'_>; 3], compute: &Compute) -> Result<TestOutcome> {
        check_level(self.level)?;
        let kernel = |i: usize| self.kernels.as_ref().map(|kernels| &kernels[i]);
        let of = |i: usize| variable(kernel(i), samples[i].reborrow());
        let [x, y, z] = [of(0)?, of(1)?, of(2)?];
        let n = check_variable("first sample", x, 4)?;
        let (second, third) = (check_variable("second sample", y, 4)?, check_variable("third sample", z, 4)?);
        check_same_rows(&[("x", n), ("y", second), ("z", third)])?;
        self.run([x, y, z].map(Pairs::Within), n, compute)
    }

    fn run(&self, variables: [Pairs<'_>; 3], n: usize, compute: &Compute) -> Result<TestOutcome> {
        let by_kind = || variables.iter().map(Pairs::default_kernel).collect();
        let kernels: Vec<Kernel> = self.kernels.clone().map_or_else(by_kind, |kernels| Ok(kernels.to_vec()))?;
        reserve(n, 6, 1, compute)?;
        let (mut matrices, mut texts) = (Vec::new(), Vec::new());
        for (pairs, kernel) in variables.into_iter().zip(&kernels) {
            let bound = kernel.bind(pairs, compute)?;
            check_symmetric(&bound)?;
            matrices.push(centered(&bound, &Centering::double(&row_sums(&bound, compute)?), compute)?);
            texts.push(bound.kernel().to_string());
        }
        let parts = (0..3).map(|alone| self.part(&matrices, alone, n, compute)).collect::<Result<Vec<_>>>()?;
        Ok(self.outcome(&parts, texts.join(", "), compute))
    }

    /// The permutation test in which variable `alone` is permuted against the product of the two
    /// others.
    fn part(&self, matrices: &[Array2<f64>], alone: usize, n: usize, compute: &Compute) -> Result<Resampled> {
        let product = &matrices[(alone + 1) % 3] * &matrices[(alone + 2) % 3];
        let orders = Orders(Strata::one(n));
        let statistic =
            OrderProducts::new(vec![product], Interleaved::new(vec![matrices[alone].clone()]), orders, (n * n) as f64);
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
