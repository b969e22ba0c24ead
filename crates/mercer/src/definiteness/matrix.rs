//! The check of a precomputed matrix.

use ndarray::{Array2, ArrayView2};

use super::certify::certify_matrix;
use super::check::{Check, CheckVerdict};
use super::side::rounding;
use super::simplify::by_weight;
use crate::error::Requirement;
use crate::kernel::{Counterexample, Verdict};
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Points, Result};

/// Entries across the diagonal may differ by this much of the largest entry.
/// A matrix that was written with eleven digits passes.
const ASYMMETRY: f64 = 1e-10;

/// Whether a given Gram matrix is positive semi-definite, up to rounding (`n·ε·trace`).
///
/// The counterexample names the rows that take part; its value is re-checked with 31 digits from
/// the entries as given.
///
/// # Errors
/// [`Error::Shape`] unless the matrix is square, [`Error::Value`] for entries that are not finite
/// or not symmetric, [`Error::Canceled`].
///
/// # Example
/// ```
/// use mercer::{Compute, definiteness::check_matrix};
/// let found = check_matrix(ndarray::array![[1.0, 2.0], [2.0, 1.0]].view(), &Compute::new())?;
/// assert_eq!(found.as_option(), Some(false));
/// assert_eq!(found.counterexample().unwrap().indices, [0, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn check_matrix(matrix: ArrayView2<f64>, compute: &Compute) -> Result<Check> {
    let symmetric = symmetric_part(matrix)?;
    let eigen = symmetric_eigen(symmetric.view(), compute)?;
    let lowest = eigen.values.first().copied().unwrap_or(0.0);
    let tolerance = rounding(&symmetric);
    let is_negative = lowest < -tolerance;
    let counterexample =
        if is_negative { refute(&symmetric, &eigen.vectors.column(0).to_vec(), compute)? } else { None };
    Ok(Check {
        weights: counterexample.as_ref().map_or_else(Vec::new, |found| found.weights.clone()),
        verdict: counterexample.map_or(CheckVerdict::NotRefuted, CheckVerdict::Refuted),
        rules: Verdict::Unknown("a matrix made elsewhere has no rules".into()),
        min_eigenvalue: lowest,
        tolerance,
        points: Array2::zeros((0, 0)),
        rows_used: matrix.nrows(),
        rows_total: matrix.nrows(),
        sets_tried: 0,
        points_tried: matrix.nrows(),
    })
}

/// The matrix with both triangles equal, after a check that they were so up to rounding.
pub(super) fn symmetric_part(matrix: ArrayView2<f64>) -> Result<Array2<f64>> {
    if matrix.nrows() != matrix.ncols() {
        return Err(Error::shape("columns of the Gram matrix", matrix.nrows(), matrix.ncols()));
    }
    Points::Vectors(matrix).check_finite("the Gram matrix")?;
    let largest = matrix.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for ((i, j), &value) in matrix.indexed_iter() {
        if i > j && (value - matrix[[j, i]]).abs() > ASYMMETRY * largest {
            let requirement = Requirement::Symmetric(matrix[[j, i]]);
            return Err(Error::value("the Gram matrix", (i, j), value, requirement));
        }
    }
    let average = |i: usize, j: usize| 0.5 * matrix[[i, j]] + 0.5 * matrix[[j, i]];
    Ok(Array2::from_shape_fn(matrix.dim(), |(i, j)| average(i.max(j), i.min(j))))
}

/// The rows with the largest weights, as few as still show a negative value.
fn refute(matrix: &Array2<f64>, weights: &[f64], compute: &Compute) -> Result<Option<Counterexample>> {
    let order = by_weight(weights);
    let sizes = (0..).map(|k| 1_usize << k).take_while(|&m| m < order.len()).chain([order.len()]);
    sizes.into_iter().find_map(|m| refute_with(matrix, &order[..m], compute).transpose()).transpose()
}

fn refute_with(matrix: &Array2<f64>, chosen: &[usize], compute: &Compute) -> Result<Option<Counterexample>> {
    let mut rows = chosen.to_vec();
    rows.sort_unstable();
    let part = Array2::from_shape_fn((rows.len(), rows.len()), |(i, j)| matrix[[rows[i], rows[j]]]);
    let eigen = symmetric_eigen(part.view(), compute)?;
    if eigen.values.first().is_none_or(|&lowest| lowest >= -rounding(&part)) {
        return Ok(None);
    }
    Ok(certify_matrix(matrix.view(), &rows, &eigen.vectors.column(0).to_vec()))
}
