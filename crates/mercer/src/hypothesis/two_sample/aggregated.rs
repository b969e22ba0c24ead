//! MMDAgg: aggregation over many kernels without data splitting.

use std::cmp::Ordering;

use ndarray::Array2;

use super::{PooledPairs, TwoSample, bandwidths};
use crate::gram::KernelFamily;
use crate::hypothesis::TestOutcome;
use crate::hypothesis::engine::{Enumeration, Relabeled, Relabeling, Resampled, Resampling, resample};
use crate::hypothesis::groups::{Splits, Strata};
use crate::hypothesis::labels::{Matrices, SignForms, SplitMmd, SplitStatistic};
use crate::hypothesis::outcome::{binomial_interval, effect};
use crate::kernel::Kernel;
use crate::measure::TwoSampleSums;
use crate::{Compute, Error, Result};

/// How much each kernel of an aggregated test counts, in the order of the lengthscales.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KernelWeights {
    /// All the same.
    #[default]
    Uniform,
    /// `∝ 1/i`: small lengthscales count more.
    Decreasing,
    /// `∝ 1/(n + 1 − i)`: large lengthscales count more.
    Increasing,
    /// `∝ 1/(1 + |i − (n+1)/2|)`: those in the middle count more.
    Centered,
}

impl KernelWeights {
    /// The weights of `count` lengthscales; they sum to 1.
    ///
    /// # Example
    /// ```
    /// use mercer::hypothesis::KernelWeights;
    /// assert_eq!(KernelWeights::Uniform.of(4), [0.25; 4]);
    /// assert_eq!(KernelWeights::Decreasing.of(2), [2.0 / 3.0, 1.0 / 3.0]);
    /// ```
    pub fn of(self, count: usize) -> Vec<f64> {
        let weight = |i: usize| match self {
            Self::Uniform => 1.0,
            Self::Decreasing => 1.0 / (i + 1) as f64,
            Self::Increasing => 1.0 / (count - i) as f64,
            Self::Centered => 1.0 / (1.0 + (i as f64 - (count as f64 - 1.0) / 2.0).abs()),
        };
        let weights: Vec<f64> = (0..count).map(weight).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / total).collect()
    }
}

impl TwoSample {
    /// MMDAgg: the smallest weighted p-value of all kernels, against its own distribution under
    /// relabeling.
    pub(super) fn aggregate(
        &self,
        data: &PooledPairs<'_>,
        weights: KernelWeights,
        wild: bool,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        let kernels = self.several_kernels(data, bandwidths::aggregated, compute)?;
        let family = KernelFamily::new(&kernels, data.pairs, compute)?;
        let how = Resampling::new(self.permutations);
        let found = if wild {
            let n = data.equal_sizes()?;
            let divisor = n as f64 * (n as f64 - 1.0);
            resample(&SignForms::new(Matrices::Pairs(&family, n), true, divisor), &how, compute)?
        } else {
            let splits = Splits::new(data.first, Strata::one(data.total));
            let statistic = SplitStatistic::Unbiased;
            resample(&SplitMmd { matrices: Matrices::Pooled(&family), splits, statistic }, &how, compute)?
        };
        let method = if wild { "aggregated, wild bootstrap" } else { "aggregated" };
        // Lengthscales of one kind of kernel are weighted among themselves.
        let vectors = !data.pairs.rows().kind().is_object();
        let groups = if self.kernel.is_none() && vectors { 2 } else { 1 };
        let each = weights.of(kernels.len() / groups);
        let weights: Vec<f64> = (0..kernels.len()).map(|k| each[k % each.len()] / groups as f64).collect();
        let (outcome, best) = smallest_p(method, &found, &weights, family.kernels(), self.level, compute);
        let sums = TwoSampleSums::new(&family.kernels()[best].bind(data.pairs, compute)?, data.first, compute)?;
        Ok(outcome.with_detail("share_of_variance", sums.share_of_variance()))
    }

    /// MMD-FUSE: the soft maximum of the normalized statistics of all kernels, relabeled.
    pub(super) fn fuse(&self, data: &PooledPairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        let kernels = self.several_kernels(data, bandwidths::fused, compute)?;
        let family = KernelFamily::new(&kernels, data.pairs, compute)?;
        let splits = Splits::new(data.first, Strata::one(data.total));
        let inner = SplitMmd { matrices: Matrices::Pooled(&family), splits, statistic: SplitStatistic::Normalized };
        let smaller = data.first.min(data.total - data.first) as f64;
        let fused = Fused { inner, sharpness: (smaller * (smaller - 1.0)).sqrt() };
        let how = Resampling { enumeration: Enumeration::WhenFew, ..Resampling::new(self.permutations) };
        let found = resample(&fused, &how, compute)?;
        Ok(TestOutcome::of_resampled("fused", &found, self.level, texts(family.kernels()), compute.seed()))
    }

    /// The kernels requested (the terms of a sum are taken apart), or those of a rule.
    fn several_kernels(
        &self,
        data: &PooledPairs<'_>,
        rule: fn(crate::gram::Pairs<'_>, &Compute) -> Result<Vec<Kernel>>,
        compute: &Compute,
    ) -> Result<Vec<Kernel>> {
        match &self.kernel {
            None => rule(data.pairs, compute),
            Some(Kernel::Sum(terms)) => Ok(terms.iter().cloned().collect()),
            Some(kernel) => Ok(vec![kernel.clone()]),
        }
    }
}

/// The minimum over statistics of `p/w`, and its rank among the minima of all relabelings; and the
/// statistic that attains it.
///
/// # Theory
/// The minimum is itself a statistic of the labels, so that its rank is exactly level: this is the
/// correction of the level that MMDAgg finds by bisection from a second set of relabelings, without
/// the bisection and the second set [Schrab et al. 2023; Westfall, Young 1993]. Minima are ranks,
/// of which many are equal: of `K` kernels up to `K` relabelings are the first of one. Counted as
/// ties they would cost up to `K/(1 + B)` of the level; they are ordered by how far the statistic
/// that attains the minimum lies above its mean, in standard deviations of its relabeled values,
/// which is a statistic of the labels too.
pub(in crate::hypothesis) fn smallest_p(
    method: &str,
    found: &Resampled,
    weights: &[f64],
    kernels: &[Kernel],
    level: f64,
    compute: &Compute,
) -> (TestOutcome, usize) {
    let Standings { minima, excess, slack } = Standings::new(found, weights);
    let total = minima.len();
    let counts = |b: &usize| match compare(minima[*b], minima[0]) {
        Ordering::Equal => excess[*b] >= excess[0] - slack,
        order => order == Ordering::Less,
    };
    let at_most = (0..total).filter(counts).count();
    let p_value = at_most as f64 / total as f64;
    let mut outcome = TestOutcome::new(method, minima[0], p_value, level, texts(kernels), compute.seed());
    outcome.permutations = found.relabelings();
    outcome.exact = found.exact;
    if !found.exact {
        outcome.p_interval = Some(binomial_interval(at_most - 1, total - 1, 0.99));
    }
    let p = |k: usize| found.p_value(k) / weights[k];
    let best = (1..weights.len()).fold(0, |best, k| if p(k) < p(best) { k } else { best });
    for (k, weight) in weights.iter().enumerate() {
        outcome = outcome
            .with_detail(&format!("p_{}", k + 1), found.p_value(k))
            .with_detail(&format!("weight_{}", k + 1), *weight);
    }
    outcome.null = Some(minima[1..].to_vec());
    if let Some(effect) = effect(found.observed(best), &found.null(best)) {
        outcome = outcome.with_detail("effect", effect);
    }
    (outcome.with_detail("best_kernel", (best + 1) as f64), best)
}

/// Where every relabeling stands.
struct Standings {
    /// `min_k p_k/w_k`, the p-value of each relabeling being its rank among all of them.
    minima: Vec<f64>,
    /// How far the statistic that attains the minimum is above its mean, in standard deviations;
    /// the largest of several.
    excess: Vec<f64>,
    /// Differences of the excess up to this size are rounding.
    slack: f64,
}

impl Standings {
    fn new(found: &Resampled, weights: &[f64]) -> Self {
        let rows = found.values.nrows();
        let mut all = Self { minima: vec![f64::INFINITY; rows], excess: vec![f64::NEG_INFINITY; rows], slack: 0.0 };
        for (k, weight) in weights.iter().enumerate() {
            let column = found.values.column(k);
            let mean = column.sum() / rows as f64;
            let spread = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / rows as f64).sqrt();
            let scale = if spread > 0.0 { 1.0 / spread } else { 0.0 };
            all.slack = all.slack.max(2.0 * found.rounding[k] * scale);
            let mut order: Vec<usize> = (0..rows).collect();
            order.sort_by(|&a, &b| column[b].total_cmp(&column[a]));
            // Going down, the rank of a value counts all that are at least as large, ties within
            // rounding included.
            let mut last = 0;
            for &b in &order {
                while last < rows && column[order[last]] >= column[b] - found.rounding[k] {
                    last += 1;
                }
                all.see(b, last as f64 / rows as f64 / weight, (column[b] - mean) * scale);
            }
        }
        all
    }

    fn see(&mut self, b: usize, value: f64, excess: f64) {
        match compare(value, self.minima[b]) {
            Ordering::Less => (self.minima[b], self.excess[b]) = (value, excess),
            Ordering::Equal => self.excess[b] = self.excess[b].max(excess),
            Ordering::Greater => {}
        }
    }
}

/// Equal minima differ by rounding of the division alone.
fn compare(a: f64, b: f64) -> Ordering {
    let equal = a == b || (b.is_finite() && (a - b).abs() <= 1e-12 * b);
    if equal { Ordering::Equal } else { a.total_cmp(&b) }
}

fn texts(kernels: &[Kernel]) -> String {
    kernels.iter().map(Kernel::to_string).collect::<Vec<_>>().join(", ")
}

/// `(1/λ) log mean exp(λ Tₖ)` of several statistics.
struct Fused<'f, 'd> {
    inner: SplitMmd<'f, 'd>,
    sharpness: f64,
}

impl Relabeled for Fused<'_, '_> {
    type Group = Splits;

    fn group(&self) -> &Splits {
        self.inner.group()
    }

    fn bytes_each(&self) -> usize {
        self.inner.bytes_each()
    }

    fn evaluate(&self, labels: &[Vec<i8>], compute: &Compute) -> Result<Relabeling> {
        let found = self.inner.evaluate(labels, compute)?;
        let soft = |row: ndarray::ArrayView1<'_, f64>| {
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mean = row.iter().map(|v| (self.sharpness * (v - largest)).exp()).sum::<f64>() / row.len() as f64;
            largest + mean.ln() / self.sharpness
        };
        let values: Vec<f64> = found.values.rows().into_iter().map(soft).collect();
        let rounding = found.rounding.iter().copied().fold(0.0, f64::max);
        let values = Array2::from_shape_vec((labels.len(), 1), values)
            .map_err(|e| Error::shape("values of the statistic", labels.len(), e))?;
        Ok(Relabeling { values, rounding: vec![rounding] })
    }
}
