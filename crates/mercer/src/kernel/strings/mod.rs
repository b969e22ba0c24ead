//! Kernels on strings: common substrings, subsequences and words.
//!
//! Kernels with explicit features (`spectrum`, `mismatch`, `words`) count them as sparse rows. The
//! subsequence kernels have too many features for that; they are computed pair by pair by dynamic
//! programming.

pub mod all_subsequences;
mod features;
pub mod mismatch;
mod recursion;
pub mod spectrum;
pub mod subsequence;
#[cfg(test)]
mod testing;
pub mod words;

use super::catalogue::Entry;
pub use features::vocabulary::Vocabulary;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] =
    &[&spectrum::ENTRY, &mismatch::ENTRY, &subsequence::ENTRY, &all_subsequences::ENTRY, &words::ENTRY];
