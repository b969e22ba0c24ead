//! Kernels on bags and on persistence diagrams, through the embeddings of their points.

pub mod embedding;
pub mod persistence;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] =
    &[&embedding::MEAN, &embedding::SQUARED_MMD, &embedding::GAUSSIAN, &persistence::ENTRY];
