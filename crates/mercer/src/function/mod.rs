//! ℋ: functions of a reproducing kernel Hilbert space as values.
//!
//! [`Expansion`] is `f = Σ αᵢ k(·, xᵢ)`, [`Function`] one or several of them on common centers with
//! their constants: what learners return, what is saved, what is plotted. By the reproducing
//! property `⟨f, k(·, x)⟩ = f(x)`, so inner products, norms and projections are sums over values of
//! `k`.

mod components;
mod draws;
mod expansion;
mod functions;
mod gradient;
mod instances;
mod norms;
mod projection;
mod spectrum;
mod tensor;

pub use components::Component;
pub use draws::prior_draws;
pub use expansion::Expansion;
pub use functions::Function;
pub use instances::instance_scores;
pub use norms::{bridge_norm, laplacian_norm, power_series_norm, sinc_norm, sobolev_norm};
pub use projection::Projection;
pub use spectrum::{Measure, Spectrum};
