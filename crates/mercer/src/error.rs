//! One error type for the whole library: variants by what the caller can do about it.

use std::path::PathBuf;

/// `std::result::Result` with Mercer's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong, with the numbers that a caller needs to put it right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range: choose another value.
    #[error("{name} = {value} is not allowed: it must be {requirement}")]
    Parameter {
        /// The parameter as the user writes it.
        name: String,
        /// The value that was given, as text.
        value: String,
        /// The range that is allowed, to be read after "must be".
        requirement: String,
    },
    /// The kernel text cannot be read.
    #[error("{}", .0.render())]
    Syntax(Box<SyntaxError>),
    /// Two sizes do not fit together.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// What was measured.
        what: String,
        /// The size that would fit, as text.
        expected: String,
        /// The size that was found.
        found: String,
    },
    /// A value of the data is missing, infinite, or outside the kernel's domain.
    #[error("{what}: row {row}, column {column} holds {value}: {requirement}")]
    Value {
        /// What was read (the sample, or the kernel that refused it).
        what: String,
        /// Row, counted from 0.
        row: usize,
        /// Column, by name or by number counted from 0.
        column: String,
        /// The offending value, as text.
        value: String,
        /// What was required of it.
        requirement: String,
    },
    /// The request makes no sense as it stands (wrong combination, wrong domain): change the request.
    #[error("{0}")]
    Request(String),
    /// The kernel is not known to be positive semi-definite, and the method needs it.
    #[error("{kernel} is not known to be positive semi-definite: {reason}")]
    NotPositiveDefinite {
        /// The kernel's text.
        kernel: String,
        /// Why: the counterexample, or the rule that is missing.
        reason: String,
        /// The counterexample, where one was found.
        counterexample: Option<Box<crate::counterexample::Counterexample>>,
    },
    /// More memory would be needed than the limit allows. Nothing was allocated.
    #[error(
        "{what} needs {} but the memory limit is {}: {suggestion}",
        crate::compute::human_bytes(*.needed),
        crate::compute::human_bytes(*.limit)
    )]
    Memory {
        /// What would be allocated.
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// What to do instead.
        suggestion: String,
    },
    /// The work was canceled through [`crate::Compute`].
    #[error("canceled")]
    Canceled,
    /// A file cannot be read or written at all.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A file can be read, but is not what it should be.
    #[error("{}{}: {reason}", path.display(), .line.map_or(String::new(), |l| format!(", line {l}")))]
    Format {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1, where the format has lines.
        line: Option<u64>,
        /// What is wrong there.
        reason: String,
    },
    /// A solver stopped before it reached its tolerance.
    #[error(
        "{solver} did not converge: residual {residual:.3e} after {iterations} iterations (tolerance {tolerance:.1e})"
    )]
    NotConverged {
        /// The solver.
        solver: &'static str,
        /// Iterations done.
        iterations: usize,
        /// Residual reached.
        residual: f64,
        /// Required residual.
        tolerance: f64,
    },
    /// A factorization broke down: the matrix is singular to working precision.
    #[error("{0}")]
    Numerical(String),
}

impl Error {
    /// A parameter out of range.
    pub fn parameter(name: &str, value: impl std::fmt::Display, requirement: &str) -> Self {
        Self::Parameter { name: name.into(), value: value.to_string(), requirement: requirement.into() }
    }

    /// Sizes that do not fit.
    pub fn shape(what: &str, expected: impl std::fmt::Display, found: impl std::fmt::Display) -> Self {
        Self::Shape { what: what.into(), expected: expected.to_string(), found: found.to_string() }
    }

    /// A request that makes no sense.
    pub fn request(message: impl Into<String>) -> Self {
        Self::Request(message.into())
    }
}

/// Where the kernel text went wrong, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The whole text.
    pub text: String,
    /// Position of the offending character, counted in characters from 0.
    pub position: usize,
    /// What is wrong and what was expected.
    pub message: String,
    /// The nearest known name, for a misspelled one.
    pub suggestion: Option<String>,
}

impl SyntaxError {
    /// The message, the text, and a caret under the character.
    pub fn render(&self) -> String {
        let hint = self.suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?"));
        format!("{}{hint}\n  {}\n  {}^", self.message, self.text.replace(['\n', '\t'], " "), " ".repeat(self.position))
    }
}
