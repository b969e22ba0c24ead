//! Lengthscales from the distances of the pooled sample.

use crate::error::PrecomputedNeed;
use crate::gram::{Distances, MetricKind, Pairs};
use crate::kernel::Kernel;
use crate::{Compute, Error, Points, Result};

/// Points whose distances are looked at; of more, a random subset drawn independently of the
/// labels. They decide the lengthscales and not the level: any few hundred would do.
const MAX_POINTS: usize = 1000;
/// Lengthscales for each kind of kernel. Ten, as in MMDAgg (Schrab et al. 2023).
pub(in crate::hypothesis) const COUNT: usize = 10;

/// Quantiles of the distances that are not 0 of a sample.
pub(in crate::hypothesis) fn quantiles<const Q: usize>(
    pairs: Pairs<'_>,
    kind: MetricKind,
    levels: [f64; Q],
    compute: &Compute,
) -> Result<[f64; Q]> {
    let points = pairs.rows();
    if let Points::Precomputed(_) = points {
        return Err(Error::precomputed("a choice of lengthscales", PrecomputedNeed::Points));
    }
    let mut rows: Vec<usize> = (0..points.len()).collect();
    if points.len() > MAX_POINTS {
        rows = compute.seed().stream("lengthscales", 0).permutation(points.len());
        rows.truncate(MAX_POINTS);
    }
    let distances = match points {
        Points::Sparse(x) => Distances::of_sparse(&x.select(&rows), kind, compute)?,
        points => Distances::new(points.vectors()?, &rows, kind, compute)?,
    };
    let found = distances.without_zeros();
    if found.is_empty() {
        return Err(Error::all_equal("a choice of lengthscales", "points", "give a kernel with its lengthscale"));
    }
    Ok(levels.map(|level| found.ranked((level * (found.len() - 1) as f64).round() as usize, compute)))
}

/// The kernels of the aggregated test: for each of Laplacian (l1) and Gaussian, ten bandwidths in
/// geometric progression, kernels `exp(−d/b)` and `exp(−d²/b²)`.
///
/// The progression goes from half of the smallest distance, or, where that is below a third of the
/// median distance, half of the larger of the 5 % quantile and that third, to twice the largest
/// distance: the rule of MMDAgg, made independent of the units of the data.
///
/// On objects: substrings of length 1 to 6, labels of depth 0 to 5, or multiples of the median scale.
pub(super) fn aggregated(pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    if pairs.rows().kind().is_object() {
        return of_objects(pairs, compute);
    }
    let mut kernels = laplacians(&geometric(pairs, MetricKind::Manhattan, compute)?, 1.0)?;
    kernels.extend(many_gaussians(pairs, compute)?);
    Ok(kernels)
}

/// The kernels of the fused test: for each of Laplacian (l1) and Gaussian, ten bandwidths equally
/// spaced from half of the 5 % quantile to twice the 95 % quantile of the distances, kernels
/// `exp(−√2 d/b)` and `exp(−d²/(2b²))`.
pub(super) fn fused(pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    if pairs.rows().kind().is_object() {
        return of_objects(pairs, compute);
    }
    let mut kernels = laplacians(&even(pairs, MetricKind::Manhattan, compute)?, 0.5_f64.sqrt())?;
    kernels.extend(gaussians(&even(pairs, MetricKind::SquaredEuclidean, compute)?, 1.0)?);
    Ok(kernels)
}

/// The kernels that a split of the data chooses from.
pub(super) fn of_split(pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    if pairs.rows().kind().is_object() { of_objects(pairs, compute) } else { many_gaussians(pairs, compute) }
}

/// Several kernels for points that are not vectors.
pub(in crate::hypothesis) fn of_objects(pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    let mut kernels = Vec::new();
    for kernel in Kernel::family_of(pairs.rows())? {
        kernels.extend(kernel.resolve(pairs.rows(), compute)?.multiples()?);
    }
    Ok(kernels)
}

/// The Gaussian ones among the kernels of the aggregated test.
pub(super) fn many_gaussians(pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    gaussians(&geometric(pairs, MetricKind::SquaredEuclidean, compute)?, 0.5_f64.sqrt())
}

fn geometric(pairs: Pairs<'_>, kind: MetricKind, compute: &Compute) -> Result<Vec<f64>> {
    let [least, twentieth, median, largest] = quantiles(pairs, kind, [0.0, 0.05, 0.5, 1.0], compute)?;
    let third = median / 3.0;
    let smallest = if least >= third { least } else { twentieth.max(third) };
    let (low, high) = (0.5 * smallest, 2.0 * largest);
    Ok((0..COUNT).map(|i| low * (high / low).powf(i as f64 / (COUNT - 1) as f64)).collect())
}

fn even(pairs: Pairs<'_>, kind: MetricKind, compute: &Compute) -> Result<Vec<f64>> {
    let [low, high] = quantiles(pairs, kind, [0.05, 0.95], compute)?;
    let (low, high) = (0.5 * low, 2.0 * high);
    Ok((0..COUNT).map(|i| low + (high - low) * i as f64 / (COUNT - 1) as f64).collect())
}

fn laplacians(lengths: &[f64], factor: f64) -> Result<Vec<Kernel>> {
    lengths.iter().map(|l| format!("laplacian(lengthscale={:?}, norm=l1)", factor * l).parse()).collect()
}

fn gaussians(lengths: &[f64], factor: f64) -> Result<Vec<Kernel>> {
    lengths.iter().map(|l| Kernel::gaussian(factor * l)).collect()
}
