//! Checks of the observations of learners on a line.

use ndarray::{ArrayView1, ArrayView2};

use crate::error::Requirement;
use crate::{Error, Kernel, Points, Result};

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
