//! The search over learners: what was chosen, its fit on all rows, and what was tried.

use std::time::{Duration, Instant};

use mercer::learner::{FitInput, Targets};
use mercer::model::{AnyFit, Inputs, TablePoints, Target};
use mercer::points::{Encoding, Missing, Scaling, Table};
use mercer::select::{Search, SearchChoice, SearchReport, SearchResult};
use mercer::{Cancel, Compute, Error, Sample};
use ndarray::{Array2, ArrayView1, aview1};
use numpy::PyArray2;
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::to_python;
use crate::input::{Matrix, numbers};
use crate::kernel::kernel_of;
use crate::learner::settings_dict;
use crate::model::{PyInputs, column, to_object};
use crate::objects::PointsInput;
use crate::options::Options;
use crate::run::run;
use crate::search::criterion;

/// The share of the time for a search that has a result, and for one that has none: the final fit
/// needs the rest.
const SHARES: [f64; 2] = [0.5, 0.8];

const NO_TIME: &str = "max_time was over before a candidate was scored: allow more seconds, or lower max_rows";

/// A search that was not run yet.
#[pyclass(frozen, name = "AutomaticSearch", module = "mercer._mercer")]
pub struct PyAutomaticSearch(Search);

/// Points with what makes them from a table.
struct Data {
    sample: Sample,
    inputs: Option<Inputs>,
}

/// The targets of a search.
enum Known {
    Values(Array2<f64>),
    Classes(Vec<usize>, Vec<String>),
}

#[pymethods]
#[allow(non_snake_case)]
impl PyAutomaticSearch {
    #[new]
    #[pyo3(signature = (*, learners=None, kernels=None, lengthscales=None, path=None, scoring=None, folds=5,
                        screening=true, rows=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        learners: Option<Vec<String>>,
        kernels: Option<Vec<Bound<'_, PyAny>>>,
        lengthscales: Option<&Bound<'_, PyAny>>,
        path: Option<&Bound<'_, PyAny>>,
        scoring: Option<&Bound<'_, PyAny>>,
        folds: usize,
        screening: bool,
        rows: Option<usize>,
    ) -> PyResult<Self> {
        let list =
            |given: Option<&Bound<'_, PyAny>>, what: &str| given.map_or(Ok(Vec::new()), |values| numbers(values, what));
        let mut search = Search {
            learners: learners.unwrap_or_default(),
            kernels: kernels.unwrap_or_default().iter().map(kernel_of).collect::<PyResult<_>>()?,
            lengthscales: list(lengthscales, "lengthscales")?,
            path: list(path, "path")?,
            folds,
            screening,
            rows,
            ..Search::default()
        };
        if let Some(scoring) = scoring {
            search.criterion = criterion(scoring)?;
        }
        Ok(Self(search))
    }

    /// Searches and fits the best on all rows. ``columns`` are pairs of a name and the values, which
    /// are encoded and standardized; points of other kinds come as ``X``. ``y`` holds numbers, a
    /// column per target, or with ``classes`` the number of the class of every row.
    #[pyo3(signature = (X=None, columns=None, y=None, labels=None, classes=None, sample_weight=None, seconds=None,
                        **options))]
    #[allow(clippy::too_many_arguments)]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        X: Option<&Bound<'py, PyAny>>,
        columns: Option<Vec<(String, Bound<'py, PyAny>)>>,
        y: Option<&Bound<'py, PyAny>>,
        labels: Option<Vec<usize>>,
        classes: Option<Vec<String>>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        seconds: Option<f64>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let data = read(X, columns)?;
        let known = match (y, labels) {
            (Some(y), _) => Known::Values(Matrix::read(y, "y")?.view().to_owned()),
            (None, labels) => Known::Classes(labels.unwrap_or_default(), classes.unwrap_or_default()),
        };
        let weights = sample_weight.map(|w| numbers(w, "sample_weight")).transpose()?;
        let options = Options::read(options)?;
        let weights = weights.as_deref().map(aview1);
        let work = || match search(&self.0, &data.sample, &known, weights, seconds, &options) {
            // Not by Ctrl-C.
            Err(Error::Canceled) if seconds.is_some() && !options.cancel.is_canceled() => Ok(None),
            found => found.map(Some),
        };
        let Some((choice, fit)) = run(py, &options, work)? else {
            return Err(PyTimeoutError::new_err(NO_TIME));
        };
        let found = PyDict::new(py);
        let fit: AnyFit = fit.into();
        let inputs = match data.inputs {
            Some(inputs) => Inputs { targets: vec![Target::unnamed(); fit.targets()], ..inputs },
            None => Inputs::of(&*fit),
        };
        found.set_item("learner", choice.entry.name)?;
        found.set_item("settings", settings_dict(py, fit.settings())?)?;
        found.set_item("score", choice.score)?;
        found.set_item("remarks", &choice.remarks)?;
        found.set_item("inputs", Bound::new(py, PyInputs(inputs, Vec::new()))?)?;
        found.set_item("fit", to_object(py, fit)?)?;
        if let Some(report) = &choice.report {
            put_report(py, report, &found)?;
        }
        Ok(found)
    }
}

/// The points of a table, standardized, or objects as they are.
fn read(x: Option<&Bound<'_, PyAny>>, columns: Option<Vec<(String, Bound<'_, PyAny>)>>) -> PyResult<Data> {
    if let Some(columns) = columns {
        let columns = columns.into_iter().map(|(name, values)| column(name, &values)).collect::<PyResult<_>>()?;
        let table = Table::from_columns(columns).map_err(to_python)?;
        let rules = Encoding { missing: Missing::Refuse, scaling: Scaling::Standardize };
        let TablePoints { encoding, encoded, kind, unused } =
            TablePoints::new(&table, rules, None).map_err(to_python)?;
        let inputs = Inputs { unused, ..Inputs::columns(encoding, Vec::<String>::new()) };
        return Ok(Data { sample: encoded.into_sample(kind).map_err(to_python)?, inputs: Some(inputs) });
    }
    let Some(x) = x else { return Err(pyo3::exceptions::PyValueError::new_err("X: there are no points")) };
    let points = PointsInput::read(None, x, "X")?;
    Ok(Data { sample: points.points().into(), inputs: None })
}

fn search(
    search: &Search,
    x: &Sample,
    known: &Known,
    weights: Option<ArrayView1<f64>>,
    seconds: Option<f64>,
    options: &Options,
) -> mercer::Result<(SearchChoice, Box<dyn mercer::learner::Fitted>)> {
    let targets = match known {
        Known::Values(y) => Targets::Values(y.view()),
        Known::Classes(of, names) => Targets::Classes(of, names),
    };
    let input = FitInput::points(x).with_targets(targets).with_weights(weights);
    let choice = search.choose(&input, &until(&options.compute, &options.cancel, seconds))?;
    options.compute.check_canceled()?;
    let fit = choice.fit(&input, &options.compute)?;
    Ok((choice, fit))
}

/// A computation that is told to hurry, and to stop, when its shares of the time are over. The flags
/// are raised by threads of their own, so that searches return their best candidate.
fn until(compute: &Compute, cancel: &Cancel, seconds: Option<f64>) -> Compute {
    let Some(seconds) = seconds else { return compute.clone() };
    let child = cancel.child();
    for (share, raise) in SHARES.into_iter().zip([Cancel::hurry, Cancel::cancel]) {
        let Ok(limit) = Duration::try_from_secs_f64(share * seconds) else { continue };
        let (flag, start) = (child.clone(), Instant::now());
        std::thread::spawn(move || {
            std::thread::sleep(limit.saturating_sub(start.elapsed()));
            raise(&flag);
        });
    }
    compute.clone().with_cancel(child)
}

fn put_report(py: Python<'_>, report: &SearchReport, found: &Bound<'_, PyDict>) -> PyResult<()> {
    let line = |result: &SearchResult| -> PyResult<Bound<'_, PyDict>> {
        let row = PyDict::new(py);
        row.set_item("learner", result.learner)?;
        row.set_item("candidate", &result.name)?;
        row.set_item("family", &result.family)?;
        row.set_item("parameter", result.parameter)?;
        row.set_item("score", result.score)?;
        Ok(row)
    };
    let ranked = report.ranked().into_iter().map(line).collect::<PyResult<Vec<_>>>()?;
    found.set_item("results", PyList::new(py, ranked)?)?;
    if let Some((rows, screened)) = &report.screened {
        let screened = screened.iter().map(line).collect::<PyResult<Vec<_>>>()?;
        found.set_item("screened", (rows, PyList::new(py, screened)?))?;
    }
    found.set_item("criterion", criterion_name(report))?;
    found.set_item("measure", report.measure.name())?;
    found.set_item("rows", report.rows)?;
    found.set_item("of", report.of)?;
    found.set_item("fits", report.fits)?;
    found.set_item("complete", report.complete)?;
    if let Some(surface) = &report.surface {
        let one = PyDict::new(py);
        one.set_item("kernel", &surface.kernel)?;
        one.set_item("lengthscales", &surface.lengthscales)?;
        one.set_item("alphas", &surface.lambdas)?;
        one.set_item("scores", PyArray2::from_owned_array(py, surface.scores.clone()))?;
        one.set_item("best", surface.best)?;
        found.set_item("surface", one)?;
    }
    Ok(())
}

/// `loo`, `gcv`, `held-out rows` or the number of folds.
fn criterion_name(report: &SearchReport) -> String {
    use mercer::select::Criterion;
    match report.criterion {
        _ if report.is_compared() => "held-out rows".into(),
        Criterion::LeaveOneOut => "loo".into(),
        Criterion::Gcv => "gcv".into(),
        Criterion::Folds(folds) => format!("{folds} folds"),
    }
}
