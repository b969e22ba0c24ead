//! Nearest points: within a mode for the affinity, between the modes for matching.

use ndarray::{Array2, ArrayView1, ArrayView2};

use crate::gram::Tiles;
use crate::{Compute, Error, Result};

/// Rows that one task works on. It does not depend on the number of threads, so that progress and
/// memory do not either; not tuned.
const ROWS: usize = 64;

/// The high points nearest to low points.
#[derive(Clone, Debug, PartialEq)]
pub struct Matches {
    /// The rows of the gallery, nearest first, one row per low point; equal distances in the order
    /// of the gallery.
    pub indices: Array2<usize>,
    /// Their Euclidean distances in the embedding.
    pub distances: Array2<f64>,
}

/// The `k` rows of `gallery` nearest to every row of `x`.
pub(super) fn nearest(x: ArrayView2<f64>, gallery: ArrayView2<f64>, k: usize, compute: &Compute) -> Result<Matches> {
    let (n, m) = (x.nrows(), gallery.nrows());
    if !(1..=m).contains(&k) {
        return Err(Error::parameter("k", k, 1..=m));
    }
    let block = |at: usize| {
        compute.check_canceled()?;
        let one = |i: usize| {
            let squared = |row: ArrayView1<f64>| row.iter().zip(x.row(i)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            smallest(gallery.rows().into_iter().map(squared).enumerate().collect(), k)
        };
        Ok((at * ROWS..n.min((at + 1) * ROWS)).flat_map(one).collect::<Vec<(usize, f64)>>())
    };
    let found = compute.try_map_tasks(n.div_ceil(ROWS), block)?.concat();
    let part = |i: usize, j: usize| found[i * k + j];
    Ok(Matches {
        indices: Array2::from_shape_fn((n, k), |(i, j)| part(i, j).0),
        distances: Array2::from_shape_fn((n, k), |(i, j)| part(i, j).1.sqrt()),
    })
}

/// The `k` pairs of the smallest numbers, ascending; of equal ones those with the smaller index.
fn smallest(mut pairs: Vec<(usize, f64)>, k: usize) -> Vec<(usize, f64)> {
    let order = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
    if (1..pairs.len()).contains(&k) {
        pairs.select_nth_unstable_by(k - 1, order);
        pairs.truncate(k);
    }
    pairs.sort_unstable_by(order);
    pairs
}

/// The rows of `W` of [`Affinity::Neighbors`](super::Affinity::Neighbors).
pub(super) fn neighbor_weights(
    values: &dyn Tiles,
    n: usize,
    k: usize,
    compute: &Compute,
) -> Result<Vec<Vec<(usize, f64)>>> {
    if k == 0 || k >= n {
        return Err(Error::parameter("neighbors", k, format!("at least 1 and below the number of objects, {n}")));
    }
    let diagonal = values.diagonal()?;
    let block = |at: usize| {
        compute.check_canceled()?;
        let rows = at * ROWS..n.min((at + 1) * ROWS);
        let mut tile = vec![0.0; rows.len() * n];
        values.fill(rows.clone(), 0..n, &mut tile);
        let one = |(i, row): (usize, &[f64])| {
            let squared = |j: usize| (diagonal[i] - 2.0 * row[j] + diagonal[j]).max(0.0);
            smallest((0..n).filter(|&j| j != i).map(|j| (j, squared(j))).collect(), k)
        };
        Ok(rows.zip(tile.chunks_exact(n)).map(one).collect::<Vec<_>>())
    };
    let near = compute.try_map_tasks(n.div_ceil(ROWS), block)?.concat();
    // Each pair once, whichever of the two has the other among its neighbors.
    let mut pairs: Vec<(usize, usize, f64)> =
        near.iter().enumerate().flat_map(|(i, near)| near.iter().map(move |&(j, d)| (i.min(j), i.max(j), d))).collect();
    pairs.sort_unstable_by_key(|pair| (pair.0, pair.1));
    pairs.dedup_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let mean = pairs.iter().map(|p| p.2).sum::<f64>() / pairs.len() as f64;
    let weight = |d: f64| if mean > 0.0 { (-0.5 * d / mean).exp() } else { 1.0 };
    let mut rows: Vec<Vec<(usize, f64)>> = (0..n).map(|i| vec![(i, 1.0)]).collect();
    for (i, j, d) in pairs {
        rows[i].push((j, weight(d)));
        rows[j].push((i, weight(d)));
    }
    Ok(rows)
}
