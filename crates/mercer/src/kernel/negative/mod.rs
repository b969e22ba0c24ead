//! Negative-definite kernels: `Σ cᵢ = 0` implies `cᵀκc ≤ 0`.

pub mod distance;
pub mod log_distance;
pub mod sqdist;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] = &[&sqdist::ENTRY, &distance::ENTRY, &log_distance::ENTRY];
