//! The features of a view, and what they miss.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

use crate::features::{DrawnFeatures, FeatureMap, FeatureSpec};
use crate::gram::Pairs;
use crate::learner::{Parameter, ParameterKind, features};
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

/// The parameters of features.
pub(super) const FEATURES: [Parameter; 7] = [
    features::count(COUNT),
    Parameter::with_default(
        "features",
        ParameterKind::Word(&["nystrom", "fourier"]),
        "nystrom",
        "Nyström features from landmarks, or random Fourier features",
    ),
    features::FORM,
    features::SAMPLING,
    features::LANDMARKS,
    features::tolerance(TOLERANCE),
    features::RANK,
];
/// What views call the number of features and the error of landmarks: their own components and
/// tolerances are others.
const COUNT: &str = "feature_count";
const TOLERANCE: &str = "feature_tolerance";

/// The settings of features by the names of [`FEATURES`].
pub(super) fn settings_of(features: &FeatureSpec) -> Settings {
    let mut settings = Settings::new();
    for (name, value) in features.settings().iter() {
        let name = match name {
            "components" => COUNT,
            "tolerance" => TOLERANCE,
            name => name,
        };
        settings.insert(name, value.clone());
    }
    settings
}

/// The features of settings.
pub(super) fn features_of(settings: &Settings) -> Result<FeatureSpec> {
    features::features_of(settings, COUNT, TOLERANCE)
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
