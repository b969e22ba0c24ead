//! Kernel k-means in the catalogue of learners.

use ndarray::Array2;

use super::{ClusterCount, INITS, KernelKMeans, KernelKMeansFit, SOLVERS};
use crate::learner::common::{INDEFINITE, KERNEL, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, column,
    on_kernel,
};
use crate::record::Record;
use crate::settings::Settings;
use crate::{Compute, Points, Result};

/// The number of clusters.
pub(in crate::view) const CLUSTERS: Parameter =
    Parameter::optional("clusters", ParameterKind::Count(1), "the number of clusters; chosen from the data if absent");
/// The most clusters to choose from.
pub(in crate::view) const MAX_CLUSTERS: Parameter = Parameter::with_default(
    "max_clusters",
    ParameterKind::Count(2),
    "10",
    "the largest number of clusters that is considered where none is given",
);
/// How their number is chosen.
pub(in crate::view) const RULE: Parameter = Parameter::with_default(
    "rule",
    ParameterKind::Word(&["eigengap", "stability"]),
    "eigengap",
    "how the number of clusters is chosen where none is given",
);
/// Starts of k-means.
pub(in crate::view) const STARTS: Parameter =
    Parameter::with_default("starts", ParameterKind::Count(1), "10", "starts from different first means");
/// Iterations of k-means.
pub(in crate::view) const MAX_ITERATIONS: Parameter = Parameter::with_default(
    "max_iterations",
    ParameterKind::Count(1),
    "300",
    "Lloyd's steps and passes of single moves of every start",
);
/// First means.
pub(in crate::view) const INIT: Parameter = Parameter::with_default(
    "init",
    ParameterKind::Word(&["k-means++", "random"]),
    "k-means++",
    "how the first means are chosen",
);
/// Solvers.
pub(in crate::view) const SOLVER: Parameter = Parameter::with_default(
    "solver",
    ParameterKind::Word(&["auto", "stored", "stored_single", "tiles", "landmarks"]),
    "auto",
    "on the kernel matrix (stored or tile by tile), or on features of landmarks",
);
/// Landmarks.
pub(in crate::view) const LANDMARKS: Parameter =
    Parameter::optional("landmarks", ParameterKind::Count(1), "an approximation on this many landmarks");

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "kmeans",
    title: "Kernel k-means",
    summary: "clusters with the smallest squared distances from their means in the space of the kernel",
    goal: Goal::Clusters,
    views: ViewCount::One,
    weighted: true,
    sparse: true,
    novelty: false,
    streamed: Some("streamed_kmeans"),
    anytime: false,
    parameters: &[
        KERNEL,
        CLUSTERS,
        MAX_CLUSTERS,
        RULE,
        STARTS,
        MAX_ITERATIONS,
        INIT,
        SOLVER,
        LANDMARKS,
        INDEFINITE,
        SEED,
    ],
    build: |settings| Ok(Box::new(KernelKMeans::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(KernelKMeansFit::from_record(record, settings)?)),
};

impl KernelKMeans {
    fn of_settings(settings: &Settings) -> Result<Self> {
        Ok(Self {
            starts: settings.count("starts")?,
            max_iterations: settings.count("max_iterations")?,
            init: settings.word("init", &INITS)?,
            solver: settings.word("solver", &SOLVERS)?,
            landmarks: settings.optional_count("landmarks")?,
            indefinite: settings.flag("indefinite")?,
            ..Self::new(settings.kernel("kernel")?, ClusterCount::of(settings)?)
        })
    }
}

impl Learner for KernelKMeans {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        self.plan_of(size.first()?, compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?, input.weights, compute)?))
    }
}

impl Fitted for KernelKMeansFit {
    fn entry(&self) -> &'static LearnerEntry {
        &ENTRY
    }

    fn settings(&self) -> &Settings {
        Self::settings(self)
    }

    fn facts(&self) -> Facts<'_> {
        let evidence = self.evidence();
        let facts = Facts::new()
            .with("kernel", self.kernel(), "the kernel with medians resolved")
            .with("clusters", self.clusters(), "number of clusters")
            .with("labels", self.labels(), "cluster of every point of the fit, numbered by first appearance")
            .with("objective", evidence.objective, "sum of squared distances from the means, weighted")
            .with("iterations", evidence.iterations, "Lloyd's steps and passes of single moves of the best start")
            .with("converged", evidence.converged, "whether no move of one point improves the objective")
            .with("own_distances", self.own_distances(), "distance of every point from the mean of its cluster")
            .with("trace_missed", evidence.trace_missed, "squared distances that landmarks miss; 0 without")
            .with("start_objectives", &evidence.starts[..], "objective of every start");
        let facts = match self.chosen() {
            Some(chosen) => chosen.facts(facts),
            None => facts,
        };
        facts.with("plan", Self::plan(self).to_string(), "what was run")
    }

    fn to_record(&self) -> Record {
        self.record()
    }

    on_kernel!();

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        1
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(column(Self::predict(self, x, compute)?.into_iter().map(|cluster| cluster as f64).collect()))
    }

    /// Distances from the means, a column per cluster.
    fn transform(&self, _view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.distances(x, compute)
    }
}
