//! Exact feature maps of kernels with finitely many features.

mod map;
mod tree;

pub use map::ExplicitFeatures;
