//! Learning on random binning features in the catalogue of learners.

use ndarray::Array2;

use super::{BinnedClassifier, BinnedFit, BinnedMachine, BinnedPlan, ClassLoss};
use crate::error::AllowedRange;
use crate::features::RandomBinning;
use crate::learner::common::SEED;
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    on_features,
};
use crate::record::Record;
use crate::settings::Settings;
use crate::{Compute, Points, Result};

const KERNEL: Parameter = Parameter::with_default(
    "kernel",
    ParameterKind::Kernel,
    "laplacian(norm=l1, lengthscale=median)",
    "a product over the columns with convex profiles, or a sum of such products",
);
const GRIDS: Parameter = Parameter::with_default("grids", ParameterKind::Count(1), "100", "random grids");
const BUCKETS: Parameter = Parameter::with_default(
    "buckets",
    ParameterKind::Count(1),
    "4096",
    "columns for each grid, into which its cells are hashed",
);
const PENALTY: Parameter = Parameter::with_default(
    "lambda",
    ParameterKind::Number(AllowedRange::POSITIVE),
    "1",
    "penalty of the squared norm, beside a sum of losses",
);
const CONSTANT: Parameter =
    Parameter::with_default("intercept", ParameterKind::Flag, "true", "fit a constant that is not penalized");
const TOLERANCE: Parameter = Parameter::with_default(
    "tolerance",
    ParameterKind::Number(AllowedRange::NON_NEGATIVE),
    "1e-5",
    "residual, or improvement of the objective, at which the solver stops",
);
const STEPS: Parameter = Parameter::with_default(
    "max_iterations",
    ParameterKind::Count(1),
    "500",
    "iterations of conjugate gradients, over all Newton steps",
);

pub(crate) static VALUES: LearnerEntry = LearnerEntry {
    name: "binned",
    title: "Regression on random grids",
    summary: "minimizes the sum of a smooth loss and λ times the squared norm on random binning features",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: true,
    sparse: false,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        KERNEL,
        GRIDS,
        BUCKETS,
        Parameter::with_default(
            "loss",
            ParameterKind::Text,
            "squared",
            "squared, log_cosh, huber(delta=1), poisson, gamma or tweedie(power=1.5)",
        ),
        PENALTY,
        CONSTANT,
        TOLERANCE,
        STEPS,
        SEED,
    ],
    build: |settings| {
        let loss = settings.text("loss")?.parse()?;
        Ok(Box::new(BinnedMachine { loss, ..machine(settings)? }))
    },
    load: |record, settings, _| Ok(Box::new(BinnedFit::from_record(record, settings)?)),
};

pub(crate) static CLASSES: LearnerEntry = LearnerEntry {
    name: "binned_classes",
    title: "Classification on random grids",
    summary: "classes by functions on random binning features, with the softmax or each class against the rest",
    goal: Goal::Classes,
    views: ViewCount::One,
    weighted: true,
    sparse: false,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        KERNEL,
        GRIDS,
        BUCKETS,
        Parameter::with_default(
            "loss",
            ParameterKind::Word(&["squared", "squared_hinge", "logistic", "softmax"]),
            "softmax",
            "softmax over all classes, or the loss of each class against the rest",
        ),
        PENALTY,
        CONSTANT,
        TOLERANCE,
        STEPS,
        SEED,
    ],
    build: |settings| {
        let BinnedMachine { grids, lambda, intercept, tolerance, max_iterations, .. } = machine(settings)?;
        let loss = ClassLoss::named(settings.text("loss")?)?;
        Ok(Box::new(BinnedClassifier { grids, loss, lambda, intercept, tolerance, max_iterations }))
    },
    load: |record, settings, _| Ok(Box::new(BinnedFit::from_record(record, settings)?)),
};

/// What both have in common.
fn machine(settings: &Settings) -> Result<BinnedMachine> {
    let (kernel, grids, buckets) = (settings.kernel("kernel")?, settings.count("grids")?, settings.count("buckets")?);
    Ok(BinnedMachine {
        intercept: settings.flag("intercept")?,
        tolerance: settings.number("tolerance")?,
        max_iterations: settings.count("max_iterations")?,
        ..BinnedMachine::new(RandomBinning { kernel, grids, buckets }, settings.number("lambda")?)
    })
}

impl From<BinnedPlan> for Plan {
    fn from(plan: BinnedPlan) -> Self {
        Self {
            solver: "conjugate gradients on grids".into(),
            bytes: plan.bytes,
            flops: plan.flops,
            seconds: plan.seconds,
            approximation: Some(format!(
                "a kernel value is within {:.2} of the diagonal with probability 0.95",
                plan.error
            )),
            reason: "products with one entry per point and grid".into(),
        }
    }
}

impl Learner for BinnedMachine {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        Self::plan(self, size.first()?.rows, size.outputs.max(1), compute).map(Plan::from)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?.vectors()?, input.values()?, input.weights, compute)?))
    }
}

impl Learner for BinnedClassifier {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        self.machine().plan(size.first()?.rows, self.functions(size.classes.max(2)), compute).map(Plan::from)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        let (of, names) = input.classes()?;
        Ok(Box::new(Self::fit(self, input.only()?.vectors()?, of, names.len(), input.weights, compute)?))
    }
}

impl Fitted for BinnedFit {
    fn entry(&self) -> &'static LearnerEntry {
        if self.class_count().is_some() { &CLASSES } else { &VALUES }
    }

    fn settings(&self) -> &Settings {
        Self::settings(self)
    }

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("lambda", self.lambda(), "λ")
            .with("objective", self.objective(), "what was minimized")
            .with("n_iter", self.iterations(), "iterations of conjugate gradients")
            .with("converged", self.converged(), "whether the tolerance was reached")
            .with("intercept", self.intercept(), "the constants")
            .with("weights", self.coefficients(), "a row for every cell, a column for every function")
    }

    fn to_record(&self) -> Record {
        Self::to_record(self)
    }

    on_features!();

    fn targets(&self) -> usize {
        if self.class_count().is_some() { 1 } else { self.coefficients().ncols() }
    }

    fn class_names(&self) -> Option<Vec<String>> {
        self.class_count().map(|count| (0..count).map(|class| class.to_string()).collect())
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        if self.class_count().is_none() {
            return Self::predict(self, x.vectors()?, compute);
        }
        let classes = Self::predict_classes(self, x.vectors()?, compute)?;
        Ok(column(classes.into_iter().map(|class| class as f64).collect()))
    }

    fn predict_classes(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<usize>> {
        Self::predict_classes(self, x.vectors()?, compute)
    }

    fn has_probabilities(&self) -> bool {
        self.class_count().is_some() && Self::has_probabilities(self)
    }

    fn probabilities(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::probabilities(self, x.vectors()?, compute)
    }

    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let f = Self::predict(self, x.vectors()?, compute)?;
        // Two functions of a softmax decide by their difference.
        Ok(if f.ncols() == 2 { column(&f.column(1) - &f.column(0)) } else { f })
    }
}
