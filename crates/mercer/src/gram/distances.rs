//! All distances of a sample, and their quantiles.

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

/// The values of a metric (squares for Euclidean distances) on all pairs `i < j` of the chosen rows, in order.
pub(crate) fn pair_values(x: ArrayView2<f64>, rows: &[usize], kind: MetricKind, compute: &Compute) -> Result<Vec<f64>> {
    let x = x.select(Axis(0), rows);
    let metric = Metric::new(kind, x.view(), None, None)?;
    let n = x.nrows();
    let strip = |k: usize| {
        let (start, end) = (k * ROWS, ((k + 1) * ROWS).min(n));
        let mut values = vec![0.0_f64; (end - start) * (n - start)];
        metric.fill(start..end, start..n, &mut values);
        let mut kept = Vec::with_capacity(values.len());
        values.chunks_exact(n - start).enumerate().for_each(|(i, line)| kept.extend_from_slice(&line[i + 1..]));
        kept
    };
    let strips: Vec<Vec<f64>> = compute.install(|| (0..n.div_ceil(ROWS)).into_par_iter().map(strip).collect());
    Ok(strips.concat())
}

/// The value of a rank, from 0, among some that are not empty.
///
/// Of many values, a few say between which bounds it lies; one pass counts what is below and keeps what is inside.
pub(crate) fn ranked(values: &[f64], rank: usize) -> f64 {
    let select = |mut of: Vec<f64>, rank: usize| *of.select_nth_unstable_by(rank, f64::total_cmp).1;
    if values.len() < MANY {
        return select(values.to_vec(), rank);
    }
    let mut part: Vec<f64> = values.iter().step_by(values.len() / PART).copied().collect();
    part.sort_unstable_by(f64::total_cmp);
    let place = rank * part.len() / values.len();
    let slack = part.len() / 25;
    let low = if place < slack { f64::NEG_INFINITY } else { part[place - slack] };
    let high = part.get(place + slack).copied().unwrap_or(f64::INFINITY);
    let below = values.iter().filter(|v| **v < low).count();
    let inside: Vec<f64> = values.iter().copied().filter(|v| (low..=high).contains(v)).collect();
    match rank.checked_sub(below) {
        Some(rank) if rank < inside.len() => select(inside, rank),
        _ => select(values.to_vec(), rank),
    }
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
                assert_eq!(ranked(&values, rank), expected[rank]);
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
            pair_values(x.view(), &rows, MetricKind::Manhattan, &compute).unwrap()
        };
        let expected = |i: usize, j: usize| (&x.row(69 - i) - &x.row(69 - j)).mapv(f64::abs).sum();
        let pairs = (0..70).flat_map(|i| (i + 1..70).map(move |j| (i, j)));
        assert_eq!(run(1), run(2));
        assert!(run(1).iter().zip(pairs).all(|(found, (i, j))| (found - expected(i, j)).abs() <= 1e-12));
        assert_eq!(run(1).len(), 70 * 69 / 2);
    }
}
