//! Logistic regression on explicit features in the catalogue of learners.

use ndarray::Array2;

use super::{StreamedLogistic, StreamedLogisticFit};
use crate::error::AllowedRange;
use crate::features::FeatureMap;
use crate::learn::streamed::entry::{FEATURES, features_of};
use crate::learner::common::{KERNEL, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    declared, on_features,
};
use crate::settings::Settings;
use crate::{Compute, Points, Result};

/// Passes, about.
const PASSES: f64 = 8.0;

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "streamed_logistic",
    title: "Logistic regression on features",
    summary: "probabilities of two or more classes on random features, in a few passes over data of any length",
    goal: Goal::Classes,
    views: ViewCount::One,
    weighted: true,
    sparse: false,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        KERNEL,
        FEATURES[0],
        FEATURES[1],
        FEATURES[2],
        FEATURES[3],
        FEATURES[4],
        FEATURES[5],
        FEATURES[6],
        Parameter::with_default(
            "lambda",
            ParameterKind::Number(AllowedRange::POSITIVE),
            "1",
            "half of it multiplies the squared norm, beside a sum of losses",
        ),
        Parameter::with_default("intercept", ParameterKind::Flag, "true", "fit constants that are not penalized"),
        Parameter::with_default(
            "pass_tolerance",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "1e-9",
            "decrease of the objective at which passes end, relative to that of the zero function",
        ),
        Parameter::with_default("max_passes", ParameterKind::Count(1), "100", "passes over the rows"),
        SEED,
    ],
    build: |settings| Ok(Box::new(StreamedLogistic::of_settings(settings)?)),
    load: |record, settings, _| {
        Ok(Box::new(StreamedLogisticFit { settings, ..StreamedLogisticFit::from_record(record)? }))
    },
};

impl StreamedLogistic {
    fn of_settings(settings: &Settings) -> Result<Self> {
        Ok(Self {
            intercept: settings.flag("intercept")?,
            tolerance: settings.number("pass_tolerance")?,
            max_passes: settings.count("max_passes")?,
            ..Self::new(features_of(settings)?, settings.number("lambda")?)
        })
    }
}

impl Learner for StreamedLogistic {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        let p = self.features.components() as f64;
        let functions = if size.classes > 2 { size.classes as f64 } else { 1.0 };
        let flops = PASSES * functions * (functions + 1.0) / 2.0 * x.rows as f64 * p * p;
        let bytes = self.bytes(x.numbers(), size.classes);
        let plan = Plan::new("Newton steps on the features", bytes, flops, "a pass for every step", compute);
        Ok(Plan { approximation: Some(format!("{p} features instead of the kernel")), ..plan })
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        let (of, names) = input.classes()?;
        Ok(Box::new(Self::fit(self, input.only()?.vectors()?, of, input.weights, names.len(), compute)?))
    }
}

impl Fitted for StreamedLogisticFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("lambda", self.lambda(), "λ")
            .with("rows", self.rows(), "rows of a pass")
            .with("passes", self.passes(), "passes over the rows")
            .with("objective", self.objective(), "loss and penalty in the last pass")
            .with("converged", self.converged(), "whether the tolerance was reached")
            .with("intercept", self.intercept(), "the constants")
            .with("weights", self.weights(), "a row for every feature, a column for every function")
    }

    on_features!();

    fn targets(&self) -> usize {
        1
    }

    fn class_names(&self) -> Option<Vec<String>> {
        Some((0..self.classes()).map(|class| class.to_string()).collect())
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let classes = Self::predict(self, x.vectors()?, compute)?;
        Ok(column(classes.into_iter().map(|class| class as f64).collect()))
    }

    fn predict_classes(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<usize>> {
        Self::predict(self, x.vectors()?, compute)
    }

    fn has_probabilities(&self) -> bool {
        true
    }

    fn probabilities(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::probabilities(self, x.vectors()?, compute)
    }

    fn decision_values(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.decision(x.vectors()?, compute)
    }
}
