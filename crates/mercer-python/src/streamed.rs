//! Ridge regression on features, chunk by chunk.

use mercer::Seed;
use mercer::features::{FeatureMap, FeatureSpec, Nystrom, RandomFourier};
use mercer::learn::{RidgeStream, StreamedRidge, StreamedRidgeFit};
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::kernel::PyKernel;
use crate::model::{Pickle, reduce};
use crate::options::Options;
use crate::ridge::reworded;
use crate::run::{at_points, run};

/// A streamed ridge regression while the rows come.
///
/// ``stream_`` of a `StreamedKernelRidge`, or `from_bytes`; its rows may be merged with those of others.
#[pyclass(name = "RidgeStream", module = "mercer._mercer", eq)]
#[derive(PartialEq)]
pub struct PyRidgeStream(RidgeStream);

#[pymethods]
#[allow(non_snake_case)]
impl PyRidgeStream {
    /// Draws the features; medians are resolved on the sample ``X`` and landmarks chosen in it.
    #[staticmethod]
    #[pyo3(signature = (kernel, features, n_components, alphas, folds, intercept, X, outputs, **options))]
    #[allow(clippy::too_many_arguments)]
    fn start(
        py: Python<'_>,
        kernel: &PyKernel,
        features: &str,
        n_components: usize,
        alphas: Vec<f64>,
        folds: usize,
        intercept: bool,
        X: &Bound<'_, PyAny>,
        outputs: usize,
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
        let (spec, x) = (StreamedRidge { features, lambdas: alphas, folds, intercept }, sample.view());
        run(py, &options, || spec.start(x, outputs, &options.compute).map_err(reworded)).map(Self)
    }

    /// Take in a chunk of rows.
    ///
    /// Parameters
    /// ----------
    /// X : array of shape (n_rows, n_features)
    ///     Points.
    /// y : array of shape (n_rows,) or (n_rows, n_targets)
    ///     Targets.
    /// sample_weight : array of shape (n_rows,), optional
    ///     Weights.
    /// **options
    ///     ``n_jobs``, ``max_memory``, ``verbose`` and ``random_state``: as of `Kernel`.
    ///
    /// Returns
    /// -------
    /// None
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

    /// Take in all that another stream of the same features has seen, on this computer or elsewhere.
    ///
    /// Parameters
    /// ----------
    /// other : RidgeStream
    ///     A stream whose rows are others of the whole data.
    /// **options
    ///     ``n_jobs``, ``max_memory``, ``verbose`` and ``random_state``: as of `Kernel`.
    ///
    /// Returns
    /// -------
    /// None
    #[pyo3(signature = (other, **options))]
    fn merge(&mut self, py: Python<'_>, other: &Self, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let options = Options::read(options)?;
        run(py, &options, || self.0.merge(&other.0, &options.compute))
    }

    /// A stream of the same features that has seen no rows yet; its first row will be row
    /// ``first_row`` of the whole data.
    #[pyo3(signature = (first_row=0))]
    fn without_rows(&self, first_row: u64) -> Self {
        Self(self.0.without_rows(first_row))
    }

    /// The numbers of the rows that came: first, and one after the last, of every gapless range.
    #[getter]
    fn row_ranges(&self) -> Vec<(u64, u64)> {
        self.0.row_ranges().to_vec()
    }

    /// Give the ridge regression on the rows so far; more may follow.
    ///
    /// Parameters
    /// ----------
    /// **options
    ///     ``n_jobs``, ``max_memory``, ``verbose`` and ``random_state``: as of `Kernel`.
    ///
    /// Returns
    /// -------
    /// The fit, of the best of the penalties.
    #[pyo3(signature = (**options))]
    fn finish(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyStreamedRidgeFit> {
        let options = Options::read(options)?;
        run(py, &options, || self.0.finish(&options.compute)).map(PyStreamedRidgeFit)
    }

    /// The rows that came.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// The kernel, with medians resolved.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.features().kernel().clone())
    }

    /// Give all that it has seen as bytes, the same on every computer: for `from_bytes`.
    ///
    /// Returns
    /// -------
    /// bytes
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Make it again from the bytes of `to_bytes`.
    ///
    /// Parameters
    /// ----------
    /// bytes : bytes
    ///     What ``to_bytes`` gave. A ``ValueError`` is raised for others.
    ///
    /// Returns
    /// -------
    /// An equal object.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        RidgeStream::from_bytes(bytes).map(Self).map_err(to_python)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }
}

/// The numbers of ``count`` of ``rows`` rows in increasing order, drawn from the seed alone.
#[pyfunction]
#[pyo3(signature = (rows, count, random_state=0))]
pub fn sample_rows(py: Python<'_>, rows: usize, count: usize, random_state: u64) -> Bound<'_, PyArray1<i64>> {
    let chosen = Seed(random_state).stream("rows of a sample", 0).subset(rows, count);
    PyArray1::from_vec(py, chosen.into_iter().map(|row| row as i64).collect())
}

/// A fitted ridge regression on features.
#[pyclass(frozen, name = "StreamedRidgeFit", module = "mercer._mercer")]
pub struct PyStreamedRidgeFit(pub StreamedRidgeFit);

#[pymethods]
#[allow(non_snake_case)]
impl PyStreamedRidgeFit {
    #[pyo3(signature = (X, **options))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, None, X, options, |x, compute| self.0.predict(x.vectors()?, compute))
    }

    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    #[getter]
    fn alpha(&self) -> f64 {
        self.0.lambda()
    }

    /// Pairs of an alpha and its mean squared error on rows left out.
    #[getter]
    fn scores(&self) -> Vec<(f64, f64)> {
        self.0.scores().iter().map(|s| (s.lambda, s.score)).collect()
    }

    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_owned_array(py, self.0.weights().to_owned())
    }

    #[getter]
    fn intercept<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.intercept().map(|b| PyArray1::from_owned_array(py, b.to_owned()))
    }

    /// ``"nystroem"`` or ``"fourier"``.
    #[getter]
    fn features(&self) -> &'static str {
        if self.0.features().name() == "fourier" { "fourier" } else { "nystroem" }
    }

    #[getter]
    fn components(&self) -> usize {
        self.0.features().components()
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.clone())
    }
}
