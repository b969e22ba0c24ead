//! Centering and whitening.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Points, Result};

/// Eigenvalues below this share of the largest are those of dependent columns.
const DEPENDENT: f64 = 1e-12;

/// `z = W₀(x − μ)` has the covariance `I`; `x − μ = A₀z` in the space that is kept.
pub(super) struct Whitening {
    pub(super) mean: Array1<f64>,
    /// `W₀`, a row per component.
    pub(super) matrix: Array2<f64>,
    /// `A₀`, a column per component.
    pub(super) inverse: Array2<f64>,
}

/// The whitening of a sample, with `1/n` in the covariance.
///
/// # Formula
/// For all columns `W₀ = Γ^{−1/2}S^{−1}` with the standard deviations `S` and the correlation matrix
/// `Γ`: symmetric for columns of variance 1, and independent of the units of the columns. For fewer
/// components `W₀ = Λ^{−1/2}Uᵀ` with the leading eigenvectors of the covariance matrix.
///
/// # Errors
/// [`Error::TooFew`] for fewer than two rows or no columns, [`Error::Value`], [`Error::AllEqual`] for
/// a constant column, [`Error::Parameter`] for more components than columns, [`Error::Singular`] for
/// more than the rank.
pub(super) fn whitening(x: ArrayView2<f64>, components: Option<usize>, compute: &Compute) -> Result<Whitening> {
    let (n, d) = x.dim();
    for (what, needed, found) in [("rows", 2, n), ("columns", 1, d)] {
        if found < needed {
            return Err(Error::too_few("independent components", what, needed, found));
        }
    }
    Points::Vectors(x).check_finite("data")?;
    let mean = x.sum_axis(Axis(0)) / n as f64;
    let centered = &x - &mean;
    match components {
        Some(count) if count == 0 || count > d => Err(Error::parameter("components", count, 1..=d)),
        Some(count) if count < d => principal(mean, centered, count, compute),
        _ => symmetric(mean, centered, compute),
    }
}

fn symmetric(mean: Array1<f64>, mut centered: Array2<f64>, compute: &Compute) -> Result<Whitening> {
    let n = centered.nrows() as f64;
    let deviations = (&centered * &centered).sum_axis(Axis(0)).mapv(|sum| (sum / n).sqrt());
    for (j, (deviation, mean)) in deviations.iter().zip(&mean).enumerate() {
        if *deviation <= 4.0 * f64::EPSILON * mean.abs() {
            return Err(Error::all_equal("whitening", format!("values of column {j}"), "leave the column out"));
        }
        if !deviation.is_finite() {
            return Err(Error::overflow(format!("the variance of column {j}"), "scale it down"));
        }
    }
    centered /= &deviations;
    let eigen = symmetric_eigen((centered.t().dot(&centered) / n).view(), compute)?;
    check_rank(&eigen.values, eigen.values.len())?;
    let matrix = eigen.map(|value| 1.0 / value.sqrt()) / &deviations;
    let inverse = eigen.map(f64::sqrt) * &deviations.insert_axis(Axis(1));
    Ok(Whitening { mean, matrix, inverse })
}

fn principal(mean: Array1<f64>, centered: Array2<f64>, count: usize, compute: &Compute) -> Result<Whitening> {
    let covariance = centered.t().dot(&centered) / centered.nrows() as f64;
    let eigen = symmetric_eigen(covariance.view(), compute)?;
    check_rank(&eigen.values, count)?;
    let order: Vec<usize> = (eigen.values.len() - count..eigen.values.len()).rev().collect();
    let roots: Array1<f64> = order.iter().map(|&j| eigen.values[j].sqrt()).collect();
    let vectors = eigen.vectors.select(Axis(1), &order);
    Ok(Whitening { mean, matrix: (&vectors / &roots).reversed_axes(), inverse: vectors * &roots })
}

/// Enough of the ascending eigenvalues are not rounding.
fn check_rank(ascending: &[f64], components: usize) -> Result<()> {
    let largest = ascending.last().copied().unwrap_or(0.0);
    let rank = ascending.iter().filter(|v| **v > DEPENDENT * largest).count();
    if rank >= components {
        return Ok(());
    }
    let what = format!("the covariance matrix of the columns, of rank {rank} for {components} components,");
    Err(Error::singular(what, format!("ask for at most {} components, or leave out dependent columns", rank.max(1))))
}

impl Whitening {
    /// `(x − μ)W₀ᵀ`.
    pub(super) fn apply(&self, x: ArrayView2<f64>) -> Array2<f64> {
        (&x - &self.mean).dot(&self.matrix.t())
    }
}

/// The rotation by `angle` of the rows `i` and `j` of a matrix: with `R = [[cos, sin], [−sin, cos]]`.
pub(super) fn rotate_rows(matrix: &mut Array2<f64>, (i, j): (usize, usize), angle: f64) {
    let (sin, cos) = angle.sin_cos();
    let (first, second) = (matrix.row(i).to_owned(), matrix.row(j).to_owned());
    matrix.slice_mut(s![i, ..]).assign(&(&first * cos + &second * sin));
    matrix.slice_mut(s![j, ..]).assign(&(&second * cos - &first * sin));
}
