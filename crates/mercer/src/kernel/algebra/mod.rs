//! Operations that make kernels out of kernels.

pub mod columns;
pub mod conformal;
pub mod induced;
pub mod minus;
pub mod normalized;
pub mod schoenberg;
pub mod series;
pub mod transformed;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] = &[
    &schoenberg::SCHOENBERG,
    &schoenberg::BASED,
    &normalized::ENTRY,
    &series::EXP,
    &series::SERIES,
    &columns::ENTRY,
    &minus::ENTRY,
    &conformal::ENTRY,
    &transformed::ENTRY,
    &induced::ENTRY,
];
