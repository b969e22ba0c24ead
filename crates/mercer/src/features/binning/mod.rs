//! Random binning features: randomly shifted grids whose cells are the features.

mod map;
mod operator;
mod pitch;
mod separate;
mod sparse;

pub use map::{BinningFeatures, RandomBinning};
pub(crate) use operator::Cells;
pub use sparse::CellMatrix;
