//! What is seen without labels, and in several views of the same objects: components, clusters,
//! correlations between views, independent sources, embeddings.
//!
//! A view is a specification of plain data; `fit` returns the fitted view, which takes new points
//! as well. Points may be of any kind that the kernel takes.

pub mod cca;
pub(crate) mod centering;
pub mod coupled;
pub mod eigen;
pub mod features;
pub mod ica;
pub mod kmeans;
pub mod pca;
mod principal;
pub mod scaling;
pub mod spectral;
pub mod streamed;

pub use features::{FeatureFit, FeatureView};
pub use kmeans::{
    ChosenClusters, ClusterCount, ClusterScore, ClusterSolver, CountRule, KMeansEvidence, KMeansInit, KernelKMeans,
    KernelKMeansFit, adjusted_rand_index, choose_clusters,
};
pub use principal::PrincipalAxes;
pub use spectral::{SpectralClustering, SpectralEvidence, SpectralFit};
