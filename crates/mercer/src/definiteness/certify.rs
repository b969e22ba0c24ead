//! Verification of a counterexample with 31 digits and a bound on the error.

use ndarray::{Array2, ArrayView2};

use super::running_error::Tracked;
use super::side::Claim;
use crate::Kernel;
use crate::kernel::Counterexample;
use crate::real::Real;

/// `cᵀKc` from the formulas in double-double arithmetic; a counterexample only if its sign is
/// certain.
pub(super) fn certify(kernel: &Kernel, points: &Array2<f64>, weights: &[f64], side: Claim) -> Option<Counterexample> {
    kernel.check_vectors(points.view()).ok()?;
    let parameters = kernel.parameter_values::<Tracked>();
    let lifted: Vec<Vec<Tracked>> =
        points.rows().into_iter().map(|row| row.iter().map(|&v| Tracked::from_f64(v)).collect()).collect();
    let total = quadratic_form(weights, |i, j| kernel.value(&parameters, &lifted[i], &lifted[j]));
    counterexample(total, side, points.clone(), Vec::new(), weights)
}

/// The same for rows of a matrix, whose entries are exact.
pub(super) fn certify_matrix(matrix: ArrayView2<f64>, indices: &[usize], weights: &[f64]) -> Option<Counterexample> {
    let entry =
        |i: usize, j: usize| Tracked::from_f64(matrix[[indices[i].max(indices[j]), indices[i].min(indices[j])]]);
    let total = quadratic_form(weights, entry);
    counterexample(total, Claim::Positive, Array2::zeros((0, 0)), indices.to_vec(), weights)
}

fn quadratic_form(weights: &[f64], entry: impl Fn(usize, usize) -> Tracked) -> Tracked {
    let mut total = Tracked::zero();
    for (i, &ci) in weights.iter().enumerate() {
        for (j, &cj) in weights[..=i].iter().enumerate() {
            let factor = Tracked::from_f64(if i == j { 1.0 } else { 2.0 });
            total = total + factor * Tracked::from_f64(ci) * Tracked::from_f64(cj) * entry(i, j);
        }
    }
    total
}

fn counterexample(
    total: Tracked,
    side: Claim,
    points: Array2<f64>,
    indices: Vec<usize>,
    weights: &[f64],
) -> Option<Counterexample> {
    let wrong = if side == Claim::Positive { total.is_negative() } else { (-total).is_negative() };
    wrong.then(|| Counterexample {
        objects: Vec::new(),
        points,
        indices,
        weights: weights.to_vec(),
        value: total.value.high(),
        digits: format!("{:.24}", total.value),
    })
}
