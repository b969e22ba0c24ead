//! Logistic regression on features, pass by pass.

use mercer::features::{FeatureMap, FeatureSpec, Nystrom, RandomFourier};
use mercer::learn::{LogisticStep, LogisticStream, StreamedLogistic};
use ndarray::aview1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::kernel::PyKernel;
use crate::learner::PyAnyFit;
use crate::options::Options;
use crate::ridge::reworded;
use crate::run::run;

/// A streamed logistic regression in one of its passes.
#[pyclass(name = "LogisticStream", module = "mercer._mercer", eq)]
#[derive(PartialEq)]
pub struct PyLogisticStream(LogisticStream);

/// The stream of the next pass, or the fit.
type Next = (Option<PyLogisticStream>, Option<PyAnyFit>);

#[pymethods]
#[allow(non_snake_case)]
impl PyLogisticStream {
    /// Draws the features; medians are resolved on the sample ``X`` and landmarks chosen in it.
    #[staticmethod]
    #[pyo3(signature = (kernel, features, n_components, alpha, intercept, tol, max_passes, X, classes, **options))]
    #[allow(clippy::too_many_arguments)]
    fn start(
        py: Python<'_>,
        kernel: &PyKernel,
        features: &str,
        n_components: usize,
        alpha: f64,
        intercept: bool,
        tol: f64,
        max_passes: usize,
        X: &Bound<'_, PyAny>,
        classes: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (sample, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let kernel = kernel.0.clone();
        let features = match features {
            "nystroem" => FeatureSpec::Nystrom(Nystrom::new(kernel, n_components)),
            "fourier" => FeatureSpec::Fourier(RandomFourier::new(kernel, n_components)),
            other => {
                return Err(PyValueError::new_err(format!(
                    "features = {other:?} is not allowed: it must be \"nystroem\" or \"fourier\""
                )));
            }
        };
        let spec = StreamedLogistic { features, lambda: alpha, intercept, tolerance: tol, max_passes };
        let x = sample.view();
        run(py, &options, || spec.start(x, classes, &options.compute).map_err(reworded)).map(Self)
    }

    /// Take in a chunk; ``y`` holds the numbers of the classes.
    #[pyo3(signature = (X, y, sample_weight=None, **options))]
    fn update(
        &mut self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let (x, y, options) = (Matrix::read(X, "X")?, Matrix::read(y, "y")?, Options::read(options)?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let (x, y, weights) = (x.view(), y.view(), weights.as_deref().map(aview1));
        run(py, &options, || self.0.update(x, y, weights, &options.compute))
    }

    #[pyo3(signature = (other, **options))]
    fn merge(&mut self, py: Python<'_>, other: &Self, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let options = Options::read(options)?;
        run(py, &options, || self.0.merge(&other.0, &options.compute))
    }

    /// A stream of the same pass that has seen no rows yet; its first row will be row ``first_row``
    /// of the whole data.
    #[pyo3(signature = (first_row=0))]
    fn without_rows(&self, first_row: u64) -> Self {
        Self(self.0.without_rows(first_row))
    }

    /// Make the step of the pass: give the stream of the next pass, or the fit.
    #[pyo3(signature = (**options))]
    fn step(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Next> {
        let options = Options::read(options)?;
        let stream = self.0.clone();
        Ok(match run(py, &options, || stream.next(&options.compute))? {
            LogisticStep::Again(next) => (Some(Self(*next)), None),
            LogisticStep::Done(fit) => (None, Some(PyAnyFit((*fit).into()))),
        })
    }

    /// The rows that came in this pass.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// The passes that were made before this one.
    #[getter]
    fn passes(&self) -> usize {
        self.0.passes()
    }

    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.features().kernel().clone())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        LogisticStream::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }
}
