//! Ridge regression: a specification, its plan and its fit.

use mercer::learn::ridge::{Diagnostics, IntervalTarget, RidgeMethod, RidgeSolver};
use mercer::learn::{Ridge, RidgeFit};
use mercer::{Compute, Error, Points};
use ndarray::{ArrayView1, ArrayView2, aview1};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::centers::centers_of;
use crate::effects::to_dicts;
use crate::errors::to_python;
use crate::function::PyFunction;
use crate::input::{Matrix, numbers};
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{Pickle, reduce};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::run::{run, run_at};

/// A ridge regression that was not fitted yet.
#[pyclass(frozen, name = "Ridge", module = "mercer._mercer")]
pub struct PyRidge(Ridge);

#[pymethods]
#[allow(non_snake_case)]
impl PyRidge {
    #[new]
    #[pyo3(signature = (kernel, alpha, *, intercept=false, solver="auto", centers=None, diagnostics=true,
                        indefinite=false))]
    fn new(
        kernel: &Bound<'_, PyAny>,
        alpha: f64,
        intercept: bool,
        solver: &str,
        centers: Option<&Bound<'_, PyDict>>,
        diagnostics: bool,
        indefinite: bool,
    ) -> PyResult<Self> {
        let (kernel, solver, centers) = (kernel_of(kernel)?, solver_named(solver)?, centers_of(centers)?);
        Ok(Self(Ridge { intercept, solver, centers, diagnostics, indefinite, ..Ridge::new(kernel, alpha) }))
    }

    /// Fits ``y``, a column per output, with the values of unpenalized functions in the columns of
    /// ``null_space``.
    #[pyo3(signature = (X, y, sample_weight=None, null_space=None, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        null_space: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyRidgeFit> {
        let (points, targets) = (PointsInput::read(Some(&self.0.kernel), X, "X")?, Matrix::read(y, "y")?);
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let functions = Matrix::read_optional(null_space, "null_space")?;
        let options = Options::read(options)?;
        let data =
            (points.points(), functions.as_ref().map(Matrix::view), targets.view(), weights.as_deref().map(aview1));
        run(py, &options, || fit(&self.0, data, &options.compute).map_err(reworded)).map(PyRidgeFit)
    }

    /// What a fit of these sizes will run, as text.
    #[pyo3(signature = (rows, columns, outputs, **options))]
    fn plan(
        &self,
        rows: usize,
        columns: usize,
        outputs: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let options = Options::read(options)?;
        let plan = self.0.plan(rows, columns, outputs, &options.compute).map_err(to_python)?;
        Ok(plan.to_string())
    }

    /// What a fit of these points will run, as text.
    #[pyo3(signature = (X, outputs, **options))]
    fn plan_on(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        outputs: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let (points, options) = (PointsInput::read(Some(&self.0.kernel), X, "X")?, Options::read(options)?);
        let x = points.points();
        Ok(run(py, &options, || self.0.plan_on(x, outputs, &options.compute))?.to_string())
    }

    /// Whether a fit of these sizes runs in linear time, with the diagnostics at no extra cost.
    fn is_linear_time(&self, rows: usize, columns: usize, outputs: usize) -> bool {
        let everything = Compute::new().with_memory(u64::MAX);
        let linear = |solver| matches!(solver, RidgeSolver::StateSpace | RidgeSolver::FiniteRank);
        self.0.plan(rows, columns, outputs, &everything).is_ok_and(|plan| linear(plan.solver))
    }
}

type RidgeArrays<'a> = (Points<'a>, Option<ArrayView2<'a, f64>>, ArrayView2<'a, f64>, Option<ArrayView1<'a, f64>>);

fn fit(ridge: &Ridge, (x, basis, y, weights): RidgeArrays<'_>, compute: &Compute) -> mercer::Result<RidgeFit> {
    match basis {
        None => ridge.fit(x, y, weights, compute),
        Some(basis) => ridge.fit_with_null_space(x, basis, y, weights, compute),
    }
}

/// The parameter of Python that allows a kernel that is refused.
pub fn reworded(error: Error) -> Error {
    match error {
        Error::NotPositiveDefinite { kernel, reason, counterexample } => {
            let reason = format!("{reason}\nIf it is meant, pass indefinite=True.");
            Error::NotPositiveDefinite { kernel, reason, counterexample }
        }
        other => other,
    }
}

const SOLVERS: [(&str, RidgeSolver); 11] = [
    ("auto", RidgeSolver::Auto),
    ("cholesky", RidgeSolver::Cholesky),
    ("mixed", RidgeSolver::Mixed),
    ("state_space", RidgeSolver::StateSpace),
    ("finite_rank", RidgeSolver::FiniteRank),
    ("distinct_points", RidgeSolver::DistinctPoints),
    ("grid", RidgeSolver::Grid),
    ("eigen", RidgeSolver::Eigen),
    ("cg", RidgeSolver::ConjugateGradients),
    ("features", RidgeSolver::Features),
    ("centers", RidgeSolver::Centers),
];

fn solver_named(name: &str) -> PyResult<RidgeSolver> {
    SOLVERS.iter().find(|(known, _)| *known == name).map(|(_, solver)| *solver).ok_or_else(|| {
        let names = SOLVERS.map(|(known, _)| format!("{known:?}"));
        PyValueError::new_err(format!("solver = {name:?} is not allowed: it must be one of {}", names.join(", ")))
    })
}

/// A fitted ridge regression: the functions, and the evidence.
#[pyclass(frozen, name = "RidgeFit", module = "mercer._mercer")]
pub struct PyRidgeFit(pub RidgeFit);

#[pymethods]
#[allow(non_snake_case)]
impl PyRidgeFit {
    /// ``f(x) + b + pᵀβ`` for every row of ``X``, a column per output.
    #[pyo3(signature = (X, null_space=None, **options))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        null_space: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let functions = Matrix::read_optional(null_space, "null_space")?;
        let options = Options::read(options)?;
        let (x, basis) = (points.points(), functions.as_ref().map(Matrix::view));
        let values = run_at(py, &options, x, |x| match basis {
            None => self.0.predict(x, &options.compute),
            Some(basis) => self.0.predict_with_null_space(x, basis, &options.compute),
        })?;
        Ok(PyArray2::from_owned_array(py, values))
    }

    /// Standard errors at every row of ``X``, of the values or of new observations, a column per
    /// output.
    #[pyo3(signature = (X, null_space=None, observation=false, **options))]
    fn standard_errors<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        null_space: Option<&Bound<'py, PyAny>>,
        observation: bool,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let functions = Matrix::read_optional(null_space, "null_space")?;
        let options = Options::read(options)?;
        let (x, basis) = (points.points(), functions.as_ref().map(Matrix::view));
        let target = if observation { IntervalTarget::Observation } else { IntervalTarget::Function };
        let errors = run(py, &options, || match basis {
            None => self.0.standard_errors(x, target, &options.compute),
            Some(basis) => self.0.standard_errors_with_null_space(x, basis, target, &options.compute),
        })?;
        Ok(PyArray2::from_owned_array(py, errors))
    }

    /// The estimate of the noise variance, for every output.
    #[pyo3(signature = (**options))]
    fn noise_variance<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let options = Options::read(options)?;
        let variance = run(py, &options, || self.0.noise_variance(&options.compute))?;
        Ok(PyArray1::from_owned_array(py, variance))
    }

    /// The parts of an output as effects of the columns that they depend on: a list of dicts.
    #[pyo3(signature = (output, resolution, **options))]
    fn partial_effects<'py>(
        &self,
        py: Python<'py>,
        output: usize,
        resolution: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let options = Options::read(options)?;
        to_dicts(py, run(py, &options, || self.0.partial_effects(output, resolution, &options.compute))?)
    }

    /// The part of an output that lies in the space of the kernel.
    #[pyo3(signature = (output, **options))]
    fn function(&self, py: Python<'_>, output: usize, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyFunction> {
        let options = Options::read(options)?;
        Ok(run(py, &options, || self.0.function(output, &options.compute))?.into())
    }

    /// The kernel, with medians resolved.
    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(self.0.kernel().clone())
    }

    #[getter]
    fn alpha(&self) -> f64 {
        self.0.lambda()
    }

    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python_points(py, self.0.points())
    }

    #[getter]
    fn dual_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.dual_coefficients())
    }

    #[getter]
    fn null_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.null_coefficients())
    }

    #[getter]
    fn intercept<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.intercept().map(|b| PyArray1::from_array(py, &b))
    }

    #[getter]
    fn fitted<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.fitted())
    }

    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.residuals())
    }

    #[getter]
    fn norms<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_array(py, &self.0.norms())
    }

    /// Whether the fit carries the hat diagonal and what follows from it.
    #[getter]
    fn diagnosed(&self) -> bool {
        self.0.diagnostics().is_some()
    }

    #[getter]
    fn hat_diagonal<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.evidence(|d| PyArray1::from_array(py, &d.hat_diagonal))
    }

    #[getter]
    fn degrees_of_freedom(&self) -> Option<f64> {
        self.evidence(|d| d.degrees_of_freedom)
    }

    #[getter]
    fn loo_residuals<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<f64>>> {
        self.evidence(|d| PyArray2::from_array(py, &d.loo_residuals))
    }

    #[getter]
    fn gcv<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.evidence(|d| PyArray1::from_array(py, &d.gcv))
    }

    /// An estimate of the condition number of the system, or None after conjugate gradients.
    #[getter]
    fn condition(&self) -> Option<f64> {
        self.0.condition()
    }

    /// The plan that was made before the work, as text.
    #[getter]
    fn plan(&self) -> String {
        self.0.plan().to_string()
    }

    /// How the answer was found, as text.
    #[getter]
    fn method(&self) -> String {
        describe(self.0.method())
    }

    /// The centers, the passes, the relative residual, whether it reached the tolerance, and the
    /// share of the trace that is missed.
    #[getter]
    fn centers(&self) -> Option<(usize, usize, f64, bool, f64)> {
        match self.0.method() {
            RidgeMethod::Centers { centers, iterations, residual, converged, missed } => {
                Some((centers, iterations, residual, converged, missed))
            }
            _ => None,
        }
    }

    /// Whether the matrix was singular to working precision.
    #[getter]
    fn minimum_norm(&self) -> bool {
        matches!(self.0.method(), RidgeMethod::MinimumNorm { .. })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.clone())
    }
}

impl PyRidgeFit {
    fn evidence<T>(&self, of: impl FnOnce(&Diagnostics) -> T) -> Option<T> {
        self.0.diagnostics().map(of)
    }
}

fn describe(method: RidgeMethod) -> String {
    match method {
        RidgeMethod::Cholesky => "Cholesky factor in double precision".into(),
        RidgeMethod::Eigen => "eigendecomposition".into(),
        RidgeMethod::StateSpace { states } => format!("Kalman filter along the line, {states} states: linear time"),
        RidgeMethod::MinimumNorm { rank, threshold } => {
            format!("least-squares answer of minimum norm: {rank} eigenvalues above {threshold:.1e} were kept")
        }
        RidgeMethod::Mixed { iterations, residual, rank } => format!(
            "Cholesky factor of rank {rank} in single precision, refined in double precision: {iterations} products, \
             relative residual {residual:.1e}"
        ),
        RidgeMethod::ConjugateGradients { iterations, residual, rank } => format!(
            "conjugate gradients: {iterations} products, relative residual {residual:.1e}, preconditioner of rank {rank}"
        ),
        RidgeMethod::FiniteRank { features } => format!("Cholesky factor in the {features} features of the kernel"),
        RidgeMethod::DistinctPoints { points } => format!("Cholesky factor of the {points} distinct points"),
        RidgeMethod::Grid { cells, iterations, residual } => {
            format!("structure of a grid of {cells} cells: {iterations} products, relative residual {residual:.1e}")
        }
        RidgeMethod::Features { iterations, residual, features, rank } => format!(
            "conjugate gradients on {features} explicit features: {iterations} products, relative residual \
             {residual:.1e}, preconditioner of {rank} features"
        ),
        RidgeMethod::Centers { centers, iterations, residual, missed, .. } => format!(
            "conjugate gradients on {centers} centers: {iterations} passes, relative residual {residual:.1e}; the centers miss \
             {:.2e} of the kernel's trace",
            missed
        ),
        other => format!("{other:?}"),
    }
}
