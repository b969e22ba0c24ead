//! Regularized losses and quantile curves in the catalogue of learners.

use ndarray::{Array1, Array2};

use super::newton::{LossPlan, LossSolver};
use super::{KernelMachine, KernelMachineFit, LossEvidence, QuantileCurves, QuantileCurvesFit};
use crate::error::AllowedRange;
use crate::learn::Loss;
use crate::learn::centers::{CENTERS, Centers};
use crate::learner::common::{KERNEL, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    declared, on_kernel,
};
use crate::settings::Settings;
use crate::{Compute, Kernel, Points, Result};

/// The solvers by the words of settings.
pub(in crate::learn) const LOSS_SOLVERS: [(LossSolver, &str); 5] = [
    (LossSolver::Auto, "auto"),
    (LossSolver::Newton, "newton"),
    (LossSolver::NewtonConjugateGradients, "newton_conjugate_gradients"),
    (LossSolver::Dual, "dual"),
    (LossSolver::Centers, "centers"),
];

const PENALTY: Parameter = Parameter::with_default(
    "lambda",
    ParameterKind::Number(AllowedRange::POSITIVE),
    "1",
    "penalty of the squared norm, beside a sum of losses",
);
const CONSTANT: Parameter =
    Parameter::with_default("intercept", ParameterKind::Flag, "true", "fit a constant that is not penalized");
const GAP: Parameter = Parameter::optional(
    "tolerance",
    ParameterKind::Number(AllowedRange::NON_NEGATIVE),
    "duality gap at which the solver stops, relative to the loss of the zero function",
);
const STEPS: Parameter = Parameter::optional(
    "max_iterations",
    ParameterKind::Count(1),
    "Newton steps, or steps of pairs of variables for losses with kinks",
);

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "kernel_machine",
    title: "Regularized loss",
    summary: "minimizes the sum of any loss and λ times the squared norm",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: true,
    parameters: &[
        Parameter::with_default(
            "loss",
            ParameterKind::Text,
            "squared",
            "squared, huber(delta=1), log_cosh, absolute, quantile(level=0.5), epsilon_insensitive(epsilon=0.1), hinge, squared_hinge, logistic, poisson, gamma or tweedie(power=1.5)",
        ),
        KERNEL,
        PENALTY,
        CONSTANT,
        Parameter::with_default(
            "solver",
            ParameterKind::Word(&["auto", "newton", "newton_conjugate_gradients", "dual", "centers"]),
            "auto",
            "how the problem is solved",
        ),
        GAP,
        STEPS,
        CENTERS[0],
        CENTERS[1],
        CENTERS[2],
        CENTERS[3],
        CENTERS[4],
        CENTERS[5],
        SEED,
    ],
    build: |settings| Ok(Box::new(KernelMachine::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(KernelMachineFit { settings, ..KernelMachineFit::from_record(record)? })),
};

pub(crate) static QUANTILES: LearnerEntry = LearnerEntry {
    name: "quantiles",
    title: "Quantile curves",
    summary: "quantiles of several levels that do not cross",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: true,
    parameters: &[
        Parameter::with_default(
            "levels",
            ParameterKind::Numbers(AllowedRange::OPEN_UNIT),
            "0.1, 0.5, 0.9",
            "the levels, ascending",
        ),
        KERNEL,
        PENALTY,
        CONSTANT,
        GAP,
        STEPS,
    ],
    build: |settings| {
        let (kernel, lambda) = (settings.kernel("kernel")?, settings.number("lambda")?);
        let plain = QuantileCurves::new(settings.numbers("levels")?, kernel, lambda);
        Ok(Box::new(QuantileCurves {
            intercept: settings.flag("intercept")?,
            tolerance: settings.optional_number("tolerance")?.unwrap_or(plain.tolerance),
            max_iterations: settings.optional_count("max_iterations")?.map_or(plain.max_iterations, |n| n as u64),
            ..plain
        }))
    },
    load: |record, settings, _| {
        let mut fit = QuantileCurvesFit::from_record(record)?;
        fit.settings = settings;
        Ok(Box::new(fit))
    },
};

impl LossSolver {
    /// The word for it in settings.
    pub(in crate::learn) fn name(self) -> &'static str {
        LOSS_SOLVERS.iter().find(|(solver, _)| *solver == self).map_or("auto", |(_, name)| name)
    }
}

impl LossEvidence {
    /// With the facts of the solution.
    pub(in crate::learn) fn put_into<'f>(&self, facts: Facts<'f>) -> Facts<'f> {
        facts
            .with("objective", self.objective, "what was minimized")
            .with("duality_gap", self.gap, "how far from the minimum it can be")
            .with("norm", self.squared_norm.max(0.0).sqrt(), "‖f‖")
            .with("kkt_violation", self.violation, "largest violation of the stationarity conditions")
            .with("n_iter", self.iterations, "steps")
            .with("stopped", crate::learn::stopped::word(self.stopped), "why the solver stopped")
    }
}

impl From<&LossPlan> for Plan {
    fn from(plan: &LossPlan) -> Self {
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

impl KernelMachine {
    fn of_settings(settings: &Settings) -> Result<Self> {
        let loss: Loss = settings.text("loss")?.parse()?;
        let plain = Self::new(loss, settings.kernel("kernel")?, settings.number("lambda")?);
        Ok(Self {
            intercept: settings.flag("intercept")?,
            solver: settings.word("solver", &LOSS_SOLVERS)?,
            centers: Centers::of_settings(settings)?,
            tolerance: settings.optional_number("tolerance")?.unwrap_or(plain.tolerance),
            max_iterations: settings.optional_count("max_iterations")?.map_or(plain.max_iterations, |n| n as u64),
            ..plain
        })
    }
}

impl Learner for KernelMachine {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        Ok(Plan::from(&Self::plan(self, x.rows, x.numbers(), compute)?))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?, input.value()?, input.weights, compute)?))
    }
}

impl Fitted for KernelMachineFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        let facts = Facts::new()
            .with("loss", self.loss().to_string(), "the loss")
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("lambda", self.lambda(), "λ")
            .with("intercept", self.intercept(), "the constant")
            .with("dual_coefficients", self.dual_coefficients(), "coefficients of k(·, xᵢ)")
            .with("fitted", Self::fitted(self), "values at the points of the fit");
        self.evidence().put_into(facts).with("plan", Self::plan(self).to_string(), "what was run")
    }

    on_kernel!();

    fn targets(&self) -> usize {
        1
    }

    fn class_names(&self) -> Option<Vec<String>> {
        self.loss().is_classification().then(|| vec!["-1".into(), "1".into()])
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        let weights = self.dual_coefficients();
        match (self.loss().is_classification(), output) {
            (true, 0) => Some(-&weights),
            (true, 1) | (false, 0) => Some(weights.to_owned()),
            _ => None,
        }
    }

    /// The numbers of the classes, for a loss of classes.
    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let values = Self::predict(self, x, compute)?;
        let classes = self.loss().is_classification();
        Ok(column(if classes { values.mapv(|side| f64::from(u8::from(side > 0.0))) } else { values }))
    }

    fn predict_classes(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<usize>> {
        if !self.loss().is_classification() {
            return Err(crate::learner::unsupported(&ENTRY, "classes", "use a loss of classes"));
        }
        Ok(Self::predict(self, x, compute)?.iter().map(|&side| usize::from(side > 0.0)).collect())
    }

    fn has_probabilities(&self) -> bool {
        self.loss() == Loss::Logistic
    }

    fn probabilities(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let second = Self::probabilities(self, x, compute)?;
        Ok(Array2::from_shape_fn((second.len(), 2), |(i, c)| if c == 1 { second[i] } else { 1.0 - second[i] }))
    }

    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        if !self.loss().is_classification() {
            return Err(crate::learner::unsupported(&ENTRY, "classes", "use a loss of classes"));
        }
        Ok(column(self.decision(x, compute)?))
    }
}

impl Learner for QuantileCurves {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        let level = self.levels.first().copied().unwrap_or(0.5);
        let one = self.machine(level).plan(x.rows, x.numbers(), compute)?;
        let flops = one.flops * self.levels.len() as f64;
        Ok(Plan { flops, seconds: compute.seconds(flops), ..Plan::from(&one) })
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?, input.value()?, input.weights, compute)?))
    }
}

impl Fitted for QuantileCurvesFit {
    declared!(QUANTILES);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with_some("kernel", Fitted::kernel(self), "the kernel with medians resolved")
            .with("levels", self.levels(), "the levels")
            .with("crossings", self.crossings(), "points of the fit at which neighboring curves cross before sorting")
    }

    fn kernel(&self) -> Option<&Kernel> {
        self.fits().first().map(KernelMachineFit::kernel)
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        self.fits().first().map(KernelMachineFit::points)
    }

    fn targets(&self) -> usize {
        1
    }

    fn outputs(&self) -> usize {
        self.levels().len()
    }

    fn output_names(&self) -> Option<Vec<String>> {
        Some(self.levels().iter().map(f64::to_string).collect())
    }

    fn point_weights(&self, output: usize) -> Option<Array1<f64>> {
        self.fits().get(output).map(|fit| fit.dual_coefficients().to_owned())
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::predict(self, x, compute)
    }
}
