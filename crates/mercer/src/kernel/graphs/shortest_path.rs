//! The shortest path kernel.

use super::distances::{all_lengths, hops};
use super::features::{BLOCK, Features, number_keys, pool};
use super::vertex_histogram::start_codes;
use crate::Compute;
use crate::kernel::object::{ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::points::{GraphView, Graphs};

/// Shortest path kernel on graphs.
///
/// # Formula
/// `k(g, h) = #{(i, j, i′, j′) : l_i = l_i′, l_j = l_j′, d(i, j) = d(i′, j′) < ∞}` over the ordered
/// pairs `i ≠ j` of `g` and `i′ ≠ j′` of `h`, with the shortest path distance `d` (Borgwardt and
/// Kriegel 2005). With `labels=false`, or where vertices have no labels, distances alone are
/// compared. With `nodes=k` every term is multiplied by `k(i, i′) k(j, j′)` of the vertex vectors:
/// that is [`Kernel::NodePaths`].
///
/// Edge weights are lengths; without them every edge has length 1. Self-loops and edge labels are
/// ignored; pairs without a path do not count. Directed graphs use directed paths. Distances by
/// weights are equal if their floating-point numbers are equal: weights that are integers or short
/// binary fractions are added exactly, others may differ by rounding when the same weights are
/// added in another order.
///
/// # Theory
/// An inner product of counts: positive semi-definite, with one feature per distance and pair of
/// labels.
///
/// # Cost
/// `O(n (n + edges))` per graph of `n` vertices, times `log n` with weights; then the features
/// that two graphs have in common. With `nodes=k` `O(n n′ (n + n′))` per pair.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::{Graph, Graphs}};
/// let triangle = Graph::new(3, vec![(0, 1), (1, 2), (2, 0)]);
/// let path = Graph::new(3, vec![(0, 1), (1, 2)]);
/// let graphs = Graphs::from_graphs(vec![triangle, path], false)?;
/// let (k, compute): (Kernel, _) = ("shortest_path()".parse()?, Compute::new());
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&graphs).into()), &compute)?, &compute)?;
/// // The triangle has 6 ordered pairs at distance 1; the path has 4, and 2 at distance 2.
/// assert_eq!(gram, ndarray::array![[36.0, 24.0], [24.0, 20.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortestPath {
    labels: bool,
}

impl ShortestPath {
    /// The kernel that compares the labels of the ends, or lengths alone.
    pub fn new(labels: bool) -> Self {
        Self { labels }
    }
}

impl Leaf for ShortestPath {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        if self.labels { Vec::new() } else { vec![("labels", "false".into())] }
    }

    fn facts(&self) -> Facts {
        Facts::counts("an inner product of counts of shortest paths")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for ShortestPath {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let (rows, cols) = pairs.graphs()?;
        Ok(shortest_path(rows, cols, self.labels, compute)?.tiles())
    }

    fn has_features(&self) -> bool {
        true
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "shortest_path",
    family: Family::Graphs,
    formula: "#{(i, j, i′, j′) : equal labels, d(i, j) = d(i′, j′) < ∞}",
    domain: Domain::Graphs,
    parameters: &[
        ParameterEntry {
            name: "labels",
            default: Some("true"),
            range: "true or false",
            meaning: "whether the labels of the ends must be equal",
        },
        ParameterEntry {
            name: "nodes",
            default: None,
            range: "a kernel",
            meaning: "a kernel on the vertex vectors, whose values at both ends are factors",
        },
    ],
    theory: "An inner product of counts of shortest paths by length and labels: positive semi-definite; with nodes=k where k is.",
    cost: "the distances and labels in common",
    examples: &["shortest_path()", "shortest_path(labels=false)", "shortest_path(nodes=gaussian(lengthscale=2))"],
    build: |arguments| {
        let labels = arguments.flag("labels", true)?;
        Ok(match arguments.named_kernel("nodes")? {
            Some(nodes) => Kernel::NodePaths(labels, Box::new(nodes)),
            None => ShortestPath::new(labels).into(),
        })
    },
};

/// How many ordered pairs of vertices have given labels and a given distance. The columns ascend
/// by (distance, label of the start, label of the end).
fn shortest_path(rows: &Graphs, cols: Option<&Graphs>, labels: bool, compute: &Compute) -> Result<Features> {
    let graphs = pool(rows, cols)?;
    let codes = if labels { start_codes(&graphs).0 } else { vec![0; graphs.total_vertices()] };
    let counts = compute.try_map_tasks(graphs.len().div_ceil(BLOCK), |block| {
        let range = block * BLOCK..graphs.len().min((block + 1) * BLOCK);
        let counts = range.map(|index| {
            let graph = graphs.graph(index);
            count_paths(&graph, &codes[graph.vertex_range()], graphs.edge_weights().is_some(), compute)
        });
        counts.collect::<Result<Vec<_>>>()
    })?;
    let counts: Vec<_> = counts.into_iter().flatten().collect();
    Ok(Features::split(number_keys(&counts, compute)?, rows.len(), cols.is_some()))
}

/// The counts of one graph by key, ascending.
fn count_paths(graph: &GraphView, codes: &[u32], weighted: bool, compute: &Compute) -> Result<Vec<(u128, u64)>> {
    let (local, present) = local_codes(codes);
    if weighted {
        return count_sorted(graph, codes, compute);
    }
    // A table of all (label, label, distance) is quick while it is not larger than a few numbers
    // per pair of vertices; graphs with very many labels sort their pairs.
    if present.len() * present.len() <= 4 * codes.len() + 16 {
        count_table(graph, &local, &present, compute)
    } else {
        count_sorted(graph, codes, compute)
    }
}

/// The key of a pair of labels and a distance; keys are ordered by (distance, start, end).
fn key(start: u32, end: u32, distance: u64) -> u128 {
    u128::from(distance) << 64 | u128::from(start) << 32 | u128::from(end)
}

/// The codes renumbered within the graph, and the codes that occur in ascending order.
fn local_codes(codes: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut present = codes.to_vec();
    present.sort_unstable();
    present.dedup();
    let local = codes.iter().map(|code| present.partition_point(|c| c < code) as u32).collect();
    (local, present)
}

/// Counts numbers of edges in a table of (distance, label, label), which grows with the distance.
fn count_table(graph: &GraphView, local: &[u32], present: &[u32], compute: &Compute) -> Result<Vec<(u128, u64)>> {
    let (n, labels) = (local.len(), present.len());
    let (mut table, mut queue, mut near) = (vec![0u64; labels * labels], Vec::with_capacity(n), vec![0; n]);
    for source in 0..n {
        compute.check_canceled()?;
        hops(graph, source, &mut queue, &mut near);
        let largest = queue.last().map_or(0, |&last| near[last as usize] as usize);
        table.resize(table.len().max((largest + 1) * labels * labels), 0);
        let starts = &mut table[local[source] as usize * labels..];
        for &end in &queue[1..] {
            starts[near[end as usize] as usize * labels * labels + local[end as usize] as usize] += 1;
        }
    }
    let entry = |(place, &count): (usize, &u64)| {
        let (pair, distance) = (place % (labels * labels), place / (labels * labels));
        (count > 0).then(|| (key(present[pair / labels], present[pair % labels], distance as u64), count))
    };
    Ok(table.iter().enumerate().filter_map(entry).collect())
}

/// Counts lengths by sorting the keys of all pairs.
fn count_sorted(graph: &GraphView, codes: &[u32], compute: &Compute) -> Result<Vec<(u128, u64)>> {
    let (n, lengths) = (codes.len(), all_lengths(graph, compute)?);
    let weighted = n > 0 && graph.weights(0).is_some();
    let mut keys: Vec<u128> = Vec::new();
    for (place, &length) in lengths.iter().enumerate() {
        let (start, end) = (place / n, place % n);
        if start != end && length.is_finite() {
            let distance = if weighted { length.to_bits() } else { length as u64 };
            keys.push(key(codes[start], codes[end], distance));
        }
    }
    keys.sort_unstable();
    Ok(keys.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;
    use crate::points::Graph;

    fn values(graphs: &Graphs, labels: bool) -> Vec<Vec<f64>> {
        gram(&shortest_path(graphs, None, labels, &Compute::new()).unwrap())
    }

    #[test]
    fn golden_values() {
        assert_values(&values(&golden_graphs(), true), &golden("shortest_path_ordered"), 0.0);
        assert_values(&values(&golden_graphs(), false), &golden("shortest_path_ordered_unlabelled"), 0.0);
    }

    #[test]
    fn brute_force() {
        for (seed, directed) in (0..12).flat_map(|s| [(s, false), (s, true)]) {
            let graphs = random_sample(seed, 5, directed, false, seed % 2 == 0);
            let found = values(&graphs, true);
            let paths: Vec<_> = (0..5).map(|i| labeled_paths(&graphs, i)).collect();
            for (i, j) in pairs(5) {
                let equal = paths[i].iter().map(|p| paths[j].iter().filter(|q| p.2 == q.2).count()).sum::<usize>();
                assert_eq!(found[i][j], equal as f64, "seed {seed}, graphs {i} and {j}");
            }
        }
    }

    #[test]
    fn many_labels_are_sorted() {
        let path = |labels: std::ops::Range<i64>| {
            Graph::new(40, (1..40).map(|v| (v - 1, v)).collect()).with_vertex_labels(labels)
        };
        let graphs = Graphs::from_graphs(vec![path(0..40), path(20..60)], false).unwrap();
        assert_eq!(values(&graphs, true), [[1560.0, 380.0], [380.0, 1560.0]]);
    }

    #[test]
    fn two_samples_and_permutations() {
        for weighted in [false, true] {
            let graphs = random_sample(3, 8, false, false, weighted);
            check_samples(&graphs, |r, c| shortest_path(r, c, true, &Compute::new()));
        }
    }

    #[test]
    fn threads_do_not_matter() {
        let graphs = random_sample(2, 200, true, false, true);
        check_threads(|compute| shortest_path(&graphs, None, true, compute).unwrap());
    }

    #[test]
    fn loops_and_isolated_vertices_add_nothing() {
        let graphs = vec![
            Graph::new(3, vec![(0, 1), (1, 1)]),
            Graph::new(2, vec![(0, 1)]),
            Graph::new(1, vec![]),
            Graph::default(),
        ];
        let found = values(&Graphs::from_graphs(graphs, false).unwrap(), true);
        assert_eq!((found[0][0], found[0][1], found[2][2], found[3][3]), (4.0, 4.0, 0.0, 0.0));
    }
}
