//! Fits that are linear in their targets: their leave-one-out predictions in closed form.

use std::fmt;

use ndarray::{Array2, ArrayView2};

use crate::{Compute, Points, Result};

/// A fit that is linear in its targets, prepared for its leave-one-out predictions at new points.
///
/// # Theory
/// Let `f(x) = Σ lᵢ(x)yᵢ` be the fit, and let the fit without row `i` be the same when row `i` is
/// there with the value `f₋ᵢ(xᵢ)`: so it is for every penalized least-squares fit, as a row that is
/// fitted exactly adds nothing. Then `f₋ᵢ(x) = f(x) − lᵢ(x)rᵢ` with the leave-one-out residual
/// `rᵢ = yᵢ − f₋ᵢ(xᵢ)`: all `n` fits from one.
pub trait LeaveOneOut: fmt::Debug + Send + Sync {
    /// `yᵢ − f₋ᵢ(xᵢ)`, one column per target. NaN where the other rows do not determine the
    /// unpenalized part.
    fn residuals(&self) -> ArrayView2<'_, f64>;

    /// The rows of positive weight, ascending.
    fn rows(&self) -> &[usize];

    /// `lᵢ(x)`: a row for every row of the data, a column for every point of `x`.
    ///
    /// # Errors
    /// As the prediction of the fit.
    fn weights(&self, x: Points<'_>, compute: &Compute) -> Result<Array2<f64>>;
}
