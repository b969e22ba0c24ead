//! `mercer.LawEmbedding`: the mean embedding of a distribution that is known.

use mercer::measure::{Distribution, LawEmbedding};
use ndarray::Array1;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::kernel::{PyKernel, kernel_of};
use crate::samples::Real;

/// The mean embedding ``μ = E k(·, X)`` of a distribution that is known, in closed form.
///
/// Made by ``LawEmbedding.normal``, ``.uniform``, ``.laplace`` or ``.moments``. Call it on points.
/// Closed forms: Gaussian kernels with normal and uniform distributions, polynomial kernels with
/// moments, ``exponential`` with normal distributions, ``laplacian`` with the Laplace distribution,
/// ``wiener`` with the uniform distribution on ``[0, 1]``.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> p = mercer.LawEmbedding.moments("polynomial(degree=1, offset=0)", [1.0])
/// >>> q = mercer.LawEmbedding.moments("polynomial(degree=1, offset=0)", [3.0])
/// >>> p.squared_mmd(q)  # (1 − 3)²
/// 4.0
#[pyclass(frozen, name = "LawEmbedding", module = "mercer")]
pub struct PyLawEmbedding(LawEmbedding);

impl PyLawEmbedding {
    fn of(kernel: &Bound<'_, PyAny>, distribution: Distribution) -> PyResult<Self> {
        LawEmbedding::new(&kernel_of(kernel)?, distribution).map(Self).map_err(to_python)
    }
}

#[pymethods]
#[allow(non_snake_case)]
impl PyLawEmbedding {
    /// The normal distribution with a mean (a list of numbers) and a covariance matrix.
    #[staticmethod]
    fn normal(kernel: &Bound<'_, PyAny>, mean: &Bound<'_, PyAny>, covariance: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mean = Array1::from(numbers(mean, "mean")?);
        let covariance = Matrix::read(covariance, "covariance")?.view().to_owned();
        Self::of(kernel, Distribution::Gaussian { mean, covariance })
    }

    /// The uniform distribution on an interval of the line.
    #[staticmethod]
    #[pyo3(signature = (kernel, low=Real::Number(0.0), high=Real::Number(1.0)), text_signature = "(kernel, low=0.0, high=1.0)")]
    fn uniform(kernel: &Bound<'_, PyAny>, low: Real<'_>, high: Real<'_>) -> PyResult<Self> {
        let (low, high) = (low.number("low")?, high.number("high")?);
        Self::of(kernel, Distribution::Uniform { low, high })
    }

    /// the Laplace distribution on the line, of density ``exp(−|x|/scale)/(2 scale)``.
    #[staticmethod]
    #[pyo3(signature = (kernel, scale=Real::Number(1.0)), text_signature = "(kernel, scale=1.0)")]
    fn laplace(kernel: &Bound<'_, PyAny>, scale: Real<'_>) -> PyResult<Self> {
        Self::of(kernel, Distribution::Laplace { scale: scale.number("scale")? })
    }

    /// Any distribution on the line, by its moments ``E X, E X², …``.
    #[staticmethod]
    fn moments(kernel: &Bound<'_, PyAny>, moments: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(kernel, Distribution::Moments(numbers(moments, "moments")?))
    }

    /// ``μ(t) = E k(t, X)`` for every row of ``X``.
    fn __call__<'py>(&self, py: Python<'py>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let points = Matrix::read(X, "X")?;
        Ok(PyArray1::from_owned_array(py, self.0.evaluate(points.view()).map_err(to_python)?))
    }

    /// ``⟨μ_P, μ_Q⟩ = E k(X, Y)`` for independent X and Y.
    fn inner(&self, other: &Bound<'_, Self>) -> PyResult<f64> {
        self.0.inner(&other.get().0).map_err(to_python)
    }

    /// The norm ``‖μ‖``.
    fn norm(&self) -> PyResult<f64> {
        Ok(self.0.squared_norm().map_err(to_python)?.max(0.0).sqrt())
    }

    /// The squared MMD of the distributions.
    fn squared_mmd(&self, other: &Bound<'_, Self>) -> PyResult<f64> {
        self.0.squared_mmd(&other.get().0).map_err(to_python)
    }

    /// The kernel.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    fn __repr__(&self) -> String {
        let distribution = match self.0.distribution() {
            Distribution::Gaussian { mean, .. } => format!("normal distribution in {} dimensions", mean.len()),
            Distribution::Uniform { low, high } => format!("uniform distribution on [{low}, {high}]"),
            Distribution::Laplace { scale } => format!("Laplace distribution of scale {scale}"),
            Distribution::Moments(moments) => format!("distribution with {} moments", moments.len()),
        };
        format!("LawEmbedding(\"{}\", {distribution})", self.0.kernel().short())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.0 == other.get().0)
    }
}
