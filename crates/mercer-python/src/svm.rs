//! Support vector regression and one-class SVMs, and the common parts of support vector machines.

use mercer::learn::svm::{OneClass, OneClassFit, SvmEvidence, Svr, SvrFit, Tube};
use mercer::solve::{DualOptions, Stopped};
use mercer::{Error, Kernel};
use ndarray::aview1;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::input::numbers;
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{Pickle, reduce};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::run::{run_anytime, run_at};

/// How the dual problem is solved.
pub fn solver(tolerance: f64, max_steps: Option<u64>) -> PyResult<DualOptions> {
    if !(tolerance.is_finite() && tolerance > 0.0) {
        return Err(PyValueError::new_err(format!("tol = {tolerance} is not allowed: it must be finite and positive")));
    }
    Ok(DualOptions { tolerance, max_steps, ..DualOptions::default() })
}

/// The parameter of Python that allows a kernel that is refused.
pub fn reworded(error: Error) -> Error {
    match error {
        Error::NotPositiveDefinite { kernel, reason, counterexample } => {
            let reason = format!(
                "{reason}\nA machine with allow_indefinite=True takes it nevertheless, and goes to a stationary point as LIBSVM does."
            );
            Error::NotPositiveDefinite { kernel, reason, counterexample }
        }
        other => other,
    }
}

/// Why a solver stopped, in a word.
pub fn reason(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Converged => "converged",
        Stopped::StepLimit => "step limit",
        Stopped::Canceled => "canceled",
        Stopped::Stalled => "stalled",
    }
}

/// The evidence as Python reads it.
pub fn evidence_dict(py: Python<'_>, evidence: SvmEvidence) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("objective", evidence.objective)?;
    dict.set_item("gap", evidence.gap)?;
    dict.set_item("violation", evidence.violation)?;
    dict.set_item("steps", evidence.steps)?;
    dict.set_item("stopped", reason(evidence.stopped))?;
    Ok(dict)
}

/// Rows as scikit-learn counts them.
pub fn indices(list: &[usize]) -> Vec<i32> {
    // A support vector has a row of kernel values: there are fewer than 2³¹.
    list.iter().map(|&i| i as i32).collect()
}

/// A machine of numbers that was not fitted yet: a regression, or the support of a distribution.
#[pyclass(frozen, name = "Svm", module = "mercer._mercer")]
pub struct PySvm(Spec);

enum Spec {
    Regression(Svr),
    Region(OneClass),
}

impl Spec {
    fn kernel(&self) -> &Kernel {
        match self {
            Self::Regression(svr) => &svr.kernel,
            Self::Region(region) => &region.kernel,
        }
    }
}

#[pymethods]
#[allow(non_snake_case)]
impl PySvm {
    #[new]
    #[pyo3(signature = (kernel, *, c=None, epsilon=None, nu=None, offset=true, tol=1e-3, max_iter=None, indefinite=false))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        kernel: &Bound<'_, PyAny>,
        c: Option<f64>,
        epsilon: Option<f64>,
        nu: Option<f64>,
        offset: bool,
        tol: f64,
        max_iter: Option<u64>,
        indefinite: bool,
    ) -> PyResult<Self> {
        let (kernel, solver): (Kernel, _) = (kernel_of(kernel)?, solver(tol, max_iter)?);
        Ok(Self(match (c, nu) {
            (None, nu) => Spec::Region(OneClass { kernel, nu: nu.unwrap_or(0.5), solver, indefinite }),
            (Some(c), nu) => {
                let tube = nu.map_or(Tube::Epsilon(epsilon.unwrap_or(0.1)), Tube::Nu);
                Spec::Regression(Svr { kernel, c, tube, offset, solver, indefinite })
            }
        }))
    }

    /// Fits the targets, or without them the region of the points.
    #[pyo3(signature = (X, y=None, sample_weight=None, **options))]
    fn fit(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: Option<&Bound<'_, PyAny>>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PySvmFit> {
        let points = PointsInput::read(Some(self.0.kernel()), X, "X")?;
        let targets = y.map(|y| numbers(y, "y")).transpose()?.unwrap_or_default();
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let options = Options::read(options)?;
        let (x, weights) = (points.points(), weights.as_deref().map(aview1));
        let work = || match &self.0 {
            Spec::Regression(svr) => svr.fit(x, aview1(&targets), weights, &options.compute).map(SvmFit::Regression),
            Spec::Region(region) => region.fit(x, weights, &options.compute).map(SvmFit::Region),
        };
        run_anytime(py, &options, || work().map_err(reworded)).map(PySvmFit)
    }

    /// What a fit of these sizes will take, as text.
    #[pyo3(signature = (rows, columns, **options))]
    fn plan(&self, rows: usize, columns: usize, options: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let compute = &Options::read(options)?.compute;
        let plan = match &self.0 {
            Spec::Regression(svr) => svr.plan(rows, columns, compute),
            Spec::Region(region) => region.plan(rows, columns, compute),
        };
        Ok(plan.to_string())
    }
}

/// A fitted machine of numbers.
pub enum SvmFit {
    Regression(SvrFit),
    Region(OneClassFit),
}

#[pyclass(frozen, name = "SvmFit", module = "mercer._mercer")]
pub struct PySvmFit(pub SvmFit);

/// Accessors of both fits.
macro_rules! of {
    ($fit:expr, $name:ident) => {
        match &$fit.0 {
            SvmFit::Regression(fit) => fit.$name(),
            SvmFit::Region(fit) => fit.$name(),
        }
    };
}

#[pymethods]
#[allow(non_snake_case)]
impl PySvmFit {
    /// ``f(x) + b`` for every row of ``X``.
    #[pyo3(signature = (X, **options))]
    fn decision<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let options = Options::read(options)?;
        let points = PointsInput::read(Some(of!(self, kernel)), X, "X")?;
        let x = points.points();
        let values = run_at(py, &options, x, |x| match &self.0 {
            SvmFit::Regression(fit) => fit.predict(x, &options.compute),
            SvmFit::Region(fit) => fit.decisions(x, &options.compute),
        })?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Whether it is the support of a distribution.
    #[getter]
    fn region(&self) -> bool {
        matches!(self.0, SvmFit::Region(_))
    }

    #[getter]
    fn kernel(&self) -> PyKernel {
        PyKernel(of!(self, kernel).clone())
    }

    #[getter]
    fn columns(&self) -> usize {
        of!(self, columns)
    }

    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        PyArray1::from_vec(py, indices(of!(self, support)))
    }

    #[getter]
    fn support_vectors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python_points(py, of!(self, support_vectors))
    }

    #[getter]
    fn dual_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, of!(self, dual_coefficients))
    }

    #[getter]
    fn offset(&self) -> f64 {
        of!(self, offset)
    }

    #[getter]
    fn fitted<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, of!(self, fitted))
    }

    /// Half of the width of the tube of a regression.
    #[getter]
    fn epsilon(&self) -> Option<f64> {
        match &self.0 {
            SvmFit::Regression(fit) => Some(fit.epsilon()),
            SvmFit::Region(_) => None,
        }
    }

    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        evidence_dict(py, of!(self, evidence))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        match &self.0 {
            SvmFit::Regression(fit) => reduce(py, fit.clone()),
            SvmFit::Region(fit) => reduce(py, fit.clone()),
        }
    }
}
