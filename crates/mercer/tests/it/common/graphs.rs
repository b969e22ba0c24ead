//! Graphs for tests.

use std::path::Path;

use mercer::gram::{self, Pairs};
use mercer::points::{Graph, Graphs, Label};
use mercer::{Compute, Kernel, Seed, io};
use ndarray::Array2;

/// The 188 compounds of MUTAG and their classes.
pub fn mutag() -> (Graphs, Vec<i64>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/MUTAG");
    io::read_tu(&folder, &Compute::new()).unwrap()
}

/// Undirected graphs of these.
pub fn undirected(graphs: Vec<Graph>) -> Graphs {
    Graphs::from_graphs(graphs, false).unwrap()
}

/// A graph of a sample as a list of edges: every stored direction of an edge, by vertices that are
/// renumbered by `place`.
pub fn listed(graphs: &Graphs, index: usize, place: impl Fn(usize) -> usize) -> Graph {
    let (graph, n) = (graphs.graph(index), graphs.vertices(index));
    let arcs: Vec<(usize, usize, u32)> =
        (0..n).flat_map(|v| graph.arc_range(v).zip(graph.neighbors(v)).map(move |(arc, &end)| (arc, v, end))).collect();
    let edges = arcs.iter().map(|&(_, v, end)| (place(v) as u32, place(end as usize) as u32)).collect();
    let mut order = vec![0; n];
    (0..n).for_each(|v| order[place(v)] = v);
    let label = |v: &usize| graphs.vertex_labels().map(|labels| labels.text(graph.vertex_range().start + v));
    let vector = |v: &usize| {
        let (width, values) = (graphs.vector_width()?, graphs.vertex_vectors(index)?);
        Some(values[v * width..(v + 1) * width].to_vec())
    };
    Graph {
        vertex_labels: graphs.vertex_labels().map(|_| order.iter().filter_map(label).map(Label::from).collect()),
        vertex_vectors: graphs.vector_width().map(|_| order.iter().filter_map(vector).collect()),
        edge_labels: graphs.edge_labels().map(|l| arcs.iter().map(|a| Label::from(l.text(a.0))).collect()),
        edge_weights: graphs.edge_weights().map(|w| arcs.iter().map(|a| w[a.0]).collect()),
        ..Graph::new(n, edges)
    }
}

/// Some graphs of a sample.
pub fn chosen(graphs: &Graphs, indices: impl IntoIterator<Item = usize>) -> Graphs {
    let graphs_of = indices.into_iter().map(|i| listed(graphs, i, |v| v)).collect();
    Graphs::from_graphs(graphs_of, graphs.is_directed()).unwrap()
}

/// The same graphs with their vertices in another order.
pub fn permuted(graphs: &Graphs, seed: u64) -> Graphs {
    let mut stream = Seed(seed).stream("vertices", 0);
    let graph = |i: usize| {
        let order = stream.permutation(graphs.vertices(i));
        listed(graphs, i, |v| order[v])
    };
    Graphs::from_graphs((0..graphs.len()).map(graph).collect(), graphs.is_directed()).unwrap()
}

/// Random graphs of 0 to 7 vertices with labels, vectors, edge labels and weights; self-loops and
/// vertices without edges occur.
pub fn random(seed: u64, count: usize, directed: bool) -> Graphs {
    let mut stream = Seed(seed).stream("graphs", 0);
    let mut below = |n: usize| (stream.uniform() * n as f64) as usize;
    let graphs = (0..count).map(|_| {
        let n = below(8);
        let mut edges: Vec<(u32, u32)> = (0..if n == 0 { 0 } else { n + below(3) })
            .map(|_| (below(n) as u32, below(n) as u32))
            .map(|(u, v)| (u.min(v), u.max(v)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let count = edges.len();
        Graph::new(n, edges)
            .with_vertex_labels((0..n).map(|_| below(3) as i64))
            .with_vertex_vectors((0..n).map(|_| vec![below(5) as f64 / 4.0, below(5) as f64 / 4.0]).collect())
            .with_edge_labels((0..count).map(|_| below(2) as i64))
            .with_edge_weights((0..count).map(|_| (1 + below(3)) as f64 / 2.0).collect())
    });
    Graphs::from_graphs(graphs.collect(), directed).unwrap()
}

/// The values of a kernel on graphs.
pub fn within(kernel: &str, graphs: &Graphs, compute: &Compute) -> Array2<f64> {
    let kernel: Kernel = kernel.parse().unwrap();
    gram::dense(&kernel.bind(Pairs::Within(graphs.into()), compute).unwrap(), compute).unwrap()
}

/// The values between two samples.
pub fn between(kernel: &str, rows: &Graphs, cols: &Graphs, compute: &Compute) -> Array2<f64> {
    let kernel: Kernel = kernel.parse().unwrap();
    gram::dense(&kernel.bind(Pairs::Between(rows.into(), cols.into()), compute).unwrap(), compute).unwrap()
}
