//! The command line: arguments → job → report → bytes.
//!
//! All mathematics is in the library. Only [`output`] and [`progress`] touch the terminal. Exit
//! codes: 0 done, 1 the request is wrong, 2 the work failed. The program `mercer` and the Python
//! package, which installs a command of that name, both call [`run`].

mod arguments;
mod commands;
mod data;
mod failure;
mod files;
mod flags;
mod matrix;
mod numbers;
mod output;
mod plot;
mod progress;
mod report;
mod session;
mod standard_output;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use failure::Failure;

/// Runs one command in this process and returns its exit code. The first word is the name of the
/// program.
///
/// Made for a process that does nothing else: it replaces the message of panics and the handler of
/// Ctrl-C.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    failure::install_panic_message();
    let job = match arguments::read(words.into_iter().collect()) {
        Ok(job) => job,
        Err(message) => return output::show_help_or_usage(&message),
    };
    match catch_unwind(AssertUnwindSafe(|| work(&job))).unwrap_or_else(|_| Err(Failure::panic())) {
        Ok(()) => 0,
        Err(failure) => output::complain(&failure),
    }
}

/// Job → report → bytes.
fn work(job: &arguments::Job) -> Result<(), Failure> {
    let session = session::Session::start(&job.common)?;
    let report = commands::run(&job.command, &session)?;
    output::deliver(&report, &job.common)
}
