//! The features of a view, and what they miss.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

use crate::error::AllowedRange;
use crate::features::{
    DrawnFeatures, FeatureMap, FeatureSpec, FourierForm, Landmarks, Nystrom, RandomFourier, Sampling,
};
use crate::gram::Pairs;
use crate::learner::{Parameter, ParameterKind};
use crate::settings::Settings;
use crate::{Compute, Error, Points, Result};

/// Rows whose features are made at a time, whatever the size of the chunks; never a function of the
/// number of threads. As in streamed ridge regression, where 512 differs by less than 8 % and 4096 is
/// 50 % slower.
pub(super) const ROWS: usize = 1024;
/// Rows of a block. Of more of them the exact sums take less of the time, and more rows wait.
const BLOCK: u64 = 2048;
const WIDE: usize = 128;
/// Rows in which medians and landmarks are found, where there are more: so many, or so many for
/// every feature.
const SAMPLE: usize = 10_000;
const SAMPLE_EACH: usize = 10;

const FORMS: [(FourierForm, &str); 2] = [(FourierForm::Pair, "pair"), (FourierForm::Offset, "offset")];
const SAMPLINGS: [(Sampling, &str); 3] =
    [(Sampling::Iid, "iid"), (Sampling::Orthogonal, "orthogonal"), (Sampling::QuasiMonteCarlo, "qmc")];

/// The parameters of features.
pub(super) const FEATURES: [Parameter; 7] = [
    Parameter::with_default("feature_count", ParameterKind::Count(1), "500", "features, at most"),
    Parameter::with_default(
        "features",
        ParameterKind::Word(&["nystrom", "fourier"]),
        "nystrom",
        "Nyström features from landmarks, or random Fourier features",
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
        "feature_tolerance",
        ParameterKind::Number(AllowedRange::NON_NEGATIVE),
        "share of the trace at which landmarks are enough",
    ),
    Parameter::optional("rank", ParameterKind::Count(1), "features that are kept of the landmarks"),
];

/// The settings of features by the names of [`FEATURES`].
pub(super) fn settings_of(features: &FeatureSpec) -> Settings {
    let mut settings = Settings::new();
    for (name, value) in features.settings().iter() {
        let name = match name {
            "components" => "feature_count",
            "tolerance" => "feature_tolerance",
            name => name,
        };
        settings.insert(name, value.clone());
    }
    settings
}

/// The features of settings.
pub(super) fn features_of(settings: &Settings) -> Result<FeatureSpec> {
    let (kernel, components) = (settings.kernel("kernel")?, settings.count("feature_count")?);
    if settings.text("features")? == "nystrom" {
        return Ok(FeatureSpec::Nystrom(Nystrom {
            landmarks: settings.optional_text("landmarks")?.map_or(Ok(Landmarks::default()), Landmarks::named)?,
            tolerance: settings.optional_number("feature_tolerance")?.unwrap_or(0.0),
            rank: settings.optional_count("rank")?,
            ..Nystrom::new(kernel, components)
        }));
    }
    let plain = RandomFourier::new(kernel, components);
    Ok(FeatureSpec::Fourier(RandomFourier {
        form: if settings.has("form") { settings.word("form", &FORMS)? } else { plain.form },
        sampling: if settings.has("sampling") { settings.word("sampling", &SAMPLINGS)? } else { plain.sampling },
        ..plain
    }))
}

/// Rows of a block: fewer of wide rows, which wait.
pub(super) fn block_rows(columns: usize) -> u64 {
    if columns > WIDE { BLOCK / 2 } else { BLOCK }
}

/// How many rows medians and landmarks are found in, at most.
pub(super) fn sample_size(features: &FeatureSpec) -> usize {
    SAMPLE.max(SAMPLE_EACH * features.components())
}

/// The numbers of the rows of the sample, drawn from the seed.
pub(super) fn sample_rows(rows: usize, features: &FeatureSpec, compute: &Compute) -> Vec<usize> {
    compute.seed().stream("rows of a sample", 0).subset(rows, sample_size(features))
}

/// The features of some rows, made of a few at a time.
pub(super) fn features_at(features: &DrawnFeatures, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    if x.nrows() <= ROWS {
        return features.transform(x, compute);
    }
    let mut z = Array2::zeros((x.nrows(), features.components()));
    for start in (0..x.nrows()).step_by(ROWS) {
        let rows = s![start..x.nrows().min(start + ROWS), ..];
        z.slice_mut(rows).assign(&features.transform(x.slice(rows), compute)?);
    }
    Ok(z)
}

/// `k(x, x)` for every row.
pub(super) fn diagonal(features: &DrawnFeatures, x: ArrayView2<f64>, compute: &Compute) -> Result<Array1<f64>> {
    features.kernel().bind(Pairs::Within(Points::Vectors(x)), compute)?.diagonal()
}

/// `Σ vᵢ(k(xᵢ, xᵢ) − ‖z(xᵢ)‖²)`: what landmarks miss. Random features approximate the kernel without
/// bias, and miss nothing.
pub(super) fn missed(
    features: &DrawnFeatures,
    (x, z): (ArrayView2<f64>, ArrayView2<f64>),
    weights: Option<ArrayView1<f64>>,
    compute: &Compute,
) -> Result<f64> {
    if let DrawnFeatures::Fourier(_) = features {
        return Ok(0.0);
    }
    let own = diagonal(features, x, compute)?;
    let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
    let rows = z.rows().into_iter().zip(&own).enumerate();
    Ok(rows.map(|(i, (z, k))| weight(i) * (k - z.dot(&z)).max(0.0)).sum())
}

/// Points of the right size, all finite.
pub(super) fn check_points(features: &DrawnFeatures, x: ArrayView2<f64>) -> Result<()> {
    if x.ncols() != features.columns() {
        return Err(Error::shape("columns of the points", features.columns(), x.ncols()));
    }
    Points::Vectors(x).check_finite("points")
}

/// Bytes of a map, and of the features of a block beside its rows.
pub(super) fn bytes(features: &FeatureSpec, columns: usize) -> u64 {
    let (p, d) = (features.components() as u64, columns as u64);
    let map = match features {
        FeatureSpec::Fourier(_) => 8 * p * d,
        FeatureSpec::Nystrom(_) => 8 * p * (p + d),
    };
    // The features of some rows, and the rows of a block twice.
    map + 8 * p * ROWS as u64 + 16 * block_rows(columns) * (d + 1)
}
