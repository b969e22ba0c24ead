//! One-class support vector machines with a weighted sum of kernels.

use ndarray::ArrayView1;

use super::fit::MultipleOneClassFit;
use super::spec::{MultipleKernels, WeightMethod};
use super::svc::TOLERANCE;
use super::svm_inner::{Machine, SvmInner};
use crate::error::AllowedRange;
use crate::learn::OneClass;
use crate::learn::svm::{check_weights, one_class};
use crate::learner::{FitSize, Plan};
use crate::settings::Settings;
use crate::solve::DualOptions;
use crate::{Compute, Error, Points, Result};

/// The support of a distribution with weights of several kernels.
///
/// # Formula
/// As [`OneClass`] with the kernel `Σ βₘcₘkₘ`. Kernel matrices are scaled to trace `n` and **not
/// centered**: the machine separates the points from the origin of the feature space, where centering
/// would put their mean. There are no targets, and no weights by alignment.
///
/// # Theory
/// `J(β) = max −½ Σ βₘαᵀK̃ₘα` over `0 ≤ α ≤ v`, `Σα = ν Σv` (Rakotomamonjy et al. 2008). The least value is
/// the largest distance of the points from the origin: `norm = 1` prefers smooth kernels, whose
/// features are near to each other, and a constant kernel most of all. With kernels of different
/// smoothness use `norm = 2` or the mean.
///
/// # Cost
/// As [`MultipleKernelSvc`](super::MultipleKernelSvc).
///
/// # Example
/// ```
/// use mercer::{Compute, learn::multiple::{MultipleKernelOneClass, MultipleKernels}};
/// use ndarray::array;
/// let kernels = vec!["gaussian()".parse()?, "gaussian(lengthscale=0.1)".parse()?];
/// let spec = MultipleKernelOneClass::new(MultipleKernels::new(kernels), 0.5);
/// let fit = spec.fit(array![[0.0], [0.1], [-0.1], [4.0]].view(), None, &Compute::new())?;
/// assert!(fit.weights().weights()[0] > 0.99);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MultipleKernelOneClass {
    /// The kernels, and how their weights are found: simple or mean.
    pub kernels: MultipleKernels,
    /// `0 < ν ≤ 1`: about this part of the data is outside.
    pub nu: f64,
    /// Options of the solver of the final machine.
    pub solver: DualOptions,
}

impl MultipleKernelOneClass {
    /// The default options of the solver.
    pub fn new(kernels: MultipleKernels, nu: f64) -> Self {
        Self { kernels, nu, solver: DualOptions::default() }
    }

    /// Fits the weights and the region.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for weights by alignment, [`Error::TooFew`] for no kernels or no rows;
    /// otherwise as [`OneClass::fit`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<MultipleOneClassFit> {
        let x = self.kernels.points(x);
        self.kernels.check()?;
        if self.kernels.method == WeightMethod::Alignment {
            let instead = "use the method `simple` or `mean`";
            return Err(Error::unsupported("alignment", "one class", "there are no targets", instead));
        }
        if !(self.nu > 0.0 && self.nu <= 1.0) {
            return Err(Error::parameter("nu", self.nu, AllowedRange::above(0.0).at_most(1.0)));
        }
        if x.is_empty() {
            return Err(Error::too_few("a fit", "rows of the data", 1, 0));
        }
        let upper = check_weights(weights, x.len())?;
        let found = {
            let tolerance = self.kernels.tolerance_or(TOLERANCE);
            let grams = self.kernels.grams(x, upper.clone(), false, tolerance, None, compute)?;
            let machine = Machine { rows: (0..x.len()).collect(), problem: one_class(upper, self.nu) };
            let mut inner = SvmInner::new(vec![machine], self.solver, tolerance);
            self.kernels.weigh(&grams, tolerance, &mut inner, None, compute)?
        };
        let spec = OneClass { solver: self.solver, ..OneClass::new(found.kernel().clone(), self.nu) };
        let fit = spec.fit(x, weights, compute)?;
        MultipleOneClassFit::new(found, fit, x, self.settings(), compute)
    }

    /// The plan for data of this size.
    ///
    /// # Errors
    /// [`Error::Memory`] when the matrices of the search do not fit into the memory limit.
    pub fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        self.kernels.plan(size.first()?, 1, self.kernels.tolerance_or(TOLERANCE), compute)
    }

    /// The settings by name: those of the kernels, `nu`, `tolerance`, `max_iterations`, `working_set`.
    pub fn settings(&self) -> Settings {
        self.kernels
            .settings()
            .with("nu", self.nu)
            .with("tolerance", self.solver.tolerance)
            .with_some("max_iterations", self.solver.max_steps)
            .with("working_set", self.solver.working_set)
    }
}
