//! The choice of the number of clusters.

use super::{CountRule, KernelKMeans, adjusted_rand_index};
use crate::learner::Facts;
use crate::record::{Record, require};
use crate::settings::Settings;
use crate::view::spectral::eigengaps;
use crate::{Compute, Error, Points, Result, Sample};

/// Pairs of random halves of the data for every number of clusters: the standard error of the score
/// falls with their square root.
const PAIRS: usize = 10;

/// The score of a number of clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterScore {
    /// The number of clusters.
    pub clusters: usize,
    /// The gap between eigenvalues, or the mean adjusted Rand index: large is good.
    pub score: f64,
    /// The standard error of the score; 0 for a gap.
    pub error: f64,
}

/// A number of clusters, with the scores of all that were considered.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenClusters {
    /// The number that was chosen.
    pub clusters: usize,
    /// How.
    pub rule: CountRule,
    /// The scores, by the number of clusters. The gap of one cluster is listed, not chosen: it
    /// measures how well the data hangs together.
    pub table: Vec<ClusterScore>,
}

/// Chooses a number of clusters from 2 to `max`, at most the number of points.
///
/// # Formula
/// [`CountRule::Eigengap`]: the `k` with the largest `μₖ − μₖ₊₁`, where `μ₁ ≥ μ₂ ≥ …` are the
/// eigenvalues of `D^{−½}KD^{−½}` and `D` holds the row sums of `K`. With `k` groups that do not
/// touch, `μₖ = 1 > μₖ₊₁`.
///
/// [`CountRule::Stability`]: for every `k`, ten pairs of disjoint random halves of the data are
/// clustered, both clusterings are extended to all points, and the adjusted Rand index of the two
/// is averaged. The largest `k` whose mean is within one standard error of the best is chosen.
/// Numbers of clusters above that of distinct points of a half are not considered.
///
/// # Cost
/// Of the gaps, `max + 1` eigenvectors of the kernel matrix; of stability, `20(max − 1)` fits on
/// half of the data.
///
/// # Errors
/// [`Error::Parameter`] for `max < 2`, [`Error::Value`] for negative kernel values (eigengap); as
/// [`KernelKMeans::fit`].
///
/// # Example
/// ```
/// use mercer::{Compute, view::{CountRule, KernelKMeans, choose_clusters}};
/// use ndarray::array;
/// let x = array![[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]];
/// let spec = KernelKMeans::new("gaussian()".parse()?, 2);
/// let chosen = choose_clusters(&spec, x.view(), 4, CountRule::Eigengap, &Compute::new())?;
/// assert_eq!(chosen.clusters, 3);
/// // 1 − 0.005/(1 + 0.995), nearly: three pairs that hardly touch.
/// assert!(chosen.table[2].score > 0.99);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn choose_clusters<'x>(
    spec: &KernelKMeans,
    x: impl Into<Points<'x>>,
    max: usize,
    rule: CountRule,
    compute: &Compute,
) -> Result<ChosenClusters> {
    let x = spec.kernel.points(x);
    match rule {
        CountRule::Eigengap => eigengaps(&spec.kernel, x, max, (spec.solver, spec.landmarks), compute),
        CountRule::Stability => stability(x, max, compute, &|half, all, clusters, compute| {
            let spec = KernelKMeans { clusters: clusters.into(), ..spec.clone() };
            spec.fit(half, None, compute)?.predict(all, compute)
        }),
    }
}

/// Clusters some points, and gives the clusters of all.
type HalfFit<'f> = dyn Fn(&Sample, &Sample, usize, &Compute) -> Result<Vec<usize>> + Sync + 'f;

/// The choice by the agreement of halves.
pub(in crate::view) fn stability(
    x: Points<'_>,
    max: usize,
    compute: &Compute,
    fit: &HalfFit<'_>,
) -> Result<ChosenClusters> {
    x.check_square()?;
    let half = x.len() / 2;
    let max = checked_max(max, half)?;
    if half < 2 {
        return Err(Error::too_few("the choice of the number of clusters by stability", "points", 4, x.len()));
    }
    let mut table = Vec::new();
    for clusters in 2..=max {
        compute.report("stability of clusters", (clusters - 2) as u64, (max - 1) as u64);
        let one = |pair: usize| agreement(x, half, (clusters, pair), compute, fit);
        let scores = match compute.try_map_tasks(PAIRS, one) {
            // Half of the points have no more distinct points than this.
            Err(Error::TooFew { .. }) if !table.is_empty() => break,
            scores => scores?,
        };
        let mean = scores.iter().sum::<f64>() / PAIRS as f64;
        let variance = scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (PAIRS as f64 - 1.0);
        table.push(ClusterScore { clusters, score: mean, error: (variance / PAIRS as f64).sqrt() });
    }
    compute.report("stability of clusters", (max - 1) as u64, (max - 1) as u64);
    let best = table.iter().copied().reduce(|a, b| if b.score > a.score { b } else { a });
    let level = best.map_or(0.0, |best| best.score - best.error);
    let clusters = table.iter().rev().find(|row| row.score >= level).map_or(1, |row| row.clusters);
    Ok(ChosenClusters { clusters, rule: CountRule::Stability, table })
}

/// The adjusted Rand index of the clusterings of two disjoint halves.
fn agreement(
    x: Points<'_>,
    half: usize,
    (clusters, pair): (usize, usize),
    compute: &Compute,
    fit: &HalfFit<'_>,
) -> Result<f64> {
    compute.check_canceled()?;
    let compute = &compute.silent();
    let order = compute.seed().stream("halves", pair as u64).permutation(x.len());
    let all: Vec<usize> = (0..x.len()).collect();
    let labels = |rows: &[usize]| {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        fit(&Sample::select(x, &rows), &Sample::select_new(x, &all, &rows), clusters, compute)
    };
    adjusted_rand_index(&labels(&order[..half])?, &labels(&order[half..2 * half])?)
}

/// The largest number of clusters to consider.
pub(in crate::view) fn checked_max(max: usize, points: usize) -> Result<usize> {
    if max < 2 {
        return Err(Error::parameter("max_clusters", max, 2..));
    }
    Ok(max.min(points))
}

impl ChosenClusters {
    /// With the facts of the choice.
    pub(in crate::view) fn facts<'f>(&'f self, facts: Facts<'f>) -> Facts<'f> {
        let column = |value: fn(&ClusterScore) -> f64| self.table.iter().map(value).collect::<ndarray::Array1<f64>>();
        facts
            .with("rule", self.rule.name(), "how the number of clusters was chosen")
            .with("cluster_counts", self.table.iter().map(|row| row.clusters).collect::<Vec<_>>(), "numbers considered")
            .with("cluster_scores", column(|row| row.score), "score of each number of clusters: large is good")
            .with("cluster_score_errors", column(|row| row.error), "standard error of each score")
    }

    pub(in crate::view) fn put_into(&self, record: &mut Record) {
        record.put_text("chosen.rule", self.rule.name());
        record.put_count("chosen.clusters", self.clusters);
        record.put_integers("chosen.counts", &self.table.iter().map(|row| row.clusters).collect::<Vec<_>>());
        record.put_slice("chosen.scores", &self.table.iter().map(|row| row.score).collect::<Vec<_>>());
        record.put_slice("chosen.errors", &self.table.iter().map(|row| row.error).collect::<Vec<_>>());
    }

    /// The choice that [`ChosenClusters::put_into`] wrote, if any.
    pub(in crate::view) fn take_from(record: &mut Record) -> Result<Option<Self>> {
        if !record.has("chosen.rule") {
            return Ok(None);
        }
        let rule = Settings::new().with("rule", record.text("chosen.rule")?).word("rule", &super::RULES)?;
        let counts = record.take_integers("chosen.counts")?;
        let scores = record.take_finite_vector("chosen.scores", counts.len())?;
        let errors = record.take_finite_vector("chosen.errors", counts.len())?;
        let row = |(clusters, (&score, &error)): (usize, (&f64, &f64))| ClusterScore { clusters, score, error };
        let table: Vec<ClusterScore> = counts.into_iter().zip(scores.iter().zip(&errors)).map(row).collect();
        let clusters = record.count("chosen.clusters")?;
        require("chosen.clusters", clusters as f64, clusters >= 1, "at least 1")?;
        Ok(Some(Self { clusters, rule, table }))
    }
}
