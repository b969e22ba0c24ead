//! Sparse matrices of scipy, from and to Python.

use mercer::points::Csr;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::to_python;

/// Whether a value is a sparse matrix or array of scipy, of any format.
pub fn is_sparse(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.hasattr("tocsr")? && value.hasattr("toarray")?)
}

/// Reads a sparse matrix of any format: entries of one place are added. `what` names it in errors.
pub fn read_sparse(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Csr> {
    let shape: Vec<usize> = value.getattr("shape")?.extract()?;
    let [_, width] = shape[..] else {
        let found = shape.len();
        let message = format!("{what}: expected 2D array, a row for every point; found {found} dimensions");
        return Err(PyValueError::new_err(message));
    };
    let kind: String = value.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u" | "b") {
        let dtype = value.getattr("dtype")?;
        return Err(PyValueError::new_err(format!("{what}: expected real numbers, found values of type {dtype}")));
    }
    let rows = value.call_method0("tocsr")?;
    let numpy = value.py().import("numpy")?;
    let list =
        |name: &str, kind: &str| numpy.call_method1("require", (rows.getattr(name)?, numpy.getattr(kind)?, ["C", "A"]));
    let starts = list("indptr", "int64")?.extract::<PyReadonlyArray1<'_, i64>>()?;
    let values = list("data", "float64")?.extract::<PyReadonlyArray1<'_, f64>>()?;
    let negative = || PyValueError::new_err(format!("{what}: the starts of the rows must not be negative"));
    let starts = starts.as_slice()?.iter().map(|&start| usize::try_from(start).map_err(|_| negative()));
    let starts = starts.collect::<PyResult<Vec<usize>>>()?;
    // What is behind the last row belongs to nothing.
    let end = starts.last().copied().unwrap_or(0);
    let short = |found: usize| PyValueError::new_err(format!("{what}: {end} values are announced, {found} are there"));
    let values = values.as_slice()?;
    let values = values.get(..end).ok_or_else(|| short(values.len()))?;
    let made = match rows.getattr("indices")?.extract::<PyReadonlyArray1<'_, i32>>() {
        Ok(columns) => {
            let columns = columns.as_slice()?;
            Csr::summed(width, starts, columns.get(..end).ok_or_else(|| short(columns.len()))?, values)
        }
        Err(_) => {
            let columns = list("indices", "int64")?.extract::<PyReadonlyArray1<'_, i64>>()?;
            let columns = columns.as_slice()?;
            Csr::summed(width, starts, columns.get(..end).ok_or_else(|| short(columns.len()))?, values)
        }
    };
    made.map_err(to_python)
}

/// Sparse rows as scipy has them: 32-bit indices where they are enough.
pub fn sparse_matrix<'py>(
    py: Python<'py>,
    starts: &[usize],
    columns: &[u32],
    values: &[f64],
    width: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let shape = (starts.len() - 1, width);
    let values = PyArray1::from_slice(py, values);
    let csr = py.import("scipy.sparse")?.getattr("csr_matrix")?;
    if width.max(values.len()?) <= i32::MAX as usize {
        let columns = PyArray1::from_iter(py, columns.iter().map(|&column| column as i32));
        let starts = PyArray1::from_iter(py, starts.iter().map(|&start| start as i32));
        return csr.call1(((values, columns, starts), shape));
    }
    let columns = PyArray1::from_iter(py, columns.iter().map(|&column| i64::from(column)));
    let starts = PyArray1::from_iter(py, starts.iter().map(|&start| start as i64));
    csr.call1(((values, columns, starts), shape))
}
