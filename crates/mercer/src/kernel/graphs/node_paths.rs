//! The shortest path kernel with a kernel on the vectors of the vertices.

use super::distances::all_lengths;
use crate::points::GraphView;
use crate::{Compute, Result};

/// The ordered pairs of different vertices of one graph, grouped by their distance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodePaths {
    vertices: usize,
    /// The distances that occur, ascending.
    lengths: Vec<f64>,
    /// The pairs at distance `lengths[d]` are `pairs[starts[d]..starts[d + 1]]`, ascending.
    starts: Vec<usize>,
    pairs: Vec<(u32, u32)>,
}

impl NodePaths {
    /// The pairs of one graph; distances as in [`super::shortest_path::ShortestPath`].
    /// `O(n (n + arcs))` time and `O(n²)` memory.
    pub(crate) fn new(graph: &GraphView, compute: &Compute) -> Result<Self> {
        let (n, all) = (graph.vertices(), all_lengths(graph, compute)?);
        let finite = |&p: &usize| p / n != p % n && all[p].is_finite();
        let mut places: Vec<usize> = (0..n * n).filter(finite).collect();
        places.sort_unstable_by(|&p, &q| all[p].total_cmp(&all[q]).then(p.cmp(&q)));
        let (mut lengths, mut starts) = (Vec::new(), vec![0]);
        for run in places.chunk_by(|&p, &q| all[p] == all[q]) {
            lengths.push(all[run[0]]);
            starts.push(starts[starts.len() - 1] + run.len());
        }
        let pairs = places.iter().map(|p| ((p / n) as u32, (p % n) as u32)).collect();
        Ok(Self { vertices: n, lengths, starts, pairs })
    }

    fn at(&self, d: usize) -> &[(u32, u32)] {
        &self.pairs[self.starts[d]..self.starts[d + 1]]
    }
}

/// Sets the values of pairs of vertices with different labels to 0. `codes` and `other_codes`
/// number the labels of both graphs in common.
pub(crate) fn mask_node_values(codes: &[u32], other_codes: &[u32], node_values: &mut [f64]) {
    for (row, code) in node_values.chunks_exact_mut(other_codes.len().max(1)).zip(codes) {
        for (value, other) in row.iter_mut().zip(other_codes) {
            *value = if code == other { *value } else { 0.0 };
        }
    }
}

/// The shortest path kernel of two graphs with node kernel values `S` of the starts and `E` of the
/// ends, one row per vertex of the first graph and one column per vertex of the second.
///
/// `Σ S[i][i′] E[j][j′]` over ordered pairs `i ≠ j` of the first graph and `i′ ≠ j′` of the second
/// with `d(i, j) = d(i′, j′) < ∞`. With the 0/1 matrices `A_d` and `B_d` of the pairs at distance
/// `d` this is `Σ_d ⟨S, A_d E B_dᵀ⟩`. Labels enter by [`mask_node_values`].
///
/// `O(n n′ (n + n′))`: never more than the number of pairs of one graph times the vertices of the
/// other, and less where few pairs share a distance.
pub(crate) fn node_path_value(first: &NodePaths, second: &NodePaths, starts: &[f64], ends: &[f64]) -> f64 {
    pulp::Arch::new().dispatch(|| sum_lengths(first, second, starts, ends))
}

#[inline(always)]
fn sum_lengths(first: &NodePaths, second: &NodePaths, starts: &[f64], ends: &[f64]) -> f64 {
    let (n, m) = (first.vertices, second.vertices);
    let mut transposed = vec![0.0; n * m];
    transpose(starts, n, m, &mut transposed);
    let mut scratch = [vec![0.0; n * m], vec![0.0; n * m]];
    let mut total = 0.0;
    for (a, b) in common_lengths(first, second) {
        let (ours, theirs) = (first.at(a), second.at(b));
        // Terms are added one by one, row sums four at a time and with a few passes over a matrix.
        total += if 4 * ours.len() * theirs.len() <= ours.len() * m + theirs.len() * n + 8 * n * m {
            by_pairs(ours, theirs, [starts, ends], m)
        } else {
            let [moved, turned] = &mut scratch;
            sum_rows(ours, ends, m, moved);
            transpose(moved, n, m, turned);
            sum_rows(theirs, turned, n, moved);
            dot(&transposed, moved)
        };
    }
    total
}

/// The places of the distances that both graphs have.
fn common_lengths(first: &NodePaths, second: &NodePaths) -> Vec<(usize, usize)> {
    let find = |length: &f64| second.lengths.binary_search_by(|l| l.total_cmp(length)).ok();
    first.lengths.iter().enumerate().filter_map(|(a, length)| Some((a, find(length)?))).collect()
}

/// The sum of one distance term by term.
#[inline(always)]
fn by_pairs(ours: &[(u32, u32)], theirs: &[(u32, u32)], [starts, ends]: [&[f64]; 2], width: usize) -> f64 {
    let place = |i: u32, j: u32| i as usize * width + j as usize;
    ours.iter().flat_map(|p| theirs.iter().map(move |q| starts[place(p.0, q.0)] * ends[place(p.1, q.1)])).sum()
}

/// Row `i` of `sums` becomes the sum of the rows `j` of `matrix` over the pairs `(i, j)`.
#[inline(always)]
fn sum_rows(pairs: &[(u32, u32)], matrix: &[f64], width: usize, sums: &mut [f64]) {
    sums.fill(0.0);
    for &(i, j) in pairs {
        let row = &matrix[j as usize * width..][..width];
        sums[i as usize * width..][..width].iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
}

#[inline(always)]
fn transpose(matrix: &[f64], rows: usize, cols: usize, out: &mut [f64]) {
    for (j, column) in out.chunks_exact_mut(rows.max(1)).enumerate() {
        column.iter_mut().enumerate().for_each(|(i, value)| *value = matrix[i * cols + j]);
    }
}

/// The inner product with eight running sums, which the compiler turns into vector instructions.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in left.zip(right) {
        (0..8).for_each(|lane| sums[lane] += x[lane] * y[lane]);
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::super::shortest_path::ShortestPath;
    use super::super::test_support::*;
    use super::*;
    use crate::Points;
    use crate::kernel::object::{ObjectKernel, ObjectPairs};
    use crate::points::{Graph, Graphs};

    #[test]
    fn starts_and_ends_may_have_values_of_their_own() {
        let compute = Compute::new();
        let graphs = random_sample(1, 2, true, false, false);
        let paths: Vec<_> = (0..2).map(|i| labeled_paths(&graphs, i)).collect();
        let (n, m) = (graphs.vertices(0), graphs.vertices(1));
        let starts: Vec<f64> = (0..n * m).map(|p| ((p * 5 + 1) % 7) as f64).collect();
        let ends: Vec<f64> = (0..n * m).map(|p| ((p * 3 + 2) % 11) as f64).collect();
        let views = [0, 1].map(|i| NodePaths::new(&graphs.graph(i), &compute).unwrap());
        let mut expected = 0.0;
        for (p, q) in paths[0].iter().flat_map(|p| paths[1].iter().map(move |q| (p, q))) {
            expected += if p.2.2 == q.2.2 { starts[p.0 * m + q.0] * ends[p.1 * m + q.1] } else { 0.0 };
        }
        assert!(expected > 0.0);
        assert_eq!(node_path_value(&views[0], &views[1], &starts, &ends), expected);
    }

    fn values(graphs: &Graphs, i: usize, j: usize, labels: bool) -> (f64, Vec<f64>) {
        let compute = Compute::new();
        let mut values: Vec<f64> =
            (0..graphs.vertices(i) * graphs.vertices(j)).map(|p| ((p * 7 + 3) % 11) as f64 / 8.0).collect();
        let (a, b) = (graphs.graph(i), graphs.graph(j));
        if labels {
            mask_node_values(a.vertex_codes().unwrap(), b.vertex_codes().unwrap(), &mut values);
        }
        let paths = [&a, &b].map(|g| NodePaths::new(g, &compute).unwrap());
        (node_path_value(&paths[0], &paths[1], &values, &values), values)
    }

    #[test]
    fn brute_force() {
        for (seed, directed) in (0..10).flat_map(|s| [(s, false), (s, true)]) {
            let graphs = random_sample(seed, 4, directed, false, seed % 2 == 0);
            let paths: Vec<_> = (0..4).map(|i| labeled_paths(&graphs, i)).collect();
            for (i, j) in pairs(4) {
                let (found, node) = values(&graphs, i, j, seed % 3 == 0);
                let m = graphs.vertices(j);
                let same = |p: &Path, q: &Path| p.2.2 == q.2.2;
                let terms =
                    paths[i].iter().flat_map(|p| paths[j].iter().filter(move |q| same(p, q)).map(move |q| (p, q)));
                let expected: f64 = terms.map(|(p, q)| node[p.0 * m + q.0] * node[p.1 * m + q.1]).sum();
                assert_close(found, expected, 1e-13);
            }
        }
    }

    #[test]
    fn ones_give_the_counting_kernel() {
        let compute = Compute::new();
        let path = |n: u32| Graph::new(n as usize, (1..n).map(|v| (v - 1, v)).collect());
        let graphs = Graphs::from_graphs(vec![path(30), path(21), path(0)], false).unwrap();
        let rows = Points::from(&graphs);
        let tiles = ShortestPath::new(false).bind(ObjectPairs { rows, cols: None }, &compute).unwrap();
        let mut counted = [0.0; 9];
        tiles.fill(&[0, 1, 2], 0..3, &mut counted);
        let paths: Vec<_> = (0..3).map(|i| NodePaths::new(&graphs.graph(i), &compute).unwrap()).collect();
        for (i, j) in pairs(3) {
            let ones = vec![1.0; graphs.vertices(i) * graphs.vertices(j)];
            assert_eq!(node_path_value(&paths[i], &paths[j], &ones, &ones), counted[3 * i + j]);
        }
    }
}
