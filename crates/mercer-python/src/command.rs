//! The command `mercer` of the Python package: the same program as that of Cargo, in this process.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Run the command line with these words, the first of which is its name, and return the exit code.
///
/// Made for a process that does nothing else: output goes to the standard streams of the process,
/// and Ctrl-C is handled by the command.
#[pyfunction]
pub fn run_command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| mercer_cli::run(words))
}
