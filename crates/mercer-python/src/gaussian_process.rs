//! Gaussian processes: a specification and its fit.

use mercer::learn::{GaussianProcess, GaussianProcessFit};
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::function::PyFunction;
use crate::input::{Matrix, numbers};
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{Pickle, reduce};
use crate::options::Options;
use crate::run::run;

/// A Gaussian process that has seen no data yet.
#[pyclass(frozen, name = "GaussianProcess", module = "mercer._mercer")]
pub struct PyGaussianProcess(GaussianProcess);

#[pymethods]
#[allow(non_snake_case)]
impl PyGaussianProcess {
    /// ``fixed`` names parameters that stay as they are; None fixes the smoothness of Matérn kernels.
    #[new]
    #[pyo3(signature = (kernel, noise, *, optimize=true, fixed=None, restarts=0))]
    fn new(
        kernel: &Bound<'_, PyAny>,
        noise: f64,
        optimize: bool,
        fixed: Option<Vec<String>>,
        restarts: usize,
    ) -> PyResult<Self> {
        let process = GaussianProcess::new(kernel_of(kernel)?, noise);
        let fixed = fixed.unwrap_or_else(|| process.fixed.clone());
        Ok(Self(GaussianProcess { optimise: optimize, fixed, restarts, ..process }))
    }

    #[pyo3(signature = (X, y, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyGaussianProcessFit> {
        let (points, targets, options) = (Matrix::read(X, "X")?, numbers(y, "y")?, Options::read(options)?);
        let x = points.view();
        run(py, &options, || self.0.fit(x, aview1(&targets), &options.compute)).map(PyGaussianProcessFit)
    }
}

/// A fitted Gaussian process.
#[pyclass(frozen, name = "GaussianProcessFit", module = "mercer._mercer")]
pub struct PyGaussianProcessFit(pub GaussianProcessFit);

type Pair<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
#[allow(non_snake_case)]
impl PyGaussianProcessFit {
    /// The mean of ``f`` at every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn mean<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (points, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let x = points.view();
        let mean = run(py, &options, || self.0.mean(x, &options.compute))?;
        Ok(PyArray1::from_owned_array(py, mean))
    }

    /// Mean and variance of ``f`` at every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Pair<'py>> {
        let (points, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let x = points.view();
        let at = run(py, &options, || self.0.predict(x, &options.compute))?;
        Ok((PyArray1::from_owned_array(py, at.mean), PyArray1::from_owned_array(py, at.variance)))
    }

    /// The covariance of ``f`` at the rows of ``X``.
    #[pyo3(signature = (X, **options))]
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (points, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let x = points.view();
        let covariance = run(py, &options, || self.0.covariance(x, &options.compute))?;
        Ok(PyArray2::from_owned_array(py, covariance))
    }

    /// Functions drawn from the posterior, one per column.
    #[pyo3(signature = (X, count, **options))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        count: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (points, options) = (Matrix::read(X, "X")?, Options::read(options)?);
        let x = points.view();
        let samples = run(py, &options, || self.0.sample(x, count, &options.compute))?;
        Ok(PyArray2::from_owned_array(py, samples))
    }

    /// Mean and variance of every observation given the others, and the sum of the log densities.
    #[pyo3(signature = (**options))]
    fn leave_one_out<'py>(&self, py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> PyResult<(Pair<'py>, f64)> {
        let options = Options::read(options)?;
        let others = run(py, &options, || self.0.leave_one_out(&options.compute))?;
        let (mean, variance) =
            (PyArray1::from_owned_array(py, others.mean), PyArray1::from_owned_array(py, others.variance));
        Ok(((mean, variance), others.log_density))
    }

    /// The gradient of the log marginal likelihood, in the order of ``parameter_names``.
    #[pyo3(signature = (**options))]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let options = Options::read(options)?;
        let gradient = run(py, &options, || self.0.log_marginal_likelihood_gradient(&options.compute))?;
        Ok(PyArray1::from_vec(py, gradient))
    }

    /// The posterior mean as a function.
    #[pyo3(signature = (**options))]
    fn function(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyFunction> {
        let options = Options::read(options)?;
        Ok(run(py, &options, || self.0.function(&options.compute))?.into())
    }

    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.points())
    }

    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.0.targets())
    }

    #[getter]
    fn noise(&self) -> f64 {
        self.0.noise()
    }

    #[getter]
    fn dual_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.0.dual_coefficients())
    }

    #[getter]
    fn log_marginal_likelihood(&self) -> f64 {
        self.0.log_marginal_likelihood()
    }

    #[getter]
    fn parameter_names(&self) -> Vec<String> {
        self.0.parameter_names()
    }

    /// Whether the optimisation converged, its steps, the likelihood that each start led to, and the evaluations; None without one.
    #[getter]
    fn optimisation(&self) -> Option<(bool, usize, Vec<f64>, usize)> {
        self.0.optimisation().map(|o| (o.converged, o.iterations, o.likelihoods.clone(), o.evaluations))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.clone())
    }
}
