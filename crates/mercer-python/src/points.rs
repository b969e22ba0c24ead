//! Points of any kind, to Python.

use mercer::Points;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Points as Python has them: an array with a row per vector, a list of strings, a list of arrays
/// for bags and diagrams.
pub fn to_python_points<'py>(py: Python<'py>, points: Points<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match points {
        Points::Vectors(x) | Points::Precomputed(x) => PyArray2::from_array(py, &x).into_any(),
        Points::Strings(strings) => PyList::new(py, strings.iter())?.into_any(),
        Points::Bags(bags) => {
            PyList::new(py, (0..bags.len()).map(|at| PyArray2::from_array(py, &bags.bag(at))))?.into_any()
        }
        Points::Diagrams(diagrams) => {
            PyList::new(py, (0..diagrams.len()).map(|at| PyArray2::from_array(py, &diagrams.diagram(at))))?.into_any()
        }
        // Kernel values leave nothing of the points but their number.
        Points::References(references) => PyArray2::<f64>::zeros(py, [references.len(), 0], false).into_any(),
        _ => py.None().into_bound(py),
    })
}
