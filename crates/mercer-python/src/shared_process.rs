//! Gaussian processes of several targets with one kernel, and the likelihood of matrices that
//! Python computed.

use mercer::learn::gaussian_process::shared::{EvidenceGradient, ProcessEvidence};
use mercer::learn::{SharedGaussianProcess, SharedGaussianProcessFit};
use mercer::{Compute, Error, Result};
use ndarray::{ArrayView2, Axis, aview1};
use numpy::{PyArray1, PyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_python;
use crate::function::PyFunction;
use crate::input::{Matrix, numbers};
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{Pickle, reduce};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::run::{at_points, run};
use mercer::error::MemoryPurpose;

/// What is not finite or not positive definite has no likelihood: None to Python, which decides
/// what that means.
fn defined<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(Error::Singular { .. } | Error::Undefined { .. } | Error::Value { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// The slopes by the parameters, and by a variance that is added to every row.
type Gradient<'py> = (Bound<'py, PyArray1<f64>>, f64);

fn gradient_of<'py>(py: Python<'py>, found: EvidenceGradient) -> Gradient<'py> {
    (PyArray1::from_vec(py, found.parameters), found.noise)
}

/// Fitted processes that share a kernel.
#[pyclass(frozen, name = "SharedProcessFit", module = "mercer._mercer")]
pub struct PySharedProcessFit(pub SharedGaussianProcessFit);

#[pymethods]
#[allow(non_snake_case)]
impl PySharedProcessFit {
    /// The fit at the parameters of the kernel; None where the matrix is not positive definite.
    #[staticmethod]
    #[pyo3(signature = (kernel, X, Y, noise, **options))]
    fn fit(
        py: Python<'_>,
        kernel: &Bound<'_, PyAny>,
        X: &Bound<'_, PyAny>,
        Y: &Bound<'_, PyAny>,
        noise: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Self>> {
        let process = SharedGaussianProcess::new(kernel_of(kernel)?);
        let points = PointsInput::read(Some(&process.kernel), X, "X")?;
        let (y, noise) = (Matrix::read(Y, "y")?, numbers(noise, "alpha")?);
        let options = Options::read(options)?;
        let (x, y) = (points.points(), y.view());
        Ok(run(py, &options, || defined(process.fit(x, y, aview1(&noise), &options.compute)))?.map(Self))
    }

    /// The log likelihood and its gradient by the requested parameters of the kernel (by the
    /// parameters themselves), then by the noise; None where the matrix is not positive definite.
    #[staticmethod]
    #[pyo3(signature = (kernel, X, Y, noise, requested, **options))]
    fn likelihood_gradient<'py>(
        py: Python<'py>,
        kernel: &Bound<'py, PyAny>,
        X: &Bound<'py, PyAny>,
        Y: &Bound<'py, PyAny>,
        noise: &Bound<'py, PyAny>,
        requested: Vec<bool>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<(f64, Gradient<'py>)>> {
        let process = SharedGaussianProcess::new(kernel_of(kernel)?);
        let points = PointsInput::read(Some(&process.kernel), X, "X")?;
        let (y, noise) = (Matrix::read(Y, "y")?, numbers(noise, "alpha")?);
        let options = Options::read(options)?;
        let (x, y) = (points.points(), y.view());
        let work = || defined(process.likelihood_gradient(x, y, aview1(&noise), &requested, &options.compute));
        Ok(run(py, &options, work)?.map(|(value, gradient)| (value, gradient_of(py, gradient))))
    }

    /// The names of the parameters that choose a smoothness, which only move when they are freed.
    #[staticmethod]
    fn choices(kernel: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let parameters = kernel_of(kernel)?.parameters();
        Ok(parameters.into_iter().filter(|p| p.choice).map(|p| p.name).collect())
    }

    /// The means at the rows of ``X``, one column per target.
    #[pyo3(signature = (X, **options))]
    fn mean<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.mean(x, compute))
    }

    /// The variance of every target at the rows of ``X``; rounding may make it slightly negative.
    #[pyo3(signature = (X, **options))]
    fn variance<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.variance(x, compute))
    }

    /// The covariance of every target at the rows of ``X``.
    #[pyo3(signature = (X, **options))]
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.covariance(x, compute))
    }

    /// The mean of one target as a function.
    #[pyo3(signature = (target, **options))]
    fn function(&self, py: Python<'_>, target: usize, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyFunction> {
        let options = Options::read(options)?;
        Ok(run(py, &options, || self.0.function(target, &options.compute))?.into())
    }

    /// The Cholesky factor of ``K + diag(noise)``.
    #[pyo3(signature = (**options))]
    fn lower<'py>(&self, py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let options = Options::read(options)?;
        let lower = run(py, &options, || self.0.factor(&options.compute)?.to_lower(&options.compute))?;
        Ok(PyArray2::from_owned_array(py, lower))
    }

    /// The diagonal of the inverse of ``K + diag(noise)``.
    #[pyo3(signature = (**options))]
    fn inverse_diagonal<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let options = Options::read(options)?;
        let diagonal = run(py, &options, || self.0.factor(&options.compute)?.inverse_diagonal(&options.compute))?;
        Ok(PyArray1::from_vec(py, diagonal))
    }

    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python_points(py, self.0.points())
    }

    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.targets())
    }

    #[getter]
    fn noise<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.0.noise())
    }

    #[getter]
    fn dual_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.dual_coefficients())
    }

    #[getter]
    fn log_marginal_likelihood(&self) -> f64 {
        self.0.log_marginal_likelihood()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.clone())
    }
}

/// The likelihood of a covariance matrix that Python computed.
#[pyclass(frozen, name = "MatrixEvidence", module = "mercer._mercer")]
pub struct PyMatrixEvidence(ProcessEvidence);

#[pymethods]
#[allow(non_snake_case)]
impl PyMatrixEvidence {
    /// Raises a ``MemoryError`` if so many kernel values are more than ``max_memory`` allows:
    /// called before Python computes them.
    #[staticmethod]
    #[pyo3(signature = (values, **options))]
    fn reserve(values: u64, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let what = format!("{values} kernel values that Python computes");
        let remedy = "use fewer rows or a higher memory limit";
        let compute = Options::read(options)?.compute;
        compute.reserve(MemoryPurpose::KernelMatrix, &what, values.saturating_mul(8), remedy).map_err(to_python)
    }

    /// The evidence of ``K + diag(noise)``; None where that is not positive definite.
    #[staticmethod]
    #[pyo3(signature = (K, Y, noise, **options))]
    fn of(
        py: Python<'_>,
        K: &Bound<'_, PyAny>,
        Y: &Bound<'_, PyAny>,
        noise: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Self>> {
        let (k, y, noise) = (Matrix::read(K, "K")?, Matrix::read(Y, "y")?, numbers(noise, "alpha")?);
        let options = Options::read(options)?;
        let (k, y) = (k.view(), y.view());
        if k.nrows() != k.ncols() || noise.len() != k.nrows() {
            return Err(PyValueError::new_err(format!(
                "kernel values: expected {0} × {0}, found {1} × {2}",
                noise.len(),
                k.nrows(),
                k.ncols()
            )));
        }
        Ok(run(py, &options, || defined(evidence(k, y, &noise, &options.compute)))?.map(Self))
    }

    /// The gradient of the log likelihood for the derivatives of ``K``, of shape (n, n,
    /// parameters), then by the noise.
    #[pyo3(signature = (slopes, **options))]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        slopes: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Gradient<'py>> {
        let numpy = py.import("numpy")?;
        let slopes: PyReadonlyArray3<'py, f64> =
            numpy.call_method1("require", (slopes, numpy.getattr("float64")?))?.extract()?;
        let options = Options::read(options)?;
        let view = slopes.as_array();
        Ok(gradient_of(py, run(py, &options, || self.0.gradient(view, &options.compute))?))
    }

    /// ``‖L⁻¹c‖²`` for every column of ``cross = k(X, x)``: what the data explains of the variance.
    #[pyo3(signature = (cross, **options))]
    fn explained_variance<'py>(
        &self,
        py: Python<'py>,
        cross: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        at_points(py, None, cross, options, |c, compute| {
            let c = c.vectors()?;
            let half = self.0.factor().half_solve(c, compute)?;
            Ok((&half * &half).sum_axis(Axis(0)))
        })
    }

    /// ``CᵀA⁻¹C`` for ``C = k(X, x)``: what the data explains of the covariance.
    #[pyo3(signature = (cross, **options))]
    fn explained<'py>(
        &self,
        py: Python<'py>,
        cross: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, None, cross, options, |c, compute| {
            let c = c.vectors()?;
            let half = self.0.factor().half_solve(c, compute)?;
            Ok(half.t().dot(&half))
        })
    }

    /// The Cholesky factor.
    #[pyo3(signature = (**options))]
    fn lower<'py>(&self, py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let options = Options::read(options)?;
        let lower = run(py, &options, || self.0.factor().to_lower(&options.compute))?;
        Ok(PyArray2::from_owned_array(py, lower))
    }

    /// The diagonal of the inverse.
    #[pyo3(signature = (**options))]
    fn inverse_diagonal<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let options = Options::read(options)?;
        let diagonal = run(py, &options, || self.0.factor().inverse_diagonal(&options.compute))?;
        Ok(PyArray1::from_vec(py, diagonal))
    }

    #[getter]
    fn dual_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.dual_coefficients())
    }

    #[getter]
    fn log_marginal_likelihood(&self) -> f64 {
        self.0.log_likelihood()
    }
}

fn evidence(k: ArrayView2<f64>, y: ArrayView2<f64>, noise: &[f64], compute: &Compute) -> Result<ProcessEvidence> {
    let bytes = 8 * (k.nrows() as u64).pow(2);
    compute.reserve(MemoryPurpose::Fit, "a Gaussian process", bytes, "use fewer rows or a higher memory limit")?;
    let mut matrix = k.to_owned();
    matrix.diag_mut().zip_mut_with(&aview1(noise), |d, v| *d += v);
    ProcessEvidence::new(matrix, y, compute)
}
