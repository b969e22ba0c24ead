//! `mercer.MeanEmbedding`: a newtype around an embedded sample.

use mercer::measure::{Compression, MeanEmbedding};
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_python;
use crate::function::PyFunction;
use crate::input::numbers;
use crate::kernel::{PyKernel, kernel_of};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::run::{at_points, run};
use crate::samples::Whole;

/// The mean embedding ``μ = Σ wᵢ k(·, xᵢ)`` of a weighted sample; without weights ``wᵢ = 1/n``.
///
/// Call it on points. ``⟨μ, f⟩`` is the expectation of a ``Function`` f, ``‖μ − ν‖`` the MMD of two
/// samples. A ``median`` in the kernel is resolved on the points.
///
/// Parameters
/// ----------
/// kernel : text or Kernel
///     The kernel of the space.
/// X : array of shape (n_samples, n_features), or objects of the kernel's kind
///     The sample.
/// weights : array of shape (n_samples,), optional
///     The weights ``wᵢ``, of either sign; ``1/n`` by default.
/// **options
///     ``n_jobs``, ``max_memory``, ``verbose`` and ``random_state``: as of `Kernel`.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> mu = mercer.MeanEmbedding("linear()", [1.0, 3.0])
/// >>> nu = mercer.MeanEmbedding("linear()", [5.0])
/// >>> mu([10.0]), mu.inner(nu), mu.distance(nu)
/// (array([20.]), 10.0, 3.0)
#[pyclass(frozen, name = "MeanEmbedding", module = "mercer")]
pub struct PyMeanEmbedding(MeanEmbedding);

#[pymethods]
#[allow(non_snake_case)]
impl PyMeanEmbedding {
    #[new]
    #[pyo3(signature = (kernel, X, weights=None, **options))]
    fn new(
        py: Python<'_>,
        kernel: &Bound<'_, PyAny>,
        X: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (kernel, options) = (kernel_of(kernel)?, Options::read(options)?);
        let sample = PointsInput::read(Some(&kernel), X, "X")?;
        let kernel = sample.name_columns(&kernel).map_err(to_python)?;
        let weights = weights.map(|w| numbers(w, "weights")).transpose()?;
        let (x, w) = (sample.points(), weights.as_deref().map(aview1));
        run(py, &options, || MeanEmbedding::new(&kernel, x, w, &options.compute)).map(Self)
    }

    /// ``μ(t) = Σ wᵢ k(t, xᵢ)`` for every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        at_points(py, Some(self.0.kernel()), X, options, |t, compute| self.0.evaluate(t, compute))
    }

    /// ``⟨μ, ν⟩`` with another embedding, or the expectation ``⟨μ, f⟩ = Σ wᵢ f(xᵢ)`` of a
    /// ``Function``.
    #[pyo3(signature = (other, **options))]
    fn inner(&self, py: Python<'_>, other: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<f64> {
        let options = Options::read(options)?;
        if let Ok(other) = other.cast::<Self>() {
            let other = &other.get().0;
            return run(py, &options, || self.0.inner(other, &options.compute));
        }
        let Ok(function) = other.cast::<PyFunction>() else {
            let message = format!("inner takes a MeanEmbedding or a Function, not {}", other.get_type());
            return Err(PyTypeError::new_err(message));
        };
        let function = function.get().expansion();
        run(py, &options, || self.0.expectation(function, &options.compute))
    }

    /// The norm ``‖μ‖``.
    #[pyo3(signature = (**options))]
    fn norm(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<f64> {
        let options = Options::read(options)?;
        run(py, &options, || self.0.norm(&options.compute))
    }

    /// The distance ``‖μ − ν‖``: the MMD (not its square) of the two weighted samples.
    #[pyo3(signature = (other, **options))]
    fn distance(&self, py: Python<'_>, other: &Bound<'_, Self>, options: Option<&Bound<'_, PyDict>>) -> PyResult<f64> {
        let (options, other) = (Options::read(options)?, &other.get().0);
        run(py, &options, || self.0.distance(other, &options.compute))
    }

    /// The embedding as a ``Function``.
    #[pyo3(signature = (**options))]
    fn function(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyFunction> {
        let options = Options::read(options)?;
        Ok(run(py, &options, || self.0.function(&options.compute))?.into())
    }

    /// ``count`` points of equal weight that stand for the sample, chosen greedily (kernel
    /// herding): the embedding of these points, their rows, and ``‖μ − μ̂‖``.
    #[pyo3(signature = (count, **options))]
    fn herd<'py>(
        &self,
        py: Python<'py>,
        count: Whole<'_>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Self, Bound<'py, PyArray1<usize>>, f64)> {
        let (count, options) = (count.count("count")?, Options::read(options)?);
        Ok(parts(py, run(py, &options, || self.0.herd(count, &options.compute))?))
    }

    /// As ``herd``, with the best weights of the chosen points; a point is chosen once.
    #[pyo3(signature = (count, **options))]
    fn compress<'py>(
        &self,
        py: Python<'py>,
        count: Whole<'_>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Self, Bound<'py, PyArray1<usize>>, f64)> {
        let (count, options) = (count.count("count")?, Options::read(options)?);
        Ok(parts(py, run(py, &options, || self.0.compress(count, &options.compute))?))
    }

    /// The kernel, with medians resolved.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    /// The points ``xᵢ``, one per row.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(PyArray2::from_array(py, &self.0.points().vectors().map_err(to_python)?))
    }

    /// The weights ``wᵢ``.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.0.weights())
    }

    fn __repr__(&self) -> String {
        format!("MeanEmbedding(\"{}\", {} points)", self.0.kernel().short(), self.0.points().len())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.0 == other.get().0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        Ok((py.get_type::<Self>().into_any(), (self.kernel(), self.points(py)?, self.weights(py))))
    }
}

type Parts<'py> = (PyKernel, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

fn parts(py: Python<'_>, found: Compression) -> (PyMeanEmbedding, Bound<'_, PyArray1<usize>>, f64) {
    (PyMeanEmbedding(found.embedding), PyArray1::from_vec(py, found.rows), found.distance)
}
