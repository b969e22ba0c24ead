//! Checks of points, targets, weights and penalties, which learners have in common.

use ndarray::{Array1, ArrayView1, ArrayView2};

use crate::error::{AllowedRange, PrecomputedNeed, Requirement};
use crate::gram::{Bound, Pairs, Tiles};
use crate::{Compute, Error, Kernel, Points, Result};

/// Every number is finite.
pub(super) fn check_finite(what: &str, values: ArrayView1<f64>) -> Result<()> {
    match values.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        Some((row, value)) => Err(Error::value(what, (row, 0), value, Requirement::Finite)),
        None => Ok(()),
    }
}

/// One finite `y` for each finite `x`, and at least one of them.
pub(super) fn check_pairs(x: ArrayView1<f64>, y: ArrayView1<f64>) -> Result<()> {
    if y.len() != x.len() {
        return Err(Error::shape("values of y", format!("one per x ({})", x.len()), y.len()));
    }
    if x.is_empty() {
        return Err(Error::too_few("a fit", "observations", 1, 0));
    }
    check_finite("x", x)?;
    check_finite("y", y)
}

/// The checks of [`Kernel::bind`] for new points of a model on this many columns.
pub(super) fn check_points(kernel: &Kernel, columns: usize, x: ArrayView2<f64>) -> Result<()> {
    Points::Vectors(x).check_finite("first sample")?;
    if x.ncols() != columns {
        return Err(Error::shape("columns of the second sample", x.ncols(), columns));
    }
    kernel.check_vectors(x)
}

/// A kernel on the points of a fit.
///
/// # Errors
/// [`Error::Precomputed`] for a matrix of kernel values that is not symmetric; as [`Kernel::bind`].
pub(crate) fn bind_fit<'a>(kernel: &Kernel, x: Points<'a>, compute: &Compute) -> Result<Bound<'a>> {
    let bound = kernel.bind(Pairs::Within(x), compute)?;
    if bound.shape() != (x.len(), x.len()) || !bound.symmetric() {
        return Err(Error::precomputed("a fit on precomputed kernel values", PrecomputedNeed::Symmetric));
    }
    Ok(bound)
}

/// Finite weights, none negative, not all 0, one per row.
pub(crate) fn check_weights(weights: ArrayView1<f64>, n: usize) -> Result<()> {
    if weights.len() != n {
        return Err(Error::shape("weights", format!("one per row ({n})"), weights.len()));
    }
    if let Some((row, value)) = weights.iter().enumerate().find(|(_, w)| !w.is_finite() || **w < 0.0) {
        return Err(Error::value("weights", (row, 0), value, Requirement::Range(AllowedRange::NON_NEGATIVE)));
    }
    if weights.iter().all(|w| *w == 0.0) {
        return Err(Error::all_zero("weight", "there is nothing to fit; give some rows a positive weight"));
    }
    Ok(())
}

/// Sums of weights above this leave no room for their squares, which objectives and bounds have.
pub(super) const LARGE_WEIGHTS: f64 = 1e150;

/// Refuses weights whose sum squared overflows: no step of a solver would end.
pub(super) fn check_range(weights: ArrayView1<f64>) -> Result<()> {
    let total = weights.sum();
    if total <= LARGE_WEIGHTS {
        return Ok(());
    }
    Err(Error::overflow(format!("a square of weights of the sum {total:e}"), "scale the weights down"))
}

/// A positive, finite λ.
pub(super) fn check_penalty(lambda: f64) -> Result<()> {
    if lambda.is_finite() && lambda > 0.0 {
        return Ok(());
    }
    Err(Error::parameter("lambda", lambda, AllowedRange::POSITIVE))
}

/// A tolerance that can be reached, in one step or more.
pub(super) fn check_options(tolerance: f64, max_iterations: u64) -> Result<()> {
    if !(tolerance.is_finite() && tolerance > 0.0) {
        return Err(Error::parameter("tolerance", tolerance, AllowedRange::POSITIVE));
    }
    if max_iterations == 0 {
        return Err(Error::parameter("max_iterations", max_iterations, 1..));
    }
    Ok(())
}

/// The weights, all 1 where none are given.
pub(super) fn weights(sample_weights: Option<ArrayView1<f64>>, rows: usize) -> Result<Array1<f64>> {
    match sample_weights {
        None => Ok(Array1::ones(rows)),
        Some(sample_weights) => {
            check_weights(sample_weights, rows)?;
            check_range(sample_weights)?;
            Ok(sample_weights.to_owned())
        }
    }
}
