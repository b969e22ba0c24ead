//! All distances of a sample, and their order statistics.

use ndarray::{ArrayView2, Axis};
use rayon::prelude::*;

use super::{Metric, MetricKind};
use crate::{Compute, Result};

/// Rows that one task computes.
const ROWS: usize = 32;
/// Values from which on a part of them is looked at first.
const MANY: usize = 20_000;
/// Values of that part.
const PART: usize = 4096;
/// Places of the part on each side of the one that is looked for: four standard deviations of a median of so many.
const SLACK: usize = 128;
/// Values that one task looks at.
const CHUNK: usize = 1 << 15;

/// The distances of all pairs `i < j` of some points.
pub(crate) struct Distances {
    /// In the order of the pairs; squares for a metric of squares.
    values: Vec<f64>,
    squared: bool,
}

impl Distances {
    /// The distances of the chosen rows.
    pub(crate) fn new(x: ArrayView2<f64>, rows: &[usize], kind: MetricKind, compute: &Compute) -> Result<Self> {
        let x = x.select(Axis(0), rows);
        let metric = Metric::new(kind, x.view(), None, None)?;
        let mut values = vec![0.0; x.nrows() * x.nrows().saturating_sub(1) / 2];
        let strips = strips(&mut values, x.nrows());
        compute.install(|| {
            strips.into_par_iter().for_each_init(Vec::new, |scratch, (start, out)| {
                fill_strip(&metric, start, x.nrows(), scratch, out);
            });
        });
        Ok(Self { values, squared: kind == MetricKind::SquaredEuclidean })
    }

    /// Those that are not 0.
    pub(crate) fn without_zeros(mut self) -> Self {
        if self.values.contains(&0.0) {
            self.values.retain(|d| *d > 0.0);
        }
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The distance of a rank, from 0; there must be one.
    pub(crate) fn ranked(&self, rank: usize, compute: &Compute) -> f64 {
        self.root(compute.install(|| ranked_pair(&self.values, rank)).0)
    }

    /// The middle distance, or the mean of the two middle ones.
    pub(crate) fn median(&self, compute: &Compute) -> Option<f64> {
        let rank = self.len().checked_sub(1)? / 2;
        let (low, next) = compute.install(|| ranked_pair(&self.values, rank));
        let odd = self.len() % 2 == 1;
        Some(if odd || low == next { self.root(low) } else { 0.5 * (self.root(low) + self.root(next)) })
    }

    fn root(&self, value: f64) -> f64 {
        if self.squared { value.sqrt() } else { value }
    }
}

/// The places of the pairs of each strip of rows, with the first row.
fn strips(mut values: &mut [f64], n: usize) -> Vec<(usize, &mut [f64])> {
    let mut found = Vec::with_capacity(n.div_ceil(ROWS));
    for start in (0..n).step_by(ROWS) {
        let count = (start..n.min(start + ROWS)).map(|i| n - 1 - i).sum();
        let (strip, rest) = values.split_at_mut(count);
        found.push((start, strip));
        values = rest;
    }
    found
}

/// The pairs of a strip: a rectangle of the metric, of which each row is kept from behind the diagonal on.
fn fill_strip(metric: &Metric, start: usize, n: usize, scratch: &mut Vec<f64>, mut out: &mut [f64]) {
    let (end, width) = (n.min(start + ROWS), n - start);
    scratch.resize(scratch.len().max(ROWS * width), 0.0);
    let block = &mut scratch[..(end - start) * width];
    metric.fill(start..end, start..n, block);
    for (i, line) in block.chunks_exact(width).enumerate() {
        let (kept, rest) = out.split_at_mut(width - 1 - i);
        kept.copy_from_slice(&line[i + 1..]);
        out = rest;
    }
}

/// The values of a rank, from 0, and of the next one (of the same at the end), among some that are not empty.
///
/// Of many values, a few say between which bounds they lie; one pass counts what is below and keeps what is inside.
fn ranked_pair(values: &[f64], rank: usize) -> (f64, f64) {
    let Some((low, high)) = bounds(values, rank) else { return select(&mut values.to_vec(), rank) };
    let parts: Vec<(usize, Vec<f64>)> = values.par_chunks(CHUNK).map(|chunk| between(chunk, low, high)).collect();
    let below: usize = parts.iter().map(|(below, _)| below).sum();
    let mut inside: Vec<f64> = parts.into_iter().flat_map(|(_, inside)| inside).collect();
    match rank.checked_sub(below) {
        Some(rank) if rank + 1 < inside.len() => select(&mut inside, rank),
        _ => select(&mut values.to_vec(), rank),
    }
}

/// Values between which those of a rank and the next one are likely to be; `None` for so few that all are looked at.
fn bounds(values: &[f64], rank: usize) -> Option<(f64, f64)> {
    if values.len() < MANY {
        return None;
    }
    let mut part: Vec<f64> = values.iter().step_by(values.len() / PART).copied().collect();
    part.sort_unstable_by(f64::total_cmp);
    let place = rank * part.len() / values.len();
    let low = place.checked_sub(SLACK).map_or(f64::NEG_INFINITY, |at| part[at]);
    Some((low, part.get(place + SLACK).copied().unwrap_or(f64::INFINITY)))
}

/// How many values are below the bounds, and those between them. Every value is written and the place moves on where it is to stay: nothing to predict.
fn between(values: &[f64], low: f64, high: f64) -> (usize, Vec<f64>) {
    let below = values.iter().filter(|v| **v < low).count();
    let (mut kept, mut place) = (vec![0.0; values.len() + 1], 0);
    for value in values {
        kept[place] = *value;
        place += usize::from(*value >= low && *value <= high);
    }
    kept.truncate(place);
    (below, kept)
}

fn select(values: &mut [f64], rank: usize) -> (f64, f64) {
    let (_, found, above) = values.select_nth_unstable_by(rank, f64::total_cmp);
    let found = *found;
    (found, above.iter().copied().min_by(f64::total_cmp).unwrap_or(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn ranks_are_those_of_the_sorted_values() {
        let mut stream = Seed(3).stream("values", 0);
        let smooth: Vec<f64> = (0..50_000).map(|_| stream.normal()).collect();
        let tied: Vec<f64> = (0..50_000).map(|_| stream.below(3) as f64).collect();
        let sorted: Vec<f64> = (0..30_000).map(f64::from).collect();
        for values in [smooth, tied, sorted, vec![2.0, 1.0, 3.0]] {
            let mut expected = values.clone();
            expected.sort_unstable_by(f64::total_cmp);
            for share in [0.0, 0.05, 0.3, 0.5, 0.95, 1.0] {
                let rank = (share * (values.len() - 1) as f64) as usize;
                let next = expected[(rank + 1).min(values.len() - 1)];
                assert_eq!(ranked_pair(&values, rank), (expected[rank], next));
            }
        }
    }

    #[test]
    fn pairs_come_in_order_for_any_number_of_threads() {
        let mut stream = Seed(4).stream("points", 0);
        let x = ndarray::Array2::from_shape_fn((70, 3), |_| stream.normal());
        let rows: Vec<usize> = (0..70).rev().collect();
        let run = |threads| {
            let compute = Compute::new().with_threads(threads).unwrap();
            Distances::new(x.view(), &rows, MetricKind::Manhattan, &compute).unwrap().values
        };
        let expected = |i: usize, j: usize| (&x.row(69 - i) - &x.row(69 - j)).mapv(f64::abs).sum();
        let pairs = (0..70).flat_map(|i| (i + 1..70).map(move |j| (i, j)));
        assert_eq!(run(1), run(2));
        assert!(run(1).iter().zip(pairs).all(|(found, (i, j))| (found - expected(i, j)).abs() <= 1e-12));
        assert_eq!(run(1).len(), 70 * 69 / 2);
    }
}
