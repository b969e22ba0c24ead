//! Streamed k-means in the catalogue of learners.

use ndarray::Array2;

use super::super::features::{FEATURES, features_of};
use super::{StreamedKMeans, StreamedKMeansFit};
use crate::features::FeatureMap;
use crate::learner::common::{KERNEL, SEED, tolerance};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    declared, on_features,
};
use crate::settings::Settings;
use crate::view::kmeans::entry::{CLUSTERS, INIT, MAX_CLUSTERS, MAX_ITERATIONS, RULE, STARTS};
use crate::view::kmeans::{ClusterCount, INITS};
use crate::{Compute, Points, Result};

/// Passes that a plan counts with.
const PASSES: f64 = 20.0;

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "streamed_kmeans",
    title: "Kernel k-means through features",
    summary: "clusters around means of features, in a few passes over data of any length",
    goal: Goal::Clusters,
    views: ViewCount::One,
    weighted: true,
    sparse: false,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        KERNEL,
        CLUSTERS,
        MAX_CLUSTERS,
        RULE,
        STARTS,
        MAX_ITERATIONS,
        INIT,
        FEATURES[0],
        FEATURES[1],
        FEATURES[2],
        FEATURES[3],
        FEATURES[4],
        FEATURES[5],
        FEATURES[6],
        tolerance("1e-6", "share of the objective by which a pass must lower it for another one"),
        Parameter::with_default("max_passes", ParameterKind::Count(1), "100", "passes over the rows, at most"),
        SEED,
    ],
    build: |settings| Ok(Box::new(StreamedKMeans::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(StreamedKMeansFit::from_record(record, settings)?)),
};

impl StreamedKMeans {
    pub(in crate::view) fn of_settings(settings: &Settings) -> Result<Self> {
        Ok(Self {
            starts: settings.count("starts")?,
            max_iterations: settings.count("max_iterations")?,
            init: settings.word("init", &INITS)?,
            tolerance: settings.number("tolerance")?,
            max_passes: settings.count("max_passes")?,
            ..Self::new(features_of(settings)?, ClusterCount::of(settings)?)
        })
    }
}

impl Learner for StreamedKMeans {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        let (p, k) = (self.features.components() as f64, self.clusters.most() as f64);
        let flops = PASSES * x.rows as f64 * p * (k + x.numbers() as f64);
        let bytes = self.bytes(x.numbers(), x.rows);
        let plan = Plan::new("passes over the features", bytes, flops, "a pass for every step", compute);
        Ok(Plan { approximation: Some(format!("{p} features instead of the kernel")), ..plan })
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?.vectors()?, input.weights, compute)?))
    }
}

impl Fitted for StreamedKMeansFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("clusters", self.clusters(), "number of clusters")
            .with("masses", self.masses(), "weight of the rows of every cluster; their number without weights")
            .with("objective", self.objective(), "sum of squared distances from the means, weighted")
            .with("passes", self.passes(), "passes over the rows")
            .with("converged", self.converged(), "whether the passes ended before their limit")
            .with("trace_missed", self.trace_missed(), "squared distances that landmarks miss")
            .with("features", self.features().name(), "kind of the features")
            .with("feature_count", self.features().components(), "number of features")
            .with("rows", self.rows(), "rows that were read")
            .with("centers", self.centers(), "means in the space of the features, a row each")
    }

    on_features!();

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        1
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let clusters = Self::predict(self, x.vectors()?, compute)?;
        Ok(column(clusters.into_iter().map(|cluster| cluster as f64).collect()))
    }

    /// Distances from the means, a column per cluster.
    fn transform(&self, _view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.distances(x.vectors()?, compute)
    }
}
