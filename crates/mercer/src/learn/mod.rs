//! Choosing an element of ℋ from data: `min Σ loss(yᵢ, f(xᵢ)) + λ‖f‖²`.
//!
//! A learner is a specification of plain data; `fit` checks it, makes a [`Plan`](ridge::Plan) where the work is large, asks the
//! memory budget, and returns a fitted model that says how it was found.

pub mod additive;
pub mod binned;
pub mod centres;
mod conditional;
pub mod gaussian_process;
pub mod logistic;
pub mod loss;
mod observations;
pub(crate) mod parameter_space;
pub mod ridge;
pub mod smoother;
pub mod spline;
mod stopped;
pub mod streamed;
pub mod svm;

pub use binned::{BinnedFit, BinnedMachine};
pub use centres::{CentreFit, CentreMachine};
pub use gaussian_process::{
    GaussianProcess, GaussianProcessFit, SharedGaussianProcess, SharedGaussianProcessFit, SparseGaussianProcess,
    SparseGaussianProcessFit,
};
pub use logistic::{LogisticFit, LogisticRegression};
pub use loss::{KernelMachine, KernelMachineFit, Loss, QuantileCurves, QuantileCurvesFit};
pub use ridge::{Ridge, RidgeFit};
pub use streamed::{RidgePasses, RidgeStream, StreamedRidge, StreamedRidgeFit};
pub use svm::{OneClass, Svc, Svr};
