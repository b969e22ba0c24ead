//! Ridge regression in the catalogue of learners.

use ndarray::{Array1, Array2};

use super::plan::{RidgePlan, RidgeSolver};
use super::{IntervalTarget, Ridge, RidgeFit, RidgeMethod};
use crate::error::AllowedRange;
use crate::learn::centers::{CENTERS, Centers};
use crate::learn::linear::Linear;
use crate::learner::common::{INDEFINITE, INTERCEPT, KERNEL, LAMBDA, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, LeaveOneOut, Parameter, ParameterKind, Plan,
    ViewCount, declared, on_kernel,
};
use crate::settings::Settings;
use crate::{Compute, Points, Result};

const SOLVERS: [(RidgeSolver, &str); 11] = [
    (RidgeSolver::Auto, "auto"),
    (RidgeSolver::Cholesky, "cholesky"),
    (RidgeSolver::Mixed, "mixed"),
    (RidgeSolver::StateSpace, "state_space"),
    (RidgeSolver::FiniteRank, "finite_rank"),
    (RidgeSolver::DistinctPoints, "distinct_points"),
    (RidgeSolver::Grid, "grid"),
    (RidgeSolver::Eigen, "eigen"),
    (RidgeSolver::ConjugateGradients, "conjugate_gradients"),
    (RidgeSolver::Features, "features"),
    (RidgeSolver::Centers, "centers"),
];

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "ridge",
    title: "Ridge regression",
    summary: "minimizes the sum of squared errors and λ times the squared norm",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: Some("streamed_ridge"),
    anytime: false,
    parameters: &[
        KERNEL,
        LAMBDA,
        INTERCEPT,
        Parameter::with_default(
            "solver",
            ParameterKind::Word(&[
                "auto",
                "cholesky",
                "mixed",
                "state_space",
                "finite_rank",
                "distinct_points",
                "grid",
                "eigen",
                "conjugate_gradients",
                "features",
                "centers",
            ]),
            "auto",
            "how the system is solved",
        ),
        Parameter::with_default("diagnostics", ParameterKind::Flag, "true", "leverages and leave-one-out residuals"),
        INDEFINITE,
        Parameter::optional(
            "tolerance",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "error of the fitted values relative to the residuals at which refinement stops; 0 is rounding",
        ),
        CENTERS[0],
        CENTERS[1],
        CENTERS[2],
        CENTERS[3],
        CENTERS[4],
        CENTERS[5],
        SEED,
    ],
    build: |settings| Ok(Box::new(Ridge::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(RidgeFit { settings, ..RidgeFit::from_record(record)? })),
};

impl Ridge {
    fn of_settings(settings: &Settings) -> Result<Self> {
        Ok(Self {
            intercept: settings.flag("intercept")?,
            solver: settings.word("solver", &SOLVERS)?,
            centers: Centers::of_settings(settings)?,
            diagnostics: settings.flag("diagnostics")?,
            indefinite: settings.flag("indefinite")?,
            tolerance: settings.optional_number("tolerance")?.unwrap_or(0.0),
            ..Self::new(settings.kernel("kernel")?, settings.number("lambda")?)
        })
    }
}

impl RidgeSolver {
    /// The word for it in settings.
    pub(super) fn name(self) -> &'static str {
        SOLVERS.iter().find(|(solver, _)| *solver == self).map_or("auto", |(_, name)| name)
    }
}

impl From<&RidgePlan> for Plan {
    fn from(plan: &RidgePlan) -> Self {
        Self {
            solver: plan.solver.to_string(),
            bytes: plan.bytes,
            flops: plan.flops,
            seconds: plan.seconds,
            reason: plan.reason.clone(),
            approximation: plan.approximation(),
        }
    }
}

impl Learner for Ridge {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        Ok(Plan::from(&Self::plan(self, x.rows, x.numbers(), size.outputs, compute)?))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?, input.values()?, input.weights, compute)?))
    }
}

impl Fitted for RidgeFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        let facts = Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("lambda", self.lambda(), "λ")
            .with_some("intercept", self.intercept(), "the constants")
            .with("norms", self.norms(), "‖f‖ of every target")
            .with("dual_coefficients", self.dual_coefficients(), "coefficients of k(·, xᵢ)")
            .with("fitted", self.fitted(), "values at the points of the fit");
        let facts = match self.diagnostics() {
            Some(found) => facts
                .with("degrees_of_freedom", found.degrees_of_freedom, "trace of the hat matrix")
                .with("hat_diagonal", found.hat_diagonal.view(), "leverages of the points")
                .with("loo_residuals", found.loo_residuals.view(), "leave-one-out residuals")
                .with("gcv", found.gcv.view(), "generalized cross-validation of every target"),
            None => facts,
        };
        facts.with("plan", self.plan().to_string(), "what was run")
    }

    on_kernel!();

    fn targets(&self) -> usize {
        self.dual_coefficients().ncols()
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        let weights = self.dual_coefficients();
        (output < weights.ncols()).then(|| weights.column(output).to_owned())
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::predict(self, x, compute)
    }

    fn moments(&self, x: Points<'_>, compute: &Compute) -> Result<(Array2<f64>, Array2<f64>)> {
        let mean = Self::predict(self, x.reborrow(), compute)?;
        Ok((mean, self.standard_errors(x, IntervalTarget::Observation, compute)?))
    }

    /// Absent on centers, whose fit is made from fewer functions than rows.
    fn leave_one_out(&self, compute: &Compute) -> Result<Option<Box<dyn LeaveOneOut>>> {
        if matches!(self.method(), RidgeMethod::Centers { .. }) {
            return Ok(None);
        }
        let linear = Linear {
            observed: self.observed(),
            dual: self.dual_coefficients(),
            residuals: self.diagnostics().map(|found| found.loo_residuals.view()),
            own: Some(self.residuals()),
        };
        linear.leave_one_out(compute)
    }
}
