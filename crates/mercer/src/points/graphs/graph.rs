//! One graph as a list of edges, and its checks.

use super::Label;
use crate::error::Requirement;
use crate::{Error, Result};

/// One graph as a list of edges, for [`Graphs::from_graphs`](super::Graphs::from_graphs).
///
/// An edge listed twice (for undirected graphs in either direction) counts once; its labels and
/// weights must agree.
///
/// # Example
/// ```
/// use mercer::points::{Graph, Graphs};
/// let water = Graph::new(3, vec![(0, 1), (0, 2)]).with_vertex_labels(["O", "H", "H"]);
/// let graphs = Graphs::from_graphs(vec![water], false)?;
/// assert_eq!(graphs.describe(0), "graph(3 vertices, 2 edges)");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The number of vertices.
    pub vertices: usize,
    /// The edges: pairs of vertices, counted from 0. `(v, v)` is a self-loop.
    pub edges: Vec<(u32, u32)>,
    /// One label per vertex.
    pub vertex_labels: Option<Vec<Label>>,
    /// One vector per vertex, all of the same length.
    pub vertex_vectors: Option<Vec<Vec<f64>>>,
    /// One label per listed edge.
    pub edge_labels: Option<Vec<Label>>,
    /// One weight per listed edge, finite and at least 0; 1 where other graphs of a sample have weights.
    pub edge_weights: Option<Vec<f64>>,
}

impl Graph {
    /// A graph without labels, vectors or weights.
    pub fn new(vertices: usize, edges: Vec<(u32, u32)>) -> Self {
        Self { vertices, edges, ..Self::default() }
    }

    /// The graph with one label per vertex.
    pub fn with_vertex_labels<L: Into<Label>>(mut self, labels: impl IntoIterator<Item = L>) -> Self {
        self.vertex_labels = Some(labels.into_iter().map(Into::into).collect());
        self
    }

    /// The graph with one vector per vertex.
    pub fn with_vertex_vectors(mut self, vectors: Vec<Vec<f64>>) -> Self {
        self.vertex_vectors = Some(vectors);
        self
    }

    /// The graph with one label per listed edge.
    pub fn with_edge_labels<L: Into<Label>>(mut self, labels: impl IntoIterator<Item = L>) -> Self {
        self.edge_labels = Some(labels.into_iter().map(Into::into).collect());
        self
    }

    /// The graph with one weight per listed edge.
    pub fn with_edge_weights(mut self, weights: Vec<f64>) -> Self {
        self.edge_weights = Some(weights);
        self
    }

    /// Checks what concerns this graph alone; `index` is its place in the sample.
    pub(super) fn check(&self, index: usize) -> Result<()> {
        if u32::try_from(self.vertices).is_err() {
            return Err(Error::shape(&format!("vertices of graph {index}"), "at most 4294967295", self.vertices));
        }
        self.check_edges(index)?;
        self.check_counts(index)?;
        self.check_numbers(index)
    }

    fn check_edges(&self, index: usize) -> Result<()> {
        let beyond = |&(_, &(u, v)): &(usize, &(u32, u32))| u.max(v) as usize >= self.vertices;
        match self.edges.iter().enumerate().find(beyond) {
            None => Ok(()),
            Some((place, &(u, v))) => {
                let (end, vertex) = if u as usize >= self.vertices { (0, u) } else { (1, v) };
                let required = format!("vertices are numbered from 0, and the graph has {}", self.vertices);
                Err(Error::value(format!("edges of graph {index}"), (place, end), vertex, required))
            }
        }
    }

    fn check_counts(&self, index: usize) -> Result<()> {
        let (vertices, edges) = (self.vertices, self.edges.len());
        let counts = [
            (self.vertex_labels.as_ref().map(Vec::len), "vertex labels", vertices),
            (self.vertex_vectors.as_ref().map(Vec::len), "vertex vectors", vertices),
            (self.edge_labels.as_ref().map(Vec::len), "edge labels", edges),
            (self.edge_weights.as_ref().map(Vec::len), "edge weights", edges),
        ];
        for (found, what, expected) in counts {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(Error::shape(&format!("{what} of graph {index}"), expected, found));
            }
        }
        Ok(())
    }

    fn check_numbers(&self, index: usize) -> Result<()> {
        for (place, &weight) in self.edge_weights.iter().flatten().enumerate() {
            if !(weight.is_finite() && weight >= 0.0) {
                let what = format!("edges of graph {index}");
                return Err(Error::value(what, (place, "weight"), weight, "it must be finite and at least 0"));
            }
        }
        for (v, vector) in self.vertex_vectors.iter().flatten().enumerate() {
            if let Some(column) = vector.iter().position(|value| !value.is_finite()) {
                let what = format!("vertex vectors of graph {index}");
                return Err(Error::value(what, (v, column), vector[column], Requirement::Finite));
            }
        }
        Ok(())
    }

    /// The error for two listed edges that are one and have different labels or weights.
    pub(super) fn differing(&self, index: usize, first: u32, second: u32) -> Error {
        let (u, v) = self.edges[first as usize];
        let text = |edge: u32| match (&self.edge_weights, &self.edge_labels) {
            (Some(weights), _) if weights[first as usize] != weights[second as usize] => {
                format!("once with weight {}", weights[edge as usize])
            }
            (_, Some(labels)) => format!("once with label {}", labels[edge as usize]),
            _ => "once".into(),
        };
        let what = format!("edge ({u}, {v}) of graph {index} is listed twice");
        Error::mismatch(what, text(first), text(second), "list it once")
    }

    /// The arcs, sorted: start, end, and the place in the list of edges.
    pub(super) fn arcs(&self, directed: bool) -> Vec<(u32, u32, u32)> {
        let mut arcs = Vec::with_capacity(2 * self.edges.len());
        for (e, &(u, v)) in self.edges.iter().enumerate() {
            arcs.push((u, v, e as u32));
            if !directed && u != v {
                arcs.push((v, u, e as u32));
            }
        }
        arcs.sort_unstable();
        arcs
    }
}
