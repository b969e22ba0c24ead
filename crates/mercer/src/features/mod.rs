//! `z(x)`: explicit features with `z(x)ᵀz(y) = k(x, y)`, exactly or nearly.
//!
//! [`RandomFourier`] draws frequencies from the [`SpectralMeasure`] of a shift-invariant kernel. Every map is a [`FeatureMap`].

mod fourier;
mod map;
mod sampling;
pub mod spectral;

pub use fourier::{FourierFeatures, FourierForm, RandomFourier, whitened};
pub use map::FeatureMap;
pub use sampling::Sampling;
pub use spectral::SpectralMeasure;
