//! Covariances of processes, and Sobolev kernels on the line.

pub mod bridge;
pub mod brownian;
pub mod sobolev;
pub mod weighted_sobolev;
pub mod wiener;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] =
    &[&wiener::ENTRY, &bridge::ENTRY, &brownian::ENTRY, &sobolev::ENTRY, &weighted_sobolev::ENTRY];
