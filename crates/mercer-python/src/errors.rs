//! Conversion of errors to Python exceptions: a wrong request is a `ValueError`.

use mercer::Error;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::definiteness::PyCounterexample;

pyo3::create_exception!(
    mercer,
    NotPositiveDefiniteError,
    PyValueError,
    "A kernel or a matrix is not known to be positive semi-definite, and the method needs it.\n\n\
     The attribute `counterexample` holds the points and weights that refute it, or None."
);

/// The Python exception of a library error.
pub fn to_python(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Parameter { .. }
        | Error::Syntax(_)
        | Error::Shape { .. }
        | Error::Value { .. }
        | Error::Request(_)
        | Error::Format { .. } => PyValueError::new_err(message),
        Error::Memory { .. } => PyMemoryError::new_err(message),
        Error::Canceled => PyKeyboardInterrupt::new_err(message),
        Error::File { path, source } => file_error(&path, &source),
        Error::NotPositiveDefinite { counterexample, .. } => {
            let error = NotPositiveDefiniteError::new_err(message);
            Python::attach(|py| {
                attach_counterexample(py, &error, counterexample.map(|c| *c)).map_or_else(|e| e, |()| error)
            })
        }
        _ => PyRuntimeError::new_err(message),
    }
}

/// As [`to_python`], with numpy's `LinAlgError` for a matrix that is singular to working precision.
pub fn to_python_linear(py: Python<'_>, error: Error) -> PyErr {
    let Error::Numerical(_) = error else { return to_python(error) };
    let kind = py.import("numpy.linalg").and_then(|linalg| linalg.getattr("LinAlgError"));
    kind.and_then(|kind| kind.call1((error.to_string(),))).map_or_else(|e| e, PyErr::from_value)
}

/// With an error number Python itself chooses `FileNotFoundError`, `PermissionError` and the like.
fn file_error(path: &std::path::Path, source: &std::io::Error) -> PyErr {
    let name = path.display().to_string();
    match source.raw_os_error() {
        Some(code) => {
            let text = source.to_string();
            let reason = text.split(" (os error").next().unwrap_or_default().to_string();
            PyOSError::new_err((code, reason, name))
        }
        None => PyOSError::new_err(format!("{name}: {source}")),
    }
}

fn attach_counterexample(py: Python<'_>, error: &PyErr, found: Option<mercer::kernel::Counterexample>) -> PyResult<()> {
    error.value(py).setattr("counterexample", found.map(PyCounterexample::from))
}
