//! Report → bytes: standard output, pictures and pages. With [`crate::progress`] the only part that
//! touches the terminal.

use std::io::{IsTerminal, Write};

use mercer::io::atomic_write;

use crate::arguments::Common;
use crate::failure::Failure;
use crate::plot;
use crate::report::{PICTURES, Paint, Report, clean, is_command, page, render};
use crate::standard_output;

/// Writes the report wherever it was requested; the files first, so that a failure is not announced
/// as a success.
pub fn deliver(report: &Report, common: &Common) -> Result<(), Failure> {
    if let Some(path) = &common.plot {
        let figure = report.figures.first().ok_or_else(no_picture)?;
        let bytes = plot::encode(figure, path)?;
        atomic_write(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = &common.report {
        let pictures = plot::page(&report.figures, PICTURES)?;
        let html = page(report, &pictures, report.figures.len());
        atomic_write(path, |out| out.write_all(html.as_bytes()))?;
    }
    let terminal = std::io::stdout().is_terminal();
    let text = if common.json { json(report) } else { render(report, Paint(colors(terminal)), terminal) };
    print(text.as_bytes())
}

/// The object; what a terminal would take for a command is escaped, which means the same to every
/// reader of JSON.
fn json(report: &Report) -> String {
    let mut out = String::new();
    for c in format!("{:#}\n", report.json).chars() {
        if c != '\n' && is_command(c) {
            out.push_str(&format!("\\u{:04x}", c as u32));
        } else {
            out.push(c);
        }
    }
    out
}

/// The complaint about `--plot` where there is nothing to draw.
pub fn no_picture() -> Failure {
    Failure::request(
        "--plot: there is no picture of this; kernel explain, kernel check (of data, or of a kernel that is refuted), kernel gram, embed fourier, fit, predict and test have one",
    )
}

fn print(bytes: &[u8]) -> Result<(), Failure> {
    if standard_output::was_closed() {
        return Err(Failure::Output(std::io::Error::other("it is closed")));
    }
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Colors only on a terminal that can show them, and not where somebody requested none.
fn colors(terminal: bool) -> bool {
    let unset = |name| std::env::var_os(name).is_none_or(|v| v.is_empty());
    terminal && unset("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The complaint on standard error, and the exit code.
pub fn complain(failure: &Failure) -> u8 {
    if !failure.is_closed_pipe() {
        let paint = Paint(colors(std::io::stderr().is_terminal()));
        // If even standard error is gone, the exit code is all that is left to say.
        let _ = writeln!(std::io::stderr(), "{} {}", paint.alarm("error:"), clean(&failure.to_string()));
    }
    failure.exit_code()
}

/// Help and versions go to standard output with code 0 (2 if they cannot be written), complaints
/// about words to standard error with code 1.
pub fn show_help_or_usage(message: &clap::Error) -> u8 {
    if message.use_stderr() {
        let styled = message.render();
        let colored = colors(std::io::stderr().is_terminal());
        let text = if colored { styled.ansi().to_string() } else { styled.to_string() };
        let _ = std::io::stderr().write_all(text.as_bytes());
        return 1;
    }
    if standard_output::was_closed() {
        return complain(&Failure::Output(std::io::Error::other("it is closed")));
    }
    match message.print().and_then(|()| std::io::stdout().flush()) {
        Ok(()) => 0,
        Err(error) => complain(&Failure::Output(error)),
    }
}
