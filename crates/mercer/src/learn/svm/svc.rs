//! Classification: the specification and its fit.

use ndarray::ArrayView1;

use super::classes::Classes;
use super::probability::Calibration;
use super::schedule::{Schedule, Scheme};
use super::svc_fit::SvcFit;
use super::task::Tasks;
use super::weights::check_weights;
use crate::error::AllowedRange;
use crate::solve::DualOptions;
use crate::{Compute, Error, Kernel, Points, Result};

/// The regularization of a classifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Penalty {
    /// `C > 0`: the penalty of margin violations beside `½‖f‖²`.
    C(f64),
    /// `0 < ν ≤ 1`: an upper bound on the fraction of margin errors and a lower bound on that of
    /// support vectors.
    Nu(f64),
}

/// Support vector classification, of two or more classes.
///
/// # Formula
/// For two classes, `min ½‖f‖² + Σ Cᵢ max(0, 1 − sᵢ(f(xᵢ) + b))` over `f ∈ ℋ` and `b`, with
/// `sᵢ = 1` for the first class and `−1` for the second, and
/// `Cᵢ = C · weight of the class · weight of the row`. [`Penalty::Nu`] is LIBSVM's ν-classifier:
/// the solution is that of some `C`. More classes: one binary SVM for every pair of classes and a
/// vote, or one for every class against the rest ([`Scheme`]).
///
/// # Theory
/// The minimizer is `f = Σ sᵢαᵢ k(·, xᵢ)` with `0 ≤ αᵢ ≤ Cᵢ`: rows with `αᵢ = 0` could be left out
/// without changing the solution, the others are the support vectors. The dual objective bounds the
/// primal one from below, which gives the duality gap of [`SvcFit::evidence`].
///
/// # Cost
/// A row of kernel values for every row that ever carries weight, within the memory limit;
/// [`DualProblem`](crate::solve::DualProblem). With more than two classes the kernel matrix is made
/// once, if it fits, and all binary SVMs work on it in parallel. A kernel with few features is solved
/// in these: [`SvmMethod`](super::SvmMethod).
///
/// # Example
/// ```
/// use mercer::{Compute, learn::svm::{Classes, Svc}};
/// use ndarray::array;
/// let svc = Svc::new("linear()".parse()?, 10.0);
/// let classes = Classes::from_texts(["left", "left", "right", "right"]);
/// let x = array![[-2.0], [-1.0], [1.0], [3.0]];
/// let fit = svc.fit(x.view(), &classes, None, &Compute::new())?;
/// // The widest margin lies between −1 and 1: f(x) = −x for the first class, with α = ½ at both ends of it.
/// assert_eq!(fit.support(), [1, 2]);
/// mercer::assert_close!(fit.evidence().objective, 0.5, abs = 1e-6);
/// assert_eq!(fit.predict(array![[-0.1], [0.2]].view(), &Compute::new())?, [0, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Svc {
    /// The kernel.
    pub kernel: Kernel,
    /// `C` or `ν`.
    pub penalty: Penalty,
    /// A factor of `C` for every class, in the order of the classes.
    pub class_weights: Option<Vec<f64>>,
    /// How binary SVMs are combined to a classifier of many classes.
    pub scheme: Scheme,
    /// Whether there is an offset `b`. A ν-classifier always has one.
    pub offset: bool,
    /// Whether ties of votes are broken by the sum of the decision values instead of the order of
    /// the classes.
    pub break_ties: bool,
    /// The calibration of probabilities, if any.
    pub calibration: Option<Calibration>,
    /// Options of the solver.
    pub solver: DualOptions,
    /// Whether to accept a kernel that is not positive semi-definite. The solver then converges to
    /// a stationary point, as LIBSVM does.
    pub indefinite: bool,
}

impl Svc {
    /// A C-classifier: one binary SVM per pair of classes, with offset, without probabilities.
    pub fn new(kernel: Kernel, c: f64) -> Self {
        Self {
            kernel,
            penalty: Penalty::C(c),
            class_weights: None,
            scheme: Scheme::OneVersusOne,
            offset: true,
            break_ties: false,
            calibration: None,
            solver: DualOptions::default(),
            indefinite: false,
        }
    }

    /// A ν-classifier.
    pub fn nu(kernel: Kernel, nu: f64) -> Self {
        Self { penalty: Penalty::Nu(nu), ..Self::new(kernel, 1.0) }
    }

    /// Fits the binary SVMs. With a kernel over `precomputed()`, `x` is the matrix of kernel
    /// values.
    ///
    /// When the solver is stopped early (by [`DualOptions::max_steps`] or by cancellation), the
    /// model is the current iterate: [`SvcFit::evidence`] reports why it stopped and the duality
    /// gap.
    ///
    /// # Errors
    /// [`Error::Parameter`] for `C ≤ 0`, a ν that is not feasible (with the range that is) or
    /// weights that are negative; [`Error::OneClass`] for one class only; [`Error::Shape`] and
    /// [`Error::Value`] for data that does not fit; [`Error::NotPositiveDefinite`] with a
    /// counterexample; [`Error::Memory`]; [`Error::Canceled`] before there is a model.
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        classes: &Classes,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<SvcFit> {
        let x = self.kernel.points(x);
        let schedule = self.schedule(x, classes, weights, compute)?;
        let binary = schedule.run(std::slice::from_ref(self), compute)?;
        let fit = SvcFit::new(self, x, classes, &schedule, binary.into_iter().flatten().collect());
        Ok(SvcFit { settings: self.recorded(compute), ..fit })
    }

    /// Fits for a list of `C`, each from the solution of the one before, on shared kernel values.
    ///
    /// # Formula
    /// `tα` is feasible for `C′` as long as `t ≤ C′/C`; the fit begins at the best `t`: near 1
    /// where `C` hardly matters, at `C′/C` where most variables are at their bounds.
    ///
    /// # Errors
    /// As [`Svc::fit`], and [`Error::Unsupported`] for a ν-classifier.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::svm::{Classes, Svc}};
    /// use ndarray::array;
    /// let (x, classes) = (array![[0.0], [1.0], [2.0], [3.0]], Classes::from_texts(["a", "b", "a", "b"]));
    /// let path = Svc::new("gaussian()".parse()?, 1.0).path(x.view(), &classes, None, &[0.1, 1.0, 10.0], &Compute::new())?;
    /// // The bound grows, and so does the best objective.
    /// assert!(path.windows(2).all(|w| w[0].evidence().objective < w[1].evidence().objective));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn path<'x>(
        &self,
        x: impl Into<Points<'x>>,
        classes: &Classes,
        weights: Option<ArrayView1<f64>>,
        c: &[f64],
        compute: &Compute,
    ) -> Result<Vec<SvcFit>> {
        let x = self.kernel.points(x);
        let specs = self.along(c)?;
        let schedule = self.schedule(x, classes, weights, compute)?;
        let mut binary: Vec<_> = schedule.run(&specs, compute)?.into_iter().map(Vec::into_iter).collect();
        let fit = |spec: &Self| {
            let of_this = binary.iter_mut().filter_map(Iterator::next).collect();
            let fit = SvcFit::new(spec, x, classes, &schedule, of_this);
            SvcFit { settings: spec.recorded(compute), ..fit }
        };
        Ok(specs.iter().map(fit).collect())
    }

    /// `C`, or 1 for a ν-classifier.
    pub(super) fn bound(&self) -> f64 {
        match self.penalty {
            Penalty::C(c) => c,
            Penalty::Nu(_) => 1.0,
        }
    }

    fn schedule(
        &self,
        x: Points<'_>,
        classes: &Classes,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<Schedule> {
        self.check()?;
        let weights = self.row_weights(x.len(), classes, weights)?;
        let tasks = Tasks::new(self, classes, &weights)?;
        Schedule::new(self, x, tasks, compute)
    }

    pub(in crate::learn) fn check(&self) -> Result<()> {
        match self.penalty {
            Penalty::C(c) if !(c > 0.0 && c.is_finite()) => Err(Error::parameter("C", c, AllowedRange::POSITIVE)),
            Penalty::Nu(nu) if !(nu > 0.0 && nu <= 1.0) => {
                Err(Error::parameter("nu", nu, AllowedRange::above(0.0).at_most(1.0)))
            }
            Penalty::Nu(_) if !self.offset => {
                Err(Error::unsupported("ν-classifier", "offset = false", "it always has an offset", "use C"))
            }
            _ => Ok(()),
        }
    }

    /// Weight of the class times weight of the row.
    pub(in crate::learn) fn row_weights(
        &self,
        n: usize,
        classes: &Classes,
        weights: Option<ArrayView1<f64>>,
    ) -> Result<Vec<f64>> {
        if classes.of().len() != n {
            return Err(Error::shape("labels", format!("one per row ({n})"), classes.of().len()));
        }
        if classes.count() < 2 {
            let name = classes.names().first().map_or("none", String::as_str);
            return Err(Error::OneClass { class: Some(name.to_owned()) });
        }
        let mut weights = check_weights(weights, n)?;
        if let Some(factors) = &self.class_weights {
            if factors.len() != classes.count() {
                return Err(Error::shape("class weights", classes.count(), factors.len()));
            }
            if let Some(wrong) = factors.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
                return Err(Error::parameter("class_weights", wrong, AllowedRange::POSITIVE));
            }
            weights.iter_mut().zip(classes.of()).for_each(|(w, &c)| *w *= factors[c]);
        }
        Ok(weights)
    }
}
