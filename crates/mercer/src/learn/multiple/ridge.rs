//! Ridge regression with a weighted sum of kernels.

use ndarray::{ArrayView1, ArrayView2};

use super::fit::MultipleRidgeFit;
use super::ridge_inner::RidgeInner;
use super::spec::{MultipleKernels, WeightMethod};
use crate::error::AllowedRange;
use crate::learn::Ridge;
use crate::learn::observations::check_weights;
use crate::learn::ridge::check_lambda;
use crate::learner::{FitSize, Plan};
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result};

/// The relative duality gap of the weights, unless another is chosen. `J` is smooth and Newton steps
/// converge quadratically: the last digits take one or two steps more.
const TOLERANCE: f64 = 1e-6;

/// Kernel ridge regression with weights of several kernels.
///
/// # Formula
/// 1. The weights: those of [`MultipleKernels`], where for [`WeightMethod::Simple`]
///    `J(β) = min Σ vᵢ‖yᵢ − f(xᵢ) − b‖² + λ‖f‖²` with the kernel `Σ βₘk̃ₘ`, a sum over rows of weight
///    `v` and over outputs, which share the weights of the kernels; `b = 0` without intercept.
/// 2. The function: [`Ridge`] with the kernel `Σ βₘk̃ₘ` and the same `λ`, which is that of step 1.
///
/// # Theory
/// `J(β) = max_α λ(2αᵀy − λαᵀα − Σ βₘαᵀK̃ₘα)`, with an intercept over `1ᵀα = 0`: a maximum of linear functions of `β`, thus
/// convex. `‖f‖² = Σ ‖fₘ‖²/βₘ` for the parts `fₘ` of `f`, so that `norm = 1` is the penalty
/// `(Σ ‖fₘ‖)²`, the group lasso over kernels.
///
/// # Cost
/// As [`MultipleKernels`], with `n³/3` for each of some ten problems; then as [`Ridge`].
///
/// # Example
/// ```
/// use mercer::{Compute, learn::multiple::{MultipleKernelRidge, MultipleKernels}};
/// use ndarray::{Array2, array};
/// // Two columns that are not correlated, and targets that are the first one.
/// let x = array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
/// let y = x.column(0).to_owned().insert_axis(ndarray::Axis(1));
/// let kernels = vec!["on([0], linear())".parse()?, "on([1], linear())".parse()?];
/// let spec = MultipleKernelRidge::new(MultipleKernels::new(kernels), 1.0);
/// let fit = spec.fit(x.view(), y.view(), None, &Compute::new())?;
/// assert_eq!(fit.weights().weights(), [1.0, 0.0]);
/// assert_eq!(fit.kernel().to_string(), "on([0], linear())");
/// // f(x) = bx with b = Σxy/(Σx² + λ) = 4/5.
/// mercer::assert_close!(fit.predict(array![[1.0, 7.0]].view(), &Compute::new())?[[0, 0]], 0.8, abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MultipleKernelRidge {
    /// The kernels, and how their weights are found.
    pub kernels: MultipleKernels,
    /// `λ`, which multiplies `‖f‖²` beside a sum of squares; above 0 for [`WeightMethod::Simple`].
    pub lambda: f64,
    /// Whether the function has an unpenalized intercept.
    pub intercept: bool,
    /// Whether to compute leave-one-out residuals and the like: see [`Ridge::diagnostics`].
    pub diagnostics: bool,
}

impl MultipleKernelRidge {
    /// Without intercept, with diagnostics.
    pub fn new(kernels: MultipleKernels, lambda: f64) -> Self {
        Self { kernels, lambda, intercept: false, diagnostics: true }
    }

    /// Fits the weights and the function. `y` has one row per point and one column per output.
    ///
    /// # Errors
    /// [`Error::TooFew`] for no kernels or no rows; [`Error::Parameter`] for a `λ` that is negative, or
    /// 0 where the weights need it, or a norm below 1; [`Error::Shape`] and [`Error::Value`] for targets
    /// and weights that do not fit; [`Error::Undetermined`] when every kernel is constant on the data,
    /// or, for alignment, none varies with the targets; [`Error::NotPositiveDefinite`],
    /// [`Error::Memory`], [`Error::Canceled`]; and as [`Ridge::fit`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<MultipleRidgeFit> {
        let x = self.kernels.points(x);
        self.check(x, y, weights)?;
        let rows = weights.map_or_else(|| vec![1.0; x.len()], |w| w.to_vec());
        let found = {
            let tolerance = self.kernels.tolerance_or(TOLERANCE);
            // Alignment is of centered matrices, whatever the function; so are the scales of the mean.
            let centered = self.intercept || self.kernels.method != WeightMethod::Simple;
            let grams = self.kernels.grams(x, rows, centered, tolerance, Some(y), compute)?;
            let mut inner = RidgeInner::new(self.lambda, self.intercept, y, weights);
            self.kernels.weigh(&grams, tolerance, &mut inner, Some(y), compute)?
        };
        let ridge = Ridge {
            intercept: self.intercept,
            diagnostics: self.diagnostics,
            ..Ridge::new(found.kernel().clone(), self.lambda)
        };
        let fit = ridge.fit(x, y, weights, compute)?;
        MultipleRidgeFit::new(found, fit, x, self.settings(), compute)
    }

    fn check(&self, x: Points<'_>, y: ArrayView2<f64>, weights: Option<ArrayView1<f64>>) -> Result<()> {
        self.kernels.check()?;
        check_lambda(self.lambda)?;
        if self.kernels.method == WeightMethod::Simple && self.lambda == 0.0 {
            return Err(Error::parameter("lambda", 0, AllowedRange::POSITIVE));
        }
        if y.nrows() != x.len() {
            return Err(Error::shape("rows of the targets", x.len(), y.nrows()));
        }
        if y.ncols() == 0 {
            return Err(Error::too_few("a fit", "columns of the targets", 1, 0));
        }
        Points::Vectors(y).check_finite("targets")?;
        weights.map_or(Ok(()), |w| check_weights(w, x.len()))
    }

    /// The plan for data of this size.
    ///
    /// # Errors
    /// [`Error::Memory`] when the matrices of the search do not fit into the memory limit.
    pub fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        self.kernels.plan(size.first()?, size.outputs, self.kernels.tolerance_or(TOLERANCE), compute)
    }

    /// The settings by name: those of the kernels, `lambda`, `intercept`, `diagnostics`.
    pub fn settings(&self) -> Settings {
        self.kernels
            .settings()
            .with("lambda", self.lambda)
            .with("intercept", self.intercept)
            .with("diagnostics", self.diagnostics)
    }
}
