//! Kernels on strings: common substrings, subsequences and words.

pub mod spectrum;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] = &[&spectrum::ENTRY];
