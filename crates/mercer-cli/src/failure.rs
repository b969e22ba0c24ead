//! Errors and exit codes.

use std::io::{self, ErrorKind};
use std::sync::{Mutex, PoisonError};

use mercer::Error;

use crate::flags;

/// A job that was not done.
#[derive(Debug)]
pub enum Failure {
    /// The library refused or failed: its parameters are named by their flags.
    Library(Error),
    /// The same, with a flag that helps.
    Advised(Box<Error>, &'static str),
    /// The words make no sense together: the message names the flag.
    Request(String),
    /// The seconds of `--budget-time` were over before there was a model.
    OutOfTime,
    /// A picture could not be drawn.
    Drawing(String),
    /// Standard output could not be written.
    Output(io::Error),
    /// A defect of the program: its location and message.
    Panic(String),
}

impl Failure {
    /// A request that makes no sense.
    pub fn request(message: impl Into<String>) -> Self {
        Self::Request(message.into())
    }

    /// The failure with the advice that this error has here, if any.
    pub fn advised(error: Error, advice: fn(&Error) -> Option<&'static str>) -> Self {
        match advice(&error) {
            Some(advice) => Self::Advised(Box::new(error.renamed(flags::flag)), advice),
            None => error.into(),
        }
    }

    /// 1 if another request would do, 2 if the work itself failed.
    ///
    /// A request over the memory limit is refused before anything is allocated, so it counts as a
    /// wrong request. A path that does not exist, is a folder or may not be touched is a wrong
    /// path; a full or broken disk is a failure.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Library(Error::File { source, .. }) => {
                if is_wrong_path(source.kind()) {
                    1
                } else {
                    2
                }
            }
            Self::Library(
                Error::Canceled | Error::NotConverged { .. } | Error::Singular { .. } | Error::Undefined { .. },
            ) => 2,
            Self::Library(_) | Self::Advised(..) | Self::Request(_) => 1,
            Self::OutOfTime | Self::Drawing(_) | Self::Output(_) | Self::Panic(_) => 2,
        }
    }

    /// The defect that was met last.
    pub fn panic() -> Self {
        let last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        Self::Panic(last.clone().unwrap_or_else(|| "no message".into()))
    }

    /// Whether the pipe was closed, as in `mercer kernel list | head -1`: the output is incomplete,
    /// and no message is printed.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Self::Output(error) | Self::Library(Error::File { source: error, .. }) => {
                error.kind() == ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }
}

fn is_wrong_path(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::AlreadyExists
            | ErrorKind::PermissionDenied
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidFilename
            | ErrorKind::ReadOnlyFilesystem
    )
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error.renamed(flags::flag))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Library(error) => match flags::advice(error) {
                Some(advice) => write!(f, "{error}\n{advice}"),
                None => error.fmt(f),
            },
            Self::Advised(error, advice) => write!(f, "{error}\n{advice}"),
            Self::Request(message) => f.write_str(message),
            Self::OutOfTime => f.write_str(
                "--budget-time was over before there was a model: allow more seconds, or use fewer rows (--sample)",
            ),
            Self::Drawing(message) => write!(f, "the picture could not be drawn: {message}"),
            Self::Output(error) => write!(f, "standard output: {error}"),
            Self::Panic(text) => {
                write!(f, "internal error {text}\nThis is a defect of mercer, not of your request.")
            }
        }
    }
}

static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Panic hook: a defect is recorded without a backtrace and reported by the caller. A panic of a
/// decoder that is caught, and becomes an error with the name of the file, is not announced.
pub fn install_panic_message() {
    std::panic::set_hook(Box::new(|info| {
        let position = info.location().map_or(String::new(), |l| format!("at {}:{}: ", l.file(), l.line()));
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let text = format!("{position}{}", text.unwrap_or("no message"));
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }));
}

#[cfg(test)]
mod tests {
    use mercer::error::{
        AllowedRange, ColumnProblem, KINDS, MemoryPurpose, PrecomputedNeed, RecordProblem, Remedy, Requirement,
        SyntaxError,
    };

    use super::*;

    fn file(kind: ErrorKind) -> Failure {
        Error::File { path: "x".into(), source: io::Error::from(kind) }.into()
    }

    #[test]
    fn wrong_paths_are_requests_and_full_disks_are_failures() {
        assert_eq!(file(ErrorKind::NotFound).exit_code(), 1);
        assert_eq!(file(ErrorKind::StorageFull).exit_code(), 2);
        assert!(file(ErrorKind::BrokenPipe).is_closed_pipe());
    }

    /// One error of every kind, with its exit code and the words that it must show.
    fn examples() -> Vec<(Error, u8, &'static str)> {
        let syntax =
            SyntaxError { text: "f(".into(), position: 2, message: "expected )".into(), suggestion: Some("g".into()) };
        let not_definite =
            Error::NotPositiveDefinite { kernel: "tanh()".into(), reason: "no rule".into(), counterexample: None };
        let memory = Error::Memory {
            purpose: MemoryPurpose::Fit,
            what: "a fit".into(),
            needed: 2048,
            limit: 1024,
            remedy: "use fewer rows".into(),
        };
        let exists = Error::Exists { what: "checkpoint", path: "c".into(), parameter: "resume".into() };
        let slow = Error::NotConverged { solver: "CG", iterations: 3, residual: 0.5, tolerance: 1e-6 };
        vec![
            (
                Error::parameter("lambda", -1.0, AllowedRange::NON_NEGATIVE),
                1,
                "--lambda = -1 is not allowed: it must be",
            ),
            (Error::Syntax(Box::new(syntax)), 1, "expected ); did you mean `g`?\n  f(\n    ^"),
            (Error::shape("targets", "one per row (3)", 2), 1, "targets: expected one per row (3), found 2"),
            (Error::too_few("a fit", "rows", 1, 0), 1, "rows for a fit: expected at least 1, found 0"),
            (Error::all_equal("a choice", "x", Remedy::give("bandwidth")), 1, "give a value of --bandwidth"),
            (Error::all_zero("weight", "drop the rows"), 1, "every weight is 0: drop the rows"),
            (Error::OneClass { class: Some("a".into()) }, 1, "at least two classes, and all rows"),
            (Error::EmptyClass { class: "b".into(), outside_fold: Some(2) }, 1, "class b has no rows"),
            (Error::value("x", (4, "age"), f64::NAN, Requirement::Finite), 1, "row 4, column age holds NaN"),
            (Error::column("a", ColumnProblem::Twice), 1, "column `a` is named twice"),
            (Error::unresolved_median("gaussian(lengthscale=median)"), 1, "median has to be resolved"),
            (Error::precomputed("linear()", PrecomputedNeed::Points), 1, "linear() needs points"),
            (Error::wrong_points("linear()", "vectors", "bags"), 1, "linear() takes vectors; the points are bags"),
            (Error::unsupported("slopes", "a mean", "", "use lines"), 1, "no slopes for a mean: use lines"),
            (Error::mismatch("the seeds differ", 1, 2, "use one"), 1, "the seeds differ: 1, and 2; use one"),
            (Error::undetermined("lambda", "one point", Remedy::give("lambda")), 1, "give a value of --lambda"),
            (Error::overflow("k(x, x)", Remedy::Rescale), 1, "range of the numbers: rescale the data"),
            (not_definite, 1, "tanh() is not known to be positive semi-definite: no rule"),
            (
                memory,
                1,
                "a fit needs 2.00 KiB but the memory limit is 1.00 KiB: use fewer rows\nThe limit is that of --memory.",
            ),
            (Error::Canceled, 2, "canceled"),
            (Error::File { path: "x".into(), source: io::Error::from(ErrorKind::NotFound) }, 1, "x: "),
            (exists, 1, "there is a checkpoint in c already: continue from it (--resume), or remove it"),
            (Error::Format { path: "t".into(), line: Some(3), reason: "no number".into() }, 1, "t, line 3: no number"),
            (Error::record("array `x`", RecordProblem::Missing), 1, "the array `x` is missing"),
            (slow, 2, "CG did not converge: residual 5.000e-1 after 3 iterations"),
            (
                Error::singular("K", Remedy::larger("noise")),
                2,
                "K is singular to working precision: use a larger --noise",
            ),
            (
                Error::undefined("the score", Remedy::larger("lambda")),
                2,
                "the score is not defined: use a larger --lambda",
            ),
            (Error::request("no"), 1, "no"),
        ]
    }

    #[test]
    fn every_kind_has_its_exit_code_and_words() {
        let mut kinds = Vec::new();
        for (error, code, words) in examples() {
            let kind = error.kind();
            let failure = Failure::from(error);
            assert_eq!(failure.exit_code(), code, "{kind}");
            assert!(failure.to_string().contains(words), "{kind}: {failure}");
            kinds.push(kind);
        }
        assert_eq!(kinds, KINDS, "an example for every kind, in order");
    }
}
