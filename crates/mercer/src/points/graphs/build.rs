//! Samples of graphs from lists of edges.

use super::{Graph, Graphs, Labels, Vectors};
use crate::{Error, Result};

impl Graphs {
    /// The sample of these graphs, all directed or all undirected.
    ///
    /// # Cost
    /// A sort of the edges of every graph.
    ///
    /// # Errors
    /// All of them name the graph, counted from 0: [`Error::Value`] for an end beyond the vertices
    /// and for numbers that are not finite or weights below 0, [`Error::Shape`] for a count of
    /// labels, vectors or weights that does not fit, [`Error::Mismatch`] for labels or vectors that some
    /// graphs have and others have not, and for an edge listed twice with different labels or
    /// weights. The edges of a graph without weights have weight 1 beside graphs with weights.
    ///
    /// # Example
    /// ```
    /// use mercer::points::{Graph, Graphs};
    /// let error = Graphs::from_graphs(vec![Graph::new(2, vec![(0, 2)])], false).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "edges of graph 0: row 0, column 1 holds 2: vertices are numbered from 0, and the graph has 2"
    /// );
    /// ```
    pub fn from_graphs(graphs: Vec<Graph>, directed: bool) -> Result<Self> {
        graphs.iter().enumerate().try_for_each(|(index, graph)| graph.check(index))?;
        let vertices = |g: &Graph| g.vertices;
        let edges = |g: &Graph| g.edges.len();
        let vertex_labels = column(&graphs, "vertex labels", vertices, |g| g.vertex_labels.is_some())?;
        let vectors = column(&graphs, "vertex vectors", vertices, |g| g.vertex_vectors.is_some())?;
        let edge_labels = column(&graphs, "edge labels", edges, |g| g.edge_labels.is_some())?;
        // No weight means weight 1: lengths are numbers of edges, and walks have the factor 1.
        let weights = graphs.iter().any(|g| edges(g) > 0 && g.edge_weights.is_some());
        let mut sample = Self::without_edges(&graphs, directed);
        sample.vertex_labels =
            vertex_labels.then(|| Labels::new(graphs.iter().flat_map(|g| g.vertex_labels.iter().flatten())));
        sample.vertex_vectors = if vectors { Some(gather_vectors(&graphs)?) } else { None };
        sample.add_edges(&graphs, edge_labels, weights)?;
        Ok(sample)
    }

    /// The sample with the vertices alone, before edges and attributes are added.
    fn without_edges(graphs: &[Graph], directed: bool) -> Self {
        let mut graph_starts = vec![0];
        let mut total = 0;
        graph_starts.extend(graphs.iter().map(|g| {
            total += g.vertices;
            total
        }));
        Self {
            directed,
            graph_starts,
            neighbor_starts: Vec::with_capacity(total + 1),
            neighbors: Vec::new(),
            vertex_labels: None,
            vertex_vectors: None,
            edge_labels: None,
            edge_weights: None,
        }
    }

    /// Fills the adjacency; an edge listed again is merged after a check of its attributes.
    fn add_edges(&mut self, graphs: &[Graph], labeled: bool, weighted: bool) -> Result<()> {
        let listed = labeled.then(|| Labels::new(graphs.iter().flat_map(|g| g.edge_labels.iter().flatten())));
        let (mut codes, mut weights, mut offset) = (Vec::new(), Vec::new(), 0);
        self.neighbor_starts.push(0);
        for (index, graph) in graphs.iter().enumerate() {
            let weight = |e: u32| graph.edge_weights.as_ref().map_or(1.0, |w| w[e as usize] + 0.0);
            let code = |e: u32| listed.as_ref().map_or(0, |l| l.codes()[offset + e as usize]);
            let mut degrees = vec![0; graph.vertices];
            for same in graph.arcs(self.directed).chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                let (u, v, e) = same[0];
                if let Some(other) = same.iter().find(|arc| weight(arc.2) != weight(e) || code(arc.2) != code(e)) {
                    return Err(graph.differing(index, e, other.2));
                }
                degrees[u as usize] += 1;
                self.neighbors.push(v);
                codes.extend(labeled.then(|| code(e)));
                weights.extend(weighted.then(|| weight(e)));
            }
            let mut end = self.neighbor_starts[self.neighbor_starts.len() - 1];
            self.neighbor_starts.extend(degrees.iter().map(|degree| {
                end += degree;
                end
            }));
            offset += graph.edges.len();
        }
        self.edge_labels = listed.map(|listed| Labels::sorted(listed.table(), codes));
        self.edge_weights = weighted.then_some(weights);
        Ok(())
    }
}

/// Whether the graphs have this attribute: all with items of that kind have it, or none has.
fn column(graphs: &[Graph], what: &str, items: fn(&Graph) -> usize, has: fn(&Graph) -> bool) -> Result<bool> {
    let mut counted = graphs.iter().enumerate().filter(|(_, g)| items(g) > 0);
    let Some((first, graph)) = counted.next() else { return Ok(false) };
    let present = has(graph);
    match counted.find(|(_, g)| has(g) != present) {
        None => Ok(present),
        Some((other, _)) => {
            let (with, without) = if present { (first, other) } else { (other, first) };
            Err(Error::mismatch(
                what,
                format!("graph {with} has them"),
                format!("graph {without} has none"),
                "give them for all graphs or for none",
            ))
        }
    }
}

/// The vectors of all vertices, which must have one length.
fn gather_vectors(graphs: &[Graph]) -> Result<Vectors> {
    let rows = || {
        graphs
            .iter()
            .enumerate()
            .flat_map(|(i, g)| g.vertex_vectors.iter().flatten().enumerate().map(move |(v, r)| (i, v, r)))
    };
    let width = rows().next().map_or(0, |(_, _, row)| row.len());
    match rows().find(|(_, _, row)| row.len() != width) {
        None => Ok(Vectors { width, values: rows().flat_map(|(_, _, row)| row).copied().collect() }),
        Some((i, v, row)) => {
            Err(Error::shape(&format!("length of the vector of vertex {v} of graph {i}"), width, row.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(graphs: Vec<Graph>) -> String {
        Graphs::from_graphs(graphs, false).unwrap_err().to_string()
    }

    #[test]
    fn repeated_edges_are_merged() {
        let listed = Graph::new(3, vec![(0, 1), (1, 0), (1, 2), (1, 2), (2, 2), (2, 2)]);
        let once = Graph::new(3, vec![(1, 2), (0, 1), (2, 2)]);
        let sample = |g: &Graph| Graphs::from_graphs(vec![g.clone()], false).unwrap();
        assert_eq!(sample(&listed), sample(&once));
        assert_eq!(Graphs::from_graphs(vec![listed.clone()], true).unwrap().edges(0), 4);
        let differing = listed.with_edge_weights(vec![1.0, 2.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(
            error(vec![differing]),
            "edge (0, 1) of graph 0 is listed twice: once with weight 1, and once with weight 2; list it once"
        );
        let labels = once.with_edge_labels(["a", "b", "c"]);
        assert!(Graphs::from_graphs(vec![labels], false).is_ok());
        let labels = Graph::new(2, vec![(0, 1), (1, 0)]).with_edge_labels(["a", "b"]);
        assert!(error(vec![labels]).contains("once with label a, and once with label b"));
    }

    #[test]
    fn edges_without_weights_have_weight_one() {
        let edge = || Graph::new(2, vec![(0, 1)]);
        let (ones, half) = (edge().with_edge_weights(vec![1.0]), edge().with_edge_weights(vec![0.5]));
        let sample = |graphs: Vec<Graph>| Graphs::from_graphs(graphs, false).unwrap();
        assert_eq!(sample(vec![edge(), half.clone(), edge()]), sample(vec![ones.clone(), half, ones]));
        assert!(sample(vec![edge(), edge()]).edge_weights().is_none());
        let no_edges = Graph::new(2, vec![]).with_edge_weights(vec![]);
        assert!(sample(vec![edge(), no_edges]).edge_weights().is_none());
    }

    #[test]
    fn errors_name_the_graph() {
        let edge = || Graph::new(2, vec![(0, 1)]);
        let good = || edge().with_vertex_labels([1, 2]);
        assert!(error(vec![good(), Graph::new(2, vec![(0, 2)])]).starts_with("edges of graph 1: row 0, column 1"));
        assert_eq!(error(vec![good().with_vertex_labels([1])]), "vertex labels of graph 0: expected 2, found 1");
        assert!(error(vec![edge().with_edge_weights(vec![-1.0])]).contains("row 0, column weight holds -1"));
        assert!(error(vec![edge().with_edge_weights(vec![f64::NAN])]).contains("finite"));
        assert!(error(vec![edge(), good()]).starts_with("vertex labels: graph 1 has them, and graph 0 has none"));
        let vectors = |width: usize| edge().with_vertex_vectors(vec![vec![0.0; 2], vec![0.0; width]]);
        assert!(error(vec![vectors(2), vectors(3)]).contains("vector of vertex 1 of graph 1: expected 2, found 3"));
    }

    #[test]
    fn graphs_without_vertices_fit_any_attributes() {
        let labeled = Graph::new(1, vec![]).with_vertex_labels(["C"]);
        let sample = Graphs::from_graphs(vec![Graph::default(), labeled], false).unwrap();
        assert_eq!((sample.vertices(0), sample.vertices(1)), (0, 1));
        assert!(sample.vertex_labels().is_some());
    }
}
