//! Verification of a counterexample with 31 digits and a bound on the error.

use ndarray::{Array2, ArrayView2};

use super::running_error::Tracked;
use super::side::Claim;
use crate::kernel::Counterexample;
use crate::real::Real;
use crate::{Error, Kernel, Result};

/// `cᵀKc` at points, with about 31 digits.
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticForm {
    /// The value.
    pub value: f64,
    /// The value with 25 digits.
    pub digits: String,
    /// Whether it is below 0 for certain, rounding errors included.
    pub negative: bool,
}

/// `cᵀKc` from the formulas in double-double arithmetic: the re-check of a counterexample, or of points and weights that
/// somebody has changed.
///
/// # Errors
/// [`Error::Shape`] unless there is a weight per point, [`Error::Parameter`] for a weight that is not finite; as
/// [`Kernel::evaluate`].
///
/// # Example
/// ```
/// use mercer::definiteness::quadratic_form;
/// use ndarray::array;
/// // 0 and 1 are near, and 1 and 2, but not 0 and 2: 1 + 1 + 1 − 2 − 2.
/// let form = quadratic_form(&"ball(radius=1)".parse()?, array![[0.0], [1.0], [2.0]].view(), &[1.0, -1.0, 1.0])?;
/// assert_eq!((form.value, form.negative), (-1.0, true));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn quadratic_form(kernel: &Kernel, points: ArrayView2<f64>, weights: &[f64]) -> Result<QuadraticForm> {
    if weights.len() != points.nrows() {
        return Err(Error::shape("weights", points.nrows(), weights.len()));
    }
    if let Some(weight) = weights.iter().find(|weight| !weight.is_finite()) {
        return Err(Error::parameter("weight", weight, "finite"));
    }
    crate::Points::Vectors(points).check_finite("the points")?;
    kernel.check_vectors(points)?;
    let total = tracked_form(kernel, points, weights);
    let (value, digits) = (total.value.high(), format!("{:.24}", total.value));
    Ok(QuadraticForm { value, digits, negative: total.is_negative() })
}

/// `cᵀKc` from the formulas in double-double arithmetic; a counterexample only if its sign is
/// certain.
pub(super) fn certify(kernel: &Kernel, points: &Array2<f64>, weights: &[f64], side: Claim) -> Option<Counterexample> {
    kernel.check_vectors(points.view()).ok()?;
    let total = tracked_form(kernel, points.view(), weights);
    counterexample(total, side, points.clone(), Vec::new(), weights)
}

fn tracked_form(kernel: &Kernel, points: ArrayView2<f64>, weights: &[f64]) -> Tracked {
    let parameters = kernel.parameter_values::<Tracked>();
    let lifted: Vec<Vec<Tracked>> =
        points.rows().into_iter().map(|row| row.iter().map(|&v| Tracked::from_f64(v)).collect()).collect();
    sum_of_pairs(weights, |i, j| kernel.value(&parameters, &lifted[i], &lifted[j]))
}

/// The same for rows of a matrix, whose entries are exact.
pub(super) fn certify_matrix(matrix: ArrayView2<f64>, indices: &[usize], weights: &[f64]) -> Option<Counterexample> {
    let entry =
        |i: usize, j: usize| Tracked::from_f64(matrix[[indices[i].max(indices[j]), indices[i].min(indices[j])]]);
    let total = sum_of_pairs(weights, entry);
    counterexample(total, Claim::Positive, Array2::zeros((0, 0)), indices.to_vec(), weights)
}

fn sum_of_pairs(weights: &[f64], entry: impl Fn(usize, usize) -> Tracked) -> Tracked {
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
