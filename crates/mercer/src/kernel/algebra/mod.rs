//! Operations that make kernels out of kernels.

pub mod columns;
pub mod conformal;
pub mod induced;
pub mod minus;
pub mod normalized;
pub mod schoenberg;
pub mod series;
pub mod transformed;
