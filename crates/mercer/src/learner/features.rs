//! What learners on explicit features have in common: the parameters, and how they are read.

use super::{Parameter, ParameterKind};
use crate::Result;
use crate::error::AllowedRange;
use crate::features::{FeatureSpec, FourierForm, Landmarks, Nystrom, RandomFourier, Sampling};
use crate::settings::Settings;

const FORMS: [(FourierForm, &str); 2] = [(FourierForm::Pair, "pair"), (FourierForm::Offset, "offset")];
const SAMPLINGS: [(Sampling, &str); 3] =
    [(Sampling::Iid, "iid"), (Sampling::Orthogonal, "orthogonal"), (Sampling::QuasiMonteCarlo, "qmc")];

pub(crate) const FORM: Parameter =
    Parameter::optional("form", ParameterKind::Word(&["pair", "offset"]), "form of the Fourier features");
pub(crate) const SAMPLING: Parameter = Parameter::optional(
    "sampling",
    ParameterKind::Word(&["iid", "orthogonal", "qmc"]),
    "how the frequencies are drawn",
);
pub(crate) const LANDMARKS: Parameter = Parameter::optional(
    "landmarks",
    ParameterKind::Word(&["uniform", "rpcholesky", "kmeans", "leverage", "greedy", "rows", "points"]),
    "how the landmarks are chosen",
);
pub(crate) const RANK: Parameter =
    Parameter::optional("rank", ParameterKind::Count(1), "features that are kept of the landmarks");

/// The number of features, by its name.
pub(crate) const fn count(name: &'static str) -> Parameter {
    Parameter::with_default(name, ParameterKind::Count(1), "500", "features, at most")
}

/// The error of landmarks, by its name.
pub(crate) const fn tolerance(name: &'static str) -> Parameter {
    let kind = ParameterKind::Number(AllowedRange::NON_NEGATIVE);
    Parameter::optional(name, kind, "share of the trace at which landmarks are enough")
}

/// The features of settings, in which their number and the tolerance have these names.
pub(crate) fn features_of(settings: &Settings, count: &str, tolerance: &str) -> Result<FeatureSpec> {
    let (kernel, components) = (settings.kernel("kernel")?, settings.count(count)?);
    if settings.text("features")? == "nystrom" {
        return Ok(FeatureSpec::Nystrom(Nystrom {
            landmarks: settings.optional_text("landmarks")?.map_or(Ok(Landmarks::default()), Landmarks::named)?,
            tolerance: settings.optional_number(tolerance)?.unwrap_or(0.0),
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
