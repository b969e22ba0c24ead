//! Kernels with too many features to list: dynamic programming over pairs of strings.

pub(super) mod all_lengths;
pub(super) mod gap_weighted;
mod pairs;
mod tiles;

pub(super) use tiles::RecursionTiles;
