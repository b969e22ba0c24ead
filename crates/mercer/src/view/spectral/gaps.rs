//! The number of clusters by the gaps between eigenvalues.

use super::SpectralClustering;
use super::spectrum::Spectrum;
use crate::view::kmeans::{ChosenClusters, ClusterScore, ClusterSolver, CountRule, checked_max};
use crate::{Compute, Error, Kernel, Points, Result};

/// The number of clusters with the largest gap.
pub(in crate::view) fn eigengaps(
    kernel: &Kernel,
    x: Points<'_>,
    max: usize,
    (solver, landmarks): (ClusterSolver, Option<usize>),
    compute: &Compute,
) -> Result<ChosenClusters> {
    let spec = SpectralClustering { solver, landmarks, ..SpectralClustering::new(kernel.clone(), max) };
    spectrum_of(&spec, x, max, compute).map(|(_, chosen)| chosen)
}

/// The eigenvectors and the number of clusters with the largest gap.
pub(super) fn spectrum_of(
    spec: &SpectralClustering,
    x: Points<'_>,
    max: usize,
    compute: &Compute,
) -> Result<(Spectrum, ChosenClusters)> {
    if x.is_empty() {
        return Err(Error::too_few("clustering", "points", 1, 0));
    }
    let max = checked_max(max, x.len())?;
    let count = (max + 1).min(x.len());
    let plan = spec.plan_for(x.len(), x.size().work, count, compute)?;
    let spectrum = Spectrum::new(&spec.kernel, x, count, &plan, compute)?;
    let value = |k: usize| spectrum.values.get(k).copied().unwrap_or(0.0);
    let gap = |k: usize| ClusterScore { clusters: k, score: value(k - 1) - value(k), error: 0.0 };
    let table: Vec<ClusterScore> = (1..=max).map(gap).collect();
    let best = table.iter().skip(1).copied().reduce(|a, b| if b.score > a.score { b } else { a });
    let clusters = best.map_or(1, |best| best.clusters);
    Ok((spectrum, ChosenClusters { clusters, rule: CountRule::Eigengap, table }))
}
