//! Support vector classification: the specification and its fit.

use mercer::learn::svm::{Calibration, Calibrator, Classes, DecisionShape, Penalty, Scheme, Svc, SvcFit};
use mercer::select::svm_grid;
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Part;
use crate::input::numbers;
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{Pickle, reduce};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::run::{at_points, run, run_anytime, run_at};
use crate::svm::{evidence_dict, indices, reworded, solver};

/// A classifier that was not fitted yet.
#[pyclass(frozen, name = "Svc", module = "mercer._mercer")]
pub struct PySvc(Svc);

#[pymethods]
#[allow(non_snake_case)]
impl PySvc {
    #[new]
    #[pyo3(signature = (kernel, *, c=None, nu=None, class_weights=None, rest=false, offset=true, break_ties=false,
                        calibration=None, folds=5, tol=1e-3, max_iter=None, indefinite=false))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        kernel: &Bound<'_, PyAny>,
        c: Option<f64>,
        nu: Option<f64>,
        class_weights: Option<Vec<f64>>,
        rest: bool,
        offset: bool,
        break_ties: bool,
        calibration: Option<&str>,
        folds: usize,
        tol: f64,
        max_iter: Option<u64>,
        indefinite: bool,
    ) -> PyResult<Self> {
        let kernel = kernel_of(kernel)?;
        let scheme = if rest { Scheme::OneVersusRest } else { Scheme::OneVersusOne };
        let calibration = calibration.map(|name| calibration_named(name, folds)).transpose()?;
        let penalty = nu.map_or(Penalty::C(c.unwrap_or(1.0)), Penalty::Nu);
        let solver = solver(tol, max_iter)?;
        Ok(Self(Svc { kernel, penalty, class_weights, scheme, offset, break_ties, calibration, solver, indefinite }))
    }

    /// Fits the classes of the rows, given as numbers of their names.
    #[pyo3(signature = (X, classes, names, sample_weight=None, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        classes: Vec<usize>,
        names: Vec<String>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PySvcFit> {
        let points = PointsInput::read(Some(&self.0.kernel), X, "X")?;
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let options = Options::read(options)?;
        let (x, weights) = (points.points(), weights.as_deref().map(aview1));
        let work = || self.0.fit(x, &Classes::from_indices(classes, names)?, weights, &options.compute);
        run_anytime(py, &options, || work().map_err(|e| Part::Classifier.name(reworded(e)))).map(PySvcFit)
    }

    /// The mean accuracy of held-out folds: a row for every kernel, a column for every C.
    #[pyo3(signature = (kernels, c, folds, X, classes, names, sample_weight=None, **options))]
    #[allow(clippy::too_many_arguments)]
    fn grid<'py>(
        &self,
        py: Python<'py>,
        kernels: Vec<Bound<'py, PyAny>>,
        c: Vec<f64>,
        folds: Vec<Vec<usize>>,
        X: &Bound<'_, PyAny>,
        classes: Vec<usize>,
        names: Vec<String>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let kernels = kernels.iter().map(kernel_of).collect::<PyResult<Vec<_>>>()?;
        let points = PointsInput::read(kernels.first(), X, "X")?;
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let options = Options::read(options)?;
        let (x, weights) = (points.points(), weights.as_deref().map(aview1));
        let work = || {
            let classes = Classes::from_indices(classes, names)?;
            svm_grid(&self.0, &kernels, &c, &folds, x, &classes, weights, &options.compute).map(|grid| grid.accuracy)
        };
        Ok(PyArray2::from_owned_array(
            py,
            run(py, &options, || work().map_err(|e| Part::Classifier.name(reworded(e))))?,
        ))
    }

    /// What a fit of these sizes will take, as text.
    #[pyo3(signature = (rows, columns, classes, **options))]
    fn plan(
        &self,
        rows: usize,
        columns: usize,
        classes: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        Ok(self.0.plan(rows, columns, classes, &Options::read(options)?.compute).to_string())
    }
}

fn calibration_named(name: &str, folds: usize) -> PyResult<Calibration> {
    match name {
        "sigmoid" => Ok(Calibration::Sigmoid { folds }),
        "isotonic" => Ok(Calibration::Isotonic { folds }),
        _ => Err(PyValueError::new_err(format!(
            "calibration = {name:?} is not allowed: it must be \"sigmoid\" or \"isotonic\""
        ))),
    }
}

/// A fitted classifier.
#[pyclass(frozen, name = "SvcFit", module = "mercer._mercer")]
pub struct PySvcFit(pub SvcFit);

#[pymethods]
#[allow(non_snake_case)]
impl PySvcFit {
    /// The number of the class of every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<usize>>> {
        let options = Options::read(options)?;
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let x = points.points();
        Ok(PyArray1::from_vec(py, run_at(py, &options, x, |x| self.0.predict(x, &options.compute))?))
    }

    /// Decision values: of pairs, or one per class; one column for two classes, positive for the
    /// second.
    #[pyo3(signature = (X, pairs=false, **options))]
    fn decision<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        pairs: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let options = Options::read(options)?;
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let (x, shape) =
            (points.points(), if pairs { DecisionShape::OneVersusOne } else { DecisionShape::OneVersusRest });
        let values = run_at(py, &options, x, |x| self.0.decision_function(x, shape, &options.compute))?;
        Ok(PyArray2::from_owned_array(py, values))
    }

    /// The probability of every class, a column each.
    #[pyo3(signature = (X, **options))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.probabilities(x, compute))
    }

    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    #[getter]
    fn columns(&self) -> usize {
        self.0.columns()
    }

    /// Whether the machines are one per pair of classes.
    #[getter]
    fn paired(&self) -> bool {
        self.0.scheme() == Scheme::OneVersusOne
    }

    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_vec(py, indices(self.0.support()))
    }

    #[getter]
    fn support_vectors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python_points(py, self.0.support_vectors())
    }

    #[getter]
    fn support_sizes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_vec(py, indices(&self.0.support_sizes()))
    }

    #[getter]
    fn dual_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.dual_coefficients())
    }

    /// The offset of every machine.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.0.binary().iter().map(|m| m.offset).collect())
    }

    /// The steps of every machine.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_vec(py, self.0.binary().iter().map(|m| m.evidence.steps as i64).collect())
    }

    /// ``A`` and ``B`` of the sigmoid of every machine, where there are sigmoids.
    #[getter]
    fn sigmoids(&self) -> Option<Vec<(f64, f64)>> {
        let one = |calibrator: &Calibrator| match calibrator {
            Calibrator::Sigmoid(s) => Some((s.a, s.b)),
            Calibrator::Isotonic(_) => None,
        };
        self.0.binary().iter().map(|m| m.calibrator.as_ref().and_then(one)).collect()
    }

    /// Whether there are probabilities.
    #[getter]
    fn calibrated(&self) -> bool {
        self.0.is_calibrated()
    }

    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        evidence_dict(py, self.0.evidence())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.clone())
    }
}
