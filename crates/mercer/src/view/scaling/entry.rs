//! The declaration of classical scaling.

use ndarray::Array2;

use super::{ClassicalScaling, ClassicalScalingFit, EigenSolver};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, declared,
    on_kernel,
};
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result};

/// Classical scaling, for the doors.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "scaling",
    title: "Classical scaling",
    summary: "coordinates whose squared distances are the values of a negative-definite kernel",
    goal: Goal::Features,
    views: ViewCount::One,
    weighted: false,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        Parameter::with_default("kernel", ParameterKind::Kernel, "sqdist()", "the negative-definite kernel"),
        Parameter::optional(
            "components",
            ParameterKind::Count(1),
            "the number of coordinates; one per positive eigenvalue where it is absent",
        ),
        Parameter::with_default(
            "solver",
            ParameterKind::Word(&["auto", "dense", "leading"]),
            "auto",
            "how the eigenpairs are found",
        ),
        Parameter::with_default(
            "indefinite",
            ParameterKind::Flag,
            "false",
            "whether a kernel that is known not to be negative definite is accepted",
        ),
    ],
    build: |settings| Ok(Box::new(ClassicalScaling::from_settings(settings)?)),
    load: |record, settings, _| Ok(Box::new(ClassicalScalingFit::from_record(record, settings)?)),
};

impl ClassicalScaling {
    fn from_settings(settings: &Settings) -> Result<Self> {
        let solver = settings.text("solver")?;
        Ok(Self {
            kernel: settings.kernel("kernel")?,
            components: settings.optional_count("components")?,
            solver: EigenSolver::from_name(solver)
                .ok_or_else(|| Error::parameter("solver", solver, "a solver of eigenpairs"))?,
            indefinite: settings.flag("indefinite")?,
        })
    }
}

impl Learner for ClassicalScaling {
    fn settings(&self) -> Settings {
        ClassicalScaling::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        ClassicalScaling::plan(self, size.first()?, compute).map(Plan::from)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(ClassicalScaling::fit(self, input.only()?, compute)?))
    }
}

impl Fitted for ClassicalScalingFit {
    declared!(ENTRY);

    fn facts(&self) -> Facts<'_> {
        let part = self.negative_part();
        Facts::new()
            .with("components", self.components(), "number of coordinates")
            .with("eigenvalues", self.eigenvalues(), "eigenvalues of the centered matrix, descending")
            .with("stress", self.stress(), "Kruskal's stress of the distances")
            .with("negative_part", part.lower, "sizes of the negative eigenvalues over those of all, at least")
            .with_some(
                "negative_part_bound",
                part.exact().is_none().then_some(part.upper),
                "sizes of the negative eigenvalues over those of all, at most",
            )
            .with("solver", self.plan().solver.name(), "how the eigenpairs were found")
            .with("residual", self.evidence().residual, "largest residual of an iterated eigenpair")
            .with("embedding", self.embedding(), "the coordinates of the points, a row each")
    }

    on_kernel!();

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        self.components()
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        ClassicalScalingFit::transform(self, x, compute)
    }

    fn transform(&self, _view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        ClassicalScalingFit::transform(self, x, compute)
    }
}
