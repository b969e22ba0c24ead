//! Smoothing splines.

use mercer::learn::spline::{Smoothing, SmoothingSpline, SplineFit};
use ndarray::aview1;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::{Part, to_python};
use crate::input::numbers;
use crate::model::{Pickle, reduce};
use crate::options::Options;
use crate::run::run;

/// A smoothing spline that was not fitted yet.
#[pyclass(frozen, name = "Spline", module = "mercer._mercer")]
pub struct PySpline(SmoothingSpline);

#[pymethods]
impl PySpline {
    #[new]
    #[pyo3(signature = (lam, df=None, order=2, period=None))]
    fn new(lam: &Bound<'_, PyAny>, df: Option<f64>, order: usize, period: Option<f64>) -> PyResult<Self> {
        let smoothing = match df {
            Some(df) => Smoothing::DegreesOfFreedom(df),
            None => smoothing(lam)?,
        };
        Ok(Self(SmoothingSpline { order, smoothing, period }))
    }

    #[pyo3(signature = (x, y, sample_weight=None, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PySplineFit> {
        let (x, y) = (numbers(x, "x")?, numbers(y, "y")?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let options = Options::read(options)?;
        let weights = weights.as_deref().map(aview1);
        let fit = || self.0.fit(aview1(&x), aview1(&y), weights, &options.compute).map_err(|e| Part::Spline.name(e));
        run(py, &options, fit).map(PySplineFit)
    }
}

fn smoothing(lam: &Bound<'_, PyAny>) -> PyResult<Smoothing> {
    if let Ok(name) = lam.cast::<PyString>() {
        match &*name.to_cow()? {
            "gcv" => return Ok(Smoothing::Gcv),
            "reml" => return Ok(Smoothing::Reml),
            _ => {}
        }
    } else if let Ok(value) = lam.extract::<f64>() {
        return Ok(Smoothing::Lambda(value));
    }
    let message = format!("lam = {} is not allowed: it must be \"gcv\", \"reml\" or a positive number", lam.repr()?);
    Err(PyValueError::new_err(message))
}

/// A fitted smoothing spline.
#[pyclass(frozen, name = "SplineFit", module = "mercer._mercer")]
pub struct PySplineFit(pub SplineFit);

#[pymethods]
impl PySplineFit {
    /// The derivative of this order (0: the values) at every position.
    #[pyo3(signature = (x, derivative=0))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        derivative: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = numbers(x, "x")?;
        let values = py.detach(|| self.0.predict(aview1(&x), derivative)).map_err(to_python)?;
        Ok(PyArray1::from_owned_array(py, values))
    }

    /// Standard errors of the values at every position.
    fn standard_errors<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = numbers(x, "x")?;
        let values = py.detach(|| self.0.standard_errors(aview1(&x))).map_err(|e| to_python(Part::Spline.name(e)))?;
        Ok(PyArray1::from_owned_array(py, values))
    }

    #[getter]
    fn order(&self) -> usize {
        self.0.order()
    }

    #[getter]
    fn period(&self) -> Option<f64> {
        self.0.period()
    }

    #[getter]
    fn lam(&self) -> f64 {
        self.0.lambda()
    }

    #[getter]
    fn degrees_of_freedom(&self) -> f64 {
        self.0.degrees_of_freedom()
    }

    #[getter]
    fn gcv(&self) -> f64 {
        self.0.gcv()
    }

    #[getter]
    fn reml(&self) -> f64 {
        self.0.reml()
    }

    #[getter]
    fn loo_score(&self) -> f64 {
        self.0.loo_score()
    }

    #[getter]
    fn residual_sum_of_squares(&self) -> f64 {
        self.0.residual_sum_of_squares()
    }

    #[getter]
    fn roughness(&self) -> f64 {
        self.0.roughness()
    }

    #[getter]
    fn variance(&self) -> Option<f64> {
        self.0.variance()
    }

    #[getter]
    fn at_limit(&self) -> bool {
        self.0.at_limit()
    }

    #[getter]
    fn knots<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_owned_array(py, self.0.knots())
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
    fn loo_residuals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_owned_array(py, self.0.loo_residuals())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.clone())
    }
}
