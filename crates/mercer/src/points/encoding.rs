//! From a table to points: one-hot categories, a rule for missing values, scaling, and columns of
//! objects.

mod apply;
mod fit;
mod objects;
mod survey;

pub use survey::EncodingSurvey;
pub(super) use survey::objects_in_chunks;

use std::collections::HashSet;

use ndarray::Array2;

use super::{Affine, PointKind, Sample, Scaling};
use crate::error::ColumnProblem;
use crate::{Error, Result};

/// What is done with missing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Missing {
    /// An error with the row and the column.
    #[default]
    Refuse,
    /// Rows with a missing value are left out; their number is in [`Encoded::dropped`].
    DropRows,
    /// A missing number becomes the mean of its column in the fitted table, before scaling; a
    /// missing category becomes zeros in all its indicators. The number of filled cells is in
    /// [`Encoded::filled`]. A missing text becomes the empty string.
    Mean,
    /// A missing number becomes 0, before scaling; a missing category becomes zeros in all its
    /// indicators, a missing text the empty string.
    Zero,
}

/// The rules that turn a table into points.
///
/// A column of numbers gives one coordinate, scaled by [`Scaling`]. A column of categories gives
/// one indicator `name=level` per level, in sorted order, and **all levels are kept**: so any two
/// different levels are at distance √2, which a kernel needs; leaving one level out would put it
/// nearer to the others than they are to each other. Infinite numbers are refused. Constant columns
/// are kept, and listed by [`FittedEncoding::constant`].
///
/// Columns of objects stay what they are, groups of rows become bags ([`Encoding::fit`]) or what
/// [`Encoding::fit_as`] names; [`Encoded::into_sample`] makes points of both.
///
/// # Example
/// ```
/// use mercer::points::{Column, Encoding, Table};
/// let table = Table::from_columns(vec![
///     Column::numbers("height", vec![1.5, 1.75]),
///     Column::categories("color", [Some("red"), Some("blue")]),
/// ])?;
/// let encoded = Encoding::default().fit(&table)?.apply(&table)?;
/// assert_eq!(encoded.names, ["height", "color=blue", "color=red"]);
/// assert_eq!(encoded.matrix, ndarray::array![[1.5, 0.0, 1.0], [1.75, 1.0, 0.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Encoding {
    /// The rule for missing values.
    pub missing: Missing,
    /// The rule for the scale of numbers.
    pub scaling: Scaling,
}

/// What was learned about one column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EncodedColumn {
    /// A column of numbers.
    Number {
        /// The column's name.
        name: String,
        /// What a missing value becomes, where the rule fills.
        fill: f64,
        /// The scaling.
        map: Affine,
        /// Whether all values were the same.
        constant: bool,
    },
    /// A column of categories.
    Category {
        /// The column's name.
        name: String,
        /// The levels, sorted.
        levels: Vec<String>,
        /// Whether all values were the same.
        constant: bool,
    },
    /// A column of objects.
    Object {
        /// The column's name.
        name: String,
        /// What they are. Texts are taken as strings, groups of rows as bags or diagrams.
        kind: PointKind,
        /// How the rows of the groups become vectors, where the column holds groups.
        members: Option<Box<FittedEncoding>>,
    },
}

impl EncodedColumn {
    /// The column's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name, .. } | Self::Category { name, .. } | Self::Object { name, .. } => name,
        }
    }

    /// How many coordinates it gives.
    pub fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::Category { levels, .. } => levels.len(),
            Self::Object { .. } => 0,
        }
    }

    fn is_constant(&self) -> bool {
        match self {
            Self::Number { constant, .. } | Self::Category { constant, .. } => *constant,
            Self::Object { .. } => false,
        }
    }

    fn output_names(&self) -> Vec<String> {
        match self {
            Self::Number { name, .. } => vec![name.clone()],
            Self::Category { name, levels, .. } => levels.iter().map(|level| format!("{name}={level}")).collect(),
            Self::Object { .. } => Vec::new(),
        }
    }
}

/// The rules with what they learned from a table: plain data that can be saved and applied to new
/// tables.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedEncoding {
    rules: Encoding,
    columns: Vec<EncodedColumn>,
}

impl FittedEncoding {
    /// From its parts, as they were saved.
    ///
    /// # Errors
    /// [`Error::Column`] for two columns of one name, unsorted levels, or a scale that is 0 or not
    /// finite.
    pub fn from_parts(rules: Encoding, columns: Vec<EncodedColumn>) -> Result<Self> {
        let mut names = HashSet::new();
        for column in &columns {
            if !names.insert(column.name()) {
                return Err(Error::column(column.name(), ColumnProblem::Twice));
            }
            if !is_sound(column) {
                return Err(Error::column(column.name(), ColumnProblem::Damaged));
            }
        }
        Ok(Self { rules, columns })
    }

    /// From columns with different names and values that are in order.
    pub(crate) fn unchecked(rules: Encoding, columns: Vec<EncodedColumn>) -> Self {
        Self { rules, columns }
    }

    /// The rules.
    pub fn rules(&self) -> Encoding {
        self.rules
    }

    /// What was learned, column by column, in the order of the fitted table.
    pub fn columns(&self) -> &[EncodedColumn] {
        &self.columns
    }

    /// The columns of objects: their names, and what they are.
    pub fn objects(&self) -> impl Iterator<Item = (&str, PointKind)> {
        self.columns.iter().filter_map(|column| match column {
            EncodedColumn::Object { name, kind, .. } => Some((name.as_str(), *kind)),
            _ => None,
        })
    }

    /// The dimension of the vectors that columns of numbers and categories make.
    pub fn dimension(&self) -> usize {
        self.columns.iter().map(EncodedColumn::width).sum()
    }

    /// The names of the coordinates: `name` for numbers, `name=level` for categories.
    pub fn output_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(EncodedColumn::output_names).collect()
    }

    /// The names of the columns that were constant in the fitted table.
    pub fn constant(&self) -> Vec<&str> {
        self.columns.iter().filter(|c| c.is_constant()).map(EncodedColumn::name).collect()
    }
}

fn is_sound(column: &EncodedColumn) -> bool {
    match column {
        EncodedColumn::Number { fill, map, .. } => {
            fill.is_finite() && map.shift.is_finite() && map.scale.is_finite() && map.scale != 0.0
        }
        EncodedColumn::Category { levels, .. } => levels.is_sorted_by(|a, b| a < b),
        EncodedColumn::Object { kind, .. } => kind.is_object() && *kind != PointKind::Mixed,
    }
}

/// A table as vectors and objects, with what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// One row per kept row of the table, one column per coordinate.
    pub matrix: Array2<f64>,
    /// The names of the coordinates.
    pub names: Vec<String>,
    /// The columns of objects with their names.
    pub objects: Vec<(String, Sample)>,
    /// Which rows of the table were kept.
    pub kept_rows: Vec<usize>,
    /// How many missing cells were filled.
    pub filled: usize,
    /// How many rows were dropped.
    pub dropped: usize,
}

#[cfg(test)]
mod tests;
