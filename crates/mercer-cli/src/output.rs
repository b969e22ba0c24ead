//! Report → bytes: standard output, pictures and pages. With [`crate::progress`] the only part that touches the terminal.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use mercer::io::atomic_write;

use crate::arguments::Common;
use crate::failure::Failure;
use crate::plot;
use crate::report::{Paint, Report, page, render};

/// Writes the report wherever it was asked for; the files first, so that a failure is not announced as a success.
pub fn deliver(report: &Report, common: &Common) -> Result<(), Failure> {
    if let Some(path) = &common.plot {
        let figure = report.figures.first().ok_or_else(no_picture)?;
        let bytes = plot::encode(figure, path)?;
        atomic_write(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = &common.report {
        let pictures = report.figures.iter().map(plot::svg).collect::<Result<Vec<_>, _>>()?;
        let html = page(report, &pictures);
        atomic_write(path, |out| out.write_all(html.as_bytes()))?;
    }
    let text = if common.json { json(report) } else { render(report, Paint(colours(std::io::stdout().is_terminal()))) };
    print(text.as_bytes())
}

fn json(report: &Report) -> String {
    format!("{:#}\n", report.json)
}

/// The complaint about `--plot` where there is nothing to draw.
pub fn no_picture() -> Failure {
    Failure::request(
        "--plot: there is no picture of this; kernel explain, kernel check with DATA, kernel gram, embed fourier, fit, predict and test have one",
    )
}

fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Colours only on a terminal that can show them, and not where somebody asked for none.
fn colours(terminal: bool) -> bool {
    let unset = |name| std::env::var_os(name).is_none_or(|v| v.is_empty());
    terminal && unset("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The complaint on standard error, and the exit code.
pub fn complain(failure: &Failure) -> ExitCode {
    if failure.is_closed_pipe() {
        return ExitCode::SUCCESS;
    }
    let paint = Paint(colours(std::io::stderr().is_terminal()));
    // If even standard error is gone, the exit code is all that is left to say.
    let _ = writeln!(std::io::stderr(), "{} {failure}", paint.alarm("error:"));
    ExitCode::from(failure.exit_code())
}

/// Help and versions go to standard output with code 0, complaints about words to standard error with code 1.
pub fn show_help_or_usage(message: &clap::Error) -> ExitCode {
    let printed = message.print();
    let wrong = message.use_stderr() || printed.is_err_and(|e| e.kind() != std::io::ErrorKind::BrokenPipe);
    ExitCode::from(u8::from(wrong))
}
