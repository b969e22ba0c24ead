//! Gaussian processes: a specification and its fit.

use mercer::learn::GaussianProcess;
use mercer::learn::gaussian_process::sparse::{Approximation, Inducing};
use ndarray::aview1;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::effects::to_dicts;
use crate::errors::to_python_linear;
use crate::function::PyFunction;
use crate::input::{Matrix, numbers};
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{Pickle, reduce};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::process::{Process, ProcessFit};
use crate::run::{at_points, run, run_at};

/// A Gaussian process that has seen no data yet.
#[pyclass(frozen, name = "GaussianProcess", module = "mercer._mercer")]
pub struct PyGaussianProcess(Process);

#[pymethods]
#[allow(non_snake_case)]
impl PyGaussianProcess {
    /// ``fixed`` names parameters that stay as they are, ``free`` choices of smoothness that move
    /// too.
    #[new]
    #[pyo3(signature = (kernel, noise, *, optimize=true, fixed=None, free=None, restarts=0))]
    fn new(
        kernel: &Bound<'_, PyAny>,
        noise: f64,
        optimize: bool,
        fixed: Option<Vec<String>>,
        free: Option<Vec<String>>,
        restarts: usize,
    ) -> PyResult<Self> {
        let process = GaussianProcess::new(kernel_of(kernel)?, noise);
        let (fixed, free) = (fixed.unwrap_or_default(), free.unwrap_or_default());
        Ok(Self(Process::Exact(GaussianProcess { optimize, fixed, free, restarts, ..process })))
    }

    /// The same process seen through inducing points: an array of them, or how many and
    /// ``"greedy"`` or ``"random"``.
    #[staticmethod]
    #[pyo3(signature = (kernel, noise, inducing, count=None, *, approximation, move_inducing=false, optimize=true, fixed=None, free=None, restarts=0))]
    #[allow(clippy::too_many_arguments)]
    fn sparse(
        kernel: &Bound<'_, PyAny>,
        noise: f64,
        inducing: &Bound<'_, PyAny>,
        count: Option<usize>,
        approximation: &str,
        move_inducing: bool,
        optimize: bool,
        fixed: Option<Vec<String>>,
        free: Option<Vec<String>>,
        restarts: usize,
    ) -> PyResult<Self> {
        let Self(process) = Self::new(kernel, noise, optimize, fixed, free, restarts)?;
        let (inducing, approximation) = (inducing_of(inducing, count)?, approximation_named(approximation)?);
        Ok(Self(process.sparse(inducing, approximation, move_inducing)))
    }

    #[pyo3(signature = (X, y, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyGaussianProcessFit> {
        let (targets, options) = (numbers(y, "y")?, Options::read(options)?);
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let x = points.points();
        let fit = run(py, &options, || match self.0.fit(x, aview1(&targets), &options.compute) {
            Err(error) if error.is_numerical() => Ok(Err(error)),
            other => other.map(Ok),
        })?;
        fit.map(PyGaussianProcessFit).map_err(|error| to_python_linear(py, error))
    }

    /// What a fit of these points would run.
    #[pyo3(signature = (X, **options))]
    fn plan(&self, py: Python<'_>, X: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let options = Options::read(options)?;
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let x = points.points();
        run(py, &options, || self.0.plan(x, &options.compute)).map(|plan| plan.to_string())
    }
}

fn inducing_of(value: &Bound<'_, PyAny>, count: Option<usize>) -> PyResult<Inducing> {
    if let Ok(name) = value.cast::<PyString>() {
        match (&*name.to_cow()?, count) {
            ("greedy", Some(count)) => return Ok(Inducing::Greedy(count)),
            ("random", Some(count)) => return Ok(Inducing::Random(count)),
            _ => {}
        }
    } else {
        return Ok(Inducing::Points(Matrix::read(value, "inducing")?.view().to_owned()));
    }
    Err(PyValueError::new_err(format!(
        "inducing = {} is not allowed: it must be \"greedy\" or \"random\" with n_inducing, or an array of points",
        value.repr()?
    )))
}

const APPROXIMATIONS: [(&str, Approximation); 4] = [
    ("variational", Approximation::Variational),
    ("fitc", Approximation::Fitc),
    ("dtc", Approximation::Dtc),
    ("sor", Approximation::Sor),
];

fn approximation_named(name: &str) -> PyResult<Approximation> {
    APPROXIMATIONS.iter().find(|(known, _)| *known == name).map(|(_, found)| *found).ok_or_else(|| {
        let names = APPROXIMATIONS.map(|(known, _)| format!("{known:?}"));
        PyValueError::new_err(format!(
            "approximation = {name:?} is not allowed: it must be one of {}",
            names.join(", ")
        ))
    })
}

/// A fitted Gaussian process.
#[pyclass(frozen, name = "GaussianProcessFit", module = "mercer._mercer")]
pub struct PyGaussianProcessFit(pub ProcessFit);

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
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.mean(x, compute))
    }

    /// Mean and variance of ``f`` at every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Pair<'py>> {
        let options = Options::read(options)?;
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let x = points.points();
        let at = run_at(py, &options, x, |x| self.0.predict(x, &options.compute))?;
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
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.covariance(x, compute))
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
        at_points(py, Some(self.0.kernel()), X, options, |x, compute| self.0.sample(x, count, compute))
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
        let gradient = run(py, &options, || self.0.gradient(&options.compute))?;
        Ok(PyArray1::from_vec(py, gradient))
    }

    /// The parts of the process as effects of the columns that they depend on: a list of dicts.
    #[pyo3(signature = (resolution, **options))]
    fn partial_effects<'py>(
        &self,
        py: Python<'py>,
        resolution: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let options = Options::read(options)?;
        to_dicts(py, run(py, &options, || self.0.partial_effects(resolution, &options.compute))?)
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
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.exact().map(|fit| to_python_points(py, fit.points())).transpose()
    }

    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.exact().map(|fit| PyArray1::from_array(py, &fit.targets()))
    }

    /// How the posterior was found, as text.
    #[getter]
    fn method(&self) -> String {
        self.0.method()
    }

    #[getter]
    fn noise(&self) -> f64 {
        self.0.noise()
    }

    #[getter]
    fn dual_coefficients<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.exact().map(|fit| PyArray1::from_array(py, &fit.dual_coefficients()))
    }

    /// The inducing points that are used; None for an exact process.
    #[getter]
    fn inducing<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        self.0.sparse().map(|fit| PyArray2::from_array(py, &fit.inducing()))
    }

    /// Which process the inducing points stand for; None for an exact process.
    #[getter]
    fn approximation(&self) -> Option<&'static str> {
        let found = self.0.sparse()?.approximation();
        APPROXIMATIONS.iter().find(|(_, known)| *known == found).map(|(name, _)| *name)
    }

    /// What of the variance of the data the inducing points leave open; None for an exact process.
    #[getter]
    fn trace_left(&self) -> Option<f64> {
        self.0.sparse().map(|fit| fit.trace_left())
    }

    #[getter]
    fn log_marginal_likelihood(&self) -> f64 {
        self.0.log_marginal_likelihood()
    }

    #[getter]
    fn parameter_names(&self) -> Vec<String> {
        self.0.parameter_names()
    }

    /// Whether the optimization converged, its steps, the likelihood that each start led to, and
    /// the evaluations; None without one.
    #[getter]
    fn optimization(&self) -> Option<(bool, usize, Vec<f64>, usize)> {
        self.0.optimization().map(|o| (o.converged, o.iterations, o.likelihoods.clone(), o.evaluations))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.fitted())
    }
}
