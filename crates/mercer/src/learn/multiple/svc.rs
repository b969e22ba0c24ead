//! Support vector classification with a weighted sum of kernels.

use ndarray::{Array2, ArrayView1};

use super::fit::MultipleSvcFit;
use super::spec::MultipleKernels;
use super::svm_inner::{Machine, SvmInner};
use crate::learn::svm::{Calibration, Classes, Scheme, Svc, Task, Tasks};
use crate::learner::{FitSize, Plan};
use crate::settings::Settings;
use crate::solve::DualOptions;
use crate::{Compute, Kernel, Points, Result, Sample};

/// The relative duality gap of the weights, unless another is chosen: as in SimpleMKL (0.01) and
/// below. Classes change little beyond.
pub(super) const TOLERANCE: f64 = 1e-3;

/// Support vector classification with weights of several kernels.
///
/// # Formula
/// 1. The weights: those of [`MultipleKernels`], where for `method = simple` `J(β)` is the objective
///    `½‖f‖² + Σ Cᵢ max(0, 1 − sᵢ(f(xᵢ) + b))` of the classifier with the kernel `Σ βₘk̃ₘ`; for more
///    than two classes the sum over the binary SVMs of the [`Scheme`], which share the weights.
/// 2. The classifier: [`Svc`] with the kernel `Σ βₘk̃ₘ` and the same `C`, which is that of step 1.
///
/// # Theory
/// `J(β) = max Σαᵢ − ½ Σ βₘ(sα)ᵀK̃ₘ(sα)`: convex in `β`.
///
/// # Cost
/// As [`MultipleKernels`], with the solution of all binary SVMs for each of some 10 to 30 problems,
/// each begun at the last one; then as [`Svc`].
///
/// # Example
/// ```
/// use mercer::{Compute, learn::multiple::{MultipleKernelSvc, MultipleKernels}};
/// use mercer::learn::svm::Classes;
/// use ndarray::array;
/// let x = array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
/// let classes = Classes::from_texts(["right", "right", "left", "left"]);
/// let kernels = vec!["on([0], linear())".parse()?, "on([1], linear())".parse()?];
/// let fit = MultipleKernelSvc::new(MultipleKernels::new(kernels), 10.0).fit(x.view(), &classes, None, &Compute::new())?;
/// assert_eq!(fit.weights().weights(), [1.0, 0.0]);
/// // Both classes lie at distance 1 from the boundary: ½‖f‖² = ½.
/// mercer::assert_close!(fit.svc().evidence().objective, 0.5, abs = 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MultipleKernelSvc {
    /// The kernels, and how their weights are found.
    pub kernels: MultipleKernels,
    /// `C > 0`: the penalty of margin violations beside `½‖f‖²`.
    pub c: f64,
    /// A factor of `C` for every class, in the order of the classes.
    pub class_weights: Option<Vec<f64>>,
    /// How binary SVMs are combined to a classifier of many classes.
    pub scheme: Scheme,
    /// The calibration of probabilities of the final classifier, if any.
    pub calibration: Option<Calibration>,
    /// Options of the solver of the final classifier.
    pub solver: DualOptions,
}

impl MultipleKernelSvc {
    /// One binary SVM per pair of classes, without probabilities.
    pub fn new(kernels: MultipleKernels, c: f64) -> Self {
        let (scheme, solver) = (Scheme::OneVersusOne, DualOptions::default());
        Self { kernels, c, class_weights: None, scheme, calibration: None, solver }
    }

    /// Fits the weights and the classifier.
    ///
    /// # Errors
    /// [`Error::TooFew`](crate::Error::TooFew) for no kernels or no rows;
    /// [`Error::Undetermined`](crate::Error::Undetermined) when every kernel is constant on the data;
    /// [`Error::Shape`](crate::Error::Shape) for kernel values that are no square matrix; otherwise as
    /// [`Svc::fit`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        classes: &Classes,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<MultipleSvcFit> {
        let x = self.kernels.points(x);
        self.kernels.check()?;
        x.check_square()?;
        // The kernel takes no part before the weights are known.
        let svc = self.svc(self.kernels.kernels[0].clone());
        svc.check()?;
        let tasks = Tasks::new(&svc, classes, &svc.row_weights(x.len(), classes, weights)?)?;
        let found = {
            let ordered = Sample::select(x, &tasks.order);
            let rows = tasks.order.iter().map(|&row| weights.map_or(1.0, |w| w[row])).collect();
            let tolerance = self.kernels.tolerance_or(TOLERANCE);
            let indicators = indicators(classes, &tasks.order);
            let grams =
                self.kernels.grams(ordered.as_points(), rows, true, tolerance, Some(indicators.view()), compute)?;
            let machine = |task: &Task| -> Result<Machine> {
                let problem = task.problem(&svc, (0..task.rows.len()).collect(), &[])?;
                Ok(Machine { rows: task.rows.clone(), problem })
            };
            let machines = tasks.list.iter().map(machine).collect::<Result<Vec<_>>>()?;
            let mut inner = SvmInner::new(machines, self.solver, tolerance);
            self.kernels.weigh(&grams, tolerance, &mut inner, Some(indicators.view()), compute)?
        };
        let fit = self.svc(found.kernel().clone()).fit(x, classes, weights, compute)?;
        let settings = self.settings().with_some("seed", self.calibration.map(|_| compute.seed()));
        MultipleSvcFit::new(found, fit, x, settings, compute)
    }

    fn svc(&self, kernel: Kernel) -> Svc {
        Svc {
            class_weights: self.class_weights.clone(),
            scheme: self.scheme,
            calibration: self.calibration,
            solver: self.solver,
            ..Svc::new(kernel, self.c)
        }
    }

    /// The plan for data of this size.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when the matrices of the search do not fit into the
    /// memory limit.
    pub fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let classes = size.classes.max(2);
        let machines = match self.scheme {
            Scheme::OneVersusRest if classes > 2 => classes,
            _ => classes * (classes - 1) / 2,
        };
        self.kernels.plan(size.first()?, machines, self.kernels.tolerance_or(TOLERANCE), compute)
    }

    /// The settings by name: those of the kernels, `C`, `class_weights`, `scheme`, `calibration` with
    /// `calibration_folds`, `tolerance`, `max_iterations`, `working_set`.
    pub fn settings(&self) -> Settings {
        let calibration = self.calibration.map(|calibration| match calibration {
            Calibration::Sigmoid { folds } => ("sigmoid", folds),
            Calibration::Isotonic { folds } => ("isotonic", folds),
        });
        let paired = self.scheme == Scheme::OneVersusOne;
        self.kernels
            .settings()
            .with("C", self.c)
            .with_some("class_weights", self.class_weights.as_deref())
            .with("scheme", if paired { "one_versus_one" } else { "one_versus_rest" })
            .with_some("calibration", calibration.map(|(name, _)| name))
            .with_some("calibration_folds", calibration.map(|(_, folds)| folds))
            .with("tolerance", self.solver.tolerance)
            .with_some("max_iterations", self.solver.max_steps)
            .with("working_set", self.solver.working_set)
    }
}

/// The indicators of the classes, a column each, of rows in this order. Those of two classes are the same
/// but for the sign once they are centered: one of them does.
fn indicators(classes: &Classes, order: &[usize]) -> Array2<f64> {
    let columns = if classes.count() == 2 { 1 } else { classes.count() };
    Array2::from_shape_fn((order.len(), columns), |(i, c)| if classes.of()[order[i]] == c { 1.0 } else { 0.0 })
}
