//! The leading eigenvectors of a centered kernel matrix `HKH`: what kernel principal components and
//! classical scaling have in common.

mod centered;
mod finite_rank;
mod nystrom;
mod plan;
mod projection;
mod record;

pub(crate) use centered::CenteredEigen;
pub(crate) use finite_rank::in_features;
pub(crate) use nystrom::NystromRequest;
pub(crate) use plan::EigenRequest;
pub use plan::{EigenPlan, EigenSolver};
pub(crate) use projection::Projection;

/// The evidence for eigenpairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EigenEvidence {
    /// The largest `‖HKHv − μv‖` of iterated eigenpairs; 0 for a decomposition as a whole, which
    /// has only rounding errors.
    pub residual: f64,
    /// Vectors that were multiplied by the matrix.
    pub products: usize,
    /// The number of landmarks; 0 for an exact solver.
    pub landmarks: usize,
    /// `tr(K − K̂)` as a part of `tr K`: what the landmarks miss; 0 for an exact solver. No
    /// eigenvalue is missed by more than this part of `tr K`.
    pub trace_missed: f64,
    /// The smallest eigenvalue, where all were computed.
    pub smallest: Option<f64>,
}
