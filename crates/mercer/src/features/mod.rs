//! `z(x)`: explicit features with `z(x)ᵀz(y) = k(x, y)`, exactly or nearly.
//!
//! [`RandomFourier`] draws frequencies from the [`SpectralMeasure`] of a shift-invariant kernel,
//! [`RandomBinning`] draws grids, and [`FourierGuarantee`] and [`measured_error`] bound and measure
//! the error. [`Nystrom`] approximates the kernel from a few landmarks; [`ExplicitFeatures`] are
//! exact. Dense maps are [`FeatureMap`]s. [`RidgeStatistics`] and its kin take in features chunk by
//! chunk.

mod binning;
mod bounds;
mod decay;
mod drawn;
mod explicit;
mod fourier;
mod map;
mod measured;
mod nystrom;
mod sampling;
pub(crate) mod seeding;
pub mod spectral;
mod statistics;

pub(crate) use binning::Cells;
pub use binning::{BinningFeatures, CellMatrix, RandomBinning};
pub use bounds::{FourierGuarantee, Region, binning_bound, binning_grids, fourier_bound, fourier_components};
pub use decay::ErrorDecay;
pub use drawn::{DrawnFeatures, FeatureSpec};
pub use explicit::ExplicitFeatures;
pub use fourier::{FourierFeatures, FourierForm, RandomFourier, StructuredFeatures, StructuredFourier, whitened};
pub use map::FeatureMap;
pub use measured::{MeasuredError, measured_error};
pub use nystrom::{Landmarks, Nystrom, NystromFeatures, empirical_kernel_map, ridge_leverage_scores};
pub use sampling::Sampling;
pub use spectral::SpectralMeasure;
pub(crate) use statistics::{BlockStream, BlockTerms, ExactRidge, RowBlocks, columns_of};
pub use statistics::{CovarianceStatistics, FeatureFunction, MeanStatistics, RidgeStatistics};
