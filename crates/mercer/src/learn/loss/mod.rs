//! General losses: `min Σ wᵢℓ(yᵢ, f(xᵢ)) + λ‖h‖²` over `f = h + b`, `h ∈ ℋ`.
//!
//! Losses with a continuous slope are minimized by Newton's method, those with kinks through their
//! dual problem; both give a duality gap.

mod dual;
pub(crate) mod entry;
mod fit;
mod functions;
mod kind;
mod machine;
pub(in crate::learn) mod newton;
mod quantiles;
mod record;
mod text;

pub(in crate::learn) use entry::LOSS_SOLVERS;
pub use fit::KernelMachineFit;
pub use functions::LossEvidence;
pub(in crate::learn) use functions::{Functions, bind, check_lambda, check_options, weights};
pub use kind::Loss;
pub(in crate::learn) use kind::sigmoid;
pub use machine::KernelMachine;
pub use newton::{LossPlan, LossSolver};
pub use quantiles::{QuantileCurves, QuantileCurvesFit};
