//! Kernels on graphs: counts of vertex labels, of refined labels, of shortest paths and of walks.

mod distances;
mod features;
pub(crate) mod node_paths;
pub mod random_walk;
mod refine;
pub mod shortest_path;
#[cfg(test)]
mod test_support;
pub mod vertex_histogram;
pub mod weisfeiler_lehman;

use super::catalogue::Entry;

/// Their pages in the catalogue.
pub(super) const ENTRIES: &[&Entry] =
    &[&vertex_histogram::ENTRY, &weisfeiler_lehman::ENTRY, &shortest_path::ENTRY, &random_walk::ENTRY];
