//! Spectral clustering in the catalogue of learners.

use ndarray::Array2;

use super::{SpectralClustering, SpectralFit};
use crate::learner::common::{KERNEL, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Plan, ViewCount, column, on_kernel,
};
use crate::record::Record;
use crate::settings::Settings;
use crate::view::kmeans::entry::{CLUSTERS, INIT, LANDMARKS, MAX_CLUSTERS, MAX_ITERATIONS, RULE, SOLVER, STARTS};
use crate::view::kmeans::{ClusterCount, INITS, SOLVERS};
use crate::{Compute, Error, Points, Result};

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "spectral",
    title: "Spectral clustering",
    summary: "clusters by k-means on the leading eigenvectors of the normalized kernel matrix",
    goal: Goal::Clusters,
    views: ViewCount::One,
    weighted: false,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[KERNEL, CLUSTERS, MAX_CLUSTERS, RULE, STARTS, MAX_ITERATIONS, INIT, SOLVER, LANDMARKS, SEED],
    build: |settings| Ok(Box::new(SpectralClustering::of_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(SpectralFit::from_record(record, settings)?)),
};

impl SpectralClustering {
    fn of_settings(settings: &Settings) -> Result<Self> {
        Ok(Self {
            starts: settings.count("starts")?,
            max_iterations: settings.count("max_iterations")?,
            init: settings.word("init", &INITS)?,
            solver: settings.word("solver", &SOLVERS)?,
            landmarks: settings.optional_count("landmarks")?,
            ..Self::new(settings.kernel("kernel")?, ClusterCount::of(settings)?)
        })
    }
}

impl Learner for SpectralClustering {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        self.plan_of(size.first()?, compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        if input.weights.is_some() {
            return Err(Error::unsupported("weights", "spectral clustering", "", "use kernel k-means"));
        }
        Ok(Box::new(Self::fit(self, input.only()?, compute)?))
    }
}

impl Fitted for SpectralFit {
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
            .with("eigenvalues", self.eigenvalues(), "smallest eigenvalues of the normalized Laplacian")
            .with("embedding", self.embedding(), "coordinates of the points of the fit")
            .with("centers", self.centers(), "centers of the clusters in these coordinates")
            .with("isolated", self.isolated(), "points whose affinities are all 0")
            .with("objective", evidence.objective, "sum of squared distances from the centers")
            .with("iterations", evidence.iterations, "iterations of the best start of k-means")
            .with("converged", evidence.converged, "whether no move of one point improves the objective")
            .with("residual", evidence.residual, "largest residual of the eigenvectors")
            .with("trace_missed", evidence.trace_missed, "trace of the kernel matrix that landmarks miss; 0 without");
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

    /// Distances from the centers in the coordinates of the eigenvectors, a column per cluster.
    fn transform(&self, _view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        let (z, centers) = (Self::transform(self, x, compute)?, self.centers());
        Ok(Array2::from_shape_fn((z.nrows(), centers.nrows()), |(i, c)| {
            let gap = &z.row(i) - &centers.row(c);
            gap.dot(&gap).sqrt()
        }))
    }
}
