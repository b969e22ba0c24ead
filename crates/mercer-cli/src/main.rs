//! The program `mercer`: arguments → job → report → bytes.
//!
//! All mathematics is in the library. Only [`output`] and [`progress`] touch the terminal. Exit
//! codes: 0 done, 1 the request is wrong, 2 the work failed.

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

use std::process::ExitCode;

use failure::Failure;

fn main() -> ExitCode {
    failure::install_panic_message();
    let job = match arguments::read() {
        Ok(job) => job,
        Err(message) => return output::show_help_or_usage(&message),
    };
    let quiet_panic = std::panic::AssertUnwindSafe(|| work(&job));
    match std::panic::catch_unwind(quiet_panic).unwrap_or_else(|_| Err(Failure::panic())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output::complain(&failure),
    }
}

/// Job → report → bytes.
fn work(job: &arguments::Job) -> Result<(), Failure> {
    let session = session::Session::start(&job.common)?;
    let report = commands::run(&job.command, &session)?;
    output::deliver(&report, &job.common)
}
