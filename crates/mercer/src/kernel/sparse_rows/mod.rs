//! Sparse rows of counts: the explicit features of kernels on objects, and their inner products.

mod algebra;
mod blocks;
mod lists;
mod map;
mod panels;
mod parts;
mod products;
mod rows;
#[cfg(test)]
pub(crate) mod testing;
mod tiles;

pub(crate) use blocks::{BlockTiles, RunningSums, SharedBlocks};
pub(crate) use map::SparseMap;
pub(crate) use parts::{Part, concat};
pub(crate) use products::{SparseColumns, SparseProducts, list_work};
pub(crate) use rows::RowsAndColumns;
pub use rows::SparseRows;
pub(crate) use tiles::SparseTiles;
