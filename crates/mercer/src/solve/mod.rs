//! Linear algebra behind plain functions: matrices in, solutions with evidence out.

mod banded;
pub(crate) mod chain;
mod cholesky;
mod eigen;

pub use banded::{BandedFactor, SymmetricBanded};
pub use cholesky::{PositiveSolution, Solved, solve_positive};
pub use eigen::{SymmetricEigen, eigenvalues, symmetric_eigen};
