//! Kernel principal components.
//!
//! The directions in ℋ along which the images of the points vary most, with the scores of new
//! points, the part of the variance that is explained, a novelty score, and pre-images.

mod entry;
mod fit;
mod fixed_point;
mod inverse;
mod positive;
mod preimage;
mod record;
mod spec;

pub use super::eigen::{EigenEvidence, EigenPlan, EigenSolver};
pub use entry::ENTRY;
pub use fit::KernelPcaFit;
pub use inverse::InverseMap;
pub use preimage::{FixedPoint, Preimage, Preimages};
pub use spec::KernelPca;
