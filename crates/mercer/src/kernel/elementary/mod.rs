//! Constants, indicators, finite rank, and matrices precomputed.

pub mod ball;
pub mod constant;
pub mod delta;
pub mod finite_rank;
pub mod precomputed;
