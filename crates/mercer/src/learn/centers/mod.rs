//! Learning with a few centers: `f = Σ αⱼk(·, zⱼ) + b` over `m` centers instead of all points, for
//! samples of any length.
//!
//! The matrix `K_nm` is stored where it fits and computed in tiles, twice used and forgotten, where
//! it does not. Each Newton step (one for the squared loss) is solved by conjugate gradients, with
//! the same system on a part of the sample as preconditioner.

mod basis;
mod fit;
mod options;
mod plan;
mod precondition;
mod run;
mod spec;
mod validation;

pub use fit::{CenterEvidence, CenterFit};
pub(in crate::learn) use options::CENTERS;
pub use options::Centers;
pub use plan::CenterPlan;
pub use spec::{CenterMachine, EarlyStopping};
