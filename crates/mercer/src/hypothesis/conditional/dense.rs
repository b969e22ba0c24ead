//! Ridge regressions on many rows by Cholesky factors: `R = ε(HMH + εI)⁻¹`, stored.

use ndarray::{Array1, Array2, Axis};

use super::regression::{RIDGES, centered};
use crate::gram::{Bound, Pairs};
use crate::operator::Dense;
use crate::operator::products::multiply;
use crate::solve::{CholeskyFactor, Factored, factor_any, leading_estimates};
use crate::{Compute, Kernel, Result};

/// Rows whose leave-one-out errors choose the ridge. Trades time against the noise of the choice. Not
/// tuned.
const ROWS: usize = 256;
/// Accuracy of the largest eigenvalue, which the ridges are multiples of.
const ACCURACY: f64 = 1e-6;
/// Products for the largest eigenvalue, at most.
const ROUNDS: usize = 60;

/// A ridge regression on `z` with its matrix.
#[derive(Clone)]
pub(super) struct DenseRegression {
    pub(super) kernel: Kernel,
    /// `ε`.
    pub(super) ridge: f64,
    /// `R`.
    matrix: Array2<f64>,
}

impl DenseRegression {
    /// With a given ridge; `None` where `HMH + εI` is not positive definite to working precision.
    ///
    /// # Errors
    /// As the factorization.
    pub(super) fn new(bound: &Bound<'_>, ridge: f64, compute: &Compute) -> Result<Option<Self>> {
        Self::of(&centered(bound, compute)?, bound.kernel(), ridge, compute)
    }

    fn of(matrix: &Array2<f64>, kernel: &Kernel, ridge: f64, compute: &Compute) -> Result<Option<Self>> {
        let Some(factor) = shifted(matrix, ridge, compute)? else { return Ok(None) };
        let inverse = factor.solve(Array2::eye(matrix.nrows()).view(), compute)?;
        Ok(Some(Self { kernel: kernel.clone(), ridge, matrix: inverse * ridge }))
    }

    /// `RKR`.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub(super) fn residual(&self, target: &Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        multiply(multiply(self.matrix.view(), target.view(), compute)?.view(), self.matrix.view(), compute)
    }
}

/// `Σᵢⱼ PᵢⱼQᵢⱼ/Σᵢ PᵢᵢQᵢᵢ` for `P = R² − 11ᵀ/n`: `(‖R_xR_y‖² − 1)` over the sum of the products of the
/// diagonals.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(super) fn inflation(left: &DenseRegression, right: &DenseRegression, compute: &Compute) -> Result<f64> {
    let n = left.matrix.nrows() as f64;
    let diagonal = |r: &DenseRegression| r.matrix.map_axis(Axis(1), |row| row.dot(&row) - 1.0 / n);
    let own = diagonal(left).dot(&diagonal(right));
    let product = multiply(left.matrix.view(), right.matrix.view(), compute)?;
    let all = product.iter().map(|v| v * v).sum::<f64>() - 1.0;
    Ok(if own > 0.0 { all / own } else { 1.0 })
}

/// The regressions of two variables, each on its own kernel of `z`, with the ridges of the least
/// leave-one-out errors of some rows; `None` where no factor exists.
///
/// # Errors
/// As the factorizations.
pub(super) fn chosen(
    targets: [&Array2<f64>; 2],
    z: Pairs<'_>,
    kernels: &[Kernel; 2],
    compute: &Compute,
) -> Result<Option<[DenseRegression; 2]>> {
    let n = targets[0].nrows();
    let mut rows = compute.seed().stream("rows of leave-one-out errors", 0).permutation(n);
    rows.truncate(ROWS);
    let together: &[&[usize]] = if kernels[0] == kernels[1] { &[&[0, 1]] } else { &[&[0], &[1]] };
    let mut found = Vec::new();
    for members in together {
        let bound = kernels[members[0]].bind(z, compute)?;
        let matrix = centered(&bound, compute)?;
        let some: Vec<&Array2<f64>> = members.iter().map(|&t| targets[t]).collect();
        for ridge in ridges(&matrix, &some, &rows, compute)? {
            let Some(regression) = DenseRegression::of(&matrix, bound.kernel(), ridge, compute)? else {
                return Ok(None);
            };
            found.push(regression);
        }
    }
    Ok(found.try_into().ok())
}

/// For every variable, the ridge with the least leave-one-out error of some rows.
fn ridges(matrix: &Array2<f64>, targets: &[&Array2<f64>], rows: &[usize], compute: &Compute) -> Result<Vec<f64>> {
    let n = matrix.nrows();
    let leading = leading_estimates(&Dense::new(matrix.view(), compute), 1, ACCURACY, ROUNDS, compute)?;
    let largest = leading.values.first().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    let mut units = Array2::zeros((n, rows.len()));
    rows.iter().enumerate().for_each(|(s, &row)| units[[row, s]] = 1.0);
    let mut best = vec![(f64::INFINITY, largest); targets.len()];
    for ridge in RIDGES.map(|ridge| ridge * largest) {
        compute.check_canceled()?;
        let Some(factor) = shifted(matrix, ridge, compute)? else { continue };
        let columns = factor.solve(units.view(), compute)? * ridge;
        let own = Array1::from_iter(rows.iter().enumerate().map(|(s, &row)| columns[[row, s]] - 1.0 / n as f64));
        for (best, target) in best.iter_mut().zip(targets) {
            let images = multiply(target.view(), columns.view(), compute)?;
            let residuals = (&images * &columns).sum_axis(Axis(0));
            let error = (&residuals / &(&own * &own)).sum();
            if error < best.0 {
                *best = (error, ridge);
            }
        }
    }
    Ok(best.into_iter().map(|(_, ridge)| ridge).collect())
}

/// The Cholesky factor of `M + εI`.
fn shifted(matrix: &Array2<f64>, ridge: f64, compute: &Compute) -> Result<Option<CholeskyFactor>> {
    let mut shifted = matrix.clone();
    shifted.diag_mut().mapv_inplace(|v| v + ridge);
    Ok(match factor_any(shifted, compute)? {
        Factored::Definite(factor) => Some(factor),
        Factored::Singular(_) => None,
    })
}
