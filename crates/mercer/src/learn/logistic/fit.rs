//! A fitted logistic regression: the functions, and the evidence.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::{LogisticLeaveOneOut, LogisticRegression, LossEvidence, LossPlan};
use crate::function::Function;
use crate::learn::CenterFit;
use crate::learn::loss::{sigmoid, softmax};
use crate::learn::machine::newton::{Problem, Solution};
use crate::settings::Settings;
use crate::{Compute, Expansion, Kernel, Points, Result, Sample};

/// A fitted [`LogisticRegression`].
#[derive(Clone, Debug)]
pub struct LogisticFit {
    pub(super) lambda: f64,
    pub(super) classes: usize,
    pub(super) functions: Function,
    pub(super) fitted: Array2<f64>,
    pub(super) evidence: LossEvidence,
    pub(super) leave_one_out: Option<LogisticLeaveOneOut>,
    pub(super) plan: LossPlan,
    pub(crate) settings: Settings,
}

/// What the fits of a path have in common.
pub(super) struct Made<'m> {
    pub(super) spec: &'m LogisticRegression,
    pub(super) problem: &'m Problem<'m>,
    pub(super) kernel: &'m Kernel,
    pub(super) x: Points<'m>,
    pub(super) classes: usize,
    pub(super) plan: &'m LossPlan,
    pub(super) compute: &'m Compute,
}

impl Made<'_> {
    pub(super) fn fit(&self, solution: Solution, lambda: f64) -> Result<LogisticFit> {
        let requested = self.spec.leave_one_out && self.compute.check_canceled().is_ok();
        let without = if requested { self.problem.leave_one_out(&solution.state, lambda)? } else { None };
        Ok(LogisticFit {
            lambda,
            classes: self.classes,
            fitted: solution.state.values(),
            evidence: LossEvidence::of_newton(&solution.state, solution.iterations, solution.stopped),
            leave_one_out: without.and_then(|decisions| LogisticLeaveOneOut::new(decisions, &self.problem.model)),
            functions: Function::new(
                self.kernel.clone(),
                Sample::kept(self.x),
                solution.state.alpha,
                solution.state.intercept,
            )?,
            plan: self.plan.clone(),
            settings: LogisticRegression { lambda, ..self.spec.clone() }.settings(),
        })
    }
}

impl LogisticFit {
    /// A fit on centers. The constants of several classes have sum 0, as they have with all points.
    pub(super) fn of_centers(fit: &CenterFit, settings: Settings, lambda: f64, classes: usize, plan: LossPlan) -> Self {
        let (mut functions, mut fitted) = (fit.functions().clone(), fit.fitted().to_owned());
        if classes > 2 {
            let mean = functions.offset().mean().unwrap_or(0.0);
            functions = functions.moved(-mean);
            fitted -= mean;
        }
        let evidence = LossEvidence::of_centers(fit);
        Self { lambda, classes, functions, fitted, evidence, leave_one_out: None, plan, settings }
    }

    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// `f(x)` for every row of `x`: one column for two classes (the log-odds of class 1), one per
    /// class for more. For a model on `precomputed()` values, row `i` of `x` holds the values of
    /// the new point `i` with every point of the data.
    ///
    /// # Cost
    /// One kernel value per pair of a row and a point of the data, none of them stored.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn decision<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        self.functions.evaluate(x, compute)
    }

    /// `P(c | x)` for every row of `x`, one column per class.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn probabilities<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Array2<f64>> {
        let x = x.into();
        Ok(self.to_probabilities(&self.decision(x, compute)?))
    }

    /// The most probable class of every row of `x`, the first of equals.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub fn predict<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<Vec<usize>> {
        let x = x.into();
        let first_largest = |row: ArrayView1<f64>| {
            row.iter().enumerate().fold((0, f64::NEG_INFINITY), |m, (c, &p)| if p > m.1 { (c, p) } else { m }).0
        };
        Ok(self.probabilities(x, compute)?.rows().into_iter().map(first_largest).collect())
    }

    fn to_probabilities(&self, f: &Array2<f64>) -> Array2<f64> {
        if self.classes == 2 {
            return Array2::from_shape_fn((f.nrows(), 2), |(i, c)| {
                sigmoid(if c == 1 { f[[i, 0]] } else { -f[[i, 0]] })
            });
        }
        softmax(f)
    }

    /// The part of one function (of the only one, for two classes) that lies in ℋ.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such function.
    pub fn function(&self, class: usize, compute: &Compute) -> Result<Expansion> {
        self.functions.expansion(class, compute)
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        self.functions.kernel()
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The points of the data: the centers of the functions.
    pub fn points(&self) -> Points<'_> {
        self.functions.centers()
    }

    /// `α`, one row per point, one column per function.
    pub fn dual_coefficients(&self) -> ArrayView2<'_, f64> {
        self.functions.weights()
    }

    /// `b` of every function; 0 when none was fitted.
    pub fn intercept(&self) -> ArrayView1<'_, f64> {
        self.functions.offset()
    }

    /// `f` at the points of the data.
    pub fn fitted(&self) -> ArrayView2<'_, f64> {
        self.fitted.view()
    }

    /// The probabilities of every class at the points of the data.
    pub fn fitted_probabilities(&self) -> Array2<f64> {
        self.to_probabilities(&self.fitted)
    }

    /// The mean probability of every class on the data: its share, where there is an intercept and
    /// no weights.
    pub fn mean_probabilities(&self) -> Array1<f64> {
        self.fitted_probabilities().mean_axis(ndarray::Axis(0)).unwrap_or_default()
    }

    /// Objective, gap and why the solver stopped.
    pub fn evidence(&self) -> &LossEvidence {
        &self.evidence
    }

    /// Leave-one-out decision values, if requested.
    pub fn leave_one_out(&self) -> Option<&LogisticLeaveOneOut> {
        self.leave_one_out.as_ref()
    }

    /// The plan that was made before the work.
    pub fn plan(&self) -> &LossPlan {
        &self.plan
    }
}
