//! Spectral clustering: clusters from the leading eigenvectors of the normalized Gram matrix.

mod affinity;
pub(crate) mod entry;
mod fit;
mod gaps;
mod record;
mod spec;
mod spectrum;

pub use fit::{SpectralEvidence, SpectralFit};
pub(in crate::view) use gaps::eigengaps;
pub use spec::SpectralClustering;
