//! Lengthscales from the distances of the pooled sample.

use crate::gram::{MetricKind, Pairs, pair_values, ranked};
use crate::kernel::Kernel;
use crate::{Compute, Error, Result};

/// Points whose distances are looked at; of more, a random subset that does not know the labels.
const MAX_POINTS: usize = 1000;
/// Lengthscales for each kind of kernel.
const COUNT: usize = 10;

/// The distances that are not 0 of a sample.
pub(in crate::hypothesis) fn distances(pairs: Pairs<'_>, kind: MetricKind, compute: &Compute) -> Result<Vec<f64>> {
    let Pairs::Within(points) = pairs else {
        return Err(Error::request("lengthscales are chosen from points, not from kernel values: give a kernel"));
    };
    let x = points.vectors()?;
    let mut rows: Vec<usize> = (0..x.nrows()).collect();
    if x.nrows() > MAX_POINTS {
        rows = compute.seed().stream("lengthscales", 0).permutation(x.nrows());
        rows.truncate(MAX_POINTS);
    }
    let mut found = pair_values(x, &rows, kind, compute)?;
    found.retain(|d| *d > 0.0);
    if kind == MetricKind::SquaredEuclidean {
        found.iter_mut().for_each(|d| *d = d.sqrt());
    }
    if found.is_empty() {
        return Err(Error::request("all points are equal: there is no distance to take lengthscales from"));
    }
    Ok(found)
}

/// A quantile of some distances, of which there is at least one.
pub(in crate::hypothesis) fn quantile(distances: &[f64], level: f64) -> f64 {
    let rank = (level * (distances.len() - 1) as f64).round() as usize;
    ranked(distances, rank.min(distances.len() - 1))
}

/// The kernels of the aggregated test: for each of Laplacian (l1) and Gaussian, ten bandwidths in geometric progression, kernels `exp(−d/b)` and
/// `exp(−d²/b²)`.
///
/// The progression goes from half of the smallest distance, or, where that is below a third of the median distance, half of the larger of
/// the 5 % quantile and that third, to twice the largest distance: the rule of MMDAgg, made independent of the units of the data.
pub(super) fn aggregated(pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    let mut kernels = laplacians(&geometric(distances(pairs, MetricKind::Manhattan, compute)?), 1.0)?;
    kernels.extend(many_gaussians(pairs, compute)?);
    Ok(kernels)
}

/// The kernels of the fused test: for each of Laplacian (l1) and Gaussian, ten bandwidths equally spaced from half of the 5 % quantile to twice the 95 %
/// quantile of the distances, kernels `exp(−√2 d/b)` and `exp(−d²/(2b²))`.
pub(super) fn fused(pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    let lengths = even(distances(pairs, MetricKind::Manhattan, compute)?);
    let mut kernels = laplacians(&lengths, 0.5_f64.sqrt())?;
    kernels.extend(gaussians(&even(distances(pairs, MetricKind::SquaredEuclidean, compute)?), 1.0)?);
    Ok(kernels)
}

/// The Gaussian ones among the kernels of the aggregated test.
pub(super) fn many_gaussians(pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    gaussians(&geometric(distances(pairs, MetricKind::SquaredEuclidean, compute)?), 0.5_f64.sqrt())
}

fn geometric(distances: Vec<f64>) -> Vec<f64> {
    let third = quantile(&distances, 0.5) / 3.0;
    let least = quantile(&distances, 0.0);
    let smallest = if least >= third { least } else { quantile(&distances, 0.05).max(third) };
    let (low, high) = (0.5 * smallest, 2.0 * quantile(&distances, 1.0));
    (0..COUNT).map(|i| low * (high / low).powf(i as f64 / (COUNT - 1) as f64)).collect()
}

fn even(distances: Vec<f64>) -> Vec<f64> {
    let (low, high) = (0.5 * quantile(&distances, 0.05), 2.0 * quantile(&distances, 0.95));
    (0..COUNT).map(|i| low + (high - low) * i as f64 / (COUNT - 1) as f64).collect()
}

fn laplacians(lengths: &[f64], factor: f64) -> Result<Vec<Kernel>> {
    lengths.iter().map(|l| format!("laplacian(lengthscale={:?}, norm=l1)", factor * l).parse()).collect()
}

fn gaussians(lengths: &[f64], factor: f64) -> Result<Vec<Kernel>> {
    lengths.iter().map(|l| Kernel::gaussian(factor * l)).collect()
}
