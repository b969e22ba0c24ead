//! Kernel k-means through features, a pass for every step.

pub(crate) mod entry;
mod fit;
mod record;
mod spec;
mod terms;

pub use fit::StreamedKMeansFit;
pub use spec::StreamedKMeans;
pub(super) use terms::{KMeansTerms, Step};
