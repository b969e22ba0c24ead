//! Streamed principal components in the catalogue of learners.

use ndarray::Array2;

use super::super::features::{FEATURES, features_of};
use super::{StreamedPca, StreamedPcaFit};
use crate::features::FeatureMap;
use crate::learner::common::{KERNEL, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, declared,
    on_features,
};
use crate::settings::Settings;
use crate::{Compute, Points, Result};

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "streamed_pca",
    title: "Kernel principal components through features",
    summary: "the directions along which the features of the points vary most, in one pass over data of any length",
    goal: Goal::Features,
    views: ViewCount::One,
    weighted: false,
    sparse: false,
    novelty: true,
    streamed: None,
    anytime: false,
    parameters: &[
        KERNEL,
        Parameter::optional(
            "components",
            ParameterKind::Count(1),
            "the number of components; all with a positive eigenvalue where it is absent",
        ),
        FEATURES[0],
        FEATURES[1],
        FEATURES[2],
        FEATURES[3],
        FEATURES[4],
        FEATURES[5],
        FEATURES[6],
        SEED,
    ],
    build: |settings| Ok(Box::new(StreamedPca::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(StreamedPcaFit::from_record(record, settings)?)),
};

impl StreamedPca {
    pub(in crate::view) fn of_settings(settings: &Settings) -> Result<Self> {
        Ok(Self { features: features_of(settings)?, components: settings.optional_count("components")? })
    }
}

impl Learner for StreamedPca {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        let p = self.features.components() as f64;
        let flops = x.rows as f64 * p * p + 5.0 * p * p * p;
        let plan = Plan::new("moments of the features", self.bytes(x.numbers()), flops, "one pass", compute);
        Ok(Plan { approximation: Some(format!("{p} features instead of the kernel")), ..plan })
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?.vectors()?, compute)?))
    }
}

impl Fitted for StreamedPcaFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("components", self.components(), "number of components")
            .with("eigenvalues", self.eigenvalues(), "eigenvalues of the centered kernel matrix, descending")
            .with("explained_variance_ratio", self.explained_variance_ratio(), "eigenvalues over their sum")
            .with("reconstruction_error", self.reconstruction_error(), "sum of the eigenvalues that are left out")
            .with("trace", self.trace(), "sum of all eigenvalues, with what landmarks miss")
            .with("trace_missed", self.trace_missed(), "part of the trace that landmarks miss; 0 for random features")
            .with("features", self.features().name(), "kind of the features")
            .with("feature_count", self.features().components(), "number of features")
            .with("rows", self.rows(), "rows that were read")
            .with("axes", self.axes(), "directions in the space of the features, a column each")
    }

    on_features!();

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        self.components()
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::transform(self, x.vectors()?, compute)
    }

    fn transform(&self, _view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::transform(self, x.vectors()?, compute)
    }

    fn novelty(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<f64>> {
        Self::novelty(self, x.vectors()?, compute)
    }
}
