//! Learning with a few centres: `f = Σ αⱼk(·, zⱼ) + b` over `m` centres instead of all points, for samples of any length.
//!
//! The matrix `K_nm` is stored where it fits and computed in tiles, twice used and forgotten, where it does not. Each Newton step (one for the squared
//! loss) is solved by conjugate gradients, with the same system on a part of the sample as preconditioner.

mod basis;
mod fit;
mod gradients;
mod newton;
mod plan;
mod precondition;
mod spec;
mod sweep;

pub use fit::{CentreEvidence, CentreFit};
pub use plan::CentrePlan;
pub use spec::{CentreMachine, HeldOut};
