//! Explicit features as views: what a map of features gives for new points, in files.

pub(crate) mod entry;
mod fit;
mod spec;

pub use fit::FeatureFit;
pub use spec::FeatureView;
