//! Classical scaling: a negative-definite kernel as squared distances between vectors.

mod entry;
mod fit;
mod halved;
mod negative;
mod record;
mod spec;
mod stress;

pub use super::eigen::{EigenEvidence, EigenPlan, EigenSolver};
pub use entry::ENTRY;
pub use fit::ClassicalScalingFit;
pub use negative::NegativePart;
pub use spec::ClassicalScaling;
