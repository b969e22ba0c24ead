//! The program `mercer`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(mercer_cli::run(std::env::args_os()))
}
