//! Long work with the interpreter lock released, a progress bar, and checks for Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use mercer::{Compute, Kernel, Points};
use ndarray::{Array, Dimension};
use numpy::PyArray;
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_python;
use crate::objects::PointsInput;
use crate::options::Options;

/// How often the waiting thread polls Python for signals. Shorter than a person notices.
const POLL: Duration = Duration::from_millis(50);

/// Vectors whose values are computed at once: against a million centers in a hundred columns that
/// takes 0.3 s.
const FEW: usize = 8;

/// Operations (multiplications, or exponentials times ten) that take less than a thread needs to wake
/// up, some 50 µs.
const SMALL: usize = 1 << 17;

/// Runs `work` on the threads of the computation while this one waits, polls Python for signals, and draws the
/// progress bar.
///
/// A signal whose handler raises (Ctrl-C does) cancels the work; the exception of the handler is
/// what the caller sees.
pub fn run<T: Send>(py: Python<'_>, options: &Options, work: impl FnOnce() -> mercer::Result<T> + Send) -> PyResult<T> {
    run_until(py, options, None, work)
}

/// As [`run`], for values at points: of a few vectors they are there before another thread would
/// have begun, and no signal has to be looked for.
pub fn run_at<T: Send>(
    py: Python<'_>,
    options: &Options,
    x: Points<'_>,
    work: impl FnOnce(Points<'_>) -> mercer::Result<T> + Send,
) -> PyResult<T> {
    if matches!(x, Points::Vectors(_)) && x.len() <= FEW && options.tracker.is_none() {
        return py.detach(|| work(x)).map_err(to_python);
    }
    run(py, options, || work(x))
}

/// As [`run`], for work of about so many operations: little work runs in the calling thread.
pub fn run_sized<T: Send>(
    py: Python<'_>,
    options: &Options,
    operations: usize,
    work: impl FnOnce() -> mercer::Result<T> + Send,
) -> PyResult<T> {
    if operations <= SMALL && options.tracker.is_none() {
        return py.detach(work).map_err(to_python);
    }
    run(py, options, work)
}

/// Values at points: the points are read, the work is run, and what it gives becomes an array of
/// Python.
pub fn at_points<'py, D: Dimension>(
    py: Python<'py>,
    kernel: Option<&Kernel>,
    x: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
    work: impl FnOnce(Points<'_>, &Compute) -> mercer::Result<Array<f64, D>> + Send,
) -> PyResult<Bound<'py, PyArray<f64, D>>> {
    let (points, options) = (PointsInput::read(kernel, x, "X")?, Options::read(options)?);
    let x = points.points();
    Ok(PyArray::from_owned_array(py, run_at(py, &options, x, |x| work(x, &options.compute))?))
}

/// As [`run`], for a solver that has an answer at any moment: it stops when the time limit of the
/// options is over.
pub fn run_anytime<T: Send>(
    py: Python<'_>,
    options: &Options,
    work: impl FnOnce() -> mercer::Result<T> + Send,
) -> PyResult<T> {
    let limit = options.compute.time().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    run_until(py, options, limit, work)
}

fn run_until<T: Send>(
    py: Python<'_>,
    options: &Options,
    limit: Option<Duration>,
    work: impl FnOnce() -> mercer::Result<T> + Send,
) -> PyResult<T> {
    let start = Instant::now();
    let mut interrupted = None;
    let result = py.detach(|| {
        let (finished, wait) = sync_channel::<()>(1);
        let work = move || {
            // Dropped when the work ends, also by a panic: that is what wakes the waiting thread.
            let _finished = finished;
            work()
        };
        options.compute.beside(work, || {
            while wait.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                if limit.is_some_and(|limit| start.elapsed() >= limit) {
                    options.cancel.cancel();
                }
                if let Some(Err(error)) = Python::try_attach(|py| attend(py, options)) {
                    // The exception is the answer: what was reached so far is not wanted.
                    options.cancel.abort();
                    interrupted.get_or_insert(error);
                }
            }
        })
    });
    options.show(py, true)?;
    match interrupted {
        Some(error) => Err(error),
        None if limit.is_some() && matches!(result, Err(mercer::Error::Canceled)) => Err(PyTimeoutError::new_err(
            "max_time was over before there was a model: allow more seconds, or fewer rows",
        )),
        None => result.map_err(to_python),
    }
}

fn attend(py: Python<'_>, options: &Options) -> PyResult<()> {
    py.check_signals()?;
    options.show(py, false)
}
