//! The declaration of the coupled embedding.

use ndarray::Array2;

use super::{Affinity, CoupledEmbedding, CoupledFit, Coupling};
use crate::error::AllowedRange;
use crate::learner::{Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind};
use crate::learner::{Plan, ViewCount};
use crate::record::Record;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// The coupled embedding.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "coupled",
    title: "Coupled kernel embedding",
    summary: "two modes of objects, such as images of low and high resolution, in one space",
    goal: Goal::Features,
    views: ViewCount::Two,
    weighted: false,
    sparse: true,
    novelty: false,
    streamed: None,
    anytime: false,
    parameters: &[
        Parameter::with_default(
            "kernel_low",
            ParameterKind::Kernel,
            "gaussian(lengthscale=median)",
            "the kernel of the low points",
        ),
        Parameter::with_default(
            "kernel_high",
            ParameterKind::Kernel,
            "gaussian(lengthscale=median)",
            "the kernel of the high points",
        ),
        Parameter::required("components", ParameterKind::Count(1), "the dimension of the embedding"),
        Parameter::with_default(
            "reg",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "1e-6",
            "what is added to the squared kernel matrices",
        ),
        Parameter::with_default(
            "cutoff",
            ParameterKind::Number(AllowedRange::at_least(0.0).below(1.0)),
            "1e-6",
            "eigenvalues of the kernel matrices up to this part of the largest are left out",
        ),
        Parameter::with_default(
            "affinity",
            ParameterKind::Word(&["class", "pairs", "neighbors", "given"]),
            "class",
            "which points of the two modes belong together",
        ),
        Parameter::with_default(
            "neighbors",
            ParameterKind::Count(1),
            "5",
            "how many neighbors an object has, for the affinity of that name",
        ),
        Parameter::optional(
            "landmarks",
            ParameterKind::Count(1),
            "landmarks of each mode that carry the functions; all points when absent",
        ),
        Parameter::optional("seed", ParameterKind::Seed, "the seed of the landmarks"),
    ],
    build: |settings| Ok(Box::new(build(settings)?)),
    load: |record, settings, _| Ok(Box::new(CoupledFit::from_record(record, settings)?)),
};

fn build(settings: &Settings) -> Result<CoupledEmbedding> {
    let affinity = match settings.text("affinity")? {
        "class" => Affinity::Class,
        "pairs" => Affinity::Pairs,
        "neighbors" => Affinity::Neighbors { k: settings.count("neighbors")? },
        "given" => Affinity::Given,
        other => return Err(Error::parameter("affinity", other, "class, pairs, neighbors or given")),
    };
    Ok(CoupledEmbedding {
        kernel_low: settings.kernel("kernel_low")?,
        kernel_high: settings.kernel("kernel_high")?,
        components: settings.count("components")?,
        reg: settings.number("reg")?,
        cutoff: settings.number("cutoff")?,
        affinity,
        landmarks: settings.optional_count("landmarks")?,
    })
}

impl Learner for CoupledEmbedding {
    fn settings(&self) -> Settings {
        CoupledEmbedding::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        CoupledEmbedding::plan(self, size, compute)
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        let [low, high] = input.views.as_slice() else {
            return Err(Error::shape("samples of points", 2, input.views.len()));
        };
        let labels = match input.labels.as_slice() {
            [] => None,
            [low, high] => Some((*low, *high)),
            other => return Err(Error::shape("lists of labels", "one per mode (2)", other.len())),
        };
        let coupling = Coupling { labels, weights: input.affinity };
        Ok(Box::new(CoupledEmbedding::fit(self, low.reborrow(), high.reborrow(), &coupling, compute)?))
    }
}

impl Fitted for CoupledFit {
    fn entry(&self) -> &'static LearnerEntry {
        &ENTRY
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn facts(&self) -> Facts<'_> {
        let (low, high) = self.null();
        Facts::new()
            .with("kernel_low", self.kernel_low(), "the kernel of the low points")
            .with("kernel_high", self.kernel_high(), "the kernel of the high points")
            .with("objective", self.objective(), "weighted squared distances of the pairs in the embedding")
            .with("eigenvalues", self.eigenvalues(), "the smallest eigenvalues, ascending")
            .with("embedding_low", self.embedding_low(), "the coordinates of the low points")
            .with("embedding_high", self.embedding_high(), "the coordinates of the high points")
            .with("null_low", low, "directions in which the low kernel matrix is nearly 0")
            .with("null_high", high, "directions in which the high kernel matrix is nearly 0")
    }

    fn to_record(&self) -> Record {
        CoupledFit::to_record(self)
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(self.kernel_low())
    }

    fn views(&self) -> usize {
        2
    }

    fn points(&self, view: usize) -> Option<Points<'_>> {
        match view {
            0 => Some(self.points_low()),
            1 => Some(self.points_high()),
            _ => None,
        }
    }

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        self.components()
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        self.transform_low(x, compute)
    }

    fn transform(&self, view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        match view {
            0 => self.transform_low(x, compute),
            1 => self.transform_high(x, compute),
            other => Err(Error::parameter("view", other, ..2)),
        }
    }
}
