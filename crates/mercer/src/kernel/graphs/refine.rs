//! One step of Weisfeiler–Lehman: new vertex labels from the labels of the neighbors.

use super::features::BLOCK;
use crate::points::Graphs;
use crate::{Compute, Result};

/// The labels of all vertices as numbers from 0 to `count − 1`.
#[derive(Clone)]
pub(super) struct Coloring {
    pub codes: Vec<u32>,
    pub count: usize,
}

/// The signatures of the vertices of some graphs.
#[derive(Default)]
struct Signatures {
    /// For every arc its label and the code of its end; sorted within every vertex.
    ends: Vec<u64>,
    /// One hash value per vertex, of its code and its sorted ends.
    hashes: Vec<u64>,
}

impl Coloring {
    /// The next labels: two vertices have the same one exactly if their codes are equal and the
    /// multisets of (edge label, code) of their neighbors are equal.
    ///
    /// The new codes are numbered by first appearance in the order of the vertices. Hash values
    /// only find candidates; signatures are compared in full, so there are no collisions, and
    /// the numbers depend neither on the hash function nor on threads. Expected cost `O(arcs)`
    /// and a sort of the neighbors of every vertex.
    pub(super) fn refined(&self, graphs: &Graphs, compute: &Compute) -> Result<Self> {
        let blocks = compute.try_map_tasks(graphs.len().div_ceil(BLOCK), |block| {
            compute.check_canceled()?;
            Ok(self.signatures(graphs, block * BLOCK..graphs.len().min((block + 1) * BLOCK)))
        })?;
        let mut all =
            Signatures { ends: Vec::with_capacity(graphs.total_arcs()), hashes: Vec::with_capacity(self.codes.len()) };
        for block in blocks {
            all.ends.extend(block.ends);
            all.hashes.extend(block.hashes);
        }
        compute.check_canceled()?;
        Ok(self.numbered(graphs.arc_starts(), &all))
    }

    fn signatures(&self, graphs: &Graphs, range: std::ops::Range<usize>) -> Signatures {
        let mut block = Signatures::default();
        for graph in range.map(|index| graphs.graph(index)) {
            let codes = &self.codes[graph.vertex_range()];
            for (vertex, &own) in codes.iter().enumerate() {
                let first = block.ends.len();
                let ends = graph.neighbors(vertex).iter().map(|&end| u64::from(codes[end as usize]));
                match graph.edge_codes(vertex) {
                    None => block.ends.extend(ends),
                    Some(edges) => block.ends.extend(ends.zip(edges).map(|(end, &edge)| u64::from(edge) << 32 | end)),
                }
                block.ends[first..].sort_unstable();
                block.hashes.push(hash(own, &block.ends[first..]));
            }
        }
        block
    }

    /// Numbers the signatures by first appearance, with a table of open addresses.
    fn numbered(&self, starts: &[usize], all: &Signatures) -> Self {
        let signature = |v: usize| (self.codes[v], &all.ends[starts[v]..starts[v + 1]]);
        let bits = (2 * self.codes.len()).next_power_of_two().trailing_zeros().max(1);
        let mut table = vec![u32::MAX; 1 << bits];
        let mut representatives: Vec<u32> = Vec::new();
        let mut codes = Vec::with_capacity(self.codes.len());
        for (vertex, &hash) in all.hashes.iter().enumerate() {
            let mut slot = (hash >> (64 - bits)) as usize;
            let code = loop {
                let code = table[slot];
                if code == u32::MAX {
                    table[slot] = representatives.len() as u32;
                    representatives.push(vertex as u32);
                    break table[slot];
                }
                let other = representatives[code as usize] as usize;
                if all.hashes[other] == hash && signature(other) == signature(vertex) {
                    break code;
                }
                slot = (slot + 1) & (table.len() - 1);
            };
            codes.push(code);
        }
        Self { codes, count: representatives.len() }
    }
}

/// Multiplicative hashing; the multiplier is 2⁶⁴ divided by the golden ratio, rounded to odd.
fn hash(own: u32, ends: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, value: u64| (state.rotate_left(23) ^ value).wrapping_mul(FACTOR);
    let state = ends.iter().fold(mix(0, u64::from(own)), |state, &end| mix(state, end));
    (state ^ (state >> 32)).wrapping_mul(FACTOR)
}
