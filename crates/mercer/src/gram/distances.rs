//! All distances of a sample, and their order statistics.

use ndarray::{ArrayView2, Axis};
use rayon::prelude::*;

use super::sparse::SparseMetric;
use super::{Metric, MetricKind};
use crate::points::Csr;
use crate::{Compute, Result};

/// Rows that one task computes. Between 16 and 128 only noise was measured.
const ROWS: usize = 32;
/// From this many values on a sample brackets the quantile first.
/// Without the bracket the median distance of 1000 points takes 66 % more time.
const MANY: usize = 20_000;
/// Values of that part. 1024 and 16 384 are 11 % and 6 % slower on the distances of 1000 points.
const PART: usize = 4096;
/// Places of the part on each side of the one that is looked for: four standard deviations of a
/// median of so many.
const SLACK: usize = 128;
/// The distances of all pairs `i < j` of some points.
pub(crate) struct Distances {
    /// In the order of the pairs, some rows of them in each part; squares for a metric of squares.
    parts: Vec<Vec<f64>>,
    count: usize,
    squared: bool,
}

impl Distances {
    /// The distances of the chosen rows.
    pub(crate) fn new(x: ArrayView2<f64>, rows: &[usize], kind: MetricKind, compute: &Compute) -> Result<Self> {
        let x = x.select(Axis(0), rows);
        let metric = Metric::new(kind, x.view(), None, None)?;
        let starts = (0..x.nrows().div_ceil(ROWS)).into_par_iter().map(|strip| strip * ROWS);
        let part = |scratch: &mut Vec<f64>, start| strip(&metric, start, x.nrows(), scratch);
        let parts: Vec<Vec<f64>> = compute.install(|| starts.map_init(Vec::new, part).collect());
        Ok(Self::of(parts, kind == MetricKind::SquaredEuclidean))
    }

    /// The distances of all rows.
    pub(crate) fn of_sparse(x: &Csr, kind: MetricKind, compute: &Compute) -> Result<Self> {
        let metric = SparseMetric::new(x, None, None, compute)?;
        let n = x.len();
        let parts = compute.try_map_tasks(n.div_ceil(ROWS), |strip| {
            compute.check_canceled()?;
            let rows: Vec<usize> = (strip * ROWS..n.min((strip + 1) * ROWS)).collect();
            let (start, width) = (rows[0], n - rows[0]);
            let mut block = vec![0.0; rows.len() * width];
            metric.fill(kind, &rows, start..n, None, &mut block);
            Ok(block.chunks_exact(width).enumerate().flat_map(|(i, line)| &line[i + 1..]).copied().collect())
        })?;
        Ok(Self::of(parts, kind == MetricKind::SquaredEuclidean))
    }

    fn of(parts: Vec<Vec<f64>>, squared: bool) -> Self {
        Self { count: parts.iter().map(Vec::len).sum(), parts, squared }
    }

    /// Those that are not 0.
    pub(crate) fn without_zeros(mut self) -> Self {
        self.parts.iter_mut().for_each(|part| part.retain(|d| *d > 0.0));
        Self::of(self.parts, self.squared)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The distance of a rank, from 0; there must be one.
    pub(crate) fn ranked(&self, rank: usize, compute: &Compute) -> f64 {
        self.root(compute.install(|| self.ranked_pair(rank)).0)
    }

    /// The middle distance, or the mean of the two middle ones.
    pub(crate) fn median(&self, compute: &Compute) -> Option<f64> {
        let rank = self.len().checked_sub(1)? / 2;
        let (low, next) = compute.install(|| self.ranked_pair(rank));
        let odd = self.len() % 2 == 1;
        Some(if odd || low == next { self.root(low) } else { 0.5 * (self.root(low) + self.root(next)) })
    }

    fn root(&self, value: f64) -> f64 {
        if self.squared { value.sqrt() } else { value }
    }

    /// The values of a rank, from 0, and of the next one (of the same at the end); there must be
    /// one.
    ///
    /// For many values, a small sample brackets the quantile; one pass counts the values below the
    /// bracket and keeps those inside.
    fn ranked_pair(&self, rank: usize) -> (f64, f64) {
        let Some((low, high)) = self.bounds(rank) else { return select(&mut self.parts.concat(), rank) };
        let look = |scratch: &mut Vec<f64>, part: &Vec<f64>| between(part, low, high, scratch);
        let looked: Vec<(usize, Vec<f64>)> = self.parts.par_iter().map_init(Vec::new, look).collect();
        let below: usize = looked.iter().map(|(below, _)| below).sum();
        let mut inside: Vec<f64> = looked.into_iter().flat_map(|(_, inside)| inside).collect();
        match rank.checked_sub(below) {
            Some(rank) if rank + 1 < inside.len() => select(&mut inside, rank),
            _ => select(&mut self.parts.concat(), rank),
        }
    }

    /// Values between which those of a rank and the next one are likely to be; `None` for so few
    /// that all are looked at.
    fn bounds(&self, rank: usize) -> Option<(f64, f64)> {
        if self.count < MANY {
            return None;
        }
        let mut some: Vec<f64> = self.parts.iter().flatten().step_by(self.count / PART).copied().collect();
        let position = rank * some.len() / self.count;
        let mut at =
            |position: usize| (position < some.len()).then(|| *some.select_nth_unstable_by(position, f64::total_cmp).1);
        let low = position.checked_sub(SLACK).and_then(&mut at).unwrap_or(f64::NEG_INFINITY);
        Some((low, at(position + SLACK).unwrap_or(f64::INFINITY)))
    }
}

/// The pairs of a strip of rows: a rectangle of the metric, of which each row is kept from behind
/// the diagonal on.
fn strip(metric: &Metric, start: usize, n: usize, scratch: &mut Vec<f64>) -> Vec<f64> {
    let (end, width) = (n.min(start + ROWS), n - start);
    scratch.resize(scratch.len().max(ROWS * width), 0.0);
    let block = &mut scratch[..(end - start) * width];
    metric.fill(start..end, start..n, block);
    let mut kept = Vec::with_capacity((start..end).map(|i| n - 1 - i).sum());
    block.chunks_exact(width).enumerate().for_each(|(i, line)| kept.extend_from_slice(&line[i + 1..]));
    kept
}

/// How many values are below the bounds, and those between them. Every value is written and the
/// position moves on where it is to stay: nothing to predict.
fn between(values: &[f64], low: f64, high: f64, scratch: &mut Vec<f64>) -> (usize, Vec<f64>) {
    let below = values.iter().filter(|v| **v < low).count();
    scratch.resize(scratch.len().max(values.len() + 1), 0.0);
    let mut position = 0;
    for value in values {
        scratch[position] = *value;
        position += usize::from(*value >= low && *value <= high);
    }
    (below, scratch[..position].to_vec())
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
                for size in [values.len(), 7_001] {
                    let found = Distances::of(values.chunks(size).map(<[f64]>::to_vec).collect(), false);
                    assert_eq!(found.ranked_pair(rank), (expected[rank], next));
                }
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
            Distances::new(x.view(), &rows, MetricKind::Manhattan, &compute).unwrap().parts.concat()
        };
        let expected = |i: usize, j: usize| (&x.row(69 - i) - &x.row(69 - j)).mapv(f64::abs).sum();
        let pairs = (0..70).flat_map(|i| (i + 1..70).map(move |j| (i, j)));
        assert_eq!(run(1), run(2));
        assert!(run(1).iter().zip(pairs).all(|(found, (i, j))| (found - expected(i, j)).abs() <= 1e-12));
        assert_eq!(run(1).len(), 70 * 69 / 2);
    }
}
