//! Ridge regression on explicit features in the catalogue of learners.

use ndarray::Array2;

use super::{StreamedRidge, StreamedRidgeFit};
use crate::error::AllowedRange;
use crate::features::{FeatureMap, FeatureSpec};
use crate::learner::common::{INTERCEPT, KERNEL, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, declared,
    features, on_features,
};
use crate::settings::Settings;
use crate::{Compute, Points, Result};

/// The parameters of features.
pub(in crate::learn) const FEATURES: [Parameter; 7] = [
    features::count("components"),
    Parameter::with_default(
        "features",
        ParameterKind::Word(&["fourier", "nystrom"]),
        "fourier",
        "random Fourier features, or Nyström features from landmarks",
    ),
    features::FORM,
    features::SAMPLING,
    features::LANDMARKS,
    features::tolerance("tolerance"),
    features::RANK,
];

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "streamed_ridge",
    title: "Ridge regression on features",
    summary: "ridge regression on random features in one pass over data of any length",
    goal: Goal::Values,
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
            "lambdas",
            ParameterKind::Numbers(AllowedRange::NON_NEGATIVE),
            "1",
            "the λ to choose from; one is taken as it is",
        ),
        Parameter::with_default("folds", ParameterKind::Count(2), "5", "folds by which λ is chosen"),
        INTERCEPT,
        Parameter::optional(
            "pass_tolerance",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "residual at which passes over a file ended, where the fit was made by several",
        ),
        Parameter::optional("max_passes", ParameterKind::Count(1), "passes over a file, where there were several"),
        SEED,
    ],
    build: |settings| Ok(Box::new(StreamedRidge::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(StreamedRidgeFit { settings, ..StreamedRidgeFit::from_record(record)? })),
};

impl StreamedRidge {
    fn of_settings(settings: &Settings) -> Result<Self> {
        let features = features_of(settings)?;
        let lambdas = settings.numbers("lambdas")?.to_vec();
        Ok(Self { features, lambdas, folds: settings.count("folds")?, intercept: settings.flag("intercept")? })
    }
}

/// The features of settings.
pub(in crate::learn) fn features_of(settings: &Settings) -> Result<FeatureSpec> {
    features::features_of(settings, "components", "tolerance")
}

impl Learner for StreamedRidge {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        Ok(self.plan_pass(x.rows, x.numbers(), size.outputs.max(1), compute))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        let (x, y) = (input.only()?.vectors()?, input.values()?);
        let mut stream = self.start(x, y.ncols(), compute)?;
        stream.update(x, y, input.weights, compute)?;
        Ok(Box::new(stream.into_fit(compute)?))
    }
}

impl Fitted for StreamedRidgeFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("lambda", self.lambda(), "λ that was chosen")
            .with("rows", self.rows(), "rows that were read")
            .with_some("intercept", self.intercept(), "the constants")
            .with("weights", self.weights(), "a row for every feature, a column for every target")
    }

    on_features!();

    fn targets(&self) -> usize {
        self.weights().ncols()
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::predict(self, x.vectors()?, compute)
    }
}
