//! Constants, indicators, finite rank, and precomputed matrices.

pub mod ball;
pub mod constant;
pub mod delta;
pub mod finite_rank;
pub mod precomputed;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] =
    &[&constant::ENTRY, &delta::ENTRY, &ball::ENTRY, &finite_rank::ENTRY, &precomputed::ENTRY];
