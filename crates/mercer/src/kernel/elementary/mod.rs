//! Constants, indicators, finite rank, and precomputed matrices.

pub mod ball;
pub mod constant;
pub mod delta;
pub mod finite_rank;
pub mod precomputed;
