//! Conformal prediction: ranks among scores of held-out rows, and the closed form of jackknife+.

use mercer::conformal::{self, ConformalFit, ConformalMethod, FoldScores, IntervalEnds, Part, Rule, SetScore};
use mercer::learner::{Fitted, Interval};
use mercer::model::AnyFit;
use mercer::{Compute, Error, Seed};
use ndarray::Array2;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_python;
use crate::input::Matrix;
use crate::learner::settings_dict;
use crate::model::{FittedObject, to_object};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::run::run;

type Ends<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

fn to_arrays<'py>(py: Python<'py>, ends: IntervalEnds) -> Ends<'py> {
    (PyArray2::from_owned_array(py, ends.lower), PyArray2::from_owned_array(py, ends.upper))
}

fn matrices(list: &[Bound<'_, PyAny>], what: &str) -> PyResult<Vec<Array2<f64>>> {
    list.iter().map(|one| Ok(Matrix::read(one, what)?.view().to_owned())).collect()
}

/// The scores of held-out rows.
#[pyclass(frozen, name = "FoldScores", module = "mercer._mercer")]
pub struct PyFoldScores(FoldScores);

#[pymethods]
impl PyFoldScores {
    #[new]
    fn new(fold_of: Vec<usize>, scores: &Bound<'_, PyAny>) -> PyResult<Self> {
        let scores = Matrix::read(scores, "scores")?.view().to_owned();
        FoldScores::new(fold_of, scores).map(Self).map_err(to_python)
    }

    /// The scores of numbers: how far they lie outside of the predicted bands.
    #[staticmethod]
    fn of_values(
        fold_of: Vec<usize>,
        y: &Bound<'_, PyAny>,
        lower: &Bound<'_, PyAny>,
        upper: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (y, lower, upper) = (Matrix::read(y, "y")?, Matrix::read(lower, "lower")?, Matrix::read(upper, "upper")?);
        FoldScores::of_values(fold_of, y.view(), lower.view(), upper.view()).map(Self).map_err(to_python)
    }

    /// The ends of the intervals of new points, from the bands that every fit predicts.
    fn ends<'py>(
        &self,
        py: Python<'py>,
        lower: Vec<Bound<'py, PyAny>>,
        upper: Vec<Bound<'py, PyAny>>,
        level: f64,
    ) -> PyResult<Ends<'py>> {
        let bands: Vec<_> = matrices(&lower, "lower")?.into_iter().zip(matrices(&upper, "upper")?).collect();
        let ends = py.detach(|| self.0.ends(&bands, level, &Compute::new())).map_err(to_python)?;
        Ok(to_arrays(py, ends))
    }

    /// Whether every class belongs to the set of a new point.
    fn sets<'py>(
        &self,
        py: Python<'py>,
        scores: Vec<Bound<'py, PyAny>>,
        level: f64,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let scores = matrices(&scores, "scores")?;
        let sets = py.detach(|| self.0.sets(&scores, level, &Compute::new())).map_err(to_python)?;
        Ok(PyArray2::from_owned_array(py, sets))
    }

    /// The scores, a row each.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_owned_array(py, self.0.scores().to_owned())
    }

    /// The fit that did not see each row.
    #[getter]
    fn fold_of(&self) -> Vec<usize> {
        self.0.fold_of().to_vec()
    }
}

/// A fit with its calibration: jackknife+ from its closed form.
#[pyclass(frozen, name = "CalibratedFit", module = "mercer._mercer")]
pub struct PyCalibratedFit {
    conformal: ConformalFit,
    fitted: AnyFit,
}

#[pymethods]
#[allow(non_snake_case)]
impl PyCalibratedFit {
    /// Intervals in the units of the fit.
    #[pyo3(signature = (X, level, **options))]
    fn ends<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        level: f64,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Ends<'py>> {
        let (points, options) = (PointsInput::read(self.fitted.kernel(), X, "X")?, Options::read(options)?);
        let x = points.points();
        let ends = run(py, &options, || self.conformal.intervals(&*self.fitted, x, level, &options.compute))?;
        Ok(to_arrays(py, ends))
    }

    /// Whether every class belongs to the set of a new point.
    #[pyo3(signature = (X, level, **options))]
    fn sets<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        level: f64,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let (points, options) = (PointsInput::read(self.fitted.kernel(), X, "X")?, Options::read(options)?);
        let x = points.points();
        let sets = run(py, &options, || self.conformal.sets(&*self.fitted, x, level, &options.compute))?;
        Ok(PyArray2::from_owned_array(py, sets))
    }

    /// The rows of the data that the scores belong to.
    #[getter]
    fn rows(&self) -> Vec<usize> {
        self.conformal.rows().to_vec()
    }

    /// The scores of the held-out rows, a row each.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_owned_array(py, self.conformal.scores().scores().to_owned())
    }
}

/// A fit without some of the rows: the fit, the numbers of the classes that it knows, and for
/// precomputed kernel values the rows that it was fitted on.
type PartOf<T> = (T, Vec<usize>, Option<Vec<usize>>);

/// A fit and its settings.
type WithSettings<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

/// A calibration as a model file holds it.
#[pyclass(frozen, name = "Calibration", module = "mercer._mercer")]
pub struct PyCalibration {
    rule: Rule,
    rows: Vec<usize>,
    scores: FoldScores,
    parts: Vec<Part>,
}

impl PyCalibration {
    pub fn of(fit: &ConformalFit) -> Self {
        Self { rule: fit.rule(), rows: fit.rows().to_vec(), scores: fit.scores().clone(), parts: fit.parts().to_vec() }
    }

    /// The calibration of a fit.
    pub fn beside(&self, fitted: &dyn Fitted) -> mercer::Result<ConformalFit> {
        ConformalFit::of_parts(self.rule, fitted, self.rows.clone(), self.scores.clone(), self.parts.clone())
    }
}

#[pymethods]
impl PyCalibration {
    #[new]
    fn new(
        method: &str,
        scoring: (String, bool, u64),
        rows: Vec<usize>,
        scores: &Bound<'_, PyFoldScores>,
        parts: Vec<PartOf<FittedObject<'_>>>,
    ) -> PyResult<Self> {
        let (set_score, randomized, seed) = scoring;
        let (method, score) = (ConformalMethod::of_name(method), SetScore::of_name(&set_score));
        let rule =
            Rule { method: method.map_err(to_python)?, score: score.map_err(to_python)?, randomized, seed: Seed(seed) };
        let part = |(fit, present, train): PartOf<FittedObject<'_>>| Part { fit: fit.fitted().into(), present, train };
        Ok(Self { rule, rows, scores: scores.get().0.clone(), parts: parts.into_iter().map(part).collect() })
    }

    #[getter]
    fn method(&self) -> &'static str {
        self.rule.method.name()
    }

    /// The score of classes, whether it is randomized, and the seed.
    #[getter]
    fn scoring(&self) -> (&'static str, bool, u64) {
        (self.rule.score.name(), self.rule.randomized, self.rule.seed.0)
    }

    /// The rows of the data that the scores belong to.
    #[getter]
    fn rows(&self) -> Vec<usize> {
        self.rows.clone()
    }

    /// The scores of these rows, in the units of the fit.
    #[getter]
    fn scores(&self) -> PyFoldScores {
        PyFoldScores(self.scores.clone())
    }

    /// The fits that did not see some of the rows, with their settings.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Vec<PartOf<WithSettings<'py>>>> {
        let part = |part: &Part| {
            let settings = settings_dict(py, part.fit.settings())?;
            Ok(((to_object(py, part.fit.clone().into())?, settings), part.present.clone(), part.train.clone()))
        };
        self.parts.iter().map(part).collect()
    }
}

/// Jackknife+ of a fit; None for one whose leave-one-out predictions have no closed form.
#[pyfunction]
#[pyo3(signature = (fit, **options))]
pub fn jackknife(
    py: Python<'_>,
    fit: FittedObject<'_>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Option<PyCalibratedFit>> {
    let (fitted, options) = (fit.fitted(), Options::read(options)?);
    let found = run(py, &options, || ConformalFit::jackknife(&*fitted, &options.compute))?;
    Ok(found.map(|conformal| PyCalibratedFit { conformal, fitted }))
}

/// The ends of the intervals of the model itself, in the units of the fit.
#[pyfunction]
#[pyo3(signature = (fit, X, level, **options))]
#[allow(non_snake_case)]
pub fn interval_ends<'py>(
    py: Python<'py>,
    fit: FittedObject<'py>,
    X: &Bound<'py, PyAny>,
    level: f64,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Ends<'py>> {
    let (fitted, options) = (fit.fitted(), Options::read(options)?);
    let points = PointsInput::read(fitted.kernel(), X, "X")?;
    let x = points.points();
    let x = fitted.kernel().map_or(x, |kernel| kernel.points(x));
    let found = run(py, &options, || fitted.interval(x, level, &options.compute))?;
    Ok(to_arrays(py, IntervalEnds { lower: found.lower, upper: found.upper }))
}

/// The ends of intervals of normal distributions.
#[pyfunction]
pub fn normal_ends<'py>(
    py: Python<'py>,
    mean: &Bound<'py, PyAny>,
    deviation: &Bound<'py, PyAny>,
    level: f64,
) -> PyResult<Ends<'py>> {
    let (mean, deviation) = (Matrix::read(mean, "mean")?, Matrix::read(deviation, "deviation")?);
    let found = Interval::normal(mean.view().to_owned(), deviation.view().to_owned(), level).map_err(to_python)?;
    Ok(to_arrays(py, IntervalEnds { lower: found.lower, upper: found.upper }))
}

/// The scores of classes from their probabilities; with a seed and a purpose randomized by row.
#[pyfunction]
#[pyo3(signature = (probabilities, score, seed=None, purpose=""))]
pub fn class_scores<'py>(
    py: Python<'py>,
    probabilities: &Bound<'py, PyAny>,
    score: &str,
    seed: Option<u64>,
    purpose: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let p = Matrix::read(probabilities, "probabilities")?;
    let score = SetScore::of_name(score).map_err(to_python)?;
    let random = seed.map(|seed| (Seed(seed), purpose));
    Ok(PyArray2::from_owned_array(py, conformal::class_scores(p.view(), score, random)))
}

/// The scores of classes from decision values.
#[pyfunction]
pub fn margin_scores<'py>(py: Python<'py>, decision: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let decision = Matrix::read(decision, "decision")?;
    if decision.view().ncols() == 0 {
        return Err(to_python(Error::too_few("scores of classes", "columns of decision values", 1, 0)));
    }
    Ok(PyArray2::from_owned_array(py, conformal::margin_scores(decision.view())))
}

/// The rows of every fold, from the seed, stratified by the labels.
#[pyfunction]
#[pyo3(signature = (labels, folds, **options))]
pub fn stratified_folds(
    labels: Vec<usize>,
    folds: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Vec<usize>>> {
    let options = Options::read(options)?;
    mercer::select::stratified_folds(&labels, folds, &options.compute).map_err(to_python)
}

/// The method that `auto` takes.
#[pyfunction]
pub fn conformal_method(rows: usize, closed_form: bool) -> &'static str {
    ConformalMethod::automatic(rows, closed_form).name()
}

/// The coverage that is certain.
#[pyfunction]
pub fn conformal_guarantee(method: &str, rows: usize, fits: usize, level: f64) -> PyResult<f64> {
    Ok(ConformalMethod::of_name(method).map_err(to_python)?.guarantee(rows, fits, level))
}
