//! Gaussian processes: `y = f(x) + ε`, `f ~ GP(0, k)`, `ε ~ N(0, σ²)`.
//!
//! The posterior mean is the ridge regression with `λ = σ²`; beside it there are variances,
//! samples, and the marginal likelihood by which the parameters of the kernel are chosen.
//! [`sparse`] has the same with inducing points, in linear time; [`shared`] has several targets
//! with one kernel, and a noise variance per row.

mod decomposition;
mod effects;
pub(crate) mod entry;
mod features;
mod fit;
mod grid;
mod likelihood;
mod optimize;
mod record;
mod sample;
pub mod shared;
pub mod sparse;
mod spec;
mod state_space;

pub use decomposition::ProcessMethod;
pub use fit::{GaussianProcessFit, LeaveOneOutDensity, Prediction};
pub use optimize::Optimization;
pub use shared::{SharedGaussianProcess, SharedGaussianProcessFit};
pub use sparse::{SparseGaussianProcess, SparseGaussianProcessFit};
pub use spec::GaussianProcess;
