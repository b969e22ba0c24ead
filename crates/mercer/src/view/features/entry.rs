//! The declarations of explicit features.

use ndarray::Array2;

use super::{FeatureFit, FeatureView};
use crate::error::AllowedRange;
use crate::features::{FeatureSpec, RandomBinning};
use crate::learner::common::{KERNEL, SEED};
use crate::learner::features::{count, features_of};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount,
};
use crate::record::Record;
use crate::settings::Settings;
use crate::{Compute, Kernel, Points, Result};

/// A kernel without a default that suits all columns.
const fn kernel(default: &'static str, meaning: &'static str) -> Parameter {
    Parameter::with_default("kernel", ParameterKind::Kernel, default, meaning)
}

/// The declaration of features that are called so.
const fn features(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    sparse: bool,
    parameters: &'static [Parameter],
    (build, load): (Build, Load),
) -> LearnerEntry {
    LearnerEntry {
        name,
        title,
        summary,
        goal: Goal::Features,
        views: ViewCount::One,
        weighted: false,
        sparse,
        novelty: false,
        streamed: None,
        anytime: false,
        parameters,
        build,
        load,
    }
}

type Build = fn(&Settings) -> Result<Box<dyn Learner>>;
type Load = fn(&mut Record, Settings, &Compute) -> Result<Box<dyn Fitted>>;

pub(crate) static FOURIER: LearnerEntry = features(
    "fourier",
    "Random Fourier features",
    "random Fourier features of a shift-invariant kernel",
    true,
    &[
        KERNEL,
        count("components"),
        Parameter::with_default(
            "form",
            ParameterKind::Word(&["pair", "offset"]),
            "pair",
            "a cosine and a sine per frequency, or a cosine with a random offset",
        ),
        Parameter::with_default(
            "sampling",
            ParameterKind::Word(&["iid", "orthogonal", "qmc"]),
            "iid",
            "how the frequencies are drawn",
        ),
        SEED,
    ],
    (
        |settings| Ok(Box::new(drawn("fourier", settings)?)),
        |record, settings, _| Ok(Box::new(FeatureFit::drawn(record, settings, &FOURIER)?)),
    ),
);

pub(crate) static BINNING: LearnerEntry = features(
    "binning",
    "Random binning features",
    "the cells of random grids, for products over the columns with convex profiles",
    false,
    &[
        kernel("laplacian(norm=l1, lengthscale=median)", "the kernel"),
        Parameter::with_default("components", ParameterKind::Count(1), "100", "random grids"),
        Parameter::with_default(
            "buckets",
            ParameterKind::Count(1),
            "4096",
            "columns for each grid, into which its cells are hashed",
        ),
        SEED,
    ],
    (
        |settings| {
            let (kernel, grids) = (settings.kernel("kernel")?, settings.count("components")?);
            let spec = RandomBinning { buckets: settings.count("buckets")?, ..RandomBinning::new(kernel, grids) };
            Ok(Box::new(FeatureView::Binning(spec)))
        },
        |record, settings, _| Ok(Box::new(FeatureFit::of_grids(record, settings, &BINNING)?)),
    ),
);

pub(crate) static NYSTROM: LearnerEntry = features(
    "nystrom",
    "Nyström features",
    "the kernel seen from a few landmarks",
    true,
    &[
        KERNEL,
        Parameter::with_default("components", ParameterKind::Count(1), "100", "landmarks, at most"),
        Parameter::with_default(
            "landmarks",
            ParameterKind::Word(&["uniform", "rpcholesky", "kmeans", "leverage", "greedy", "rows", "points"]),
            "rpcholesky",
            "how the landmarks are chosen",
        ),
        Parameter::with_default(
            "tolerance",
            ParameterKind::Number(AllowedRange::NON_NEGATIVE),
            "0",
            "share of the trace at which landmarks are enough",
        ),
        Parameter::optional("rank", ParameterKind::Count(1), "features that are kept of the landmarks"),
        SEED,
    ],
    (
        |settings| Ok(Box::new(drawn("nystrom", settings)?)),
        |record, settings, _| Ok(Box::new(FeatureFit::drawn(record, settings, &NYSTROM)?)),
    ),
);

pub(crate) static EMPIRICAL: LearnerEntry = features(
    "empirical",
    "Empirical kernel map",
    "features that reproduce the kernel on the points, one for each of them",
    true,
    &[KERNEL],
    (
        |settings| Ok(Box::new(FeatureView::Empirical(settings.kernel("kernel")?))),
        |record, settings, _| Ok(Box::new(FeatureFit::drawn(record, settings, &EMPIRICAL)?)),
    ),
);

pub(crate) static EXPLICIT: LearnerEntry = features(
    "explicit",
    "Exact features",
    "exact features of a kernel with finitely many: polynomials, finite ranks, sums and products",
    false,
    &[kernel("polynomial(degree=2)", "the kernel")],
    (
        |settings| Ok(Box::new(FeatureView::Explicit(settings.kernel("kernel")?))),
        |record, settings, _| Ok(Box::new(FeatureFit::of_kernel(record, settings, &EXPLICIT)?)),
    ),
);

/// Features that are drawn.
fn drawn(name: &str, settings: &Settings) -> Result<FeatureView> {
    Ok(match features_of(&settings.clone().with("features", name), "components", "tolerance")? {
        FeatureSpec::Fourier(spec) => FeatureView::Fourier(spec),
        FeatureSpec::Nystrom(spec) => FeatureView::Nystrom(spec),
    })
}

impl FeatureView {
    /// The declaration.
    pub(super) fn entry(&self) -> &'static LearnerEntry {
        match self {
            Self::Fourier(_) => &FOURIER,
            Self::Binning(_) => &BINNING,
            Self::Nystrom(_) => &NYSTROM,
            Self::Empirical(_) => &EMPIRICAL,
            Self::Explicit(_) => &EXPLICIT,
        }
    }
}

impl Learner for FeatureView {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        let (bytes, flops) = self.work(x.rows, x.numbers());
        Ok(Plan::new(self.entry().title, bytes, flops, "features are made before any learner uses them", compute))
    }

    fn fit(&self, input: &FitInput<'_>, compute: &Compute) -> Result<Box<dyn Fitted>> {
        Ok(Box::new(Self::fit(self, input.only()?, compute)?))
    }
}

impl Fitted for FeatureFit {
    fn entry(&self) -> &'static LearnerEntry {
        self.entry
    }

    fn settings(&self) -> &Settings {
        Self::settings(self)
    }

    fn facts(&self) -> Facts<'_> {
        let facts = Facts::new().with("kernel", self.kernel(), "the kernel with medians resolved").with(
            "components",
            self.components(),
            "columns of the features",
        );
        if let Some(map) = self.fourier() {
            return facts.with("frequencies", map.frequencies().nrows(), "random frequencies");
        }
        if let Some(map) = self.nystrom() {
            return facts
                .with("landmarks", map.landmarks().len(), "landmarks")
                .with("trace", map.trace(), "trace of the kernel matrix on the sample")
                .with("trace_error", map.trace_error(), "what the landmarks miss of it");
        }
        match self.binning() {
            Some(map) => facts.with("grids", map.pitches().nrows(), "random grids").with(
                "buckets",
                map.buckets(),
                "columns for each grid",
            ),
            None => facts,
        }
    }

    fn to_record(&self) -> Record {
        Self::to_record(self)
    }

    fn kernel(&self) -> Option<&Kernel> {
        Some(Self::kernel(self))
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        self.nystrom().map(|map| map.landmarks())
    }

    fn dimension(&self, _view: usize) -> usize {
        self.columns()
    }

    fn targets(&self) -> usize {
        0
    }

    fn outputs(&self) -> usize {
        self.components()
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::transform(self, x, compute)
    }

    fn transform(&self, _view: usize, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::transform(self, x, compute)
    }
}
