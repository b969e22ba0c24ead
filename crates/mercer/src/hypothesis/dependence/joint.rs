//! Joint independence of several variables.

use crate::gram::{self, Pairs, Tiles};
use crate::hypothesis::TestOutcome;
use crate::hypothesis::engine::{Resampling, resample};
use crate::hypothesis::groups::{Orders, Strata};
use crate::hypothesis::joint_factors::JointFactors;
use crate::hypothesis::joint_orders::JointOrders;
use crate::hypothesis::orders::reserve;
use crate::hypothesis::outcome::check_level;
use crate::hypothesis::precomputed::{check_symmetric, check_variable, variable};
use crate::measure::{check_same_rows, dhsic_of};
use crate::{Compute, Error, Kernel, Points, Result};

/// A test of the joint independence of two or more variables (dHSIC).
///
/// # Theory
/// The statistic is [`dhsic`](crate::measure::dhsic). All variables but the first are permuted,
/// each on its own: exact level [Pfister et al. 2018].
///
/// # Example
/// ```
/// use mercer::{Compute, hypothesis::JointIndependence};
/// use ndarray::Array2;
/// // z = xy of signs: every two are independent, the three are not.
/// let x = Array2::from_shape_fn((32, 1), |(i, _)| if i % 2 == 0 { 1.0 } else { -1.0 });
/// let y = Array2::from_shape_fn((32, 1), |(i, _)| if i / 2 % 2 == 0 { 1.0 } else { -1.0 });
/// let z = &x * &y;
/// let kernels = Some(vec!["gaussian(lengthscale=0.5)".parse()?; 3]);
/// let test = JointIndependence { kernels, ..JointIndependence::default() };
/// let outcome = test.test(&[(&x).into(), (&y).into(), (&z).into()], &Compute::new())?;
/// assert!(outcome.reject);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointIndependence {
    /// The kernel of each variable; `None` for Gaussian kernels with median lengthscales.
    pub kernels: Option<Vec<Kernel>>,
    /// How many permutations are drawn, beside the observed one.
    pub permutations: usize,
    /// The significance level.
    pub level: f64,
}

impl Default for JointIndependence {
    /// Gaussian kernels with median lengthscales, 1999 permutations, level 0.05.
    fn default() -> Self {
        Self { kernels: None, permutations: 1999, level: 0.05 }
    }
}

impl JointIndependence {
    /// Tests whether the variables are jointly independent.
    ///
    /// # Cost
    /// From 1024 points on, smooth kernels of few columns take `O(n r₁⋯r_d)` for each permutation, with the
    /// ranks `rᵥ` of the matrices to eleven digits. Otherwise a kernel matrix per variable, stored, from 1024 points on also in single precision; `n²/2`
    /// operations per variable and permutation.
    ///
    /// # Errors
    /// [`Error::Shape`] for fewer than two variables, different numbers of rows or fewer than 4,
    /// and as [`Independence::test`](super::Independence::test).
    ///
    /// # Example
    /// Variables known by their kernel values:
    /// ```
    /// use mercer::{Compute, Points, hypothesis::JointIndependence};
    /// use ndarray::Array2;
    /// let k = Array2::from_shape_fn((6, 6), |(i, j)| if i % 2 == j % 2 { 1.0 } else { 0.0 });
    /// let test = JointIndependence { kernels: Some(vec!["precomputed()".parse()?; 2]), ..JointIndependence::default() };
    /// // Of the 20 ways to choose three points out of six, two give the same groups.
    /// let p_value = test.test(&[Points::Precomputed(k.view()); 2], &Compute::new())?.p_value;
    /// mercer::assert_close!(p_value, 0.1, abs = 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn test(&self, samples: &[Points<'_>], compute: &Compute) -> Result<TestOutcome> {
        check_level(self.level)?;
        let kernels = self.kernels.as_deref().unwrap_or_default();
        let mut variables = Vec::new();
        for (i, points) in samples.iter().enumerate() {
            let points = variable(kernels.get(i), points.reborrow())?;
            check_variable("variable", points, 4)?;
            variables.push(Pairs::Within(points));
        }
        self.run(&variables, compute)
    }

    fn run(&self, variables: &[Pairs<'_>], compute: &Compute) -> Result<TestOutcome> {
        if variables.len() < 2 {
            return Err(Error::too_few("a joint test", "variables", 2, variables.len()));
        }
        let by_kind = || variables.iter().map(Pairs::default_kernel).collect();
        let kernels: Vec<Kernel> = self.kernels.clone().map_or_else(by_kind, Ok)?;
        if kernels.len() != variables.len() {
            return Err(Error::shape("kernels", format!("one per variable ({})", variables.len()), kernels.len()));
        }
        let bounds = variables.iter().zip(&kernels).map(|(x, k)| k.bind(*x, compute)).collect::<Result<Vec<_>>>()?;
        let sizes: Vec<(&str, usize)> = bounds.iter().map(|b| ("another variable", b.shape().0)).collect();
        bounds.iter().try_for_each(|b| check_symmetric(b))?;
        check_same_rows(&sizes)?;
        let n = sizes[0].1;
        let (orders, how) = (Orders(Strata::one(n)), Resampling::new(self.permutations));
        let factors = match JointFactors::new(&bounds, &orders, compute) {
            // The matrices need more: their refusal says what can be done.
            Err(Error::Memory { .. }) => None,
            other => other?,
        };
        let found = match factors {
            Some(factors) => resample(&factors, &how, compute)?,
            None => {
                reserve(n, bounds.len(), 0, compute)?;
                let matrices = bounds.iter().map(|b| gram::dense(b, compute)).collect::<Result<Vec<_>>>()?;
                resample(&JointOrders::new(matrices, orders), &how, compute)?
            }
        };
        let text = bounds.iter().map(|b| b.kernel().to_string()).collect::<Vec<_>>().join(", ");
        let outcome = TestOutcome::of_resampled("permutation", &found, self.level, text, compute.seed());
        // The statistic itself is reported in double precision, whatever the permutations were
        // compared in.
        let tiles: Vec<&dyn Tiles> = bounds.iter().map(|b| b as &dyn Tiles).collect();
        Ok(TestOutcome { statistic: dhsic_of(&tiles, compute)?, ..outcome })
    }
}
