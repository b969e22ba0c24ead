//! Shortest paths within one graph.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::points::GraphView;
use crate::{Compute, Result};

/// The number of edges to a vertex that cannot be reached.
pub(super) const UNREACHED: u32 = u32::MAX;

/// The smallest numbers of edges from `source`, by breadth-first search in `O(vertices + arcs)`.
/// `queue` is scratch; afterwards it holds the reached vertices in the order of their distances.
pub(super) fn hops(graph: &GraphView, source: usize, queue: &mut Vec<u32>, out: &mut [u32]) {
    out.fill(UNREACHED);
    out[source] = 0;
    queue.clear();
    queue.push(source as u32);
    let mut next = 0;
    while let Some(&vertex) = queue.get(next) {
        let distance = out[vertex as usize] + 1;
        for &end in graph.neighbors(vertex as usize) {
            if out[end as usize] == UNREACHED {
                out[end as usize] = distance;
                queue.push(end);
            }
        }
        next += 1;
    }
}

/// The smallest sums of weights from `source`, by Dijkstra's algorithm; infinite where there is
/// no path. Sums are rounded along each path from its start, so they do not depend on the order
/// of the vertices: rounding is monotone, and the result is the minimum over all paths.
fn lengths(graph: &GraphView, source: usize, heap: &mut BinaryHeap<Reverse<(u64, u32)>>, out: &mut [f64]) {
    out.fill(f64::INFINITY);
    out[source] = 0.0;
    heap.push(Reverse((0, source as u32)));
    // Bits of numbers that are not negative are ordered as the numbers are.
    while let Some(Reverse((bits, vertex))) = heap.pop() {
        let length = f64::from_bits(bits);
        if length > out[vertex as usize] {
            continue;
        }
        let weights = graph.weights(vertex as usize).unwrap_or_default();
        for (&end, weight) in graph.neighbors(vertex as usize).iter().zip(weights) {
            let longer = length + weight;
            if longer < out[end as usize] {
                out[end as usize] = longer;
                heap.push(Reverse((longer.to_bits(), end)));
            }
        }
    }
}

/// The lengths of the shortest paths between all ordered pairs of vertices, row after row:
/// sums of edge weights, or numbers of edges if there are none. Infinite where there is no path.
///
/// In undirected graphs the length of a pair is the smaller of the sums from either end, which
/// may differ in the last bits. `O(n (n + arcs))`, with weights times `log n`.
pub(super) fn all_lengths(graph: &GraphView, compute: &Compute) -> Result<Vec<f64>> {
    let n = graph.vertices();
    let mut all = vec![f64::INFINITY; n * n];
    let weighted = n > 0 && graph.weights(0).is_some();
    let (mut queue, mut near, mut heap) = (Vec::new(), vec![0; n], BinaryHeap::new());
    for (source, row) in all.chunks_exact_mut(n.max(1)).enumerate() {
        compute.check_canceled()?;
        if weighted {
            lengths(graph, source, &mut heap, row);
        } else {
            hops(graph, source, &mut queue, &mut near);
            queue.iter().for_each(|&v| row[v as usize] = f64::from(near[v as usize]));
        }
    }
    if weighted && !graph.is_directed() {
        symmetrize(&mut all, n);
    }
    Ok(all)
}

/// Replaces both values of every pair by the smaller one.
fn symmetrize(all: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            let least = all[i * n + j].min(all[j * n + i]);
            (all[i * n + j], all[j * n + i]) = (least, least);
        }
    }
}
