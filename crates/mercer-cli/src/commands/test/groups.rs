//! The rows of a table by the values of a column.

use mercer::points::{ColumnData, Table};

use crate::failure::Failure;

/// The value of a column in every row, where it is not missing.
pub fn keys(table: &Table, column: &str) -> Result<Vec<Option<Key>>, Failure> {
    let column = table.column(column).map_err(|e| Failure::request(format!("--by: {e}")))?;
    Ok(match &column.data {
        ColumnData::Numbers(values) => values.iter().map(|v| (!v.is_nan()).then_some(Key::Number(*v))).collect(),
        ColumnData::Categories { codes, levels } => {
            codes.iter().map(|code| code.map(|c| Key::Text(levels[c as usize].clone()))).collect()
        }
        _ => {
            return Err(Failure::request(format!(
                "--by: the column {} has neither numbers nor categories",
                column.name
            )));
        }
    })
}

/// A value that names a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Key {
    /// The name of the group.
    pub fn name(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    /// The place of the group on an axis, where its values are numbers.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Text(text) => text.parse().ok(),
        }
    }
}

/// The different values, ascending.
pub fn distinct(keys: &[Option<Key>]) -> Vec<Key> {
    let mut found: Vec<Key> = keys.iter().flatten().cloned().collect();
    found.sort_by(|a, b| match (a, b) {
        (Key::Number(a), Key::Number(b)) => a.total_cmp(b),
        _ => a.name().cmp(&b.name()),
    });
    found.dedup();
    found
}
