//! Points of any kind, to Python.

use mercer::Points;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::sparse::sparse_matrix;

/// Points as Python has them: an array with a row per vector, a sparse matrix, a list of strings, a list of arrays
/// for bags and diagrams, a dict of columns for the rows of a table.
pub fn to_python_points<'py>(py: Python<'py>, points: Points<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match points {
        Points::Vectors(x) | Points::Precomputed(x) => PyArray2::from_array(py, &x).into_any(),
        Points::Sparse(rows) => {
            let (starts, columns, values) = rows.parts();
            sparse_matrix(py, starts, columns, values, rows.width())?
        }
        Points::Strings(strings) => PyList::new(py, strings.iter())?.into_any(),
        Points::Bags(bags) => {
            PyList::new(py, (0..bags.len()).map(|at| PyArray2::from_array(py, &bags.bag(at))))?.into_any()
        }
        Points::Diagrams(diagrams) => {
            PyList::new(py, (0..diagrams.len()).map(|at| PyArray2::from_array(py, &diagrams.diagram(at))))?.into_any()
        }
        // Kernel values leave nothing of the points but their number.
        Points::References(references) => PyArray2::<f64>::zeros(py, [references.len(), 0], false).into_any(),
        Points::Mixed(rows) => {
            let columns = PyDict::new(py);
            for (name, values) in rows.names().iter().zip(rows.numbers().columns()) {
                columns.set_item(name, PyArray1::from_array(py, &values))?;
            }
            for (name, column) in rows.objects() {
                columns.set_item(name, to_python_points(py, column.as_points())?)?;
            }
            columns.into_any()
        }
        Points::Graphs(graphs) => crate::objects::graphs_to_python(py, graphs)?,
        _ => py.None().into_bound(py),
    })
}
