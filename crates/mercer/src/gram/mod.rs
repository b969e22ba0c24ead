//! `K`: tiles of the Gram matrix, and matrices and products built from them.
//!
//! [`Kernel::bind`](crate::Kernel::bind) gives a [`Bound`] kernel. [`Metric`] computes distances
//! and inner products, [`simd`] applies a formula to them, [`Tiles`] is the matrix that results,
//! and [`dense`] and [`multiply`] store it or use it without storing.

mod bound;
mod by_features;
mod centers;
mod coordinates;
mod dense;
mod distances;
mod fold;
mod forms;
mod median;
pub(crate) mod metric;
mod multiply;
mod pairs;
mod resolve;
mod rows;
pub mod simd;
pub(crate) mod sparse;
mod tiles;

pub use crate::kernel::MetricKind;
pub use crate::kernel::sparse_rows::SparseRows;
pub use bound::Bound;
pub(crate) use bound::{KernelFamily, KernelList};
pub(crate) use centers::KeptCenters;
pub(crate) use dense::{BLOCK, block_of, check_single, check_weights};
pub use dense::{dense, dense_single};
pub(crate) use distances::Distances;
pub(crate) use fold::{Tile, fold_tiles, sum};
pub(crate) use forms::{FORMS_HELD, Forms, LabelValues, quadratic_forms};
pub use median::median_distance;
pub(crate) use median::median_distance_sparse;
pub use metric::Metric;
pub use multiply::multiply;
pub(crate) use multiply::multiply_parts;
pub use pairs::Pairs;
pub(crate) use rows::Rows;
pub use tiles::Tiles;
