//! The Weisfeiler–Lehman subtree kernel.

use std::ops::RangeInclusive;

use super::features::{Features, count_codes, pool};
use super::refine::Coloring;
use super::vertex_histogram::start_codes;
use crate::kernel::object::{Blocks, ObjectKernel, ObjectPairs, ObjectTiles};
use crate::kernel::prelude::*;
use crate::kernel::sparse_rows::SparseRows;
use crate::points::Graphs;
use crate::{Compute, Points};

/// The largest depth. Labels of most graphs are stable after a few steps.
const MAX_DEPTH: usize = 1000;

/// Weisfeiler–Lehman subtree kernel on graphs.
///
/// # Formula
/// `k(g, h) = Σ_{i=0}^{depth} Σ_l n_l⁽ⁱ⁾(g) n_l⁽ⁱ⁾(h)`, where `n_l⁽ⁱ⁾(g)` is the number of vertices
/// of `g` with label `l` after `i` steps (Shervashidze et al. 2011).
///
/// The label of a vertex after `i + 1` steps is the pair of its label after `i` steps and the
/// multiset of the labels of its neighbors after `i` steps, each with the label of the edge where
/// edges have labels. Graphs without vertex labels begin with one common label. Directed graphs use
/// out-neighbors; a vertex with a self-loop is a neighbor of itself; edge weights are ignored.
///
/// # Theory
/// An inner product of counts: positive semi-definite. Two graphs that the Weisfeiler–Lehman test
/// does not tell apart have the same features. Both samples are refined together, so that labels
/// of one of them alone are counted exactly.
///
/// # Cost
/// `O(depth · edges)` per graph, then the labels that two graphs have in common. Searches over a
/// list of depths refine the labels once, and every matrix is the one before plus the products of
/// the new labels.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram, points::{Graph, Graphs}};
/// let triangle = Graph::new(3, vec![(0, 1), (1, 2), (2, 0)]);
/// let path = Graph::new(3, vec![(0, 1), (1, 2)]);
/// let graphs = Graphs::from_graphs(vec![triangle, path], false)?;
/// let (k, compute): (Kernel, _) = ("weisfeiler_lehman(depth=1)".parse()?, Compute::new());
/// let gram = gram::dense(&k.bind(gram::Pairs::Within((&graphs).into()), &compute)?, &compute)?;
/// // 3 · 3 vertices, and 3 · 1 vertices with two neighbors.
/// assert_eq!(gram[[0, 1]], 12.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeisfeilerLehman {
    depth: usize,
}

impl WeisfeilerLehman {
    /// # Errors
    /// [`Error::Parameter`] unless the depth is a whole number from 0 to 1000.
    pub fn new(depth: f64) -> Result<Self> {
        if depth.fract() == 0.0 && (0.0..=MAX_DEPTH as f64).contains(&depth) {
            Ok(Self { depth: depth as usize })
        } else {
            Err(Error::parameter("depth", depth, 0..=MAX_DEPTH))
        }
    }
}

impl Leaf for WeisfeilerLehman {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("depth", self.depth.to_string())]
    }

    fn facts(&self) -> Facts {
        Facts::counts("an inner product of counts of refined vertex labels")
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl ObjectKernel for WeisfeilerLehman {
    fn bind(&self, pairs: ObjectPairs<'_>, compute: &Compute) -> Result<Box<dyn ObjectTiles>> {
        let (rows, cols) = pairs.graphs()?;
        Ok(Features::concatenated(&depths(rows, cols, self.depth, compute)?)?.tiles())
    }

    fn has_features(&self) -> bool {
        true
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(Blocks { name: ENTRY.name, range: 0..=self.depth, count: count_depths })
    }
}

/// The counts of all depths up to the largest.
fn count_depths(
    x: Points<'_>,
    ranges: &[RangeInclusive<usize>],
    compute: &Compute,
) -> Result<Vec<(usize, SparseRows)>> {
    let (graphs, _) = ObjectPairs { rows: x, cols: None }.graphs()?;
    let last = ranges.iter().map(|range| *range.end()).max().unwrap_or(0);
    Ok(depths(graphs, None, last, compute)?.into_iter().map(|features| features.rows).enumerate().collect())
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "weisfeiler_lehman",
    family: Family::Graphs,
    formula: "Σ_{i ≤ depth} Σ_l n_l⁽ⁱ⁾(g) n_l⁽ⁱ⁾(h), vertices with label l after i steps",
    domain: Domain::Graphs,
    parameters: &[ParameterEntry {
        name: "depth",
        default: Some("3"),
        range: "a whole number from 0 to 1000",
        meaning: "steps of the refinement of labels",
    }],
    theory: "An inner product of counts of refined labels: positive semi-definite.",
    cost: "the labels in common",
    examples: &["weisfeiler_lehman(depth=4)", "normalized(weisfeiler_lehman(depth=3))"],
    build: |arguments| Ok(WeisfeilerLehman::new(arguments.number("depth", 3.0)?)?.into()),
};

/// The features of every depth `0, …, depth` alone, from one pass.
///
/// The kernel of depth `h` is the sum of the inner products of the entries `0..=h`, so that all
/// depths together cost no more than the largest: `O(depth · arcs)` time, and memory for one number
/// per vertex and depth at most.
fn depths(rows: &Graphs, cols: Option<&Graphs>, depth: usize, compute: &Compute) -> Result<Vec<Features>> {
    let graphs = pool(rows, cols)?;
    let (codes, count) = start_codes(&graphs);
    let mut coloring = Coloring { codes, count };
    let mut stable = false;
    let mut found: Vec<Features> = Vec::new();
    for step in 0..=depth {
        if step > 0 && !stable {
            let next = coloring.refined(&graphs, compute)?;
            // Labels are only ever split: with equally many, the partition stays as it is.
            stable = next.count == coloring.count;
            coloring = next;
        }
        match found.last() {
            Some(last) if stable => found.push(last.clone()),
            _ => {
                let counts = count_codes(&graphs, &coloring.codes, coloring.count, compute)?;
                found.push(Features::split(counts, rows.len(), cols.is_some()));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::test_support::*;
    use super::*;
    use crate::points::{Graph, GraphView};

    fn features(rows: &Graphs, cols: Option<&Graphs>, depth: usize) -> Features {
        Features::concatenated(&depths(rows, cols, depth, &Compute::new()).unwrap()).unwrap()
    }

    #[test]
    fn golden_values() {
        for depth in 0..=4 {
            let found = gram(&features(&golden_graphs(), None, depth));
            assert_values(&found, &golden(&format!("wl_{depth}")), 0.0);
        }
    }

    /// The label of a vertex as a nested text: the definition, without compression.
    fn nested(
        graph: &GraphView,
        label: &dyn Fn(usize) -> String,
        edge: &dyn Fn(usize) -> String,
        v: usize,
        depth: usize,
    ) -> String {
        if depth == 0 {
            return label(v);
        }
        let mut ends: Vec<String> = (graph.arc_range(v).zip(graph.neighbors(v)))
            .map(|(arc, &end)| format!("{}:{}", edge(arc), nested(graph, label, edge, end as usize, depth - 1)))
            .collect();
        ends.sort();
        format!("({} {})", nested(graph, label, edge, v, depth - 1), ends.join(" "))
    }

    fn counts(graphs: &Graphs, index: usize, depth: usize) -> HashMap<String, f64> {
        let graph = graphs.graph(index);
        let label =
            |v: usize| graphs.vertex_labels().map_or("", |l| l.text(graph.vertex_range().start + v)).to_string();
        let edge = |arc: usize| graphs.edge_labels().map_or("", |l| l.text(arc)).to_string();
        let mut counts = HashMap::new();
        for step in 0..=depth {
            for v in 0..graph.vertices() {
                *counts.entry(format!("{step} {}", nested(&graph, &label, &edge, v, step))).or_insert(0.0) += 1.0;
            }
        }
        counts
    }

    #[test]
    fn brute_force() {
        for (seed, directed) in (0..12).flat_map(|s| [(s, false), (s, true)]) {
            let graphs = random_sample(seed, 6, directed, seed % 3 == 0, false);
            let found = gram(&features(&graphs, None, 3));
            let all: Vec<_> = (0..6).map(|i| counts(&graphs, i, 3)).collect();
            for (i, j) in pairs(6) {
                let value: f64 = all[i].iter().map(|(key, n)| n * all[j].get(key).unwrap_or(&0.0)).sum();
                assert_eq!(found[i][j], value, "seed {seed}, graphs {i} and {j}");
            }
        }
    }

    #[test]
    fn two_samples_and_permutations() {
        let graphs = random_sample(5, 8, false, true, false);
        check_samples(&graphs, |r, c| Ok(features(r, c, 4)));
    }

    #[test]
    fn stable_labels_repeat() {
        let cycle = |n: u32| Graph::new(n as usize, (0..n).map(|v| (v, (v + 1) % n)).collect());
        let graphs =
            Graphs::from_graphs(vec![cycle(5), cycle(7), Graph::default(), Graph::new(1, vec![])], false).unwrap();
        let found = gram(&features(&graphs, None, 10));
        assert_eq!((found[0][1], found[0][2], found[2][2], found[0][3], found[3][3]), (385.0, 0.0, 0.0, 5.0, 11.0));
    }

    #[test]
    fn threads_do_not_matter() {
        let graphs = random_sample(2, 200, false, true, false);
        check_threads(|compute| depths(&graphs, None, 4, compute).unwrap());
    }

    #[test]
    fn self_loops_count() {
        let graphs = vec![Graph::new(1, vec![(0, 0)]), Graph::new(1, vec![])];
        let found = gram(&features(&Graphs::from_graphs(graphs, false).unwrap(), None, 1));
        assert_eq!(found, [[2.0, 1.0], [1.0, 2.0]]);
    }
}
