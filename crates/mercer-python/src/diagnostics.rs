//! Diagnostics of predictions: influence, calibration, coverage.

use mercer::learner::diagnostics::{self, CalibrationBin};
use ndarray::aview1;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::errors::to_python;
use crate::input::numbers;

type Column<'py> = Bound<'py, PyArray1<f64>>;

/// Cook's distances of the rows of a linear smoother.
#[pyfunction]
pub fn cook_distances<'py>(
    py: Python<'py>,
    residuals: &Bound<'py, PyAny>,
    leverages: &Bound<'py, PyAny>,
    dof: f64,
    noise: f64,
) -> PyResult<Column<'py>> {
    let (residuals, leverages) = (numbers(residuals, "residuals")?, numbers(leverages, "leverages")?);
    let found = diagnostics::cook_distances(aview1(&residuals), aview1(&leverages), dof, noise).map_err(to_python)?;
    Ok(PyArray1::from_owned_array(py, found))
}

/// Stated probabilities, observed shares, rows, and the ends of Wilson's intervals of bins with equal
/// numbers of rows.
#[pyfunction]
pub fn calibration_bins<'py>(
    py: Python<'py>,
    stated: &Bound<'py, PyAny>,
    happened: Vec<bool>,
    bins: usize,
    level: f64,
) -> PyResult<(Column<'py>, Column<'py>, Column<'py>, Column<'py>, Column<'py>)> {
    let stated = numbers(stated, "stated")?;
    let found = diagnostics::calibration_bins(&stated, &happened, bins, level).map_err(to_python)?;
    let column = |of: fn(&CalibrationBin) -> f64| PyArray1::from_iter(py, found.iter().map(of));
    Ok((
        column(|bin| bin.stated),
        column(|bin| bin.observed),
        column(|bin| bin.rows as f64),
        column(|bin| bin.interval.0),
        column(|bin| bin.interval.1),
    ))
}

/// The share of standardized errors in the intervals of every level, and its error by chance.
#[pyfunction]
pub fn interval_coverage<'py>(
    py: Python<'py>,
    scores: &Bound<'py, PyAny>,
    levels: Vec<f64>,
) -> PyResult<(Column<'py>, Column<'py>)> {
    let found = diagnostics::coverage(&numbers(scores, "scores")?, &levels).map_err(to_python)?;
    Ok((
        PyArray1::from_iter(py, found.iter().map(|(held, _)| *held)),
        PyArray1::from_iter(py, found.iter().map(|(_, error)| *error)),
    ))
}
