//! Principal components and clusters of features, pass by pass.

use mercer::features::FeatureMap;
use mercer::view::streamed::{ViewStep, ViewStream};
use ndarray::aview1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::kernel::PyKernel;
use crate::learner::{PyAnyFit, read_settings};
use crate::options::Options;
use crate::run::run;

/// A view through features in one of its passes.
#[pyclass(name = "ViewStream", module = "mercer._mercer", eq)]
#[derive(PartialEq)]
pub struct PyViewStream(ViewStream);

/// The stream of the next pass, or the fit.
type Next = (Option<PyViewStream>, Option<PyAnyFit>);

#[pymethods]
#[allow(non_snake_case)]
impl PyViewStream {
    /// Draws the features of a learner; medians are resolved on the sample ``X``, landmarks and
    /// first means chosen in it.
    #[staticmethod]
    #[pyo3(signature = (learner, settings, X, sample_weight=None, **options))]
    fn start(
        py: Python<'_>,
        learner: &str,
        settings: &Bound<'_, PyDict>,
        X: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (settings, sample, options) = (read_settings(settings)?, Matrix::read(X, "X")?, Options::read(options)?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let (x, weights) = (sample.view(), weights.as_deref().map(aview1));
        run(py, &options, || ViewStream::start(learner, &settings, x, weights, &options.compute)).map(Self)
    }

    /// Take in a chunk; ``y`` is not used.
    #[pyo3(signature = (X, y=None, sample_weight=None, **options))]
    fn update(
        &mut self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: Option<&Bound<'_, PyAny>>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let _ = y;
        let (x, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let (x, weights) = (x.view(), weights.as_deref().map(aview1));
        run(py, &options, || self.0.update(x, weights, &options.compute))
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

    /// End the pass: give the stream of the next pass, or the fit.
    #[pyo3(signature = (**options))]
    fn step(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Next> {
        let options = Options::read(options)?;
        let stream = self.0.clone();
        Ok(match run(py, &options, || stream.next(&options.compute))? {
            ViewStep::Again(next) => (Some(Self(*next)), None),
            ViewStep::Done(fit) => (None, Some(PyAnyFit(fit.into()))),
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
        ViewStream::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }
}
