//! Linear algebra behind plain functions: matrices in, solutions with evidence out.

mod band_reduction;
mod band_sweep;
mod block_pivots;
mod blocks;
pub(crate) mod chain;
mod cholesky;
mod conjugate_gradient;
mod dual;
mod eigen;
mod factor;
mod inverse;
mod lbfgs;
mod leading;
mod pivoted;
pub(crate) mod products;
mod random_pivots;
mod reflectors;
mod resolvent;
mod single;
pub(crate) mod state_space;

pub use block_pivots::block_randomly_pivoted_cholesky;
pub use cholesky::{PositiveSolution, Solved, solve_positive};
pub use conjugate_gradient::{ConjugateGradientOptions, ConjugateGradientSolution, Product, conjugate_gradients};
pub(crate) use dual::{ClassBlocks, PairRoom};
pub use dual::{Constraint, DualOptions, DualProblem, DualSolution, KernelRows, Stopped};
pub use eigen::{SymmetricEigen, eigenvalues, symmetric_eigen};
pub(crate) use factor::factor_any;
pub use factor::{CholeskyFactor, Factored, factor};
pub(crate) use inverse::inverse;
pub use lbfgs::{LbfgsOptions, Minimum, Objective, minimize};
pub use leading::{LeadingEigen, leading_eigen};
pub use pivoted::{PivotedCholesky, pivoted_cholesky};
pub use random_pivots::randomly_pivoted_cholesky;
pub(crate) use resolvent::{Resolvent, resolvents};
pub use single::SingleFactor;
