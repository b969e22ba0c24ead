//! ℋ: functions of a reproducing kernel Hilbert space as values.
//!
//! [`Expansion`] is `f = Σ αᵢ k(·, xᵢ)`: what every learner returns, what is saved, what is
//! plotted. By the reproducing property `⟨f, k(·, x)⟩ = f(x)`, so inner products, norms and
//! projections are sums over values of `k`.

mod components;
mod draws;
mod expansion;
mod gradient;
mod instances;
mod norms;
mod projection;
mod spectrum;
mod tensor;

pub use components::Component;
pub use draws::prior_draws;
pub use expansion::Expansion;
pub use instances::instance_scores;
pub use norms::{bridge_norm, laplacian_norm, power_series_norm, sinc_norm, sobolev_norm};
pub use projection::Projection;
pub use spectrum::{Measure, Spectrum};
