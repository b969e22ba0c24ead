//! Graphs as points: many graphs in a few flat arrays.

mod build;
mod combine;
mod graph;
mod labels;
mod parts;
mod view;

use std::fmt;

use ndarray::ArrayView2;

use super::repeated::firsts;

pub use graph::Graph;
pub use labels::{Label, Labels};
pub(crate) use parts::{GraphsParts, LabelParts};
pub use view::GraphView;

/// A sample of graphs, stored in compressed sparse rows over the vertices of all graphs.
///
/// An *arc* is one stored direction of an edge. An undirected graph stores both directions of
/// every edge and a self-loop once. The neighbors of a vertex ascend and no arc occurs twice, so
/// two samples are equal exactly if they hold the same graphs with the same attributes.
/// Attributes (vertex labels, vertex vectors, edge labels, edge weights) are present for all
/// graphs or for none; weights that are missing beside others are 1. A graph without vertices is a point.
///
/// # Cost
/// 8 bytes per vertex and 4 per arc, and per attribute 4 bytes (labels) or 8 (numbers).
///
/// # Example
/// ```
/// use mercer::points::{Graph, Graphs};
/// let triangle = Graph::new(3, vec![(0, 1), (1, 2), (2, 0)]);
/// let path = Graph::new(3, vec![(0, 1), (1, 2)]);
/// let graphs = Graphs::from_graphs(vec![triangle, path], false)?;
/// assert_eq!((graphs.len(), graphs.edges(0), graphs.neighbors(1, 0)), (2, 3, &[1][..]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Graphs {
    directed: bool,
    /// Graph `i` has the vertices `graph_starts[i]..graph_starts[i + 1]` of the sample.
    graph_starts: Vec<usize>,
    /// Vertex `v` of the sample has the arcs `neighbor_starts[v]..neighbor_starts[v + 1]`.
    neighbor_starts: Vec<usize>,
    /// The end of every arc, counted within its graph.
    neighbors: Vec<u32>,
    vertex_labels: Option<Labels>,
    vertex_vectors: Option<Vectors>,
    edge_labels: Option<Labels>,
    edge_weights: Option<Vec<f64>>,
}

/// One vector per vertex, row after row.
#[derive(Clone, Debug, PartialEq)]
struct Vectors {
    width: usize,
    values: Vec<f64>,
}

impl Graphs {
    /// The number of graphs.
    pub fn len(&self) -> usize {
        self.graph_starts.len() - 1
    }

    /// Whether the sample has no graph.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether edges have a direction.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// Graph `i`, borrowed.
    ///
    /// # Panics
    /// When there is no such graph.
    pub fn graph(&self, i: usize) -> GraphView<'_> {
        GraphView::new(self, self.graph_starts[i]..self.graph_starts[i + 1])
    }

    /// The number of vertices of graph `i`.
    pub fn vertices(&self, i: usize) -> usize {
        self.graph(i).vertices()
    }

    /// The number of edges of graph `i`; an undirected edge counts once. `O(edges)`.
    pub fn edges(&self, i: usize) -> usize {
        self.graph(i).edges()
    }

    /// The neighbors of vertex `v` of graph `i`, ascending (out-neighbors if directed).
    pub fn neighbors(&self, i: usize, v: usize) -> &[u32] {
        self.graph(i).neighbors(v)
    }

    /// The number of vertices of all graphs.
    pub fn total_vertices(&self) -> usize {
        self.neighbor_starts.len() - 1
    }

    /// The number of arcs of all graphs.
    pub fn total_arcs(&self) -> usize {
        self.neighbors.len()
    }

    /// The offsets of the arcs of every vertex of the sample, and the total at the end.
    pub(crate) fn arc_starts(&self) -> &[usize] {
        &self.neighbor_starts
    }

    /// The labels of all vertices, graph after graph.
    pub fn vertex_labels(&self) -> Option<&Labels> {
        self.vertex_labels.as_ref()
    }

    /// The labels of all arcs, in the order of the arcs.
    pub fn edge_labels(&self) -> Option<&Labels> {
        self.edge_labels.as_ref()
    }

    /// The weights of all arcs, in the order of the arcs.
    pub fn edge_weights(&self) -> Option<&[f64]> {
        self.edge_weights.as_deref()
    }

    /// The length of the vertex vectors.
    pub fn vector_width(&self) -> Option<usize> {
        self.vertex_vectors.as_ref().map(|v| v.width)
    }

    /// The vectors of all vertices, one row for each.
    pub(crate) fn all_vectors(&self) -> Option<ArrayView2<'_, f64>> {
        let vectors = self.vertex_vectors.as_ref()?;
        ArrayView2::from_shape((self.total_vertices(), vectors.width), &vectors.values).ok()
    }

    /// Where the vertices of graph `i` begin; where all vertices end for the number of graphs.
    pub(crate) fn graph_start(&self, i: usize) -> usize {
        self.graph_starts[i]
    }

    /// The vertex vectors of graph `i`, row after row.
    pub fn vertex_vectors(&self, i: usize) -> Option<&[f64]> {
        let range = self.graph(i).vertex_range();
        self.vertex_vectors.as_ref().map(|v| &v.values[range.start * v.width..range.end * v.width])
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        let labels = [&self.vertex_labels, &self.edge_labels].into_iter().flatten().map(Labels::size).sum::<usize>();
        let vectors = self.vertex_vectors.as_ref().map_or(0, |v| 8 * v.values.len());
        let weights = self.edge_weights.as_ref().map_or(0, |w| 8 * w.len());
        let starts = 8 * (self.graph_starts.len() + self.neighbor_starts.len());
        (starts + 4 * self.neighbors.len() + labels + vectors + weights) as u64
    }

    /// Graph `i` in a few words: `graph(17 vertices, 19 edges)`.
    ///
    /// # Panics
    /// When there is no such graph.
    pub fn describe(&self, i: usize) -> String {
        format!(
            "graph({}, {})",
            counted(self.vertices(i), "vertex", "vertices"),
            counted(self.edges(i), "edge", "edges")
        )
    }

    /// For every graph, the number of the first graph with the same vertices, edges and attributes.
    pub(crate) fn first_equal(&self) -> Vec<usize> {
        let bits = |values: &[f64]| -> Vec<u64> { values.iter().map(|v| (v + 0.0).to_bits()).collect() };
        firsts((0..self.len()).map(|i| {
            let vertices = self.graph(i).vertex_range();
            let arcs = self.neighbor_starts[vertices.start]..self.neighbor_starts[vertices.end];
            let degrees: Vec<usize> = vertices.clone().map(|v| self.neighbor_starts[v + 1] - arcs.start).collect();
            (
                (degrees, &self.neighbors[arcs.clone()]),
                self.vertex_labels.as_ref().map(|labels| &labels.codes()[vertices]),
                self.edge_labels.as_ref().map(|labels| &labels.codes()[arcs.clone()]),
                self.edge_weights.as_ref().map(|weights| bits(&weights[arcs])),
                self.vertex_vectors(i).map(bits),
            )
        }))
    }

    /// The names of the attributes that the graphs have.
    fn attributes(&self) -> Vec<&'static str> {
        let present = [
            (self.vertex_labels.is_some(), "vertex labels"),
            (self.vertex_vectors.is_some(), "vertex vectors"),
            (self.edge_labels.is_some(), "edge labels"),
            (self.edge_weights.is_some(), "edge weights"),
        ];
        present.into_iter().filter(|p| p.0).map(|p| p.1).collect()
    }
}

/// `1 vertex`, `2 vertices`.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

impl fmt::Debug for Graphs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.directed { "directed " } else { "" };
        let size = counted(self.len(), "graph", "graphs");
        write!(f, "Graphs({direction}{size}, {}", counted(self.total_vertices(), "vertex", "vertices"))?;
        self.attributes().iter().try_for_each(|name| write!(f, ", {name}"))?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Graphs {
        let tail = Graph::new(4, vec![(0, 1), (1, 2), (0, 2), (2, 3), (3, 3)]);
        Graphs::from_graphs(vec![tail, Graph::new(0, vec![]), Graph::new(1, vec![])], false).unwrap()
    }

    #[test]
    fn sizes_and_descriptions() {
        let graphs = sample();
        assert_eq!((graphs.len(), graphs.total_vertices(), graphs.total_arcs()), (3, 5, 9));
        assert_eq!(graphs.describe(0), "graph(4 vertices, 5 edges)");
        assert_eq!(graphs.describe(1), "graph(0 vertices, 0 edges)");
        assert_eq!(graphs.describe(2), "graph(1 vertex, 0 edges)");
        assert_eq!(graphs.neighbors(0, 3), [2, 3]);
        assert_eq!(format!("{graphs:?}"), "Graphs(3 graphs, 5 vertices)");
        assert!(!graphs.is_empty());
        // 4 ends of graphs, 6 ends of vertices, 9 arcs.
        assert_eq!(graphs.bytes(), 8 * (4 + 6) + 4 * 9);
    }

    #[test]
    fn equal_graphs_are_found() {
        let edge = |labels: [&str; 2], weight: f64| {
            Graph::new(2, vec![(0, 1)]).with_vertex_labels(labels).with_edge_weights(vec![weight])
        };
        let graphs = vec![edge(["a", "b"], 1.0), edge(["a", "c"], 1.0), edge(["a", "b"], 2.0), edge(["a", "b"], 1.0)];
        assert_eq!(Graphs::from_graphs(graphs, false).unwrap().first_equal(), [0, 1, 2, 0]);
        let vectors = |x: f64| Graph::new(1, vec![]).with_vertex_vectors(vec![vec![x]]);
        let graphs = Graphs::from_graphs(vec![vectors(1.0), vectors(2.0), vectors(1.0)], true).unwrap();
        assert_eq!(graphs.first_equal(), [0, 1, 0]);
        let empty = Graphs::from_graphs(vec![Graph::default(), Graph::new(1, vec![]), Graph::default()], false);
        assert_eq!(empty.unwrap().first_equal(), [0, 1, 0]);
    }
}
