//! Kernel logistic regression, general losses and quantile curves: specifications and fits.

use mercer::learn::machine::{LossEvidence, LossPlan, LossSolver};
use mercer::learn::{
    KernelMachine, KernelMachineFit, LogisticFit, LogisticRegression, Loss, QuantileCurves, QuantileCurvesFit,
};
use mercer::{Compute, Kernel, Points, Result};
use ndarray::{Array2, ArrayView1, Axis, aview1};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::centers::centers_of;
use crate::errors::to_python;
use crate::input::numbers;
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{Pickle, reduce};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::run::{at_points, run};
use crate::svm::{reason, reworded};

/// A logistic regression or a loss that was not fitted yet.
#[pyclass(frozen, name = "Penalized", module = "mercer._mercer")]
pub struct PyPenalized(Spec);

enum Spec {
    Logistic(LogisticRegression),
    Machine(KernelMachine),
    Quantiles(QuantileCurves),
}

#[pymethods]
#[allow(non_snake_case)]
impl PyPenalized {
    /// ``loss=None`` is logistic regression of any number of classes; a list of levels is quantile
    /// curves.
    #[new]
    #[pyo3(signature = (kernel, alpha, *, loss=None, parameter=None, levels=None, intercept=true, class_weights=None,
                        solver="auto", centers=None, tol=None, max_iter=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        kernel: &Bound<'_, PyAny>,
        alpha: f64,
        loss: Option<&str>,
        parameter: Option<f64>,
        levels: Option<Vec<f64>>,
        intercept: bool,
        class_weights: Option<Vec<f64>>,
        solver: &str,
        centers: Option<&Bound<'_, PyDict>>,
        tol: Option<f64>,
        max_iter: Option<u64>,
    ) -> PyResult<Self> {
        let (kernel, solver, centers) = (kernel_of(kernel)?, solver_named(solver)?, centers_of(centers)?);
        Ok(Self(match (loss, levels) {
            (None, None) => {
                let base = LogisticRegression::new(kernel, alpha);
                let (tolerance, max_iterations) =
                    (tol.unwrap_or(base.tolerance), max_iter.unwrap_or(base.max_iterations));
                let leave_one_out = true;
                Spec::Logistic(LogisticRegression {
                    intercept,
                    class_weights,
                    solver,
                    centers,
                    tolerance,
                    max_iterations,
                    leave_one_out,
                    ..base
                })
            }
            (_, Some(levels)) => {
                let base = QuantileCurves::new(&levels, kernel, alpha);
                let (tolerance, max_iterations) =
                    (tol.unwrap_or(base.tolerance), max_iter.unwrap_or(base.max_iterations));
                Spec::Quantiles(QuantileCurves { intercept, tolerance, max_iterations, ..base })
            }
            (Some(loss), None) => {
                let base = machine(loss, parameter, kernel, alpha, intercept, solver, tol, max_iter)?;
                Spec::Machine(KernelMachine { centers, ..base })
            }
        }))
    }

    /// Fits classes (numbers from 0) by logistic regression, targets otherwise.
    #[pyo3(signature = (X, y, sample_weight=None, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyPenalizedFit> {
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let targets = numbers(y, "y")?;
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let options = Options::read(options)?;
        let (x, weights) = (points.points(), weights.as_deref().map(aview1));
        let work = || self.run(x, &targets, weights, &options.compute).map_err(reworded);
        run(py, &options, work).map(PyPenalizedFit)
    }

    /// What a fit of these sizes will run, as text.
    #[pyo3(signature = (rows, columns, classes=2, **options))]
    fn plan(
        &self,
        rows: usize,
        columns: usize,
        classes: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let compute = &Options::read(options)?.compute;
        let plan = match &self.0 {
            Spec::Logistic(spec) => spec.plan(rows, columns, classes, compute),
            Spec::Machine(spec) => spec.plan(rows, columns, compute),
            Spec::Quantiles(spec) => {
                KernelMachine::new(Loss::Absolute, spec.kernel.clone(), spec.lambda).plan(rows, columns, compute)
            }
        };
        Ok(plan.map_err(to_python)?.to_string())
    }
}

impl Spec {
    fn kernel(&self) -> &Kernel {
        match self {
            Self::Logistic(spec) => &spec.kernel,
            Self::Machine(spec) => &spec.kernel,
            Self::Quantiles(spec) => &spec.kernel,
        }
    }
}

impl PyPenalized {
    fn run(
        &self,
        x: Points<'_>,
        y: &[f64],
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<PenalizedFit> {
        match &self.0 {
            Spec::Logistic(spec) => {
                let labels: Vec<usize> = y.iter().map(|&c| c as usize).collect();
                spec.fit(x, &labels, weights, compute).map(PenalizedFit::Logistic)
            }
            Spec::Machine(spec) => spec.fit(x, aview1(y), weights, compute).map(PenalizedFit::Machine),
            Spec::Quantiles(spec) => spec.fit(x, aview1(y), weights, compute).map(PenalizedFit::Quantiles),
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn machine(
    loss: &str,
    parameter: Option<f64>,
    kernel: Kernel,
    lambda: f64,
    intercept: bool,
    solver: LossSolver,
    tol: Option<f64>,
    max_iter: Option<u64>,
) -> PyResult<KernelMachine> {
    let loss: Loss = loss.parse().map_err(to_python)?;
    let loss = parameter.map_or(Ok(loss), |value| loss.with_parameter(value)).map_err(to_python)?;
    let base = KernelMachine::new(loss, kernel, lambda);
    let (tolerance, max_iterations) = (tol.unwrap_or(base.tolerance), max_iter.unwrap_or(base.max_iterations));
    Ok(KernelMachine { intercept, solver, tolerance, max_iterations, ..base })
}

const SOLVERS: [(&str, LossSolver); 5] = [
    ("auto", LossSolver::Auto),
    ("newton", LossSolver::Newton),
    ("newton-cg", LossSolver::NewtonConjugateGradients),
    ("dual", LossSolver::Dual),
    ("centers", LossSolver::Centers),
];

fn solver_named(name: &str) -> PyResult<LossSolver> {
    SOLVERS.iter().find(|(known, _)| *known == name).map(|(_, solver)| *solver).ok_or_else(|| {
        let names = SOLVERS.map(|(known, _)| format!("{known:?}"));
        PyValueError::new_err(format!("solver = {name:?} is not allowed: it must be one of {}", names.join(", ")))
    })
}

/// A fitted logistic regression, loss, or set of quantile curves.
pub enum PenalizedFit {
    Logistic(LogisticFit),
    Machine(KernelMachineFit),
    Quantiles(QuantileCurvesFit),
}

impl PenalizedFit {
    fn evidence(&self) -> Vec<LossEvidence> {
        match self {
            Self::Logistic(fit) => vec![*fit.evidence()],
            Self::Machine(fit) => vec![*fit.evidence()],
            Self::Quantiles(fit) => fit.fits().iter().map(|f| *f.evidence()).collect(),
        }
    }

    fn kernel(&self) -> Option<&Kernel> {
        match self {
            Self::Logistic(fit) => Some(fit.kernel()),
            other => other.machines().first().map(KernelMachineFit::kernel),
        }
    }

    /// The fits of functions on the same points: one, or one per level.
    fn machines(&self) -> &[KernelMachineFit] {
        match self {
            Self::Logistic(_) => &[],
            Self::Machine(fit) => std::slice::from_ref(fit),
            Self::Quantiles(fit) => fit.fits(),
        }
    }

    fn columns(&self, of: fn(&KernelMachineFit) -> ArrayView1<'_, f64>) -> Array2<f64> {
        let fits = self.machines();
        Array2::from_shape_fn((fits.first().map_or(0, |f| of(f).len()), fits.len()), |(i, j)| of(&fits[j])[i])
    }

    fn plan(&self) -> Option<&LossPlan> {
        match self {
            Self::Logistic(fit) => Some(fit.plan()),
            other => other.machines().first().map(KernelMachineFit::plan),
        }
    }
}

#[pyclass(frozen, name = "PenalizedFit", module = "mercer._mercer")]
pub struct PyPenalizedFit(pub PenalizedFit);

#[pymethods]
#[allow(non_snake_case)]
impl PyPenalizedFit {
    /// ``f(x)``: a column per function; quantile curves in ascending order.
    #[pyo3(signature = (X, **options))]
    fn decision<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.evaluate(py, X, options, |fit, x, compute| match fit {
            PenalizedFit::Logistic(fit) => fit.decision(x, compute),
            PenalizedFit::Machine(fit) => Ok(fit.decision(x, compute)?.insert_axis(Axis(1))),
            PenalizedFit::Quantiles(fit) => fit.predict(x, compute),
        })
    }

    /// What the loss estimates: numbers of classes for logistic regression, sides −1 and 1, means
    /// of counts, quantiles.
    #[pyo3(signature = (X, **options))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.evaluate(py, X, options, |fit, x, compute| match fit {
            PenalizedFit::Logistic(fit) => {
                let classes = fit.predict(x, compute)?;
                Ok(Array2::from_shape_fn((classes.len(), 1), |(i, _)| classes[i] as f64))
            }
            PenalizedFit::Machine(fit) => Ok(fit.predict(x, compute)?.insert_axis(Axis(1))),
            PenalizedFit::Quantiles(fit) => fit.predict(x, compute),
        })
    }

    /// The probability of every class; of the second class alone for the logistic loss.
    #[pyo3(signature = (X, **options))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.evaluate(py, X, options, |fit, x, compute| match fit {
            PenalizedFit::Logistic(fit) => fit.probabilities(x, compute),
            PenalizedFit::Machine(fit) => Ok(fit.probabilities(x, compute)?.insert_axis(Axis(1))),
            PenalizedFit::Quantiles(_) => {
                Err(mercer::Error::unsupported("probabilities", "quantiles", "", "use the logistic loss"))
            }
        })
    }

    #[getter]
    fn kernel(&self) -> Option<PyKernel> {
        let kernel = match &self.0 {
            PenalizedFit::Logistic(fit) => Some(fit.kernel()),
            other => other.machines().first().map(KernelMachineFit::kernel),
        };
        kernel.map(|k| PyKernel(k.clone()))
    }

    #[getter]
    fn alpha(&self) -> Option<f64> {
        match &self.0 {
            PenalizedFit::Logistic(fit) => Some(fit.lambda()),
            other => other.machines().first().map(KernelMachineFit::lambda),
        }
    }

    /// The number of classes of a logistic regression.
    #[getter]
    fn classes(&self) -> Option<usize> {
        match &self.0 {
            PenalizedFit::Logistic(fit) => Some(fit.classes()),
            _ => None,
        }
    }

    /// The loss as text.
    #[getter]
    fn loss(&self) -> String {
        match &self.0 {
            PenalizedFit::Logistic(_) => "logistic".into(),
            PenalizedFit::Machine(fit) => fit.loss().to_string(),
            PenalizedFit::Quantiles(_) => "quantile".into(),
        }
    }

    /// The levels of quantile curves.
    #[getter]
    fn levels(&self) -> Option<Vec<f64>> {
        match &self.0 {
            PenalizedFit::Quantiles(fit) => Some(fit.levels().to_vec()),
            _ => None,
        }
    }

    /// The number of points at which quantile curves crossed before they were sorted.
    #[getter]
    fn crossings(&self) -> Option<usize> {
        match &self.0 {
            PenalizedFit::Quantiles(fit) => Some(fit.crossings()),
            _ => None,
        }
    }

    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.0 {
            PenalizedFit::Logistic(fit) => to_python_points(py, fit.points()),
            other => match other.machines().first() {
                Some(fit) => to_python_points(py, fit.points()),
                None => Ok(PyArray2::<f64>::zeros(py, [0, 0], false).into_any()),
            },
        }
    }

    /// ``α``: a row per point, a column per function.
    #[getter]
    fn dual_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        match &self.0 {
            PenalizedFit::Logistic(fit) => PyArray2::from_array(py, &fit.dual_coefficients()),
            other => PyArray2::from_owned_array(py, other.columns(KernelMachineFit::dual_coefficients)),
        }
    }

    #[getter]
    fn intercept<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        match &self.0 {
            PenalizedFit::Logistic(fit) => PyArray1::from_array(py, &fit.intercept()),
            other => PyArray1::from_vec(py, other.machines().iter().map(KernelMachineFit::intercept).collect()),
        }
    }

    #[getter]
    fn fitted<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        match &self.0 {
            PenalizedFit::Logistic(fit) => PyArray2::from_array(py, &fit.fitted()),
            other => PyArray2::from_owned_array(py, other.columns(KernelMachineFit::fitted)),
        }
    }

    /// What each decision would be without its own point, for two classes and exact steps.
    #[getter]
    fn loo_decisions<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.0 {
            PenalizedFit::Logistic(fit) => fit.leave_one_out().map(|l| PyArray1::from_array(py, &l.decisions)),
            _ => None,
        }
    }

    /// The evidence of every function: a list of dicts.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.0.evidence().into_iter().map(|e| evidence_dict(py, e)).collect()
    }

    /// The plan that was made before the work, as text.
    #[getter]
    fn plan(&self) -> Option<String> {
        self.0.plan().map(|plan| plan.to_string())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        match &self.0 {
            PenalizedFit::Logistic(fit) => reduce(py, fit.clone()),
            PenalizedFit::Machine(fit) => reduce(py, fit.clone()),
            PenalizedFit::Quantiles(fit) => reduce(py, fit.clone()),
        }
    }
}

impl PyPenalizedFit {
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
        of: fn(&PenalizedFit, Points<'_>, &Compute) -> Result<Array2<f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        at_points(py, self.0.kernel(), x, options, |x, compute| of(&self.0, x, compute))
    }
}

fn evidence_dict(py: Python<'_>, evidence: LossEvidence) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("objective", evidence.objective)?;
    dict.set_item("dual_objective", evidence.dual_objective)?;
    dict.set_item("gap", evidence.gap)?;
    dict.set_item("loss", evidence.loss)?;
    dict.set_item("squared_norm", evidence.squared_norm)?;
    dict.set_item("violation", evidence.violation)?;
    dict.set_item("steps", evidence.iterations)?;
    dict.set_item("stopped", reason(evidence.stopped))?;
    Ok(dict)
}
