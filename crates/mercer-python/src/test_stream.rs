//! Tests through features, chunk by chunk.

use mercer::hypothesis::{StreamedIndependence, StreamedTwoSample, TestStream};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::to_python;
use crate::hypothesis::as_dict;
use crate::input::Matrix;
use crate::kernel::PyKernel;
use crate::options::Options;
use crate::run::run;

/// A test through features while the rows come.
#[pyclass(name = "TestStream", module = "mercer._mercer", eq)]
#[derive(PartialEq)]
pub struct PyTestStream(TestStream);

#[pymethods]
#[allow(non_snake_case)]
impl PyTestStream {
    /// Draws the features of a two-sample test whose first ``first`` rows are the first sample.
    #[staticmethod]
    #[pyo3(signature = (first, kernel, n_components, draws, level, X, **options))]
    #[allow(clippy::too_many_arguments)]
    fn two_sample(
        py: Python<'_>,
        first: u64,
        kernel: Option<&PyKernel>,
        n_components: usize,
        draws: usize,
        level: f64,
        X: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (sample, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let spec = StreamedTwoSample { kernel: kernel.map(|k| k.0.clone()), components: n_components, draws, level };
        let x = sample.view();
        run(py, &options, || spec.start(first, x, &options.compute)).map(Self)
    }

    /// Draws the features of an independence test.
    #[staticmethod]
    #[pyo3(signature = (kernel_x, kernel_y, n_components, draws, level, X, Y, **options))]
    #[allow(clippy::too_many_arguments)]
    fn independence(
        py: Python<'_>,
        kernel_x: Option<&PyKernel>,
        kernel_y: Option<&PyKernel>,
        n_components: usize,
        draws: usize,
        level: f64,
        X: &Bound<'_, PyAny>,
        Y: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (x, y, options) = (Matrix::read(X, "X")?, Matrix::read(Y, "Y")?, Options::read(options)?);
        let spec = StreamedIndependence {
            kernel_x: kernel_x.map(|k| k.0.clone()),
            kernel_y: kernel_y.map(|k| k.0.clone()),
            components: n_components,
            draws,
            level,
        };
        let (x, y) = (x.view(), y.view());
        run(py, &options, || spec.start(x, y, &options.compute)).map(Self)
    }

    /// Take in a chunk; ``y`` is the second variable, ``sample_weight`` is not used.
    #[pyo3(signature = (X, y=None, sample_weight=None, **options))]
    fn update(
        &mut self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: Option<&Bound<'_, PyAny>>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let _ = sample_weight;
        let (x, y, options) = (Matrix::read(X, "X")?, Matrix::read_optional(y, "Y")?, Options::read(options)?);
        let (x, y) = (x.view(), y.as_ref().map(Matrix::view));
        run(py, &options, || self.0.update(x, y, &options.compute))
    }

    #[pyo3(signature = (other, **options))]
    fn merge(&mut self, py: Python<'_>, other: &Self, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let options = Options::read(options)?;
        run(py, &options, || self.0.merge(&other.0, &options.compute))
    }

    /// A stream of the same test that has seen no rows yet; its first row will be row ``first_row``
    /// of the whole data.
    #[pyo3(signature = (first_row=0))]
    fn without_rows(&self, first_row: u64) -> Self {
        Self(self.0.without_rows(first_row))
    }

    /// The outcome for all rows.
    #[pyo3(signature = (**options))]
    fn finish<'py>(&self, py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyDict>> {
        let options = Options::read(options)?;
        let outcome = run(py, &options, || self.0.finish(&options.compute))?;
        as_dict(py, &outcome)
    }

    /// The rows that came.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        TestStream::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }
}
