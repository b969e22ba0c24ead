//! K: tiles of the Gram matrix, and what is built from them.
//!
//! [`Metric`] computes distances and inner products, [`simd`] applies a formula to them, [`Tiles`] is the matrix
//! that results, and [`dense`] and [`multiply`] store it or use it without storing.

mod dense;
pub(crate) mod metric;
mod multiply;
pub mod simd;
mod tiles;

pub use dense::{dense, dense_single};
pub use metric::{Metric, MetricKind};
pub use multiply::multiply;
pub use tiles::Tiles;
