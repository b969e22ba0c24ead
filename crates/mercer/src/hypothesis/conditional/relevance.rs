//! Which columns of `z` matter for a variable: a Gaussian kernel with a lengthscale per column.

use ndarray::{Array2, ArrayView2, Axis};

use super::regression::centered_part;
use crate::learn::SharedGaussianProcess;
use crate::solve::symmetric_eigen;
use crate::{Compute, Kernel, Points, Result};

/// The most rows of the likelihood: an evaluation takes `n³`, and some 50 to 100 are made. Not tuned.
const ROWS: usize = 256;
/// The most features that are regressed at a time, and the smallest share of the variance of the first
/// that one may have. Not tuned.
const FEATURES: usize = 10;
const SHARE: f64 = 0.01;
/// Where the search begins: half of the variance is noise.
const NOISE: f64 = 0.5;

/// The bytes of the search on so many rows: the matrix, its eigenvectors and the work of their
/// decomposition, and an evaluation of the likelihood.
pub(super) fn bytes(n: usize, compute: &Compute) -> u64 {
    let n = n.min(ROWS);
    let square = 8 * (n as u64).pow(2);
    4 * square + SharedGaussianProcess::search_bytes(n, compute)
}

/// The kernel of `z` that maximizes the likelihood of the leading features of a centered matrix, as
/// Zhang et al. (2011) choose theirs; `None` where there is none.
///
/// # Errors
/// As [`SharedGaussianProcess::fit`].
pub(super) fn kernel(
    target: &Array2<f64>,
    z: ArrayView2<f64>,
    median: f64,
    compute: &Compute,
) -> Result<Option<Kernel>> {
    let mut rows = compute.seed().stream("rows of relevances", 0).permutation(target.nrows());
    rows.truncate(ROWS);
    let features = leading(&centered_part(target, &rows), compute)?;
    if features.ncols() == 0 {
        return Ok(None);
    }
    let lengths = vec![median.to_string(); z.ncols()].join(", ");
    let start = SharedGaussianProcess::new(format!("1*gaussian(lengthscale=[{lengths}])").parse()?);
    let some = z.select(Axis(0), &rows);
    let found = start.optimized(Points::Vectors(some.view()), features.view(), NOISE, compute)?;
    Ok(found.map(|(kernel, _)| kernel))
}

/// The leading features of points with a centered kernel matrix, of mean square 1 each.
fn leading(matrix: &Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let eigen = symmetric_eigen(matrix.view(), compute)?;
    let largest = eigen.values.last().copied().unwrap_or(0.0);
    let enough = |value: f64| value > 0.0 && value >= SHARE * largest;
    let chosen: Vec<usize> =
        (0..eigen.values.len()).rev().take(FEATURES).filter(|&a| enough(eigen.values[a])).collect();
    Ok(eigen.vectors.select(Axis(1), &chosen) * (matrix.nrows() as f64).sqrt())
}
