//! Learners of the catalogue: built from settings, fitted, asked for their facts.

use mercer::learner::{FactValue, FitInput, FitSize, LearnerEntry, Targets};
use mercer::model::{self, AnyFit};
use mercer::points::Size;
use mercer::settings::{Setting, Settings};
use mercer::{Kernel, Points};
use ndarray::{Ix1, Ix2, aview1};
use numpy::{PyArray1, PyArray2, PyArrayDyn};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::kernel::{PyKernel, kernel_of};
use crate::model::{Pickle, reduce};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::points::to_python_points;
use crate::run::{at_points, run, run_anytime};

/// The declaration of a learner, or an error that names it.
fn entry(name: &str) -> PyResult<&'static LearnerEntry> {
    model::learner(name).ok_or_else(|| PyValueError::new_err(format!("there is no learner `{name}`")))
}

/// Settings from Python values: kernels and texts, numbers, flags, and lists of these.
pub fn read_settings(given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut settings = Settings::new();
    for (name, value) in given {
        let name = name.extract::<String>()?;
        if !value.is_none() {
            settings.insert(&name, setting(&value)?);
        }
    }
    Ok(settings)
}

fn setting(value: &Bound<'_, PyAny>) -> PyResult<Setting> {
    if value.is_instance_of::<PyBool>() {
        return Ok(Setting::Flag(value.extract()?));
    }
    if value.is_instance_of::<PyString>() || value.cast::<PyKernel>().is_ok() {
        return Ok(Setting::Text(text(value)?));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Setting::Number(number));
    }
    let items = value.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    match items.first() {
        Some(first) if first.extract::<f64>().is_err() => {
            Ok(Setting::Texts(items.iter().map(text).collect::<PyResult<_>>()?))
        }
        _ => Ok(Setting::Numbers(items.iter().map(|item| item.extract()).collect::<PyResult<_>>()?)),
    }
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyKernel>() {
        Ok(kernel) => Ok(kernel.get().0.to_string()),
        Err(_) => value.extract(),
    }
}

/// A setting as Python has it.
pub fn setting_to_python<'py>(py: Python<'py>, setting: &Setting) -> PyResult<Bound<'py, PyAny>> {
    Ok(match setting {
        Setting::Flag(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Setting::Number(value) => value.into_pyobject(py)?.into_any(),
        Setting::Numbers(values) => values.into_pyobject(py)?,
        Setting::Texts(texts) => texts.into_pyobject(py)?,
        other => other.to_string().into_pyobject(py)?.into_any(),
    })
}

/// A learner that was not fitted yet.
#[pyclass(frozen, name = "Learner", module = "mercer._mercer")]
pub struct PyLearner {
    entry: &'static LearnerEntry,
    learner: Box<dyn mercer::learner::Learner>,
}

#[pymethods]
#[allow(non_snake_case)]
impl PyLearner {
    #[new]
    fn new(name: &str, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let entry = entry(name)?;
        let learner = entry.build(&read_settings(settings)?).map_err(to_python)?;
        Ok(Self { entry, learner })
    }

    /// Fits one or more views; a kernel for each says what kind of points they are.
    #[pyo3(signature = (views, kernels, y=None, classes=None, names=None, sample_weight=None, labels=None,
                        affinity=None, **options))]
    #[allow(clippy::too_many_arguments)]
    fn fit(
        &self,
        py: Python<'_>,
        views: Vec<Bound<'_, PyAny>>,
        kernels: Vec<Bound<'_, PyAny>>,
        y: Option<&Bound<'_, PyAny>>,
        classes: Option<Vec<usize>>,
        names: Option<Vec<String>>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        labels: Option<Vec<Vec<usize>>>,
        affinity: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyAnyFit> {
        let kernels = kernels.iter().map(kernel_of).collect::<PyResult<Vec<Kernel>>>()?;
        let samples = views.iter().enumerate().map(|(view, x)| {
            let what = if views.len() == 1 { "X".to_owned() } else { format!("view {view}") };
            PointsInput::read(kernels.get(view).or(kernels.first()), x, &what)
        });
        let samples = samples.collect::<PyResult<Vec<_>>>()?;
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let (y, affinity) = (Matrix::read_optional(y, "y")?, Matrix::read_optional(affinity, "W")?);
        let options = Options::read(options)?;
        let points: Vec<Points<'_>> = samples
            .iter()
            .enumerate()
            .map(|(view, sample)| {
                let points = sample.points();
                // Rows of kernel values are a matrix until a kernel says so.
                match kernels.get(view).or(kernels.first()) {
                    Some(kernel) => kernel.points(points),
                    None => points,
                }
            })
            .collect();
        let names = names.unwrap_or_default();
        let targets = match (&classes, &y) {
            (Some(of), _) => Targets::Classes(of, &names),
            (None, Some(y)) => Targets::Values(y.view()),
            (None, None) => Targets::None,
        };
        let input = FitInput {
            views: points,
            targets,
            weights: weights.as_deref().map(aview1),
            labels: labels.iter().flatten().map(Vec::as_slice).collect(),
            affinity: affinity.as_ref().map(Matrix::view),
        };
        let fit = run_anytime(py, &options, || self.learner.fit(&input, &options.compute))?;
        Ok(PyAnyFit(fit.into()))
    }

    /// What a fit of views with these rows and columns will take, as text.
    #[pyo3(signature = (shapes, outputs=0, classes=0, **options))]
    fn plan(
        &self,
        shapes: Vec<(usize, usize)>,
        outputs: usize,
        classes: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let views = shapes.into_iter().map(|(rows, columns)| Size::of_vectors(rows, columns)).collect();
        let size = FitSize { views, outputs, classes };
        let plan = self.learner.plan(&size, &Options::read(options)?.compute).map_err(to_python)?;
        Ok(format!("{}: {plan}", self.entry.title))
    }

    /// The settings, with defaults.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        settings_dict(py, &self.learner.settings())
    }
}

pub fn settings_dict<'py>(py: Python<'py>, settings: &Settings) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in settings.iter() {
        dict.set_item(name, setting_to_python(py, value)?)?;
    }
    Ok(dict)
}

/// A fit of a learner of the catalogue.
#[pyclass(frozen, name = "AnyFit", module = "mercer._mercer")]
pub struct PyAnyFit(pub AnyFit);

#[pymethods]
#[allow(non_snake_case)]
impl PyAnyFit {
    /// The name of the learner.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// The settings of the fit.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        settings_dict(py, self.0.settings())
    }

    /// How many targets were fitted.
    #[getter]
    fn targets(&self) -> usize {
        self.0.targets()
    }

    /// The kernel with medians resolved, where there is one.
    #[getter]
    fn kernel(&self) -> Option<PyKernel> {
        self.0.kernel().cloned().map(PyKernel)
    }

    /// The names of the facts with what they mean.
    #[getter]
    fn meanings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for fact in self.0.facts().iter() {
            dict.set_item(fact.name, fact.meaning)?;
        }
        Ok(dict)
    }

    /// A fact of the fit.
    fn fact<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.0.facts().get(name) {
            Some(value) => fact_to_python(py, value),
            None => Err(PyKeyError::new_err(format!("a fit of {} has no `{name}`", self.0.kind()))),
        }
    }

    /// The points of a view, as Python has them.
    #[pyo3(signature = (view=0))]
    fn points<'py>(&self, py: Python<'py>, view: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.points(view).map(|points| to_python_points(py, points)).transpose()
    }

    /// What the learner says of every point: numbers, a class, a cluster, or coordinates.
    #[pyo3(signature = (X, kernel=None, **options))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        kernel: Option<&PyKernel>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let kernel = kernel.map(|k| &k.0).or(self.0.kernel());
        at_points(py, kernel, X, options, |x, compute| self.0.predict(x, compute))
    }

    /// The coordinates of points of a view.
    #[pyo3(signature = (X, view=0, kernel=None, **options))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        view: usize,
        kernel: Option<&PyKernel>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let kernel = kernel.map(|k| &k.0).or(self.0.kernel());
        at_points(py, kernel, X, options, |x, compute| self.0.transform(view, x, compute))
    }

    /// The decision values of classes.
    #[pyo3(signature = (X, kernel=None, **options))]
    fn decision<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        kernel: Option<&PyKernel>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let kernel = kernel.map(|k| &k.0).or(self.0.kernel());
        at_points(py, kernel, X, options, |x, compute| self.0.decision_values(x, compute))
    }

    /// The probability of every class, a column each.
    #[pyo3(signature = (X, kernel=None, **options))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        kernel: Option<&PyKernel>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let kernel = kernel.map(|k| &k.0).or(self.0.kernel());
        at_points(py, kernel, X, options, |x, compute| self.0.probabilities(x, compute))
    }

    /// How far points are from what the fit describes.
    #[pyo3(signature = (X, kernel=None, **options))]
    fn novelty<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        kernel: Option<&PyKernel>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let kernel = kernel.map(|k| &k.0).or(self.0.kernel());
        let (points, options) = (PointsInput::read(kernel, X, "X")?, Options::read(options)?);
        let x = points.points();
        Ok(PyArray1::from_vec(py, run(py, &options, || self.0.novelty(x, &options.compute))?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        reduce(py, self.0.clone())
    }
}

fn fact_to_python<'py>(py: Python<'py>, value: &FactValue<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        FactValue::Flag(value) => value.into_pyobject(py)?.to_owned().into_any(),
        FactValue::Count(value) => value.into_pyobject(py)?.into_any(),
        FactValue::Number(value) => value.into_pyobject(py)?.into_any(),
        FactValue::Text(text) => text.as_ref().into_pyobject(py)?.into_any(),
        FactValue::Texts(texts) => PyList::new(py, texts)?.into_any(),
        FactValue::Counts(values) => PyArray1::from_iter(py, values.iter().map(|&value| value as i64)).into_any(),
        FactValue::Array(values) => match values.ndim() {
            1 => PyArray1::from_owned_array(py, values.to_owned().into_dimensionality::<Ix1>().map_err(shape)?)
                .into_any(),
            2 => PyArray2::from_owned_array(py, values.to_owned().into_dimensionality::<Ix2>().map_err(shape)?)
                .into_any(),
            _ => PyArrayDyn::from_owned_array(py, values.to_owned()).into_any(),
        },
    })
}

fn shape(error: ndarray::ShapeError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The catalogue of learners: for each its name, title, summary, goal and parameters.
///
/// Returns
/// -------
/// A list of dicts.
#[pyfunction]
pub fn learners(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for entry in model::LEARNERS {
        let item = PyDict::new(py);
        item.set_item("name", entry.name)?;
        item.set_item("title", entry.title)?;
        item.set_item("summary", entry.summary)?;
        item.set_item("goal", entry.goal.name())?;
        let parameters = PyList::empty(py);
        for parameter in entry.parameters {
            let one = PyDict::new(py);
            one.set_item("name", parameter.name)?;
            one.set_item("allowed", parameter.allowed().to_string())?;
            one.set_item("default", parameter.default)?;
            one.set_item("required", parameter.required)?;
            one.set_item("meaning", parameter.meaning)?;
            parameters.append(one)?;
        }
        item.set_item("parameters", parameters)?;
        list.append(item)?;
    }
    Ok(list)
}
