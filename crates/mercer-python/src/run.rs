//! Long work with the interpreter lock released, a progress bar, and an ear for Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::to_python;
use crate::options::Options;

/// How often the waiting thread asks Python for signals.
const POLL: Duration = Duration::from_millis(50);

/// Runs `work` in a thread of its own while this one waits, asks Python for signals, and draws the progress bar.
///
/// A signal whose handler raises (Ctrl-C does) cancels the work; the exception of the handler is what the caller sees.
pub fn run<T: Send>(py: Python<'_>, options: &Options, work: impl FnOnce() -> mercer::Result<T> + Send) -> PyResult<T> {
    let (result, interrupted) = py.detach(|| {
        let (finished, wait) = sync_channel::<()>(1);
        thread::scope(|scope| {
            let worker = scope.spawn(move || {
                // Dropped when the work ends, also by a panic: that is what wakes the waiting thread.
                let _finished = finished;
                work()
            });
            let mut interrupted = None;
            while wait.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                if let Some(Err(error)) = Python::try_attach(|py| attend(py, options)) {
                    options.cancel.cancel();
                    interrupted.get_or_insert(error);
                }
            }
            (worker.join(), interrupted)
        })
    });
    options.tracker.as_ref().map_or(Ok(()), |tracker| tracker.show(py, true))?;
    match interrupted {
        Some(error) => Err(error),
        None => result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(to_python),
    }
}

fn attend(py: Python<'_>, options: &Options) -> PyResult<()> {
    py.check_signals()?;
    options.tracker.as_ref().map_or(Ok(()), |tracker| tracker.show(py, false))
}
