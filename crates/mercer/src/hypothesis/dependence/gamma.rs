//! The gamma approximation of the null distribution of HSIC.

use super::Independence;
use crate::gram::{self, Bound, Tile, Tiles, fold_tiles};
use crate::hypothesis::TestOutcome;
use crate::measure::{Centering, aligned_hsic, row_sums};
use crate::real::special::gamma_tail;
use crate::{Compute, Error, Result};

impl Independence {
    /// `n·HSIC_b` against the gamma distribution with the mean `(1/n)(k̄l̄ + μₓμᵧ − k̄μᵧ − l̄μₓ)`
    /// of HSIC, where `k̄` is the mean of the diagonal and `μ` that of the other entries, and the
    /// variance `(2(n−4)(n−5)/(n(n−1)(n−2)(n−3)))·mean_{i≠j} ((HKH)ᵢⱼ(HLH)ᵢⱼ)²`
    /// [Gretton et al. 2007].
    pub(super) fn gamma(&self, k: &Bound<'_>, l: &Bound<'_>, compute: &Compute) -> Result<TestOutcome> {
        let size = k.shape().0;
        if size < 6 {
            return Err(Error::too_few("the gamma approximation", "points", 6, size));
        }
        let n = size as f64;
        let (k_sums, l_sums) = (row_sums(k, compute)?, row_sums(l, compute)?);
        let means = |tiles: &dyn Tiles, sums: &[f64]| -> Result<(f64, f64)> {
            let own: f64 = tiles.diagonal()?.iter().sum();
            Ok((own / n, (sums.iter().sum::<f64>() - own) / (n * (n - 1.0))))
        };
        let ((k_own, mu_x), (l_own, mu_y)) = (means(k, &k_sums)?, means(l, &l_sums)?);
        let mean = (k_own * l_own + mu_x * mu_y - k_own * mu_y - l_own * mu_x) / n;
        let squares = squared_products(k, l, &Centering::double(&k_sums), &Centering::double(&l_sums), compute)?;
        let factor = 2.0 * (n - 4.0) * (n - 5.0) / (n * (n - 1.0) * (n - 2.0) * (n - 3.0));
        let variance = factor * squares / (n * (n - 1.0));
        if !(mean > 0.0 && variance > 0.0) {
            return Err(Error::undetermined(
                "the null distribution",
                "it has no spread: one of the samples is constant",
                "leave constant columns out",
            ));
        }
        let (statistic, share) = aligned_hsic(k, l, compute)?;
        let (shape, scale) = (mean * mean / variance, variance / mean);
        let text = format!("{}, {}", k.kernel(), l.kernel());
        let p = gamma_tail(shape, statistic / scale);
        Ok(TestOutcome::new("gamma", statistic, p, self.level, text, compute.seed())
            .with_detail("scaled_statistic", n * statistic)
            .with_detail("mu_x", mu_x)
            .with_detail("mu_y", mu_y)
            .with_detail("null_mean", mean)
            .with_detail("null_variance", variance)
            .with_detail("shape", shape)
            .with_detail("scale", n * scale)
            .with_detail("effect", (statistic - mean) / variance.sqrt())
            .with_detail("normalized_hsic", share))
    }
}

/// `Σ_{i≠j} (K̃ᵢⱼL̃ᵢⱼ)²`.
fn squared_products(
    k: &dyn Tiles,
    l: &dyn Tiles,
    k_centering: &Centering,
    l_centering: &Centering,
    compute: &Compute,
) -> Result<f64> {
    let add = |sum: &mut f64, tile: &Tile<'_>| {
        let (mut a, mut b) = (vec![0.0; tile.cols.len()], vec![0.0; tile.cols.len()]);
        for ((i, k), (_, l)) in tile.lines(0).zip(tile.lines(1)) {
            k_centering.center(i, tile.cols.clone(), k, &mut a);
            l_centering.center(i, tile.cols.clone(), l, &mut b);
            if tile.on_diagonal() {
                a[i - tile.cols.start] = 0.0;
            }
            a.iter_mut().zip(&b).for_each(|(a, b)| *a *= *a * b * b);
            *sum += tile.weight() * gram::sum(&a);
        }
    };
    Ok(fold_tiles(&[k, l], compute, || 0.0, add)?.into_iter().sum())
}
