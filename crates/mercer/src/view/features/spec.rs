//! Which features are made.

use super::FeatureFit;
use super::fit::Map;
use crate::features::{
    DrawnFeatures, ExplicitFeatures, FeatureSpec, Nystrom, RandomBinning, RandomFourier, empirical_kernel_map,
};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Explicit features of points: `z(x)ᵀz(y) ≈ k(x, y)`.
///
/// # Example
/// ```
/// use mercer::{Compute, view::FeatureView};
/// use ndarray::array;
/// let (x, compute) = (array![[1.0, 2.0], [3.0, 4.0]], Compute::new());
/// let view = FeatureView::Explicit("polynomial(degree=2, offset=1)".parse()?);
/// let fit = view.fit(x.view(), &compute)?;
/// let z = fit.transform(x.view(), &compute)?;
/// mercer::assert_close!(z.row(0).dot(&z.row(1)), 144.0, abs = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureView {
    /// Random Fourier features.
    Fourier(RandomFourier),
    /// Random binning features.
    Binning(RandomBinning),
    /// Nyström features from landmarks.
    Nystrom(Nystrom),
    /// The empirical kernel map of all points.
    Empirical(Kernel),
    /// The finitely many features of a kernel.
    Explicit(Kernel),
}

impl FeatureView {
    /// Makes the features; medians are resolved on the points, and landmarks chosen among them.
    ///
    /// # Errors
    /// [`Error::TooFew`] for no point; as [`RandomFourier::fit`], [`RandomBinning::fit`],
    /// [`Nystrom::fit`], [`empirical_kernel_map`] and [`ExplicitFeatures::new`].
    pub fn fit<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<FeatureFit> {
        let x = x.into();
        if x.is_empty() {
            return Err(Error::too_few("explicit features", "points", 1, 0));
        }
        compute.check_canceled()?;
        let map = match self {
            Self::Fourier(spec) => Map::Drawn(DrawnFeatures::Fourier(spec.fit(x, compute)?)),
            Self::Binning(spec) => Map::Binning(spec.fit(x.vectors()?, compute)?),
            Self::Nystrom(spec) => Map::Drawn(DrawnFeatures::Nystrom(spec.fit(x, compute)?)),
            Self::Empirical(kernel) => Map::Drawn(DrawnFeatures::Nystrom(empirical_kernel_map(kernel, x, compute)?)),
            Self::Explicit(kernel) => {
                x.check_finite("sample")?;
                let kernel = kernel.resolve(x.vectors()?, compute)?;
                Map::Explicit(ExplicitFeatures::new(kernel, x.columns())?)
            }
        };
        let drawn = !matches!(self, Self::Empirical(_) | Self::Explicit(_));
        let settings = self.settings().with_some("seed", drawn.then(|| compute.seed()));
        Ok(FeatureFit { map, settings, entry: self.entry() })
    }

    /// The settings by name.
    pub fn settings(&self) -> Settings {
        match self {
            Self::Fourier(spec) => without_features(FeatureSpec::Fourier(spec.clone()).settings()),
            Self::Nystrom(spec) => without_features(FeatureSpec::Nystrom(spec.clone()).settings()),
            Self::Binning(spec) => Settings::new()
                .with("kernel", &spec.kernel)
                .with("components", spec.grids)
                .with("buckets", spec.buckets),
            Self::Empirical(kernel) | Self::Explicit(kernel) => Settings::new().with("kernel", kernel),
        }
    }

    /// Bytes and operations for this many points with so many numbers each, about.
    pub(super) fn work(&self, rows: usize, numbers: usize) -> (u64, f64) {
        let (n, d) = (rows as f64, numbers as f64);
        match self {
            Self::Fourier(spec) => (8 * spec.components as u64 * (numbers as u64 + 2), n * d * spec.components as f64),
            Self::Binning(spec) => (16 * spec.grids as u64 * numbers as u64, n * d * spec.grids as f64),
            Self::Nystrom(spec) => {
                let m = spec.components.min(rows) as f64;
                ((8.0 * (n * m + 0.5 * m * m)) as u64, n * m * (d + m))
            }
            Self::Empirical(_) => ((32.0 * n * n) as u64, 9.0 * n * n * n),
            Self::Explicit(_) => (0, n * d),
        }
    }
}

/// The settings without the word that names the features.
fn without_features(settings: Settings) -> Settings {
    let mut kept = Settings::new();
    for (name, value) in settings.iter().filter(|(name, _)| *name != "features") {
        kept.insert(name, value.clone());
    }
    kept
}
