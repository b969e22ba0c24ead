//! Partial effects of additive models, as dicts.

use mercer::learn::additive::PartialEffect;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::kernel::PyKernel;

/// A dict per part; without a grid for parts of more than two columns.
pub fn to_dicts(py: Python<'_>, effects: Vec<PartialEffect>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    effects.into_iter().map(|effect| to_dict(py, effect)).collect()
}

fn to_dict(py: Python<'_>, effect: PartialEffect) -> PyResult<Bound<'_, PyDict>> {
    let part = PyDict::new(py);
    part.set_item("kernel", PyKernel(effect.kernel))?;
    part.set_item("columns", effect.columns)?;
    part.set_item("norm_share", effect.norm_share)?;
    part.set_item("variance_share", effect.variance_share)?;
    part.set_item("mean", effect.mean)?;
    part.set_item("at_data", PyArray1::from_owned_array(py, effect.at_data))?;
    let (mut axes, mut values, mut errors) = (None, None, None);
    if let Some(grid) = effect.grid {
        axes = Some(grid.axes.into_iter().map(|a| PyArray1::from_owned_array(py, a)).collect::<Vec<_>>());
        values = Some(PyArray2::from_owned_array(py, grid.values));
        errors = Some(PyArray2::from_owned_array(py, grid.standard_errors));
    }
    part.set_item("axes", axes)?;
    part.set_item("values", values)?;
    part.set_item("standard_errors", errors)?;
    Ok(part)
}
