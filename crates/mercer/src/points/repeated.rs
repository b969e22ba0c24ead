//! Points that occur more than once.

use std::collections::HashMap;
use std::hash::Hash;

use ndarray::ArrayView2;

use super::Points;

impl Points<'_> {
    /// For every point, the number of the first point that is equal to it. Points known by kernel
    /// values alone count as different.
    pub(crate) fn first_equal(&self) -> Vec<usize> {
        match self {
            Self::Vectors(x) => firsts((0..x.nrows()).map(|i| row_bits(*x, i))),
            Self::Sparse(rows) => firsts((0..rows.len()).map(|i| rows.row_key(i))),
            Self::Strings(strings) => firsts(strings.iter()),
            Self::Bags(bags) => firsts((0..bags.len()).map(|bag| (bits(bags.bag(bag)), bags.weight_bits(bag)))),
            Self::Diagrams(diagrams) => firsts((0..diagrams.len()).map(|at| bits(diagrams.diagram(at)))),
            Self::Graphs(graphs) => graphs.first_equal(),
            Self::Mixed(rows) => {
                let objects: Vec<Vec<usize>> =
                    rows.objects().iter().map(|(_, column)| column.as_points().first_equal()).collect();
                let key = |i: usize| {
                    (row_bits(rows.numbers(), i), objects.iter().map(|firsts| firsts[i]).collect::<Vec<_>>())
                };
                firsts((0..rows.len()).map(key))
            }
            Self::Precomputed(_) | Self::References(_) => (0..self.len()).collect(),
        }
    }
}

/// For every key, the number of the first key that is equal to it.
pub(super) fn firsts<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut known: HashMap<K, usize> = HashMap::new();
    keys.enumerate().map(|(i, key)| *known.entry(key).or_insert(i)).collect()
}

/// The bits of a row. Adding 0 makes the two zeros one.
fn row_bits(x: ArrayView2<'_, f64>, row: usize) -> Vec<u64> {
    x.row(row).iter().map(|v| (v + 0.0).to_bits()).collect()
}

fn bits(x: ArrayView2<'_, f64>) -> Vec<u64> {
    x.iter().map(|v| (v + 0.0).to_bits()).collect()
}
