//! General losses: `min Σ wᵢℓ(yᵢ, f(xᵢ)) + λ‖h‖²` over `f = h + b`, `h ∈ ℋ`.
//!
//! Losses with a continuous slope are minimized by Newton's method, those with kinks through their
//! dual problem; both give a duality gap.

mod dual;
pub(crate) mod entry;
mod evidence;
mod fit;
pub(in crate::learn) mod newton;
mod quantiles;
mod record;
mod spec;

pub(in crate::learn) use entry::LOSS_SOLVERS;
pub use evidence::LossEvidence;
pub(in crate::learn) use evidence::bind;
pub use fit::KernelMachineFit;
pub use newton::{LossPlan, LossSolver};
pub use quantiles::{QuantileCurves, QuantileCurvesFit};
pub use spec::KernelMachine;
