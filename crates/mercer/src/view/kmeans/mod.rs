//! Kernel k-means: clusters around means in ℋ.
//!
//! [`KernelKMeans`] finds the partition, on the kernel matrix (stored or computed tile by tile) or
//! on Nyström features where that would take too long. Every start is improved by Lloyd's steps and
//! then by moves of single points until no move of one point improves the objective.
//! [`choose_clusters`] chooses the number of clusters, [`adjusted_rand_index`] compares partitions.

mod agreement;
mod choose;
mod count;
pub(crate) mod entry;
mod fit;
mod means;
mod moves;
mod options;
mod partition;
mod plan;
mod record;
mod rows;
mod run;
mod seeds;
mod spec;
mod starts;
mod sums;
pub(in crate::view) mod vectors;

pub use agreement::adjusted_rand_index;
pub use choose::{ChosenClusters, ClusterScore, choose_clusters};
pub use count::{ClusterCount, CountRule};
pub use fit::{KMeansEvidence, KernelKMeansFit};
pub use options::KMeansInit;
pub use plan::ClusterSolver;
pub use spec::KernelKMeans;

pub(in crate::view) use choose::{checked_max, stability};
pub(in crate::view) use count::RULES;
pub(in crate::view) use means::smallest;
pub(in crate::view) use options::{INITS, Search};
pub(in crate::view) use plan::{ClusterPlan, SOLVERS, Work};
pub(in crate::view) use record::check_labels;
pub(in crate::view) use rows::KernelRows;
