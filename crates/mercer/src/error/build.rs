//! Short ways to make errors, and to translate them for a door.

use std::fmt::Display;

use super::{Allowed, ColumnProblem, Error, PrecomputedNeed, RecordProblem, Remedy, Requirement, UnresolvedPart};
use crate::wording::{shortened, value_text};

impl Error {
    /// A parameter out of range.
    pub fn parameter(name: &str, value: impl Display, allowed: impl Into<Allowed>) -> Self {
        Self::Parameter { name: name.into(), value: value_text(value), allowed: allowed.into() }
    }

    /// Sizes that do not fit.
    pub fn shape(what: &str, expected: impl Display, found: impl Display) -> Self {
        Self::Shape { what: shortened(what), expected: expected.to_string(), found: found.to_string() }
    }

    /// Too few of something.
    pub fn too_few(purpose: impl Into<String>, what: impl Into<String>, needed: usize, found: usize) -> Self {
        Self::TooFew { what: what.into(), needed, found, purpose: purpose.into() }
    }

    /// All equal.
    pub fn all_equal(purpose: impl Into<String>, what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Self::AllEqual { what: what.into(), purpose: purpose.into(), remedy: remedy.into() }
    }

    /// All 0.
    pub fn all_zero(what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Self::AllZero { what: what.into(), remedy: remedy.into() }
    }

    /// A value of the data that cannot be used.
    pub fn value(
        what: impl Into<String>,
        (row, column): (usize, impl Display),
        value: impl Display,
        requirement: impl Into<Requirement>,
    ) -> Self {
        let (column, value) = (column.to_string(), value.to_string());
        Self::Value { what: shortened(what), row, column, value, requirement: requirement.into() }
    }

    /// A value that is missing.
    pub fn missing(what: impl Into<String>, row: usize, column: impl Display) -> Self {
        Self::value(what, (row, column), "no value", Requirement::Present)
    }

    /// A column that cannot be used.
    pub fn column(name: impl Display, problem: ColumnProblem) -> Self {
        Self::Column { name: name.to_string(), problem }
    }

    /// A median that is not resolved.
    pub fn unresolved_median(kernel: impl Display) -> Self {
        Self::Unresolved { kernel: shortened(kernel.to_string()), part: UnresolvedPart::Median }
    }

    /// A column by name, where there are no names.
    pub fn unresolved_column(kernel: impl Display, name: impl Into<String>) -> Self {
        Self::Unresolved { kernel: shortened(kernel.to_string()), part: UnresolvedPart::ColumnName(name.into()) }
    }

    /// Points for kernel values, or the other way round.
    pub fn precomputed(what: impl Display, needs: PrecomputedNeed) -> Self {
        Self::Precomputed { what: shortened(what.to_string()), needs }
    }

    /// A kernel or a method, the kind of points that it takes, and the kind that it was given.
    pub fn wrong_points(what: impl Display, takes: impl Display, holds: impl Display) -> Self {
        Self::WrongPoints {
            what: shortened(what.to_string()),
            takes: takes.to_string(),
            column: None,
            holds: holds.to_string(),
        }
    }

    /// Two things that do not go together, why, and what to do instead; either of the last two may
    /// be empty.
    pub fn unsupported(
        what: impl Into<String>,
        with: impl Display,
        reason: impl Into<String>,
        instead: impl Into<String>,
    ) -> Self {
        let (what, with, reason) = (shortened(what), shortened(with.to_string()), shortened(reason));
        Self::Unsupported { what, with, reason, instead: instead.into() }
    }

    /// Two things that differ and must not.
    pub fn mismatch(
        what: impl Into<String>,
        first: impl Display,
        second: impl Display,
        remedy: impl Into<Remedy>,
    ) -> Self {
        let (first, second) = (shortened(first.to_string()), shortened(second.to_string()));
        Self::Mismatch { what: what.into(), first, second, remedy: remedy.into() }
    }

    /// What the data does not determine.
    pub fn undetermined(what: impl Into<String>, because: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Self::Undetermined { what: shortened(what), because: because.into(), remedy: remedy.into() }
    }

    /// Values that are too large.
    pub fn overflow(what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Self::Overflow { what: shortened(what), remedy: remedy.into() }
    }

    /// A singular matrix.
    pub fn singular(what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Self::Singular { what: shortened(what), remedy: remedy.into() }
    }

    /// What has no finite value.
    pub fn undefined(what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Self::Undefined { what: shortened(what), remedy: remedy.into() }
    }

    /// An entry of a record that cannot be used.
    pub fn record(part: impl Into<String>, problem: RecordProblem) -> Self {
        Self::Record { part: part.into(), problem }
    }

    /// A request that makes no sense.
    pub fn request(message: impl Into<String>) -> Self {
        Self::Request(message.into())
    }

    /// Whether the arithmetic broke down: a singular matrix, or a quantity without a finite value.
    /// Other parameters may do.
    pub fn is_numerical(&self) -> bool {
        matches!(self, Self::Singular { .. } | Self::Undefined { .. })
    }

    /// The error with another row, for data of which the caller saw only a part.
    pub fn at_row(mut self, of: impl FnOnce(usize) -> usize) -> Self {
        if let Self::Value { row, .. } = &mut self {
            *row = of(*row);
        }
        self
    }

    /// The error with the names that a door has for the library's parameters.
    ///
    /// # Example
    /// ```
    /// use mercer::{Error, error::AllowedRange};
    /// let error = Error::parameter("lambda", -1.0, AllowedRange::NON_NEGATIVE);
    /// let spelled = error.renamed(|name| (name == "lambda").then_some("--lambda"));
    /// assert_eq!(spelled.to_string(), "--lambda = -1 is not allowed: it must be finite and at least 0");
    /// ```
    pub fn renamed<'n>(mut self, spelled: impl Fn(&str) -> Option<&'n str>) -> Self {
        let name = match &mut self {
            Self::Parameter { name, .. } | Self::Exists { parameter: name, .. } => Some(name),
            Self::AllEqual { remedy, .. }
            | Self::AllZero { remedy, .. }
            | Self::Mismatch { remedy, .. }
            | Self::Undetermined { remedy, .. }
            | Self::Overflow { remedy, .. }
            | Self::Singular { remedy, .. }
            | Self::Undefined { remedy, .. } => remedy.parameter_mut(),
            _ => None,
        };
        if let Some(name) = name
            && let Some(own) = spelled(name)
        {
            own.clone_into(name);
        }
        self
    }
}
