//! Newton's method for `min Σ wᵢℓ(yᵢ, fᵢ) + (μ/2) Σ‖h_c‖²`, `f = h + b`, with smooth losses: one
//! function, or one per class.
//!
//! With `h = Σ αᵢk(·, xᵢ)`, `f = Kα + b`, `g = wᵢ∂ℓ/∂f` and `BBᵀ = wᵢ∂²ℓ/∂f²`, the solution
//! satisfies `μα = −g` and, for an intercept, `Σα = 0`. Let `ρ = −g/μ − α` be what is missing. A
//! Newton step is
//!
//! `(BᵀKB + μI)c = Bᵀ(Kρ + δb)`, `Δα = ρ − Bc`, `ΣΔα = 0`,
//!
//! which divides by no curvature, so that straight pieces of a loss are no exception; for piecewise
//! quadratic losses it is the generalized Newton method, which ends after finitely many steps. The
//! intercept is placed exactly after every step, so that `Σg = 0`. Then `α⁺ = −g/μ` is feasible for
//! the dual problem, Fenchel's inequality is an equality at every point, and the duality gap of `α`
//! and `α⁺` is
//!
//! `gap = (μ/2) ρᵀKρ = (μ/2)‖h − h⁺‖²`:
//!
//! a square, computed without subtracting two large numbers.

mod direction;
mod iterate;
mod iterative;
mod plan;
mod root;
mod search;
mod state;

pub(in crate::learn) use iterate::{Options, Problem, Solution};
pub use plan::{LossPlan, LossSolver};
pub(in crate::learn) use plan::{Request, dual_plan};
pub(in crate::learn) use state::NewtonState;
