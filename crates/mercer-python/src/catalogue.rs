//! The catalogue of the kernel language, as dicts: the Python functions and their documentation are
//! made from it.

use mercer::kernel::catalogue::{Entry, ParameterEntry, entries};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Every name of the kernel language, with its formula, domain, parameters, theory, cost and
/// examples.
///
/// Returns
/// -------
/// A list of dicts with ``name``, ``family``, ``formula``, ``domain``, ``parameters``, ``theory``,
/// ``cost`` and ``examples``.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> [entry["name"] for entry in mercer.catalogue()][:3]
/// ['linear', 'polynomial', 'exponential']
#[pyfunction]
pub fn catalogue(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    entries().map(|entry| page(py, entry)).collect()
}

fn page<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let page = PyDict::new(py);
    page.set_item("name", entry.name)?;
    page.set_item("family", entry.family.title())?;
    page.set_item("formula", entry.formula)?;
    page.set_item("domain", entry.domain.text())?;
    page.set_item("parameters", entry.parameters.iter().map(|p| parameter(py, p)).collect::<PyResult<Vec<_>>>()?)?;
    page.set_item("theory", entry.theory)?;
    page.set_item("cost", entry.cost)?;
    page.set_item("examples", entry.examples)?;
    Ok(page)
}

fn parameter<'py>(py: Python<'py>, entry: &ParameterEntry) -> PyResult<Bound<'py, PyDict>> {
    let parameter = PyDict::new(py);
    parameter.set_item("name", entry.name)?;
    parameter.set_item("default", entry.default)?;
    parameter.set_item("range", entry.range)?;
    parameter.set_item("meaning", entry.meaning)?;
    Ok(parameter)
}
