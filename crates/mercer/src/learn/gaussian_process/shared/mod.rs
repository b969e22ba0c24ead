//! Gaussian processes of several targets that share one kernel, with a noise variance per row, at
//! given parameters.
//!
//! [`GaussianProcess`](super::GaussianProcess) has one target and one noise variance, chooses its
//! parameters, and is linear in `n` along a line; here a fit chooses nothing, so that a caller may run
//! its own search: [`ProcessEvidence`] is the likelihood with its gradient.

mod evidence;
mod fit;
mod optimize;
mod record;
mod spec;

pub use evidence::{EvidenceGradient, ProcessEvidence};
pub use fit::SharedGaussianProcessFit;
pub use spec::SharedGaussianProcess;
