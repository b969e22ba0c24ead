//! Joint independence of several variables.

use ndarray::ArrayView2;

use crate::gram::{self, Pairs, Tiles};
use crate::hypothesis::TestOutcome;
use crate::hypothesis::engine::{Resampling, resample};
use crate::hypothesis::groups::{Orders, Strata};
use crate::hypothesis::orders::{JointOrders, reserve};
use crate::hypothesis::outcome::check_level;
use crate::hypothesis::precomputed::{check_symmetric, check_values, check_variable, require_kernels};
use crate::measure::{check_same_rows, check_sizes};
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
    /// A kernel matrix per variable, stored; `n²` operations per variable and permutation.
    ///
    /// # Errors
    /// [`Error::Shape`] for fewer than two variables, different numbers of rows or fewer than 4,
    /// and as [`Independence::test`](super::Independence::test).
    pub fn test(&self, samples: &[Points<'_>], compute: &Compute) -> Result<TestOutcome> {
        check_level(self.level)?;
        let named: Vec<(&str, Points<'_>)> = samples.iter().map(|s| ("variable", s.reborrow())).collect();
        check_sizes(&named, 4)?;
        self.run(&samples.iter().map(|s| Pairs::Within(s.reborrow())).collect::<Vec<_>>(), compute)
    }

    /// As [`JointIndependence::test`], from a matrix of kernel values for each variable; the
    /// kernels must be over `precomputed()`.
    ///
    /// # Errors
    /// As [`JointIndependence::test`], and [`Error::Precomputed`] without kernels or for matrices
    /// that are not symmetric.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, hypothesis::JointIndependence};
    /// use ndarray::Array2;
    /// let k = Array2::from_shape_fn((6, 6), |(i, j)| if i % 2 == j % 2 { 1.0 } else { 0.0 });
    /// let test = JointIndependence { kernels: Some(vec!["precomputed()".parse()?; 2]), ..JointIndependence::default() };
    /// // Of the 20 ways to choose three points out of six, two give the same groups.
    /// mercer::assert_close!(test.test_gram(&[k.view(), k.view()], &Compute::new())?.p_value, 0.1, abs = 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn test_gram(&self, matrices: &[ArrayView2<'_, f64>], compute: &Compute) -> Result<TestOutcome> {
        check_level(self.level)?;
        require_kernels(self.kernels.is_some())?;
        matrices.iter().try_for_each(|m| check_values("matrix of a variable", m.view(), 4))?;
        self.run(&matrices.iter().map(|m| Pairs::precomputed(m.view())).collect::<Vec<_>>(), compute)
    }

    /// As [`JointIndependence::test`], for each variable from its points, or from its kernel values
    /// where its kernel is one over `precomputed()`.
    ///
    /// # Errors
    /// As [`JointIndependence::test`] and [`JointIndependence::test_gram`].
    pub fn test_pairs(&self, variables: &[Pairs<'_>], compute: &Compute) -> Result<TestOutcome> {
        check_level(self.level)?;
        for pairs in variables {
            check_variable("variable", *pairs, 4)?;
        }
        self.run(variables, compute)
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
        reserve(n, bounds.len(), compute)?;
        let matrices = bounds.iter().map(|b| gram::dense(b, compute)).collect::<Result<Vec<_>>>()?;
        let statistic = JointOrders::new(matrices, Orders(Strata::one(n)));
        let found = resample(&statistic, &Resampling::new(self.permutations), compute)?;
        let text = bounds.iter().map(|b| b.kernel().to_string()).collect::<Vec<_>>().join(", ");
        Ok(TestOutcome::of_resampled("permutation", &found, self.level, text, compute.seed()))
    }
}
