//! Data splitting: one half selects the kernel, the other half tests.

use super::{PooledPairs, TwoSample, TwoSampleMethod, bandwidths};
use crate::error::PrecomputedNeed;
use crate::gram::{Pairs, Tiles};
use crate::hypothesis::TestOutcome;
use crate::kernel::Kernel;
use crate::measure::{PairTiles, row_sums};
use crate::{Compute, Error, Points, Result, Sample};

impl TwoSample {
    /// Splits both samples at random, takes the kernel with the largest `MMD²_u/σ` on one half, and
    /// permutes the other.
    pub(super) fn split(&self, data: &PooledPairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        let points = data.pairs.rows();
        if let Points::Precomputed(_) = points {
            return Err(Error::precomputed("a test that chooses lengthscales", PrecomputedNeed::Points));
        }
        let halves = Halves::new(points, data.first, compute);
        let train = halves.train.as_points();
        let kernels = match &self.kernel {
            None => bandwidths::of_split(Pairs::Within(train), compute)?,
            Some(Kernel::Sum(terms)) => terms.iter().cloned().collect(),
            Some(kernel) => vec![kernel.clone()],
        };
        let mut best: Option<(f64, Kernel)> = None;
        for kernel in kernels {
            let bound = kernel.bind(Pairs::Within(halves.train.as_points()), compute)?;
            let power = power_ratio(&bound, halves.pairs, compute)?;
            if best.as_ref().is_none_or(|(largest, _)| power > *largest) {
                best = Some((power, bound.kernel().clone()));
            }
        }
        let (power, kernel) = best.ok_or_else(|| Error::too_few("the choice of a kernel", "kernels", 1, 0))?;
        let test = Self { kernel: Some(kernel), method: TwoSampleMethod::Permutation, ..self.clone() };
        let half = halves.test.as_points();
        let (first, total) = (halves.test_first, half.len());
        let outcome = test.run(&PooledPairs { pairs: Pairs::Within(half), first, total }, compute)?;
        Ok(TestOutcome { method: "split".into(), ..outcome }.with_detail("power_ratio", power))
    }
}

/// The two halves of a pooled sample.
struct Halves {
    /// The same number of points of both samples, those of the first sample first.
    train: Sample,
    pairs: usize,
    test: Sample,
    test_first: usize,
}

impl Halves {
    fn new(points: Points<'_>, first: usize, compute: &Compute) -> Self {
        let order = |which: u64, size: usize| compute.seed().stream("halves", which).permutation(size);
        let (x, y) = (order(0, first), order(1, points.len() - first));
        let pairs = x.len().min(y.len()) / 2;
        let second = |rows: &[usize]| rows.iter().map(|r| first + r).collect::<Vec<_>>();
        let train = [x[..pairs].to_vec(), second(&y[..pairs])].concat();
        let test = [x[pairs..].to_vec(), second(&y[pairs..])].concat();
        Self {
            train: Sample::select(points.reborrow(), &train),
            pairs,
            test: Sample::select(points, &test),
            test_first: x.len() - pairs,
        }
    }
}

/// `MMD²_u/σ` with the variance of the statistic when the distributions differ,
/// `σ² = 4(mean (mean_j hᵢⱼ)² − (mean h)²)` [Sutherland et al. 2017].
fn power_ratio(pooled: &dyn Tiles, pairs: usize, compute: &Compute) -> Result<f64> {
    if pairs < 2 {
        return Err(Error::too_few("two halves", "points of the smaller sample", 4, 2 * pairs));
    }
    let tiles = PairTiles::new(pooled, pairs);
    let n = pairs as f64;
    let sums = row_sums(&tiles, compute)?;
    let own: f64 = tiles.diagonal()?.iter().sum();
    let unbiased = (sums.iter().sum::<f64>() - own) / (n * (n - 1.0));
    let mean = sums.iter().sum::<f64>() / (n * n);
    let variance = 4.0 * (sums.iter().map(|s| (s / n).powi(2)).sum::<f64>() / n - mean * mean);
    Ok(unbiased / (variance.max(0.0) + 1e-8).sqrt())
}
