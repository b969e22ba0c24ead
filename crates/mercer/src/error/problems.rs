//! What is wrong with columns, kernel values, kernels without data, and saved records.

use std::fmt::{Display, Formatter, Result};

/// What is wrong with a column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnProblem {
    /// There is none of this name.
    Unknown {
        /// The nearest name.
        nearest: Option<String>,
        /// The names of the columns that there are, shortened where they are many.
        known: String,
    },
    /// There is none of this number.
    NoIndex {
        /// How many columns there are.
        count: usize,
        /// Their names, shortened where they are many.
        known: String,
    },
    /// It is named twice.
    Twice,
    /// It was not in the fitted table, which had these columns.
    Unexpected(String),
    /// It holds categories where numbers are needed.
    NotNumbers,
    /// Its range is too large to be scaled.
    TooWide,
    /// It differs from the column of the same place before: another name, or another kind.
    Changed,
    /// Its levels are not sorted and distinct, or its encoding is not possible.
    Damaged,
}

impl ColumnProblem {
    pub(super) fn about(&self, name: &str) -> String {
        match self {
            Self::Unknown { nearest, known } => {
                let hint = nearest.as_ref().map_or(".".into(), |near| format!("; did you mean `{near}`?"));
                let known = if known.is_empty() { String::new() } else { format!(" The columns are: {known}") };
                format!("there is no column `{name}`{hint}{known}")
            }
            Self::NoIndex { count, known } => {
                format!("there is no column {name} (counted from 0) among {count} columns: {known}")
            }
            Self::Twice => format!("column `{name}` is named twice"),
            Self::Unexpected(known) => format!("column `{name}` was not in the fitted table, which had: {known}"),
            Self::NotNumbers => format!("column `{name}` holds categories where numbers are needed"),
            Self::TooWide => format!("the range of column `{name}` is too large to be scaled"),
            Self::Changed => format!("column `{name}` is not what it was in the rows before"),
            Self::Damaged => format!("the levels of column `{name}` must be sorted and distinct"),
        }
    }
}

/// The part of a kernel that only data can fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnresolvedPart {
    /// `lengthscale=median`.
    Median,
    /// A column by name, where the data has no names.
    ColumnName(String),
}

impl Display for UnresolvedPart {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Median => f.write_str("a median has to be resolved on data first: give the lengthscale"),
            Self::ColumnName(name) => {
                write!(f, "the data has no column names, so `{name}` is unknown; use the number of the column")
            }
        }
    }
}

/// What a method needs that was given a matrix of kernel values, or points where it takes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrecomputedNeed {
    /// Points: kernel values do not do.
    Points,
    /// Kernel values: `precomputed()` takes a matrix, not points.
    Values,
    /// A symmetric matrix, one row and column per point.
    Symmetric,
    /// The kernel values `k(x, x)` of the new points, which are not in the matrix.
    Diagonal,
}

impl PrecomputedNeed {
    pub(super) fn of(self, what: &str) -> String {
        match self {
            Self::Points => format!("{what} needs points, but the matrix holds kernel values"),
            Self::Values => format!("{what} takes a matrix of kernel values over precomputed(), not points"),
            Self::Symmetric => {
                format!("{what} needs a symmetric matrix of kernel values, one row and column per point")
            }
            Self::Diagonal => {
                format!("{what} needs the diagonal k(x, x), which precomputed kernel values of pairs do not hold")
            }
        }
    }
}

/// What is wrong with an entry of a saved record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordProblem {
    /// It is not there.
    Missing,
    /// It holds this number, where all must be finite.
    NotFinite(String),
    /// It is not what it must be.
    Damaged(String),
    /// It was not written by Mercer, or is of another kind.
    Foreign,
    /// It was written by a newer version, and this one reads versions up to the second.
    Newer(String, String),
}

impl RecordProblem {
    pub(super) fn about(&self, part: &str) -> String {
        match self {
            Self::Missing => format!("the {part} is missing"),
            Self::NotFinite(value) => format!("the {part} holds {value}, where all numbers must be finite"),
            Self::Damaged(reason) => format!("the {part} is damaged: {reason}"),
            Self::Foreign => format!("the {part} was not written by Mercer, or is one of another kind"),
            Self::Newer(found, newest) => {
                format!(
                    "the {part} has version {found}, and this Mercer reads versions up to {newest}: use a newer Mercer"
                )
            }
        }
    }
}
