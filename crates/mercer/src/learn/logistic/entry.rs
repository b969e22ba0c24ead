//! Logistic regression in the catalogue of learners.

use ndarray::{Array1, Array2};

use super::{LogisticFit, LogisticRegression};
use crate::error::AllowedRange;
use crate::learn::centers::{CENTERS, Centers};
use crate::learn::machine::{LOSS_SOLVERS, LossSolver};
use crate::learner::common::{KERNEL, SEED, tolerance};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    declared, on_kernel,
};
use crate::settings::Settings;
use crate::{Compute, Points, Result};

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "logistic",
    title: "Kernel logistic regression",
    summary: "probabilities of two or more classes; minimizes the sum of log losses and λ/2 times the squared norm",
    goal: Goal::Classes,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: Some("streamed_logistic"),
    anytime: true,
    parameters: &[
        KERNEL,
        Parameter::with_default(
            "lambda",
            ParameterKind::Number(AllowedRange::POSITIVE),
            "1",
            "half of it multiplies the squared norm, beside a sum of losses",
        ),
        Parameter::with_default("intercept", ParameterKind::Flag, "true", "fit constants that are not penalized"),
        Parameter::optional(
            "class_weights",
            ParameterKind::Numbers(AllowedRange::POSITIVE),
            "a factor for the weights of every class",
        ),
        Parameter::with_default(
            "solver",
            ParameterKind::Word(&["auto", "newton", "newton_conjugate_gradients", "centers"]),
            "auto",
            "how the problem is solved",
        ),
        tolerance("1e-20", "duality gap at which the solver stops, relative to the loss of the zero function"),
        Parameter::with_default("max_iterations", ParameterKind::Count(1), "200", "Newton steps"),
        Parameter::with_default(
            "leave_one_out",
            ParameterKind::Flag,
            "false",
            "estimate what every decision would be without its own point",
        ),
        CENTERS[0],
        CENTERS[1],
        CENTERS[2],
        CENTERS[3],
        CENTERS[4],
        CENTERS[5],
        SEED,
    ],
    build: |settings| Ok(Box::new(LogisticRegression::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(LogisticFit { settings, ..LogisticFit::from_record(record)? })),
};

impl LogisticRegression {
    fn of_settings(settings: &Settings) -> Result<Self> {
        let solver: LossSolver = settings.word("solver", &LOSS_SOLVERS)?;
        Ok(Self {
            intercept: settings.flag("intercept")?,
            class_weights: settings.optional_numbers("class_weights")?.map(<[f64]>::to_vec),
            solver,
            centers: Centers::of_settings(settings)?,
            tolerance: settings.number("tolerance")?,
            max_iterations: settings.count("max_iterations")? as u64,
            leave_one_out: settings.flag("leave_one_out")?,
            ..Self::new(settings.kernel("kernel")?, settings.number("lambda")?)
        })
    }
}

impl Learner for LogisticRegression {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        Ok(Plan::from(&Self::plan(self, x.rows, x.numbers(), size.classes, compute)?))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        let (of, _) = input.classes()?;
        Ok(Box::new(Self::fit(self, input.only()?, of, input.weights, compute)?))
    }
}

impl Fitted for LogisticFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        let facts = Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("lambda", self.lambda(), "λ")
            .with("intercept", self.intercept(), "the constants")
            .with("dual_coefficients", self.dual_coefficients(), "coefficients of k(·, xᵢ), a column per function")
            .with("fitted", Self::fitted(self), "decision values at the points of the fit");
        self.evidence().put_into(facts).with("plan", Self::plan(self).to_string(), "what was run")
    }

    on_kernel!();

    fn targets(&self) -> usize {
        1
    }

    fn class_names(&self) -> Option<Vec<String>> {
        Some((0..self.classes()).map(|class| class.to_string()).collect())
    }

    fn point_weights(&self, class: usize) -> Option<Array1<f64>> {
        let weights = self.dual_coefficients();
        match (self.classes(), class) {
            (2, 0) => Some(-&weights.column(0)),
            (2, 1) => Some(weights.column(0).to_owned()),
            (2, _) => None,
            (classes, _) => (class < classes).then(|| weights.column(class).to_owned()),
        }
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(Self::predict(self, x, compute)?.into_iter().map(|class| class as f64).collect()))
    }

    fn predict_classes(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<usize>> {
        Self::predict(self, x, compute)
    }

    fn has_probabilities(&self) -> bool {
        true
    }

    fn probabilities(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::probabilities(self, x, compute)
    }

    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.decision(x, compute)
    }
}
