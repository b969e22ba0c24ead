//! Random binning features: randomly shifted grids whose cells are the features.

mod map;
mod pitch;
mod separate;
mod sparse;

pub use map::{BinningFeatures, RandomBinning};
pub use sparse::CellMatrix;
