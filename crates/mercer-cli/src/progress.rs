//! A progress bar on standard error, for work that takes more than a second.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use mercer::Progress;

use crate::report::clean_line;

/// A command that takes less time shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// Nor does a part of it that takes less: a bar that cannot be read.
const GLIMPSE: Duration = Duration::from_millis(100);
/// Work whose first report is beyond this part goes on from where it was stopped.
const RESUMED: u64 = 20;

/// The bar of the work that is being done now.
pub struct Bar {
    /// When the command began.
    began: Instant,
    shown: Mutex<Option<Shown>>,
}

struct Shown {
    work: String,
    started: Instant,
    /// Work of an earlier run: excluded from the estimate of the remaining time.
    before: u64,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A bar, if there is a terminal and `--quiet` is not set.
    pub fn on_terminal(quiet: bool) -> Option<Self> {
        let bar = || Self { began: Instant::now(), shown: Mutex::new(None) };
        (!quiet && std::io::stderr().is_terminal()).then(bar)
    }
}

impl Progress for Bar {
    fn report(&self, work: &str, done: u64, total: u64) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.as_ref().is_none_or(|s| s.work != work) {
            let before = if done > total / RESUMED { done } else { 0 };
            *shown = Some(Shown { work: work.to_owned(), started: Instant::now(), before, bar: None });
        }
        if let Some(current) = shown.as_mut() {
            current.advance(done, total, self.began.elapsed() > PATIENCE);
        }
        if done >= total {
            *shown = None;
        }
    }

    fn remark(&self, text: &str) {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((bar, work)) = shown.as_ref().and_then(|s| Some((s.bar.as_ref()?, &s.work))) {
            bar.set_message(clean_line(&format!("{work}, {text}")).into_owned());
        }
    }
}

impl Shown {
    fn advance(&mut self, done: u64, total: u64, is_long: bool) {
        let length = total.saturating_sub(self.before);
        if self.bar.is_none() && done < total && is_long && self.started.elapsed() > GLIMPSE {
            self.bar = Some(new_bar(&self.work, length, self.started.elapsed()));
        }
        if let Some(bar) = &self.bar {
            // A search finds more to do on its way.
            bar.set_length(length);
            bar.set_position(done.saturating_sub(self.before));
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(work: &str, total: u64, elapsed: Duration) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {rest}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rest", |state: &ProgressState, out: &mut dyn Write| {
            // Nothing is known of the time before anything is done. A line that cannot be written is none.
            if state.pos() > 0 {
                let _ = write!(out, "{:#} left", HumanDuration(state.eta()));
            }
        });
    ProgressBar::new(total).with_style(style).with_message(clean_line(work).into_owned()).with_elapsed(elapsed)
}
