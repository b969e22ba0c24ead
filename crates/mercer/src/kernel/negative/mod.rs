//! Negative-definite kernels: `Σ cᵢ = 0` implies `cᵀκc ≤ 0`.

pub mod distance;
pub mod log_distance;
pub mod sqdist;
