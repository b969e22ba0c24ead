//! Local smoothers: Nadaraya–Watson and local linear.

use mercer::learn::smoother::{Bandwidth, LocalFit, LocalLinear, LocalWeight, NadarayaWatson};
use ndarray::aview1;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::input::{Matrix, numbers};
use crate::model::{Pickle, reduce};
use crate::options::Options;
use crate::run::{at_points, run};

/// A local smoother that was not fitted yet: local means, or local lines.
#[pyclass(frozen, name = "Smoother", module = "mercer._mercer")]
pub struct PySmoother {
    linear: bool,
    bandwidth: Bandwidth,
    weights: LocalWeight,
}

#[pymethods]
#[allow(non_snake_case)]
impl PySmoother {
    #[new]
    fn new(linear: bool, bandwidth: &Bound<'_, PyAny>, weights: &str) -> PyResult<Self> {
        Ok(Self { linear, bandwidth: bandwidth_of(bandwidth)?, weights: weights_named(weights)? })
    }

    #[pyo3(signature = (X, y, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyLocalFit> {
        let (points, values, options) = (Matrix::read(X, "X")?, numbers(y, "y")?, Options::read(options)?);
        let (x, y, &Self { linear, bandwidth, weights }) = (points.view(), aview1(&values), self);
        let fit = run(py, &options, || match linear {
            false => NadarayaWatson { bandwidth, weights }.fit(x, y, &options.compute),
            true => LocalLinear { bandwidth, weights }.fit(x, y, &options.compute),
        })?;
        Ok(PyLocalFit(fit))
    }
}

fn bandwidth_of(value: &Bound<'_, PyAny>) -> PyResult<Bandwidth> {
    if let Ok(name) = value.cast::<PyString>() {
        if &*name.to_cow()? == "loo" {
            return Ok(Bandwidth::LeaveOneOut);
        }
    } else if let Ok(value) = value.extract::<f64>() {
        return Ok(Bandwidth::Fixed(value));
    }
    let message = format!("bandwidth = {} is not allowed: it must be \"loo\" or a positive number", value.repr()?);
    Err(PyValueError::new_err(message))
}

const WEIGHTS: [(&str, LocalWeight); 5] = [
    ("gaussian", LocalWeight::Gaussian),
    ("epanechnikov", LocalWeight::Epanechnikov),
    ("tricube", LocalWeight::Tricube),
    ("uniform", LocalWeight::Uniform),
    ("biweight", LocalWeight::Biweight),
];

fn weights_named(name: &str) -> PyResult<LocalWeight> {
    WEIGHTS.iter().find(|(known, _)| *known == name).map(|(_, weights)| *weights).ok_or_else(|| {
        let names = WEIGHTS.map(|(known, _)| format!("{known:?}"));
        PyValueError::new_err(format!("weights = {name:?} is not allowed: it must be one of {}", names.join(", ")))
    })
}

/// A fitted local smoother.
#[pyclass(frozen, name = "LocalFit", module = "mercer._mercer")]
pub struct PyLocalFit(pub LocalFit);

#[pymethods]
#[allow(non_snake_case)]
impl PyLocalFit {
    #[pyo3(signature = (X, **options))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        at_points(py, None, X, options, |x, compute| self.0.predict(x.vectors()?, compute))
    }

    /// The slope of the local line at every position.
    #[pyo3(signature = (X, **options))]
    fn slopes<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        at_points(py, None, X, options, |x, compute| self.0.slopes(x.vectors()?, compute))
    }

    #[getter]
    fn linear(&self) -> bool {
        self.0.is_linear()
    }

    #[getter]
    fn weights(&self) -> Option<&'static str> {
        WEIGHTS.iter().find(|(_, weights)| *weights == self.0.weights()).map(|(name, _)| *name)
    }

    #[getter]
    fn bandwidth(&self) -> f64 {
        self.0.bandwidth()
    }

    /// Whether the bandwidth is at an end of the range that was searched.
    #[getter]
    fn at_limit(&self) -> bool {
        self.0.at_limit()
    }

    #[getter]
    fn fitted<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.0.fitted())
    }

    #[getter]
    fn leverages<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.0.leverages())
    }

    #[getter]
    fn degrees_of_freedom(&self) -> f64 {
        self.0.degrees_of_freedom()
    }

    #[getter]
    fn loo_residuals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.0.loo_residuals())
    }

    #[getter]
    fn loo_score(&self) -> f64 {
        self.0.loo_score()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.clone())
    }
}
