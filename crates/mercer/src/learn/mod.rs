//! Learners: `min Σ loss(yᵢ, f(xᵢ)) + λ‖f‖²`.
//!
//! A learner is a specification of plain data; `fit` checks it, makes a [plan](ridge::RidgePlan)
//! where the work is large, checks the memory budget, and returns a fitted model that reports how
//! it was found.

pub mod additive;
pub mod binned;
pub mod centers;
mod conditional;
#[cfg(test)]
mod every_operator;
pub mod gaussian_process;
mod linear;
pub mod logistic;
pub mod loss;
pub mod machine;
pub mod multiple;
pub(crate) mod observations;
pub(crate) mod parameter_space;
pub mod ridge;
pub mod smoother;
pub mod spline;
mod stopped;
pub mod streamed;
pub mod svm;

/// Threads whose buffers a choice makes room for, however many there are: what is run, and so the
/// bytes of the solution, must not depend on their number. Whether the buffers of all threads fit
/// is checked afterwards.
pub(crate) const PLANNED_THREADS: u64 = 8;
/// Why a solver was taken, for a fit from a model file: files hold nothing about the run.
pub(crate) const FROM_FILE: &str = "read from a model file";

pub use binned::{BinnedClassifier, BinnedFit, BinnedMachine, ClassLoss};
pub use centers::{CenterFit, CenterMachine};
pub use gaussian_process::{
    GaussianProcess, GaussianProcessFit, SharedGaussianProcess, SharedGaussianProcessFit, SparseGaussianProcess,
    SparseGaussianProcessFit,
};
pub use logistic::{LogisticFit, LogisticRegression};
pub use loss::Loss;
pub use machine::{KernelMachine, KernelMachineFit, QuantileCurves, QuantileCurvesFit};
pub use ridge::{Ridge, RidgeFit};
pub use streamed::{
    LogisticStep, LogisticStream, RidgePasses, RidgeStream, StreamedLogistic, StreamedLogisticFit, StreamedRidge,
    StreamedRidgeFit,
};
pub use svm::{OneClass, Svc, Svr};
