//! Model files: what estimators save, load and pickle.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mercer::learn::{GaussianProcessFit, SparseGaussianProcessFit};
use mercer::learner::Fitted;
use mercer::model::{AnyFit, Features, Inputs, Model, Target};
use mercer::points::{Affine, Column, EncodedColumn, PointKind, Table};
use mercer::{Compute, io};
use numpy::PyArray2;
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::pyclass_init::PyClassInitializer;
use pyo3::types::{PyBytes, PyDict};

use crate::conformal::PyCalibration;
use crate::errors::to_python;
use crate::gaussian_process::PyGaussianProcessFit;
use crate::learner::{PyAnyFit, settings_dict};
use crate::losses::{PenalizedFit, PyPenalizedFit};
use crate::objects::PyObjects;
use crate::options::Options;
use crate::process::ProcessFit;
use crate::ridge::PyRidgeFit;
use crate::run::run;
use crate::shared_process::PySharedProcessFit;
use crate::smoother::PyLocalFit;
use crate::spline::PySplineFit;
use crate::streamed::PyStreamedRidgeFit;
use crate::svc::PySvcFit;
use crate::svm::{PySvmFit, SvmFit};

/// Anything that was fitted.
#[derive(FromPyObject)]
pub enum FittedObject<'py> {
    Ridge(Bound<'py, PyRidgeFit>),
    GaussianProcess(Bound<'py, PyGaussianProcessFit>),
    SharedProcess(Bound<'py, PySharedProcessFit>),
    Spline(Bound<'py, PySplineFit>),
    Local(Bound<'py, PyLocalFit>),
    Svc(Bound<'py, PySvcFit>),
    Svm(Bound<'py, PySvmFit>),
    Penalized(Bound<'py, PyPenalizedFit>),
    Streamed(Bound<'py, PyStreamedRidgeFit>),
    Any(Bound<'py, PyAnyFit>),
}

impl FittedObject<'_> {
    pub fn fitted(&self) -> AnyFit {
        match self {
            Self::Ridge(fit) => fit.get().0.clone().into(),
            Self::GaussianProcess(fit) => fit.get().0.fitted(),
            Self::SharedProcess(fit) => fit.get().0.clone().into(),
            Self::Spline(fit) => fit.get().0.clone().into(),
            Self::Local(fit) => fit.get().0.clone().into(),
            Self::Svc(fit) => fit.get().0.clone().into(),
            Self::Svm(fit) => match &fit.get().0 {
                SvmFit::Regression(fit) => fit.clone().into(),
                SvmFit::Region(fit) => fit.clone().into(),
            },
            Self::Penalized(fit) => match &fit.get().0 {
                PenalizedFit::Logistic(fit) => fit.clone().into(),
                PenalizedFit::Machine(fit) => fit.clone().into(),
                PenalizedFit::Quantiles(fit) => fit.clone().into(),
            },
            Self::Streamed(fit) => fit.get().0.clone().into(),
            Self::Any(fit) => fit.get().0.clone(),
        }
    }
}

/// The object of a fit: a class of its own where the learner has one, and the common one otherwise.
pub fn to_object(py: Python<'_>, fitted: AnyFit) -> PyResult<Bound<'_, PyAny>> {
    /// The object, if the fit is of this type.
    fn typed<'py, T: Fitted + Clone, C: PyClass<BaseType = PyAny> + Into<PyClassInitializer<C>>>(
        py: Python<'py>,
        fitted: &AnyFit,
        class: impl FnOnce(T) -> C,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(fit) = fitted.downcast_ref::<T>() else { return Ok(None) };
        Ok(Some(Bound::new(py, class(fit.clone()))?.into_any()))
    }
    let found = [
        typed(py, &fitted, PyRidgeFit)?,
        typed(py, &fitted, |fit: GaussianProcessFit| PyGaussianProcessFit(ProcessFit::Exact(fit.into())))?,
        typed(py, &fitted, |fit: SparseGaussianProcessFit| PyGaussianProcessFit(ProcessFit::Sparse(fit.into())))?,
        typed(py, &fitted, PySharedProcessFit)?,
        typed(py, &fitted, PySplineFit)?,
        typed(py, &fitted, PyLocalFit)?,
        typed(py, &fitted, PySvcFit)?,
        typed(py, &fitted, |fit| PySvmFit(SvmFit::Regression(fit)))?,
        typed(py, &fitted, |fit| PySvmFit(SvmFit::Region(fit)))?,
        typed(py, &fitted, |fit| PyPenalizedFit(PenalizedFit::Logistic(fit)))?,
        typed(py, &fitted, |fit| PyPenalizedFit(PenalizedFit::Machine(fit)))?,
        typed(py, &fitted, |fit| PyPenalizedFit(PenalizedFit::Quantiles(fit)))?,
        typed(py, &fitted, PyStreamedRidgeFit)?,
    ];
    match found.into_iter().flatten().next() {
        Some(object) => Ok(object),
        None => Ok(Bound::new(py, PyAnyFit(fitted))?.into_any()),
    }
}

/// A pickle: the bytes of a model file.
pub type Pickle<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

/// What `__reduce__` of a fit gives.
pub fn reduce<'py>(py: Python<'py>, fitted: impl Into<AnyFit>) -> PyResult<Pickle<'py>> {
    let fitted = fitted.into();
    let inputs = all_inputs(&fitted, Inputs::of(&*fitted), &[]);
    let model = Model::of_views(fitted, inputs).map_err(to_python)?;
    let mut bytes = Vec::new();
    io::write_model(&mut bytes, &model)?;
    Ok((py.import("mercer._mercer")?.getattr("_restore_fit")?, (PyBytes::new(py, &bytes),)))
}

/// What goes in as every view, where the first one is known, and maybe the others.
fn all_inputs(fitted: &AnyFit, first: Inputs, others: &[Inputs]) -> Vec<Inputs> {
    let other = |view: usize| others.get(view - 1).cloned().unwrap_or_else(|| Inputs::of_view(&**fitted, view));
    std::iter::once(first).chain((1..fitted.views()).map(other)).collect()
}

/// Makes a pickled fit again.
#[pyfunction]
pub fn _restore_fit<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let model = io::read_model(bytes, "the pickle of a model", &Compute::new()).map_err(to_python)?;
    to_object(py, model.into_fitted())
}

/// Writes a model file.
#[pyfunction]
#[pyo3(signature = (path, fit, inputs, notes, classes=None, calibration=None))]
pub fn save_model(
    py: Python<'_>,
    path: PathBuf,
    fit: FittedObject<'_>,
    inputs: &Bound<'_, PyInputs>,
    notes: BTreeMap<String, String>,
    classes: Option<Vec<String>>,
    calibration: Option<&Bound<'_, PyCalibration>>,
) -> PyResult<()> {
    let fitted = fit.fitted();
    let PyInputs(inputs, others) = inputs.get();
    let mut inputs = inputs.clone();
    // Vectors are what estimators know of their inputs; a fit knows its objects.
    if fitted.point_kind(0).is_object() && matches!(inputs.features, Features::Vectors { .. }) {
        inputs.features = Inputs::of(&*fitted).features;
    }
    let inputs = all_inputs(&fitted, inputs, others);
    let conformal = calibration.map(|given| given.get().beside(&*fitted)).transpose().map_err(to_python)?;
    let model = Model::of_views(fitted, inputs);
    let model = classes.into_iter().fold(model, |model, names| model?.with_classes(names));
    let model = conformal.into_iter().fold(model, |model, found| model?.with_conformal(found)).map_err(to_python)?;
    let model = notes.into_iter().fold(model, |model, (name, text)| model.with_note(&name, text));
    py.detach(|| io::save_model(&path, &model)).map_err(to_python)
}

type Loaded<'py> = (
    (Bound<'py, PyAny>, PyInputs, BTreeMap<String, String>, Option<Vec<String>>, Bound<'py, PyDict>),
    Option<PyCalibration>,
);

/// Reads a model file: what was fitted, what goes in, the notes, the names of the classes, and the
/// settings of the learner; beside them the calibration, where there is one.
#[pyfunction]
#[pyo3(signature = (path, **options))]
pub fn load_model<'py>(py: Python<'py>, path: PathBuf, options: Option<&Bound<'py, PyDict>>) -> PyResult<Loaded<'py>> {
    let options = Options::read(options)?;
    let model = run(py, &options, || io::load_model(&path, &options.compute))?;
    let others = model.views().iter().skip(1).cloned().collect();
    let (inputs, notes) = (PyInputs(model.inputs().clone(), others), model.notes().clone());
    let classes = model.classes().map(<[String]>::to_vec);
    let settings = settings_dict(py, model.fitted().settings())?;
    let calibration = model.conformal().map(PyCalibration::of);
    Ok(((to_object(py, model.into_fitted())?, inputs, notes, classes, settings), calibration))
}

/// What a model expects of new data: as its first view, and as the others.
#[pyclass(frozen, name = "Inputs", module = "mercer._mercer")]
pub struct PyInputs(pub Inputs, pub Vec<Inputs>);

/// The name of a target, and its shift and scale.
type NamedTarget = (Option<String>, f64, f64);

/// A column of a table: numbers, or texts some of which may be missing.
#[derive(FromPyObject)]
enum Values {
    Numbers(Vec<f64>),
    Texts(Vec<Option<String>>),
}

#[pymethods]
impl PyInputs {
    #[new]
    fn new(dimension: usize, names: Option<Vec<String>>, targets: Vec<NamedTarget>) -> Self {
        let target = |(name, shift, scale)| Target { name, map: Affine { shift, scale } };
        let targets = targets.into_iter().map(target).collect();
        Self(Inputs { features: Features::Vectors { dimension, names }, targets, unused: Vec::new() }, Vec::new())
    }

    /// What goes in as the views after the first.
    #[getter]
    fn others(&self) -> Vec<Self> {
        self.1.iter().map(|inputs| Self(inputs.clone(), Vec::new())).collect()
    }

    /// The names of the columns of the table, or of the coordinates of the vectors, where there are
    /// names.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        match &self.0.features {
            Features::Columns(encoding) => Some(encoding.columns().iter().map(|c| c.name().to_owned()).collect()),
            Features::Vectors { names, .. } => names.clone(),
            _ => None,
        }
    }

    /// The number of columns of the table, or of coordinates.
    #[getter]
    fn columns(&self) -> usize {
        match &self.0.features {
            Features::Columns(encoding) => encoding.columns().len(),
            Features::Vectors { dimension, .. } => *dimension,
            _ => 1,
        }
    }

    /// Whether points are made from the columns of a table, by what was learned from the table of
    /// the fit; a table with objects whose numbers are taken as they are is one of points already.
    #[getter]
    fn encoded(&self) -> bool {
        let Features::Columns(encoding) = &self.0.features else { return false };
        let as_it_is = |column: &EncodedColumn| match column {
            EncodedColumn::Number { map, .. } => *map == Affine::IDENTITY,
            EncodedColumn::Object { members, .. } => members.is_none(),
            _ => false,
        };
        encoding.objects().next().is_none() || !encoding.columns().iter().all(as_it_is)
    }

    /// The names of the columns that hold categories.
    #[getter]
    fn categories(&self) -> Vec<String> {
        let Features::Columns(encoding) = &self.0.features else { return Vec::new() };
        let category = |c: &&EncodedColumn| matches!(c, EncodedColumn::Category { .. });
        encoding.columns().iter().filter(category).map(|c| c.name().to_owned()).collect()
    }

    #[getter]
    fn targets(&self) -> Vec<NamedTarget> {
        self.0.targets.iter().map(|t| (t.name.clone(), t.map.shift, t.map.scale)).collect()
    }

    /// The vectors of a table, given as pairs of a name and the values, and the rows that were
    /// kept.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<(String, Bound<'py, PyAny>)>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<usize>)> {
        let columns = columns.into_iter().map(|(name, values)| column(name, &values)).collect::<PyResult<_>>()?;
        let table = Table::from_columns(columns).map_err(to_python)?;
        let encoded = self.0.encode(&table).map_err(to_python)?;
        Ok((PyArray2::from_owned_array(py, encoded.matrix), encoded.kept_rows))
    }

    /// The points of a table for a kernel on objects, and the rows that were kept.
    fn encode_objects(
        &self,
        kernel: &crate::kernel::PyKernel,
        columns: Vec<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<(PyObjects, Vec<usize>)> {
        let columns = columns.into_iter().map(|(name, values)| column(name, &values)).collect::<PyResult<_>>()?;
        let table = Table::from_columns(columns).map_err(to_python)?;
        let encoded = self.0.encode(&table).map_err(to_python)?;
        let (kept, found) = (encoded.kept_rows.clone(), encoded.kind());
        let named = kernel.0.named_columns().iter().any(|(names, _)| !names.is_empty());
        let kind = if named { PointKind::Mixed } else { found };
        let sample = encoded.into_sample(kind).map_err(to_python)?;
        Ok((PyObjects::of(sample, kernel.0.clone()), kept))
    }
}

pub fn column(name: String, values: &Bound<'_, PyAny>) -> PyResult<Column> {
    Ok(match values.extract::<Values>()? {
        Values::Numbers(values) => Column::numbers(name, values),
        Values::Texts(texts) => Column::categories(name, texts.iter().map(Option::as_deref)),
    })
}
