//! Python arrays as matrices of doubles: borrowed if possible, converted otherwise.

use mercer::Kernel;
use ndarray::ArrayView2;
use numpy::{
    PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A sample of points: a C-contiguous matrix of doubles, without a copy if that is what was given.
pub struct Matrix<'py> {
    values: PyReadonlyArray2<'py, f64>,
    /// The names of the columns of a data frame.
    names: Option<Vec<String>>,
    one_dimensional: bool,
}

impl<'py> Matrix<'py> {
    /// An array that is such a matrix already; `None` for everything else. The calls of numpy that
    /// make a matrix of anything take 10 µs.
    pub fn plain(value: &Bound<'py, PyAny>) -> Option<Self> {
        if !value.is_exact_instance_of::<PyUntypedArray>() {
            return None;
        }
        let array = value.cast::<PyArray2<f64>>().ok()?;
        let aligned = array.data().addr().is_multiple_of(align_of::<f64>());
        let values = (array.is_c_contiguous() && aligned).then(|| array.try_readonly().ok()).flatten()?;
        Some(Self { values, names: None, one_dimensional: false })
    }

    /// Reads an array, a list, or a data frame; one dimension is one column. `what` names it in
    /// errors.
    pub fn read(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        if let Some(plain) = Self::plain(value) {
            return Ok(plain);
        }
        let value = &table(value)?;
        let array = as_numbers(value, what)?;
        let dimensions = array.getattr("ndim")?.extract::<usize>()?;
        let array = match dimensions {
            2 => array,
            1 => array.call_method1("reshape", (-1, 1))?,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "{what}: expected a matrix with one row per point, found an array of {dimensions} dimensions"
                )));
            }
        };
        Ok(Self { values: array.extract()?, names: column_names(value), one_dimensional: dimensions == 1 })
    }

    /// Reads it if it is there.
    pub fn read_optional(value: Option<&Bound<'py, PyAny>>, what: &str) -> PyResult<Option<Self>> {
        value.map(|v| Self::read(v, what)).transpose()
    }

    /// The values, borrowed from numpy.
    pub fn view(&self) -> ArrayView2<'_, f64> {
        self.values.as_array()
    }

    /// Whether the array had one dimension, for answers that keep it.
    pub fn one_dimensional(&self) -> bool {
        self.one_dimensional
    }

    /// Refuses two data frames whose columns have other names or another order.
    pub fn check_same_names(&self, other: &Self) -> PyResult<()> {
        match (&self.names, &other.names) {
            (Some(first), Some(second)) if first != second => Err(PyValueError::new_err(format!(
                "the columns of X and Y differ: {} and {}",
                first.join(", "),
                second.join(", ")
            ))),
            _ => Ok(()),
        }
    }

    /// The kernel with names of columns replaced by their numbers in this data frame.
    pub fn name_columns(&self, kernel: &Kernel) -> mercer::Result<Kernel> {
        self.names.as_ref().map_or_else(|| Ok(kernel.clone()), |names| kernel.with_column_names(names))
    }
}

/// A table of Arrow, or anything that exports one, as a data frame without dates; everything else as it is.
///
/// Collections of Dask are refused: numpy would load all of their rows.
pub fn table<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let exports = value.hasattr("__arrow_c_stream__")? || value.hasattr("__arrow_c_array__")?;
    if !exports && !value.hasattr("__dask_graph__")? {
        return Ok(value.clone());
    }
    value.py().import("mercer._tables")?.call_method1("points_of", (value,))
}

/// Whether all numbers of an array or a data frame are of single precision.
pub fn is_float32(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return Ok(array.dtype().is_equiv_to(&dtype::<f32>(value.py())));
    }
    let single = |dtype: &Bound<'_, PyAny>| Ok(dtype.str()?.to_cow()?.eq_ignore_ascii_case("float32"));
    let dtypes = value.getattr_opt("columns")?.map(|_| value.getattr_opt("dtypes")).transpose()?;
    match dtypes {
        Some(Some(dtypes)) => dtypes.try_iter()?.try_fold(true, |all, dtype| Ok(all && single(&dtype?)?)),
        // A table of Arrow.
        Some(None) => Ok(false),
        None => value.getattr_opt("dtype")?.map_or(Ok(false), |dtype| single(&dtype)),
    }
}

/// Reads a list of numbers.
pub fn numbers(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<f64>> {
    let array = as_numbers(value, what)?;
    match array.getattr("ndim")?.extract::<usize>()? {
        1 => Ok(array.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec()),
        found => Err(PyValueError::new_err(format!("{what}: expected a list of numbers, found {found} dimensions"))),
    }
}

/// A C-contiguous, aligned array of doubles: the same object where nothing has to change.
fn as_numbers<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let numpy = value.py().import("numpy")?;
    refuse_sparse_and_masked(value, &numpy, what)?;
    let array = numpy.call_method1("asarray", (value,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u" | "b" | "O") {
        return Err(not_numbers(&array, what));
    }
    let converted = numpy.call_method1("require", (&array, numpy.getattr("float64")?, ["C", "A"]));
    if kind == "O" { converted.map_err(|_| not_numbers(&array, what)) } else { converted }
}

fn not_numbers(array: &Bound<'_, PyAny>, what: &str) -> PyErr {
    let dtype = array.getattr("dtype").map_or("unknown".into(), |d| d.to_string());
    PyValueError::new_err(format!("{what}: expected real numbers, found values of type {dtype}"))
}

/// Both would lose something silently.
fn refuse_sparse_and_masked(value: &Bound<'_, PyAny>, numpy: &Bound<'_, PyModule>, what: &str) -> PyResult<()> {
    if value.hasattr("toarray")? {
        return Err(PyValueError::new_err(format!("{what}: sparse matrices are not read; use .toarray()")));
    }
    if numpy.getattr("ma")?.call_method1("is_masked", (value,))?.extract()? {
        return Err(PyValueError::new_err(format!("{what}: masked values are not read; fill them or drop the rows")));
    }
    Ok(())
}

/// The names of a data frame's columns, if all of them are names.
fn column_names(value: &Bound<'_, PyAny>) -> Option<Vec<String>> {
    let columns = value.getattr_opt("columns").ok()??;
    columns.try_iter().ok()?.map(|c| Some(c.ok()?.cast::<PyString>().ok()?.to_string())).collect()
}
