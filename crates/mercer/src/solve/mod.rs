//! Linear algebra behind plain functions: matrices in, solutions with evidence out.

mod band_reduction;
mod band_sweep;
mod block_pivots;
mod blocks;
pub(crate) mod chain;
mod cholesky;
mod conjugate_gradient;
mod curved;
mod dual;
mod eigen;
pub(crate) mod exact_sums;
mod factor;
mod feature_system;
pub(crate) mod grid;
mod inverse;
mod lbfgs;
mod leading;
pub(crate) mod newton;
mod pivoted;
mod random_pivots;
mod reflectors;
mod resolvent;
mod single;
pub(crate) mod state_space;
mod triangular;

pub use block_pivots::block_randomly_pivoted_cholesky;
pub use cholesky::{PositiveSolution, Solved, solve_positive};
pub use conjugate_gradient::{
    ConjugateGradientOptions, ConjugateGradientSolution, ConjugateGradientState, ConjugateGradients, Ended,
    ResidualRule, Watch, conjugate_gradients,
};
pub(crate) use conjugate_gradient::{NullSpace, pinned_inverse};
pub use curved::{CurvedObjective, minimize_curved};
pub(crate) use dual::{ClassBlocks, PairRoom};
pub use dual::{Constraint, DualOptions, DualProblem, DualSolution, KernelRows, Stopped};
pub use eigen::{SymmetricEigen, eigenvalues, symmetric_eigen};
pub(crate) use factor::factor_any;
pub use factor::{CholeskyFactor, Factored, factor};
pub(crate) use feature_system::FeatureSystem;
pub(crate) use inverse::inverse;
pub use lbfgs::{MinimizeOptions, Minimum, Objective, minimize};
pub use leading::{LeadingEigen, leading_eigen};
pub(crate) use leading::{leading_bytes, leading_estimates, leading_width, orthonormal};
pub use pivoted::{PivotedCholesky, pivoted_cholesky};
pub use random_pivots::randomly_pivoted_cholesky;
pub(crate) use resolvent::{Resolvent, resolvents};
pub use single::SingleFactor;
