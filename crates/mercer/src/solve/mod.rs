//! Linear algebra behind plain functions: matrices in, solutions with evidence out.

mod cholesky;
mod eigen;

pub use cholesky::{PositiveSolution, Solved, solve_positive};
pub use eigen::{SymmetricEigen, eigenvalues, symmetric_eigen};
