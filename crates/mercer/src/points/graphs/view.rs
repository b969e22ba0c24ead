//! One graph of a sample, borrowed.

use std::ops::Range;

use super::Graphs;

/// One graph of a sample. Vertices are counted within the graph, arcs within the sample.
#[derive(Clone)]
pub struct GraphView<'a> {
    sample: &'a Graphs,
    vertices: Range<usize>,
}

impl<'a> GraphView<'a> {
    /// The graph with these vertices of a sample.
    pub(super) fn new(sample: &'a Graphs, vertices: Range<usize>) -> Self {
        Self { sample, vertices }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices.len()
    }

    /// The number of arcs: both directions of undirected edges, self-loops once.
    pub fn arcs(&self) -> usize {
        self.sample.neighbor_starts[self.vertices.end] - self.sample.neighbor_starts[self.vertices.start]
    }

    /// The number of edges; an undirected edge counts once. `O(edges)`.
    pub fn edges(&self) -> usize {
        if self.sample.directed {
            return self.arcs();
        }
        (0..self.vertices()).map(|v| self.neighbors(v).iter().filter(|&&w| w as usize <= v).count()).sum()
    }

    /// Where the arcs of vertex `v` are among the arcs of the sample.
    pub fn arc_range(&self, v: usize) -> Range<usize> {
        let vertex = self.vertices.start + v;
        self.sample.neighbor_starts[vertex]..self.sample.neighbor_starts[vertex + 1]
    }

    /// The neighbors of vertex `v`, ascending (out-neighbors if directed).
    pub fn neighbors(&self, v: usize) -> &'a [u32] {
        &self.sample.neighbors[self.arc_range(v)]
    }

    /// The weights of the arcs of vertex `v`, beside its neighbors.
    pub fn weights(&self, v: usize) -> Option<&'a [f64]> {
        self.sample.edge_weights.as_ref().map(|w| &w[self.arc_range(v)])
    }

    /// The codes of the labels of the arcs of vertex `v`, beside its neighbors.
    pub fn edge_codes(&self, v: usize) -> Option<&'a [u32]> {
        self.sample.edge_labels.as_ref().map(|l| &l.codes()[self.arc_range(v)])
    }

    /// The codes of the vertex labels.
    pub fn vertex_codes(&self) -> Option<&'a [u32]> {
        self.sample.vertex_labels.as_ref().map(|l| &l.codes()[self.vertices.clone()])
    }

    /// The vertices of this graph among the vertices of the sample.
    pub fn vertex_range(&self) -> Range<usize> {
        self.vertices.clone()
    }

    /// Whether edges have a direction.
    pub fn is_directed(&self) -> bool {
        self.sample.directed
    }
}
