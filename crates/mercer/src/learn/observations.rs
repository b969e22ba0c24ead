//! Checks of the observations of learners on a line.

use ndarray::{ArrayView1, ArrayView2};

use crate::{Error, Kernel, Points, Result};

/// An observation that cannot be used, with its row.
pub(super) fn bad_value(what: &str, row: usize, value: f64, requirement: &str) -> Error {
    let (column, requirement) = ("0".into(), requirement.into());
    Error::Value { what: what.into(), row, column, value: value.to_string(), requirement }
}

/// Every number is finite.
pub(super) fn check_finite(what: &str, values: ArrayView1<f64>) -> Result<()> {
    match values.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        Some((row, value)) => Err(bad_value(what, row, *value, "it must be a finite number")),
        None => Ok(()),
    }
}

/// One finite `y` for each finite `x`, and at least one of them.
pub(super) fn check_pairs(x: ArrayView1<f64>, y: ArrayView1<f64>) -> Result<()> {
    if y.len() != x.len() {
        return Err(Error::shape("values of y", format!("one per x ({})", x.len()), y.len()));
    }
    if x.is_empty() {
        return Err(Error::shape("observations", "at least 1", 0));
    }
    check_finite("x", x)?;
    check_finite("y", y)
}

/// The checks of [`Kernel::bind`] for new points of a model on so many columns.
pub(super) fn check_points(kernel: &Kernel, columns: usize, x: ArrayView2<f64>) -> Result<()> {
    Points::Vectors(x).check_finite("first sample")?;
    if x.ncols() != columns {
        return Err(Error::shape("columns of the second sample", x.ncols(), columns));
    }
    kernel.check_vectors(x)
}
