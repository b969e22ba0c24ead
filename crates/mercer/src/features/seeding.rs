//! k-means++: points far from each other, chosen at random.

use crate::seed::Stream;
use crate::{Compute, Result};

/// Writes the squared distances of all points from the point of this number; negative ones count as
/// 0.
pub(crate) type Distances<'d> = dyn Fn(usize, &mut [f64]) -> Result<()> + Sync + 'd;

/// At most `count` points, the first with a probability in proportion to its weight, each other to
/// its weight times its squared distance from the nearest one before [Arthur and Vassilvitskii
/// 2007]. Of `trials` points that are drawn at a time, the one that leaves the smallest sum of
/// weighted squared distances is taken. There are fewer points than `count` when no point with a
/// positive weight is left at a positive distance.
///
/// # Cost
/// `trials` rows of distances per point.
pub(crate) fn plus_plus(
    weights: &[f64],
    count: usize,
    trials: usize,
    distances: &Distances<'_>,
    stream: &mut Stream,
    compute: &Compute,
) -> Result<Vec<usize>> {
    let n = weights.len();
    let mut nearest = vec![f64::INFINITY; n];
    let (mut line, mut best) = (vec![0.0; n], vec![0.0; n]);
    let (mut chances, mut chosen) = (weights.to_vec(), Vec::with_capacity(count.min(n)));
    while chosen.len() < count.min(n) && chances.iter().any(|chance| *chance > 0.0) {
        compute.check_canceled()?;
        let (mut next, mut smallest) = (0, f64::INFINITY);
        let trials = if chosen.is_empty() { 1 } else { trials.max(1) };
        for trial in 0..trials {
            let candidate = weighted(&chances, stream);
            distances(candidate, &mut line)?;
            line.iter_mut().zip(&nearest).for_each(|(d, nearest)| *d = d.min(*nearest).max(0.0));
            line[candidate] = 0.0;
            let left: f64 = line.iter().zip(weights).map(|(d, w)| d * w).sum();
            if trial == 0 || left < smallest {
                (next, smallest) = (candidate, left);
                std::mem::swap(&mut line, &mut best);
            }
        }
        std::mem::swap(&mut nearest, &mut best);
        chances.iter_mut().zip(&nearest).zip(weights).for_each(|((chance, d), w)| *chance = w * d);
        chosen.push(next);
    }
    Ok(chosen)
}

/// A place with a probability in proportion to its weight.
pub(crate) fn weighted(weights: &[f64], stream: &mut Stream) -> usize {
    let mut rest = stream.uniform() * weights.iter().sum::<f64>();
    let mut last = 0;
    for (i, w) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        last = i;
        rest -= w;
        if rest < 0.0 {
            break;
        }
    }
    last
}

/// Kernel values `k(x, xⱼ)` of the point of this number, replaced by `‖φ(x) − φ(xⱼ)‖²`. At the
/// level of rounding it is 0: such a point adds no information. An indefinite kernel has negative
/// ones.
pub(crate) fn squared_distances(row: usize, diagonal: &[f64], values: &mut [f64]) {
    for (value, k) in values.iter_mut().zip(diagonal) {
        let squared = k + diagonal[row] - 2.0 * *value;
        *value = if squared.abs() <= 1e-14 * k { 0.0 } else { squared };
    }
}
