//! Golden values, random graphs and shared checks for the tests of graph kernels.

use super::features::Features;
use crate::kernel::sparse_rows::SparseRows;
use crate::points::{Graph, Graphs, Label};
use crate::{Compute, Result};

fn golden_file() -> serde_json::Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/c17_graph_kernels.json");
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// An expected matrix of golden c17.
pub(super) fn golden(key: &str) -> Vec<Vec<f64>> {
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let rows = golden_file()["expected"][key].as_array().unwrap().clone();
    rows.iter().map(|row| row.as_array().unwrap().iter().map(number).collect()).collect()
}

/// The graphs of golden c17.
pub(super) fn golden_graphs() -> Graphs {
    let graph = |value: &serde_json::Value| {
        let end = |edge: &serde_json::Value, i: usize| edge[i].as_u64().unwrap() as u32;
        let edges = value["edges"].as_array().unwrap().iter().map(|e| (end(e, 0), end(e, 1))).collect();
        let labels: Vec<&str> = value["labels"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
        Graph::new(value["n"].as_u64().unwrap() as usize, edges).with_vertex_labels(labels)
    };
    let graphs = golden_file()["inputs"]["graphs"].as_array().unwrap().iter().map(graph).collect();
    Graphs::from_graphs(graphs, false).unwrap()
}

/// A small generator (64-bit linear congruential, high bits).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Random sparse graphs of 0 to 8 vertices with three vertex labels and self-loops.
pub(super) fn random_sample(seed: u64, count: usize, directed: bool, edge_labels: bool, weights: bool) -> Graphs {
    let mut random = Random::new(seed);
    let graphs = (0..count).map(|_| random_graph(&mut random, edge_labels, weights)).collect();
    Graphs::from_graphs(graphs, directed).unwrap()
}

fn random_graph(random: &mut Random, edge_labels: bool, weights: bool) -> Graph {
    let n = random.below(9);
    let mut edges: Vec<(u32, u32)> = (0..if n == 0 { 0 } else { n + random.below(4) })
        .map(|_| (random.below(n) as u32, random.below(n) as u32))
        .map(|(u, v)| (u.min(v), u.max(v)))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let mut graph = Graph::new(n, edges.clone()).with_vertex_labels((0..n).map(|_| random.below(3) as i64));
    if edge_labels {
        graph = graph.with_edge_labels(edges.iter().map(|_| random.below(2) as i64));
    }
    if weights {
        graph = graph.with_edge_weights(edges.iter().map(|_| (1 + random.below(4)) as f64 / 2.0).collect());
    }
    graph
}

/// The same graphs with their vertices in another order.
pub(super) fn permuted(graphs: &Graphs, seed: u64) -> Graphs {
    let mut random = Random::new(seed);
    let graph = |index: usize| {
        let (g, n) = (graphs.graph(index), graphs.vertices(index));
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|i| order.swap(i, random.below(i + 1)));
        let arcs: Vec<(usize, usize, u32)> =
            (0..n).flat_map(|v| g.arc_range(v).zip(g.neighbors(v)).map(move |(arc, &end)| (arc, v, end))).collect();
        let edges = arcs.iter().map(|&(_, v, end)| (order[v] as u32, order[end as usize] as u32)).collect();
        let mut labels = vec![Label::from(0); n];
        let text = |v: usize| graphs.vertex_labels().unwrap().text(g.vertex_range().start + v);
        (0..n).for_each(|v| labels[order[v]] = Label::from(text(v)));
        Graph {
            edge_labels: graphs.edge_labels().map(|l| arcs.iter().map(|a| Label::from(l.text(a.0))).collect()),
            edge_weights: graphs.edge_weights().map(|w| arcs.iter().map(|a| w[a.0]).collect()),
            ..Graph::new(n, edges).with_vertex_labels(labels)
        }
    };
    Graphs::from_graphs((0..graphs.len()).map(graph).collect(), graphs.is_directed()).unwrap()
}

/// Start, end, and (start label, end label, length bits) of a shortest path.
pub(super) type Path = (usize, usize, (u32, u32, u64));

/// All shortest paths between different vertices, by Floyd and Warshall.
pub(super) fn labeled_paths(graphs: &Graphs, index: usize) -> Vec<Path> {
    let (graph, n) = (graphs.graph(index), graphs.vertices(index));
    let mut d = vec![vec![f64::INFINITY; n]; n];
    for (v, row) in d.iter_mut().enumerate() {
        for (place, &end) in graph.neighbors(v).iter().enumerate() {
            row[end as usize] = graph.weights(v).map_or(1.0, |w| w[place]);
        }
    }
    for k in 0..n {
        pairs(n).for_each(|(i, j)| d[i][j] = d[i][j].min(d[i][k] + d[k][j]));
    }
    let labels = graph.vertex_codes().unwrap_or_default();
    let found = pairs(n).filter(|&(i, j)| i != j && d[i][j].is_finite());
    found.map(|(i, j)| (i, j, (labels[i], labels[j], d[i][j].to_bits()))).collect()
}

/// All pairs of numbers below `n`.
pub(super) fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n * n).map(move |place| (place / n, place % n))
}

/// The kernel values of the features: rows against columns, or rows against rows.
pub(super) fn gram(features: &Features) -> Vec<Vec<f64>> {
    let (rows, cols) = (&features.rows, features.cols.as_ref().unwrap_or(&features.rows));
    assert_eq!(rows.width, cols.width);
    let dense = |m: &SparseRows, i: usize| {
        let range = m.starts[i]..m.starts[i + 1];
        assert!(
            m.columns[range.clone()].is_sorted_by(|a, b| a < b) && m.values[range.clone()].iter().all(|v| *v != 0.0)
        );
        let mut row = vec![0.0; m.width];
        range.for_each(|e| row[m.columns[e] as usize] = m.values[e]);
        row
    };
    let (n, m) = (rows.starts.len() - 1, cols.starts.len() - 1);
    let value = |i: usize, j: usize| dense(rows, i).iter().zip(dense(cols, j)).map(|(a, b)| a * b).sum();
    (0..n).map(|i| (0..m).map(|j| value(i, j)).collect()).collect()
}

/// The kernel values of two samples.
pub(super) fn gram_of(
    features: impl Fn(&Graphs, Option<&Graphs>) -> Result<Features>,
    rows: &Graphs,
    cols: &Graphs,
) -> Vec<Vec<f64>> {
    gram(&features(rows, Some(cols)).unwrap())
}

/// Two samples give the values of one pooled sample, and the order of the vertices does not matter.
pub(super) fn check_samples(graphs: &Graphs, features: impl Fn(&Graphs, Option<&Graphs>) -> Result<Features>) {
    let whole = gram(&features(graphs, None).unwrap());
    let ends = [[0, 1, 2].as_slice(), &[3, 4, 5, 6, 7]].map(|i| graphs.select(i));
    let part = gram_of(&features, &ends[0], &ends[1]);
    (0..3).for_each(|i| assert_eq!(part[i], whole[i][3..]));
    let other = permuted(graphs, 99);
    assert_eq!(gram(&features(&other, None).unwrap()), whole);
    assert_eq!(gram_of(&features, graphs, &other), whole);
}

/// The same result with one thread and with three.
pub(super) fn check_threads<T: PartialEq + std::fmt::Debug>(result: impl Fn(&Compute) -> T) {
    let run = |threads| result(&Compute::new().with_threads(threads).unwrap());
    assert_eq!(run(1), run(3));
}

pub(super) fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs() / expected.abs().max(1.0);
    assert!(error <= tolerance, "found {found:.17}, expected {expected:.17} (relative error {error:.1e})");
}

pub(super) fn assert_values(found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    found.iter().flatten().zip(expected.iter().flatten()).for_each(|(f, e)| assert_close(*f, *e, tolerance));
}
