//! Checks, counterexamples and repairs.

use mercer::definiteness::{self, Check, CheckOptions, CheckVerdict, Repair, Repaired};
use mercer::gram::{self, Pairs};
use mercer::kernel::Counterexample;
use mercer::{Compute, Kernel, Points};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::input::Matrix;
use crate::options::Options;
use crate::run::run;

/// Points and weights with ``cᵀKc < 0``: anyone can check it again.
#[pyclass(frozen, name = "Counterexample", module = "mercer")]
pub struct PyCounterexample(Counterexample);

impl From<Counterexample> for PyCounterexample {
    fn from(found: Counterexample) -> Self {
        Self(found)
    }
}

#[pymethods]
impl PyCounterexample {
    /// The points, one per row; no rows if a matrix was refuted.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.points)
    }

    /// The rows of the data, or of a matrix, that take part; empty if the points were searched for.
    #[getter]
    fn indices(&self) -> Vec<usize> {
        self.0.indices.clone()
    }

    /// Strings, graphs, bags and diagrams in a few words, one per row in ``indices``; empty for
    /// points that are vectors.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.0.objects.clone()
    }

    /// The weights ``c``.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.weights)
    }

    /// ``cᵀKc``, checked again with about 31 digits.
    #[getter]
    fn value(&self) -> f64 {
        self.0.value
    }

    /// ``cᵀKc`` with 25 digits, as text.
    #[getter]
    fn digits(&self) -> &str {
        &self.0.digits
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }
}

/// What a check found, and how far it went. Made by ``Kernel.check``.
#[pyclass(frozen, name = "Check", module = "mercer")]
pub struct PyCheck {
    kernel: String,
    check: Check,
}

#[pymethods]
impl PyCheck {
    /// True if the kernel is proven to be positive semi-definite, False if refuted, None if
    /// neither.
    #[getter]
    fn psd(&self) -> Option<bool> {
        self.check.as_option()
    }

    /// The smallest eigenvalue of the Gram matrix of ``points`` where the kernel is refuted; else
    /// on the data, or on the worst set of points that was tried; NaN if none was.
    #[getter]
    fn min_eigenvalue(&self) -> f64 {
        self.check.min_eigenvalue
    }

    /// An eigenvalue above ``−tolerance`` is rounding, not a refutation.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.check.tolerance
    }

    /// The points and weights that refute the kernel, or None.
    #[getter]
    fn counterexample(&self) -> Option<PyCounterexample> {
        self.check.counterexample().cloned().map(PyCounterexample)
    }

    /// The points that refute the kernel, one per row, or None: all rows of the data that were
    /// looked at if they do, else points that were searched for. ``counterexample.points`` are
    /// those whose weight is not 0.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        self.check.counterexample().map(|_| PyArray2::from_array(py, &self.check.points))
    }

    /// The weights ``c`` with ``cᵀKc < 0``, one per row of ``points``, or None; of a matrix one per
    /// row in ``counterexample.indices``.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.check.counterexample().map(|_| PyArray1::from_slice(py, &self.check.weights))
    }

    /// ``cᵀKc < 0`` of the counterexample, or None.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.check.counterexample().map(|c| c.value)
    }

    /// Rows of the data that were looked at.
    #[getter]
    fn rows_used(&self) -> usize {
        self.check.rows_used
    }

    /// Sets of points that were tried besides the data.
    #[getter]
    fn sets_tried(&self) -> usize {
        self.check.sets_tried
    }

    fn __repr__(&self) -> String {
        let Self { kernel, check } = self;
        match &check.verdict {
            CheckVerdict::Proven(proof) => proof.to_string(),
            CheckVerdict::Refuted(found) => format!("{kernel} is not PSD: {found}"),
            CheckVerdict::NotRefuted => format!(
                "{kernel} is neither proven nor refuted: smallest eigenvalue {:.3e}, {} points tried",
                check.min_eigenvalue, check.points_tried
            ),
        }
    }
}

/// Checks a kernel on points, or a kernel of a precomputed matrix on that matrix.
pub fn check(py: Python<'_>, kernel: &Kernel, pairs: Option<Pairs<'_>>, options: &Options) -> PyResult<PyCheck> {
    let check = run(py, options, || check_pairs(kernel, pairs, &options.compute))?;
    Ok(PyCheck { kernel: kernel.short(), check })
}

fn check_pairs(kernel: &Kernel, pairs: Option<Pairs<'_>>, compute: &Compute) -> mercer::Result<Check> {
    match pairs {
        None => definiteness::check(kernel, None, &CheckOptions::default(), compute),
        Some(given @ Pairs::Within(Points::Precomputed(_))) => {
            let matrix = gram::dense(&kernel.bind(given, compute)?, compute)?;
            definiteness::check_matrix(matrix.view(), compute)
        }
        Some(Pairs::Within(x) | Pairs::Between(x, _)) => {
            let resolved = kernel.resolve(x.reborrow(), compute)?;
            definiteness::check(&resolved, Some(x), &CheckOptions::default(), compute)
        }
    }
}

/// A repaired matrix and what was done to it. Made by ``mercer.repair``; ``numpy.asarray`` gives
/// the matrix.
#[pyclass(frozen, name = "Repaired", module = "mercer")]
pub struct PyRepaired {
    matrix: Py<PyArray2<f64>>,
    shift: f64,
    negative_mass: f64,
    negative_count: usize,
    change: f64,
    eigenvalues: Vec<f64>,
}

#[pymethods]
impl PyRepaired {
    /// The matrix, positive semi-definite up to rounding.
    #[getter]
    fn matrix(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.matrix.clone_ref(py)
    }

    /// What was added to the diagonal by the method ``"shift"``; 0 otherwise.
    #[getter]
    fn shift(&self) -> f64 {
        self.shift
    }

    /// The sum of the sizes of the negative eigenvalues.
    #[getter]
    fn negative_mass(&self) -> f64 {
        self.negative_mass
    }

    /// How many eigenvalues were negative.
    #[getter]
    fn negative_count(&self) -> usize {
        self.negative_count
    }

    /// The Frobenius norm of the change.
    #[getter]
    fn change(&self) -> f64 {
        self.change
    }

    /// The eigenvalues before the repair, ascending.
    #[getter]
    fn eigenvalues<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.eigenvalues)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let named = PyDict::new(py);
        named.set_item("dtype", dtype)?;
        let convert = if copy == Some(true) { "array" } else { "asarray" };
        py.import("numpy")?.call_method(convert, (self.matrix.bind(py),), Some(&named))
    }

    fn __repr__(&self) -> String {
        format!(
            "Repaired({} negative eigenvalues of total size {:.6e}, shift {:.6e}, change {:.6e})",
            self.negative_count, self.negative_mass, self.shift, self.change
        )
    }
}

/// Make a symmetric matrix positive semi-definite: ``"clip"`` sets negative eigenvalues to 0,
/// ``"flip"`` to their size, ``"shift"`` adds to the diagonal.
///
/// Parameters
/// ----------
/// K : array of shape (n, n)
///     A symmetric matrix.
/// method : {"clip", "flip", "shift"}, default="clip"
///     What becomes of negative eigenvalues.
/// **options
///     ``n_jobs``, ``max_memory``, ``verbose`` and ``random_state``: as of `Kernel`.
///
/// Returns
/// -------
/// A `Repaired`, which numpy takes as an array, with ``matrix``, ``shift``, ``negative_mass``,
/// ``negative_count``, ``change`` and ``eigenvalues``.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> mercer.repair([[1.0, 2.0], [2.0, 1.0]], method="shift").matrix.round(12)
/// array([[2., 2.],
///        [2., 2.]])
#[pyfunction]
#[pyo3(signature = (K, method="clip", **options))]
#[allow(non_snake_case)]
pub fn repair(
    py: Python<'_>,
    K: &Bound<'_, PyAny>,
    method: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyRepaired> {
    let method = match method {
        "clip" => Repair::Clip,
        "flip" => Repair::Flip,
        "shift" => Repair::Shift,
        other => {
            let message = format!("method = {other:?} is not allowed: it must be \"clip\", \"flip\" or \"shift\"");
            return Err(PyValueError::new_err(message));
        }
    };
    let (given, options) = (Matrix::read(K, "K")?, Options::read(options)?);
    let k = given.view();
    let repaired = run(py, &options, || definiteness::repair(k, method, &options.compute))?;
    let Repaired { matrix, shift, negative_mass, negative_count, change, eigenvalues } = repaired;
    let matrix = PyArray2::from_owned_array(py, matrix).unbind();
    Ok(PyRepaired { matrix, shift, negative_mass, negative_count, change, eigenvalues })
}
