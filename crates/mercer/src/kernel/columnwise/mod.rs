//! Kernels that are computed in one pass over the columns.

pub mod cauchy;
pub mod chi2;
pub mod histogram_intersection;
pub mod periodic;
pub mod sinc;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] =
    &[&cauchy::ENTRY, &periodic::ENTRY, &sinc::ENTRY, &histogram_intersection::ENTRY, &chi2::ENTRY];
