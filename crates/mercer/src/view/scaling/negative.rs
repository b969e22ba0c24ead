//! The part of a spectrum that is negative.

use crate::gram::{Tile, Tiles, fold_tiles, sum};
use crate::view::eigen::CenteredEigen;
use crate::{Compute, Result};

/// The negative part of the spectrum of `B`: `Σ|negative eigenvalues| / Σ|eigenvalues|`, between 0
/// and ½ where `tr B ≥ 0`. 0 if and only if the squared distances are those of Euclidean vectors.
///
/// # Theory
/// Where only the leading eigenvalues are known, let `T = tr B − Σ μⱼ` be the sum of the others and
/// `R² = ‖B‖² − Σ μⱼ²` that of their squares. The sum `N` of the sizes of the negative ones is at
/// least `−T`, and at most `(√(n − q)·R − T)/2`, because the others' sizes have a sum of at most
/// `√(n − q)·R` (Cauchy and Schwarz).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativePart {
    /// At least this.
    pub lower: f64,
    /// At most this; equal to `lower` where all eigenvalues were computed, or the kernel is proven
    /// negative definite.
    pub upper: f64,
}

impl NegativePart {
    /// The value, if it is known exactly.
    pub fn exact(&self) -> Option<f64> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// From all eigenvalues, from a proof, or from the leading ones and one more pass over the
    /// pairs.
    pub(super) fn of(eigen: &CenteredEigen, proven: bool, tiles: &dyn Tiles, compute: &Compute) -> Result<Self> {
        if let Some(values) = &eigen.spectrum {
            let real = values.iter().filter(|v| v.abs() > eigen.rounding);
            let (positive, negative) =
                real.fold((0.0, 0.0), |(p, n), &v| if v > 0.0 { (p + v, n) } else { (p, n - v) });
            return Ok(Self::of_sums(positive - negative, negative, negative));
        }
        if proven {
            return Ok(Self { lower: 0.0, upper: 0.0 });
        }
        let squares = squared_norm(tiles, eigen, compute)?;
        let left = eigen.trace - eigen.values.iter().sum::<f64>();
        let others = (squares - eigen.values.iter().map(|v| v * v).sum::<f64>()).max(0.0).sqrt();
        let count = (tiles.shape().0 - eigen.values.len()) as f64;
        let lower = if left < -eigen.rounding { -left } else { 0.0 };
        let upper = (0.5 * (count.sqrt() * others - left)).max(lower);
        Ok(Self::of_sums(eigen.trace, lower, upper))
    }

    /// `N/(P + N)` with `P = tr B + N`, for the least and the largest `N`.
    fn of_sums(trace: f64, least: f64, most: f64) -> Self {
        let part =
            |negative: f64| if negative > 0.0 { (negative / (trace + 2.0 * negative)).clamp(0.0, 1.0) } else { 0.0 };
        Self { lower: part(least), upper: part(most) }
    }
}

/// `‖B‖²`, the sum of the squares of its entries.
fn squared_norm(tiles: &dyn Tiles, eigen: &CenteredEigen, compute: &Compute) -> Result<f64> {
    let (columns, total) = (&eigen.means.columns, eigen.means.total);
    let add = |norm: &mut f64, tile: &Tile<'_>| {
        let own = tile.cols.clone();
        for (i, line) in tile.lines(0) {
            let centered = line.iter().zip(own.clone()).map(|(v, j)| v - (columns[i] + columns[j]) + total);
            let squares: Vec<f64> = centered.map(|v| v * v).collect();
            *norm += tile.weight() * sum(&squares);
        }
    };
    Ok(fold_tiles(&[tiles], compute, || 0.0, add)?.into_iter().sum())
}
