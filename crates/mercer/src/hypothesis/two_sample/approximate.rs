//! Null distributions by approximation: gamma, spectral, normal.

use super::null_spectrum::NullSpectrum;
use super::{PooledPairs, TwoSample};
use crate::gram::{Tile, Tiles, fold_tiles};
use crate::hypothesis::TestOutcome;
use crate::hypothesis::outcome::{binomial_interval, effect};
use crate::measure::{Centering, PairTiles, TwoSampleSums, block_values, row_sums};
use crate::real::special::{gamma_tail, normal_tail};
use crate::{Compute, Error, Result};

impl TwoSample {
    /// `s·MMD²_b` against a gamma distribution with the mean and the variance of the null
    /// distribution, `s = m` for `m = n` and `mn/(m+n)` otherwise.
    pub(super) fn gamma(&self, data: &PooledPairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        let bound = self.one_kernel(data.pairs)?.bind(data.pairs, compute)?;
        let sums = TwoSampleSums::new(&bound, data.first, compute)?;
        let biased = sums.biased();
        let (m, n) = (data.first as f64, (data.total - data.first) as f64);
        let paired = data.equal_sizes().ok().map(|pairs| paired_moments(&bound, pairs, compute)).transpose()?;
        // Pairs of equal points have no moments; the pooled sample may have.
        let (mean, variance) = match paired.filter(|(mean, variance)| *mean > 0.0 && *variance > 0.0) {
            Some(moments) => moments,
            None => pooled_moments(&bound, 1.0 / m + 1.0 / n, compute)?,
        };
        if !(mean > 0.0 && variance > 0.0) {
            return Err(Error::all_equal(
                "the null distribution",
                "kernel values",
                "use another kernel, or leave constant columns out",
            ));
        }
        let (shape, scale) = (mean * mean / variance, variance / mean);
        let p = gamma_tail(shape, biased / scale);
        let factor = if m == n { m } else { m * n / (m + n) };
        let text = bound.kernel().to_string();
        Ok(TestOutcome::new("gamma", biased, p, self.level, text, compute.seed())
            .with_detail("scaled_statistic", factor * biased)
            .with_detail("null_mean", mean)
            .with_detail("null_variance", variance)
            .with_detail("shape", shape)
            .with_detail("scale", factor * scale)
            .with_detail("effect", (biased - mean) / variance.sqrt())
            .with_detail("share_of_variance", sums.share_of_variance()))
    }

    /// `(mn/(m+n))·MMD²_b → Σ λⱼzⱼ²` with the eigenvalues of `HKH/(m+n)`; as many draws as
    /// permutations, the observed value counted. The draws are scaled by `N/(N−1)`, so that their
    /// mean is that of the statistic over all relabelings, and their distances from the mean by
    /// `(Σ_{i≠j} K̃ᵢⱼ²/Σ K̃ᵢⱼ²)^½`: relabeling does not move the diagonal, which matters where the
    /// matrix is nearly diagonal. Of many points only the leading eigenvalues are computed
    /// ([`NullSpectrum`]).
    pub(super) fn spectral(&self, data: &PooledPairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        if self.permutations == 0 {
            return Err(Error::parameter("permutations", 0, 1..));
        }
        let bound = self.one_kernel(data.pairs)?.bind(data.pairs, compute)?;
        let sums = TwoSampleSums::new(&bound, data.first, compute)?;
        let biased = sums.biased();
        let (m, total) = (data.first as f64, data.total as f64);
        let factor = m * (total - m) / total;
        let unit = total / ((total - 1.0) * factor);
        let spectrum = NullSpectrum::new(&bound, compute)?;
        let draw = |b: usize| {
            compute.check_canceled()?;
            Ok(spectrum.draw(&mut compute.seed().stream("spectral null", b as u64)) * unit)
        };
        let null: Vec<f64> = compute.try_map_tasks(self.permutations, draw)?;
        let above = null.iter().filter(|v| **v >= biased).count() as f64;
        let p = (1.0 + above) / (1.0 + self.permutations as f64);
        let text = bound.kernel().to_string();
        let mut outcome = TestOutcome::new("spectral", biased, p, self.level, text, compute.seed())
            .with_detail("scaled_statistic", factor * biased)
            .with_detail("share_of_variance", sums.share_of_variance());
        if let Some(effect) = effect(biased, &null) {
            outcome = outcome.with_detail("effect", effect);
        }
        outcome.p_interval = Some(binomial_interval(above as usize, self.permutations, 0.99));
        if let Some(rest) = &spectrum.rest {
            outcome = outcome
                .with_detail("eigenvalues", spectrum.values.len() as f64)
                .with_detail("remainder_share", rest.share)
                .with_detail("skewness_error", rest.skewness_error);
        }
        for (j, value) in spectrum.values.iter().rev().take(5).enumerate() {
            outcome = outcome.with_detail(&format!("eigenvalue_{}", j + 1), *value);
        }
        outcome.null = Some(null);
        Ok(outcome)
    }

    /// The mean over independent blocks, over its standard error, against the normal distribution.
    pub(super) fn blocks(
        &self,
        data: &PooledPairs<'_>,
        size: usize,
        method: &str,
        compute: &Compute,
    ) -> Result<TestOutcome> {
        if size < 2 {
            return Err(Error::parameter("block_size", size, 2..));
        }
        let bound = self.one_kernel(data.pairs)?.bind(data.pairs, compute)?;
        let values = block_values(&bound, data.first, size, compute)?;
        let count = values.len() as f64;
        if values.len() < 2 {
            return Err(Error::too_few("a block test", "blocks", 2, values.len()));
        }
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let error = (variance / count).sqrt();
        let z = if error > 0.0 { mean / error } else { 0.0 };
        let text = bound.kernel().to_string();
        Ok(TestOutcome::new(method, mean, normal_tail(z), self.level, text, compute.seed())
            .with_detail("z", z)
            .with_detail("effect", z)
            .with_detail("standard_error", error)
            .with_detail("blocks", count))
    }
}

/// Mean and variance of `MMD²_b` under the hypothesis for `m = n` (Gretton et al. 2012):
/// `(2/m)(k̄ − mean k(xᵢ, yᵢ))`, where `k̄` is the mean of the diagonal, and
/// `(2/(m²(m−1)²)) Σ_{i≠j} h²ᵢⱼ`.
fn paired_moments(pooled: &dyn Tiles, pairs: usize, compute: &Compute) -> Result<(f64, f64)> {
    let tiles = PairTiles::new(pooled, pairs);
    let m = pairs as f64;
    // h(i, i) = k(xᵢ, xᵢ) + k(yᵢ, yᵢ) − 2k(xᵢ, yᵢ).
    let mean = tiles.diagonal()?.iter().sum::<f64>() / (m * m);
    let add = |sum: &mut f64, tile: &Tile<'_>| {
        for (i, line) in tile.lines(0) {
            let own = if tile.on_diagonal() { line[i - tile.cols.start].powi(2) } else { 0.0 };
            *sum += tile.weight() * (line.iter().map(|h| h * h).sum::<f64>() - own);
        }
    };
    let squares: f64 = fold_tiles(&[&tiles], compute, || 0.0, add)?.into_iter().sum();
    Ok((mean, 2.0 * squares / (m * m * (m - 1.0) * (m - 1.0))))
}

/// Mean and variance of the limit `(1/m + 1/n) Σ λⱼzⱼ²`: `tr(HKH)/N` and `2‖HKH‖²/N²`, with the
/// bias of the variances corrected by `N/(N−1)`.
fn pooled_moments(pooled: &dyn Tiles, factor: f64, compute: &Compute) -> Result<(f64, f64)> {
    let centering = Centering::double(&row_sums(pooled, compute)?);
    let total = pooled.shape().0 as f64;
    let add = |sums: &mut [f64; 2], tile: &Tile<'_>| {
        for (i, line) in tile.lines(0) {
            for (j, value) in tile.cols.clone().zip(line) {
                let value = centering.value(i, j, *value);
                sums[1] += tile.weight() * value * value;
                if i == j {
                    sums[0] += value;
                }
            }
        }
    };
    let strips = fold_tiles(&[pooled], compute, || [0.0; 2], add)?;
    let (trace, squares) = strips.iter().fold((0.0, 0.0), |(t, s), strip| (t + strip[0], s + strip[1]));
    let freedom = total - 1.0;
    Ok((factor * trace / freedom, 2.0 * factor * factor * squares / (freedom * freedom)))
}
