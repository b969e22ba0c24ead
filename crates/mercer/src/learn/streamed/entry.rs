//! Ridge regression on explicit features in the catalogue of learners.

use ndarray::Array2;

use super::{StreamedRidge, StreamedRidgeFit};
use crate::error::AllowedRange;
use crate::features::{FeatureMap, FeatureSpec, FourierForm, Landmarks, Nystrom, RandomFourier, Sampling};
use crate::learner::common::{INTERCEPT, KERNEL, SEED};
use crate::learner::{
    Facts, FitInput, FitSize, Fitted, Goal, Learner, LearnerEntry, Parameter, ParameterKind, Plan, ViewCount, declared,
};
use crate::settings::Settings;
use crate::{Compute, Kernel, Points, Result};

const FORMS: [(FourierForm, &str); 2] = [(FourierForm::Pair, "pair"), (FourierForm::Offset, "offset")];
const SAMPLINGS: [(Sampling, &str); 3] =
    [(Sampling::Iid, "iid"), (Sampling::Orthogonal, "orthogonal"), (Sampling::QuasiMonteCarlo, "qmc")];

/// The parameters of features.
pub(in crate::learn) const FEATURES: [Parameter; 7] = [
    Parameter::with_default("components", ParameterKind::Count(1), "500", "features, at most"),
    Parameter::with_default(
        "features",
        ParameterKind::Word(&["fourier", "nystrom"]),
        "fourier",
        "random Fourier features, or Nyström features from landmarks",
    ),
    Parameter::optional("form", ParameterKind::Word(&["pair", "offset"]), "form of the Fourier features"),
    Parameter::optional(
        "sampling",
        ParameterKind::Word(&["iid", "orthogonal", "qmc"]),
        "how the frequencies are drawn",
    ),
    Parameter::optional(
        "landmarks",
        ParameterKind::Word(&["uniform", "rpcholesky", "kmeans", "leverage", "greedy", "rows", "points"]),
        "how the landmarks are chosen",
    ),
    Parameter::optional(
        "tolerance",
        ParameterKind::Number(AllowedRange::NON_NEGATIVE),
        "share of the trace at which landmarks are enough",
    ),
    Parameter::optional("rank", ParameterKind::Count(1), "features that are kept of the landmarks"),
];

pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "streamed_ridge",
    title: "Ridge regression on features",
    summary: "ridge regression on random features in one pass over data of any length",
    goal: Goal::Values,
    views: ViewCount::One,
    weighted: true,
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
    let (kernel, components) = (settings.kernel("kernel")?, settings.count("components")?);
    if settings.text("features")? == "nystrom" {
        return Ok(FeatureSpec::Nystrom(Nystrom {
            landmarks: settings.optional_text("landmarks")?.map_or(Ok(Landmarks::default()), Landmarks::named)?,
            tolerance: settings.optional_number("tolerance")?.unwrap_or(0.0),
            rank: settings.optional_count("rank")?,
            ..Nystrom::new(kernel, components)
        }));
    }
    let plain = RandomFourier::new(kernel, components);
    let has = |name: &str| settings.has(name);
    Ok(FeatureSpec::Fourier(RandomFourier {
        form: if has("form") { settings.word("form", &FORMS)? } else { plain.form },
        sampling: if has("sampling") { settings.word("sampling", &SAMPLINGS)? } else { plain.sampling },
        ..plain
    }))
}

impl Learner for StreamedRidge {
    fn settings(&self) -> Settings {
        Self::settings(self)
    }

    fn plan(&self, size: &FitSize, compute: &Compute) -> Result<Plan> {
        let x = size.first()?;
        let p = self.features.components() as f64;
        let bytes = self.bytes(x.numbers(), size.outputs.max(1));
        let plan = Plan::new("statistics of the features", bytes, x.rows as f64 * p * p, "one pass", compute);
        Ok(Plan { approximation: Some(format!("{p} features instead of the kernel")), ..plan })
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

    fn kernel(&self) -> Option<&Kernel> {
        Some(Self::kernel(self))
    }

    fn points(&self, _view: usize) -> Option<Points<'_>> {
        None
    }

    fn dimension(&self, _view: usize) -> usize {
        self.features().columns()
    }

    fn targets(&self) -> usize {
        self.weights().ncols()
    }

    fn predict(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>> {
        Self::predict(self, x.vectors()?, compute)
    }
}
