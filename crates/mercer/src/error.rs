//! One error type for the whole library: variants by what the caller can do about it, with fields
//! instead of prose.

mod allowed;
mod build;
mod kinds;
mod memory;
mod problems;
mod remedy;
mod requirement;
mod syntax;

use std::path::PathBuf;

pub use allowed::{Allowed, AllowedRange};
pub use kinds::KINDS;
pub use memory::MemoryPurpose;
pub use problems::{ColumnProblem, PrecomputedNeed, RecordProblem, UnresolvedPart};
pub use remedy::Remedy;
pub use requirement::Requirement;
pub use syntax::SyntaxError;

/// `std::result::Result` with Mercer's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong, with the numbers that a caller needs to put it right.
///
/// Parameters bear the names of the library; [`Error::renamed`] translates them into those of a
/// command line or another language.
///
/// # Example
/// ```
/// use mercer::{Compute, Error, Kernel, gram::Pairs};
/// let kernel: Kernel = "sobolev(order=2)".parse()?;
/// let x = ndarray::array![[0.5], [3.0]];
/// let Err(Error::Value { row, requirement, .. }) = kernel.bind(Pairs::within(x.view()), &Compute::new()) else { panic!() };
/// assert_eq!((row, requirement.range().unwrap().contains(0.5)), (1, true));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range: choose another value.
    #[error("{name} = {value} is not allowed: it must be {allowed}")]
    Parameter {
        /// The parameter.
        name: String,
        /// The value that was given, as text.
        value: String,
        /// What is allowed.
        allowed: Allowed,
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
    /// There is too little of something: points, rows, columns, candidates.
    #[error("{what} for {purpose}: expected at least {needed}, found {found}")]
    TooFew {
        /// What there is too little of, in the plural.
        what: String,
        /// How many are needed.
        needed: usize,
        /// How many there are.
        found: usize,
        /// What needs them.
        purpose: String,
    },
    /// All points or values are equal where a difference is needed.
    #[error("all {what} are equal, and {purpose} needs at least two distinct {what}: {remedy}")]
    AllEqual {
        /// What is equal, in the plural.
        what: String,
        /// What needs the difference.
        purpose: String,
        /// What to do.
        remedy: Remedy,
    },
    /// All weights, counts or kernel values are 0.
    #[error("every {what} is 0: {remedy}")]
    AllZero {
        /// What is 0, in the singular.
        what: String,
        /// What to do.
        remedy: Remedy,
    },
    /// All rows that count are of one class.
    #[error(
        "a classifier needs at least two classes, and all rows with a positive weight are of one class{}",
        .class.as_ref().map_or(String::new(), |c| format!(", {c}"))
    )]
    OneClass {
        /// The class, where it has a name.
        class: Option<String>,
    },
    /// A class has no rows to be learned from.
    #[error(
        "the class {class} has no rows with a positive weight{}",
        .outside_fold.map_or(String::new(), |fold| format!(" outside fold {fold}: use fewer folds"))
    )]
    EmptyClass {
        /// The name or number of the class.
        class: String,
        /// The fold without which nothing is left of it.
        outside_fold: Option<usize>,
    },
    /// A value of the data is missing, not finite, or outside the domain.
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
        requirement: Requirement,
    },
    /// A column of a table cannot be used as it was to be.
    #[error("{}", .problem.about(.name))]
    Column {
        /// The column, by name or by number.
        name: String,
        /// What is wrong with it.
        problem: ColumnProblem,
    },
    /// A kernel has a part that only data can fill in, and there is no data here.
    #[error("{part} in {kernel}")]
    Unresolved {
        /// The kernel's text.
        kernel: String,
        /// The part.
        part: UnresolvedPart,
    },
    /// Points were given for kernel values, or kernel values for points, or a matrix of them that
    /// does not do.
    #[error("{}", .needs.of(.what))]
    Precomputed {
        /// What was asked for.
        what: String,
        /// What it needs.
        needs: PrecomputedNeed,
    },
    /// A kernel or a method meets points of a kind that it does not take: choose another kernel, or
    /// other points.
    #[error("{what} takes {takes}; {}", holding(.column, .holds))]
    WrongPoints {
        /// The kernel's text, or the method.
        what: String,
        /// The kind that it takes, in the plural.
        takes: String,
        /// The column that it was given, where the points are rows of a table.
        column: Option<String>,
        /// What the points or the column hold, in the plural.
        holds: String,
    },
    /// Two things do not go together, such as a loss and a solver: change one of them.
    #[error("no {what} for {with}: {}", joined(.reason, .instead))]
    Unsupported {
        /// What was asked for.
        what: String,
        /// The kernel, loss, model or setting that does not have it.
        with: String,
        /// Why, where it is not plain.
        reason: String,
        /// What to do instead, where there is something.
        instead: String,
    },
    /// Two things that must agree differ.
    #[error("{what}: {first}, and {second}; {remedy}")]
    Mismatch {
        /// What differs.
        what: String,
        /// How it is in the first.
        first: String,
        /// How it is in the second.
        second: String,
        /// What to do.
        remedy: Remedy,
    },
    /// The data does not determine what was asked for.
    #[error("{what} cannot be determined: {because}; {remedy}")]
    Undetermined {
        /// What was asked for.
        what: String,
        /// Why the data does not determine it.
        because: String,
        /// What to do.
        remedy: Remedy,
    },
    /// Values would leave the range of floating-point numbers.
    #[error("{what} leaves the range of the numbers: {remedy}")]
    Overflow {
        /// What is too large.
        what: String,
        /// What to do.
        remedy: Remedy,
    },
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
        "{what} needs {} but the memory limit is {}: {remedy}",
        crate::compute::human_bytes(*.needed),
        crate::compute::human_bytes(*.limit)
    )]
    Memory {
        /// What the memory is for.
        purpose: MemoryPurpose,
        /// What would be allocated, with its size.
        what: String,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
        /// What to do instead.
        remedy: String,
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
    /// A file is there already, and would be lost.
    #[error("there is a {what} in {} already: continue from it ({parameter}), or remove it", path.display())]
    Exists {
        /// What the file holds.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The parameter that continues from it.
        parameter: String,
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
    /// A saved model, statistic or stream lacks an entry, or has one that cannot be.
    #[error("{}", .problem.about(.part))]
    Record {
        /// The entry, such as ``array `points` ``.
        part: String,
        /// What is wrong with it.
        problem: RecordProblem,
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
    #[error("{what} is singular to working precision: {remedy}")]
    Singular {
        /// The matrix.
        what: String,
        /// What to do.
        remedy: Remedy,
    },
    /// A score, statistic or solution has no finite value.
    #[error("{what} is not defined: {remedy}")]
    Undefined {
        /// What has no value.
        what: String,
        /// What to do.
        remedy: Remedy,
    },
    /// The request makes no sense as it stands, in a way of its own: change the request.
    #[error("{0}")]
    Request(String),
}

/// The reason and what to do instead, as far as there are any.
/// What points or a column hold, as the end of a sentence.
fn holding(column: &Option<String>, holds: &str) -> String {
    column
        .as_ref()
        .map_or_else(|| format!("the points are {holds}"), |column| format!("column `{column}` holds {holds}"))
}

fn joined(reason: &str, instead: &str) -> String {
    [reason, instead].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}
