//! Inner products of centered matrices: what HSIC, distance covariance and Lancaster's interaction
//! are sums of.

use std::ops::Range;

use ndarray::Array2;

use crate::gram::{self, Tile, Tiles, fold_tiles};
use crate::{Compute, Result};

/// How a matrix is centered: `K̃ᵢⱼ = Kᵢⱼ − rᵢ − rⱼ + c`.
#[derive(Clone, Debug)]
pub(crate) struct Centering {
    /// `rᵢ`.
    pub(crate) rows: Vec<f64>,
    /// `c`.
    pub(crate) constant: f64,
    /// Whether the diagonal is left out (set to 0).
    pub(crate) hollow: bool,
}

impl Centering {
    /// `HKH`, `H = I − 11ᵀ/n`.
    pub(crate) fn double(row_sums: &[f64]) -> Self {
        let n = row_sums.len() as f64;
        let rows: Vec<f64> = row_sums.iter().map(|s| s / n).collect();
        let constant = rows.iter().sum::<f64>() / n;
        Self { rows, constant, hollow: false }
    }

    /// U-centering: inner products of hollow matrices centered so are unbiased
    /// [Székely, Rizzo 2014; Song et al. 2012].
    pub(crate) fn unbiased(row_sums: &[f64], diagonal: &[f64]) -> Self {
        let n = row_sums.len() as f64;
        let hollow: Vec<f64> = row_sums.iter().zip(diagonal).map(|(s, d)| s - d).collect();
        let constant = hollow.iter().sum::<f64>() / ((n - 1.0) * (n - 2.0));
        Self { rows: hollow.iter().map(|s| s / (n - 2.0)).collect(), constant, hollow: true }
    }

    /// The centered value of an entry.
    pub(crate) fn value(&self, i: usize, j: usize, value: f64) -> f64 {
        if self.hollow && i == j { 0.0 } else { value - (self.rows[i] + self.rows[j]) + self.constant }
    }

    /// The centered values of some columns of row `i`.
    pub(crate) fn center(&self, i: usize, cols: Range<usize>, values: &[f64], out: &mut [f64]) {
        let own = self.rows[i];
        for ((out, value), row) in out.iter_mut().zip(values).zip(&self.rows[cols.clone()]) {
            *out = value - (own + row) + self.constant;
        }
        if self.hollow && cols.contains(&i) {
            out[i - cols.start] = 0.0;
        }
    }
}

/// `K1`, without storing `K`.
///
/// # Errors
/// As [`gram::multiply`].
pub(crate) fn row_sums(tiles: &dyn Tiles, compute: &Compute) -> Result<Vec<f64>> {
    let ones = Array2::ones((tiles.shape().1, 1));
    Ok(gram::multiply(tiles, ones.view(), compute)?.into_raw_vec_and_offset().0)
}

/// `Σᵢⱼ Π_q K̃^{(q)}ᵢⱼ` over several centered matrices of one size.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(crate) fn product_sum(matrices: &[(&dyn Tiles, &Centering)], compute: &Compute) -> Result<f64> {
    let tiles: Vec<&dyn Tiles> = matrices.iter().map(|(tiles, _)| *tiles).collect();
    let add = |sum: &mut f64, tile: &Tile<'_>| {
        let width = tile.cols.len();
        let (mut product, mut factor) = (vec![0.0; width], vec![0.0; width]);
        for (r, i) in tile.rows.clone().enumerate() {
            product.fill(1.0);
            for ((_, centering), values) in matrices.iter().zip(tile.values) {
                centering.center(i, tile.cols.clone(), &values[r * width..(r + 1) * width], &mut factor);
                product.iter_mut().zip(&factor).for_each(|(p, f)| *p *= f);
            }
            *sum += tile.weight() * gram::sum(&product);
        }
    };
    Ok(fold_tiles(&tiles, compute, || 0.0, add)?.into_iter().sum())
}

/// `Σ K̃∘L̃`, `Σ K̃∘K̃` and `Σ L̃∘L̃` in one pass.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(crate) fn inner_products(
    (k, k_centering): (&dyn Tiles, &Centering),
    (l, l_centering): (&dyn Tiles, &Centering),
    compute: &Compute,
) -> Result<[f64; 3]> {
    let add = |sums: &mut [f64; 3], tile: &Tile<'_>| {
        let (mut a, mut b) = (vec![0.0; tile.cols.len()], vec![0.0; tile.cols.len()]);
        for ((i, k), (_, l)) in tile.lines(0).zip(tile.lines(1)) {
            k_centering.center(i, tile.cols.clone(), k, &mut a);
            l_centering.center(i, tile.cols.clone(), l, &mut b);
            for (sum, (a, b)) in sums.iter_mut().zip([(&a, &b), (&a, &a), (&b, &b)]) {
                *sum += tile.weight() * dot(a, b);
            }
        }
    };
    let strips = fold_tiles(&[k, l], compute, || [0.0; 3], add)?;
    Ok(strips.iter().fold([0.0; 3], |total, strip| std::array::from_fn(|q| total[q] + strip[q])))
}

/// `Σ aᵢbᵢ`: eight chains in a fixed order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a_lanes, a_rest), (b_lanes, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}
