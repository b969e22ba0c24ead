//! A progress bar on Python's standard error, so that it also shows in notebooks.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mercer::Progress;
use pyo3::prelude::*;

const WIDTH: u64 = 30;

/// Hears how far the work has come; the waiting thread shows it.
#[derive(Default)]
pub struct Tracker(Mutex<Option<ProgressState>>);

struct ProgressState {
    work: String,
    done: u64,
    total: u64,
    since: Instant,
    remark: String,
}

impl Progress for Tracker {
    fn report(&self, work: &str, done: u64, total: u64) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.as_mut().filter(|s| s.work == work && s.total == total) {
            Some(state) => state.done = state.done.max(done),
            None => {
                let (work, since, remark) = (work.into(), Instant::now(), String::new());
                *state = Some(ProgressState { work, done, total, since, remark });
            }
        }
    }

    fn remark(&self, text: &str) {
        if let Some(state) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            state.remark = format!(", {text}");
        }
    }
}

impl Tracker {
    /// The name of the work, what is done of it, and the total.
    pub fn state(&self) -> Option<(String, u64, u64)> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.as_ref().map(|state| (state.work.clone(), state.done, state.total))
    }

    /// Draws the bar; `last` ends the line.
    pub fn show(&self, py: Python<'_>, last: bool) -> PyResult<()> {
        let line = match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            Some(state) => state.line(),
            None => return Ok(()),
        };
        let stream = py.import("sys")?.getattr("stderr")?;
        if stream.is_none() {
            return Ok(());
        }
        stream.call_method1("write", (format!("\r{line}{}", if last { "\n" } else { "" }),))?;
        stream.call_method0("flush")?;
        Ok(())
    }
}

impl ProgressState {
    fn line(&self) -> String {
        let total = self.total.max(1);
        let filled = (WIDTH * self.done / total) as usize;
        let elapsed = self.since.elapsed();
        let mut line = format!("{} [{:<30}] {:>3}%", self.work, "█".repeat(filled), 100 * self.done / total);
        let rest = if self.done == self.total {
            write!(line, "  took {}", clock(elapsed))
        } else {
            write!(line, "  {} left", clock(elapsed.mul_f64((total - self.done) as f64 / self.done.max(1) as f64)))
        };
        debug_assert!(rest.is_ok(), "writing to a string cannot fail");
        line + &self.remark + "  "
    }
}

fn clock(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{}:{:02} min", seconds / 60, seconds % 60),
    }
}
