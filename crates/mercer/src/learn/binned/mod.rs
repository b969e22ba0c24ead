//! Learning with random binning features: a linear function of the cells that a point lies in,
//! found with products of the sparse matrix alone.

mod classes;
pub(crate) mod entry;
mod fit;
mod record;
mod run;
mod spec;

pub use classes::{BinnedClassifier, ClassLoss};
pub use fit::BinnedFit;
pub use spec::{BinnedMachine, BinnedPlan};
