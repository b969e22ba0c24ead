//! `K`: tiles of the Gram matrix, and what is built from them.

mod bound;
mod median;
mod metric;
mod pairs;
pub mod simd;
mod tiles;

pub use crate::kernel::Metric as MetricKind;
pub use bound::Bound;
pub use median::median_distance;
pub use metric::Metric;
pub use pairs::Pairs;
pub use tiles::Tiles;
