//! The declaration of kernel principal components.

use ndarray::Array2;

use super::{EigenSolver, KernelPca, KernelPcaFit};
use crate::error::AllowedRange;
use crate::features::Landmarks;
use crate::learner::common::KERNEL;
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, declared,
    on_kernel,
};
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result};

/// Kernel principal components, for the doors.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "pca",
    title: "Kernel principal components",
    summary: "the directions in feature space along which the points vary most",
    goal: Goal::Features,
    views: ViewCount::One,
    weighted: false,
    sparse: true,
    novelty: true,
    streamed: Some("streamed_pca"),
    anytime: false,
    parameters: &[
        KERNEL,
        Parameter::optional(
            "components",
            ParameterKind::Count(1),
            "the number of components; all with a positive eigenvalue where it is absent",
        ),
        Parameter::with_default(
            "solver",
            ParameterKind::Word(EigenSolver::WORDS),
            "auto",
            "how the eigenpairs are found",
        ),
        Parameter::optional(
            "landmarks",
            ParameterKind::Count(1),
            "the number of landmarks of an approximation, at most",
        ),
        Parameter::with_default(
            "selection",
            ParameterKind::Word(SELECTIONS),
            "rpcholesky",
            "how landmarks are selected",
        ),
        Parameter::with_default(
            "remove_zero",
            ParameterKind::Flag,
            "false",
            "whether components with an eigenvalue of 0 are left out",
        ),
        Parameter::with_default(
            "indefinite",
            ParameterKind::Flag,
            "false",
            "whether a kernel that is not positive semi-definite is accepted",
        ),
        Parameter::optional(
            "inverse",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "the penalty of a ridge regression of the points on their scores, for pre-images",
        ),
        Parameter::optional("seed", ParameterKind::Seed, "the seed that landmarks were drawn from"),
    ],
    build: |settings| Ok(Box::new(KernelPca::from_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(KernelPcaFit::from_record(record, settings)?)),
};

/// The words for selections of landmarks.
const SELECTIONS: &[&str] = &["rpcholesky", "uniform", "kmeans", "leverage", "greedy"];

impl KernelPca {
    fn from_settings(settings: &Settings) -> Result<Self> {
        let selection = settings.text("selection")?;
        let all =
            [Landmarks::RandomPivots, Landmarks::Uniform, Landmarks::KMeans, Landmarks::Leverage, Landmarks::Greedy];
        let solver = settings.text("solver")?;
        Ok(Self {
            kernel: settings.kernel("kernel")?,
            components: settings.optional_count("components")?,
            solver: EigenSolver::from_name(solver)
                .ok_or_else(|| Error::parameter("solver", solver, "a solver of eigenpairs"))?,
            landmarks: settings.optional_count("landmarks")?,
            selection: all
                .into_iter()
                .find(|choice| choice.name() == selection)
                .ok_or_else(|| Error::parameter("selection", selection, "a selection of landmarks"))?,
            remove_zero: settings.flag("remove_zero")?,
            indefinite: settings.flag("indefinite")?,
            inverse: settings.optional_number("inverse")?,
        })
    }
}

impl Learner for KernelPca {
    fn settings(&self) -> Settings {
        KernelPca::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        KernelPca::plan(self, size.first()?, compute).map(Plan::from)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(KernelPca::fit(self, input.only()?, compute)?))
    }
}

impl Fitted for KernelPcaFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        let evidence = self.evidence();
        let approximate = evidence.landmarks > 0;
        Facts::new()
            .with("components", self.components(), "number of components")
            .with("eigenvalues", self.eigenvalues(), "eigenvalues of the centered kernel matrix, descending")
            .with("explained_variance_ratio", self.explained_variance_ratio(), "eigenvalues over their sum")
            .with("reconstruction_error", self.reconstruction_error(), "sum of the eigenvalues that are left out")
            .with("trace", self.trace(), "sum of all eigenvalues")
            .with("solver", self.plan().solver.name(), "how the eigenpairs were found")
            .with("residual", evidence.residual, "largest residual of an iterated eigenpair")
            .with_some("landmarks", approximate.then_some(evidence.landmarks), "number of landmarks")
            .with_some("trace_missed", approximate.then_some(evidence.trace_missed), "part of tr K that they miss")
            .with("eigenvectors", self.eigenvectors(), "eigenvectors of the centered kernel matrix, a column each")
    }

    on_kernel!();

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        self.components()
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        KernelPcaFit::transform(self, x, compute)
    }

    fn transform(&self, _view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        KernelPcaFit::transform(self, x, compute)
    }

    fn novelty(&self, x: Points<'_>, compute: &Compute) -> Result<Vec<f64>> {
        KernelPcaFit::novelty(self, x, compute)
    }
}
