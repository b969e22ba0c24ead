//! Compute options from Python: `n_jobs`, `max_memory`, `verbose`, `random_state`.

use std::sync::Arc;
use std::time::Instant;

use mercer::solve::factor;
use mercer::{Cancel, Compute, Precision, Seed, compute};
use ndarray::Array2;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::to_python;
use crate::progress::Tracker;
use crate::samples::Real;

/// The options of one call.
pub struct Options {
    pub compute: Compute,
    pub cancel: Cancel,
    pub tracker: Option<Arc<Tracker>>,
    /// Whether the progress is drawn.
    verbose: bool,
    /// A function that is called with the name of the work, what is done, and the total.
    hook: Option<Py<PyAny>>,
}

impl Options {
    /// Reads the keyword arguments that every method has.
    pub fn read(given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let cancel = Cancel::default();
        let compute = Compute::new().with_cancel(cancel.clone());
        let mut options = Self { compute, cancel, tracker: None, verbose: false, hook: None };
        let (mut threads, mut timed, mut seconds) = (None, false, None);
        for (key, value) in given.into_iter().flatten() {
            match key.extract::<String>()?.as_str() {
                "n_jobs" => threads = thread_count(&value)?,
                "max_memory" => options.compute = options.compute.with_memory(memory(&value)?),
                "random_state" => options.compute = options.compute.with_seed(seed(&value)?),
                "verbose" => options.verbose = value.is_truthy()?,
                "progress" => options.hook = (!value.is_none()).then(|| value.clone().unbind()),
                "single" => options = options.single(value.is_truthy()?),
                "timed" => timed = value.is_truthy()?,
                "max_time" => {
                    let given: Option<Real<'_>> = value.extract()?;
                    seconds = given.map(|given| given.number("max_time")).transpose()?;
                }
                other => {
                    return Err(PyTypeError::new_err(format!(
                        "unexpected keyword argument '{other}'; there are n_jobs, max_memory, random_state and verbose"
                    )));
                }
            }
        }
        if options.verbose || options.hook.is_some() {
            let tracker = Arc::new(Tracker::default());
            options.compute = options.compute.with_progress(tracker.clone());
            options.tracker = Some(tracker);
        }
        if let Some(count) = threads {
            options.compute = options.compute.with_threads(count).map_err(to_python)?;
        }
        if timed || seconds.is_some() {
            options.compute = options.compute.clone().with_speed(speed(&options.compute));
        }
        match seconds {
            Some(limit) if !(limit.is_finite() && limit > 0.0) => {
                return Err(PyValueError::new_err(format!(
                    "max_time = {limit} is not allowed: it must be a number of seconds above 0"
                )));
            }
            Some(limit) => options.compute = options.compute.with_time(limit),
            None => {}
        }
        Ok(options)
    }

    /// Tiles in single precision.
    pub fn single(mut self, single: bool) -> Self {
        if single {
            self.compute = self.compute.with_precision(Precision::SingleTiles);
        }
        self
    }

    /// The seed, where the method has it as an argument of its own.
    pub fn seeded(mut self, random_state: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        if let Some(value) = random_state {
            self.compute = self.compute.with_seed(seed(value)?);
        }
        Ok(self)
    }

    /// Draws the progress, and hands it to the function; `last` ends the line.
    pub fn show(&self, py: Python<'_>, last: bool) -> PyResult<()> {
        let Some(tracker) = &self.tracker else { return Ok(()) };
        if self.verbose {
            tracker.show(py, last)?;
        }
        match (&self.hook, tracker.state()) {
            (Some(hook), Some(state)) if !last => hook.call1(py, state).map(drop),
            _ => Ok(()),
        }
    }
}

/// Whether tiles of single precision were requested, by `dtype="float32"` or by `single=True`.
pub fn is_single(dtype: Option<&Bound<'_, PyAny>>, single: bool) -> PyResult<bool> {
    let Some(dtype) = dtype else {
        return Ok(single);
    };
    let name: String = dtype.py().import("numpy")?.call_method1("dtype", (dtype,))?.getattr("name")?.extract()?;
    match name.as_str() {
        "float32" => Ok(true),
        "float64" if !single => Ok(false),
        _ => Err(PyValueError::new_err(format!("dtype = {name} is not allowed: it must be float64 or float32"))),
    }
}

/// `None` and `−1` are all cores, `−2` all but one, as in scikit-learn.
fn thread_count(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let given = value.extract::<Option<i64>>().map_err(|_| {
        PyValueError::new_err(format!("n_jobs = {value} is not allowed: it must be a whole number, -1 for all cores"))
    })?;
    match given {
        None | Some(-1) => Ok(None),
        Some(0) => Err(PyValueError::new_err("n_jobs = 0 is not allowed: it must be at least 1, or -1 for all cores")),
        Some(count) if count > 0 => Ok(usize::try_from(count).ok()),
        Some(negative) => Ok(Some(all_cores().saturating_sub(negative.unsigned_abs() as usize - 1).max(1))),
    }
}

fn memory(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(text) = value.cast::<PyString>() {
        return compute::parse_bytes(&text.to_cow()?).map_err(to_python);
    }
    match value.extract::<u64>() {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => Err(PyValueError::new_err(format!(
            "max_memory = {value} is not allowed: it must be a positive number of bytes or a size such as \"2GB\""
        ))),
    }
}

/// A number, `None` for 0, or a numpy generator that draws one.
fn seed(value: &Bound<'_, PyAny>) -> PyResult<Seed> {
    if value.is_none() {
        return Ok(Seed(0));
    }
    if value.hasattr("integers")? {
        return Ok(Seed(value.call_method1("integers", (i64::MAX,))?.extract()?));
    }
    if value.hasattr("randint")? {
        return Ok(Seed(value.call_method1("randint", (i32::MAX,))?.extract()?));
    }
    let number = value.extract::<u64>().map_err(|_| {
        PyValueError::new_err(format!(
            "random_state = {value} is not allowed: it must be a whole number from 0, a numpy generator, or None"
        ))
    })?;
    Ok(Seed(number))
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Rows of the matrix by which the speed of this machine is measured.
const PROBE: usize = 600;

/// Operations per second of a Cholesky factor, now.
fn speed(compute: &Compute) -> f64 {
    let entry = |(i, j): (usize, usize)| if i == j { PROBE as f64 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) };
    let matrix = Array2::from_shape_fn((PROBE, PROBE), entry);
    let start = Instant::now();
    let _ = std::hint::black_box(factor(matrix, compute));
    (PROBE as f64).powi(3) / 3.0 / start.elapsed().as_secs_f64().max(1e-9)
}
