//! Graphs: points that are sets of vertices with edges between them.

use crate::Result;

/// PLACEHOLDER until the helper's file arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct Graphs;

impl Graphs {
    pub fn first_equal(&self) -> Vec<usize> {
        Vec::new()
    }
    pub fn len(&self) -> usize {
        0
    }
    pub fn bytes(&self) -> u64 {
        0
    }
    pub(crate) fn describe(&self, _: usize) -> String {
        String::new()
    }
    pub(crate) fn select(&self, _: &[usize]) -> Self {
        Self
    }
    pub(crate) fn pooled(&self, _: &Self) -> Result<Self> {
        Ok(Self)
    }
}
