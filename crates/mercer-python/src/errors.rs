//! Conversion of errors to Python exceptions: a wrong request is a `ValueError`.

use mercer::Error;
use mercer::error::Remedy;
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

/// Parameters of the library and their names in Python, by the part of the package (an empty one is
/// all the rest). A name that is not here
/// is the same in both.
const NAMES: &[(Part, &str, &str)] = &[
    (Part::Spline, "lambda", "lam"),
    (Part::Bounds, "epsilon", "eps"),
    (Part::Search, "folds", "scoring"),
    (Part::Classifier, "folds", "calibration_cv"),
    (Part::Any, "buckets", "n_buckets"),
    (Part::Any, "centers", "n_centers"),
    (Part::Any, "class_weights", "class_weight"),
    (Part::Any, "components", "n_components"),
    (Part::Any, "degrees_of_freedom", "df"),
    (Part::Any, "held_out", "validation_fraction"),
    (Part::Any, "inducing", "n_inducing"),
    (Part::Any, "lambda", "alpha"),
    (Part::Any, "lambdas", "alphas"),
    (Part::Any, "max_iterations", "max_iter"),
    (Part::Any, "memory", "max_memory"),
    (Part::Any, "threads", "n_jobs"),
    (Part::Any, "tolerance", "tol"),
];

/// Parts of the package with names of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Smoothing splines, whose penalty is `lam` as in scipy.
    Spline,
    /// Bounds on random features.
    Bounds,
    /// Cross-validated searches.
    Search,
    /// Support vector classifiers, which have folds for probabilities.
    Classifier,
    /// All others, where scikit-learn's names win.
    Any,
}

impl Part {
    /// The error with the names of this part.
    pub fn name(self, error: Error) -> Error {
        error.renamed(|name| {
            NAMES.iter().find(|(part, library, _)| *part == self && *library == name).map(|(.., python)| *python)
        })
    }
}

/// The Python exception of a library error. Its attribute `kind` is the name of the error's kind.
pub fn to_python(error: Error) -> PyErr {
    let (kind, error) = (error.kind(), Part::Any.name(error));
    let message = error.to_string();
    let exception = match error {
        Error::Memory { .. } => PyMemoryError::new_err(format!("{message} (max_memory)")),
        Error::Canceled => PyKeyboardInterrupt::new_err(message),
        Error::File { path, source } => file_error(&path, &source),
        Error::NotPositiveDefinite { counterexample, .. } => {
            let error = NotPositiveDefiniteError::new_err(message);
            Python::attach(|py| {
                attach_counterexample(py, &error, counterexample.map(|c| *c)).map_or_else(|e| e, |()| error)
            })
        }
        // Numbers on another scale are another request.
        Error::Undefined { remedy: Remedy::Rescale, .. } => PyValueError::new_err(message),
        Error::NotConverged { .. } | Error::Singular { .. } | Error::Undefined { .. } => {
            PyRuntimeError::new_err(message)
        }
        _ => PyValueError::new_err(message),
    };
    with_kind(exception, kind)
}

/// As [`to_python`], with numpy's `LinAlgError` for a matrix that is singular to working precision.
pub fn to_python_linear(py: Python<'_>, error: Error) -> PyErr {
    if !error.is_numerical() {
        return to_python(error);
    }
    let (kind, error) = (error.kind(), Part::Any.name(error));
    let class = py.import("numpy.linalg").and_then(|linalg| linalg.getattr("LinAlgError"));
    let exception = class.and_then(|class| class.call1((error.to_string(),))).map_or_else(|e| e, PyErr::from_value);
    with_kind(exception, kind)
}

/// The exception with the name of the error's kind as its attribute `kind`.
pub fn with_kind(exception: PyErr, kind: &str) -> PyErr {
    Python::attach(|py| exception.value(py).setattr("kind", kind)).map_or_else(|e| e, |()| exception)
}

/// The names of all kinds of errors, one of which is the attribute `kind` of an exception.
#[pyfunction]
pub fn error_kinds() -> Vec<&'static str> {
    mercer::error::KINDS.to_vec()
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
