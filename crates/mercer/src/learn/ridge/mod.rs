//! Kernel ridge regression: `min Σ wᵢ(yᵢ − f(xᵢ) − pᵢᵀβ)² + λ‖f‖²` over `f ∈ ℋ` and, unpenalized,
//! `β`.
//!
//! In coordinates scaled by `S = diag(√wᵢ)` the solution is `c = G S y`, `α = S c`, with
//! `G = lim (SKS + λI + τ SPPᵀS)⁻¹` for `τ → ∞`: the inverse on the complement of the unpenalized
//! functions. Everything else is read off `G`: the residuals `λS⁻¹c`, the hat diagonal `1 − λGᵢᵢ`,
//! the leave-one-out residuals `cᵢ/(sᵢGᵢᵢ)`.

mod centers;
mod direct;
mod distinct;
mod effects;
pub(crate) mod entry;
mod feature_spectrum;
mod features;
mod finite_rank;
mod fit;
mod grid;
mod head;
mod interval;
mod iterative;
mod mixed;
mod null_space;
mod partial;
mod plan;
mod problem;
mod record;
mod resolvent;
mod solution;
mod spec;
mod spectrum;
mod state_space;

pub(crate) use feature_spectrum::{FeatureSpectrum, HeldOutRows, path_in_features};
pub(in crate::learn) use finite_rank::FeatureFunction;
pub use fit::{Diagnostics, RidgeFit};
pub use interval::IntervalTarget;
pub(in crate::learn) use plan::approximation;
pub use plan::{RidgePlan, RidgeSolver};
pub(crate) use problem::{Problem, RidgeData};
pub(crate) use resolvent::along;
pub use solution::RidgeMethod;
pub use spec::Ridge;
pub(crate) use spec::check_lambda;
pub(crate) use spectrum::{AtLambda, RidgeSpectrum};
