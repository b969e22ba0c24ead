//! Linear algebra behind plain functions: matrices in, solutions with evidence out.

mod eigen;

pub use eigen::{SymmetricEigen, eigenvalues, symmetric_eigen};
