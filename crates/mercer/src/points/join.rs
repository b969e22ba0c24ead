//! Columns of one table beside those of another.

use std::collections::HashMap;

use super::{Column, ColumnData, Table};
use crate::{Error, Result};

impl Table {
    /// The same rows with the columns of another table, whose rows are found by the values of the
    /// column `key` that both have. A column of the other table replaces one of the same name; the
    /// label and the identifier stay what they are.
    ///
    /// # Errors
    /// [`Error::Column`] if one of them has no such column; [`Error::Value`] for a row of this table
    /// whose key is missing or is not in the other, and for a key that is there twice.
    ///
    /// # Example
    /// ```
    /// use mercer::points::{Column, ColumnData, Table};
    /// let ids = |list: [&'static str; 2]| Column::categories("id", list.map(Some));
    /// let sequences = Table::from_columns(vec![ids(["a", "b"])])?;
    /// let labels = Table::from_columns(vec![ids(["b", "a"]), Column::numbers("length", vec![2.0, 1.0])])?;
    /// let joined = sequences.joined(&labels, "id")?;
    /// assert_eq!(joined.columns()[1].data, ColumnData::Numbers(vec![1.0, 2.0]));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn joined(&self, other: &Self, key: &str) -> Result<Self> {
        let (own, theirs) = (self.column(key)?, other.column(key)?);
        let mut known = HashMap::new();
        for row in 0..other.rows() {
            let Some(text) = key_text(theirs, row) else { continue };
            if known.insert(text.clone(), row).is_some() {
                return Err(Error::value("table", (row, key), format!("`{text}`"), "it is there twice"));
            }
        }
        let find = |row: usize| {
            let text = key_text(own, row).ok_or_else(|| Error::missing("table", row, key))?;
            let absent = || Error::value("table", (row, key), format!("`{text}`"), "the other table has no such row");
            known.get(&text).copied().ok_or_else(absent)
        };
        let rows = (0..self.rows()).map(find).collect::<Result<Vec<_>>>()?;
        let added = other.drop_columns([key])?.select_rows(&rows)?;
        let replaced: Vec<&str> = added.names().filter(|name| self.names().any(|own| own == *name)).collect();
        let kept = self.drop_columns(replaced)?;
        let (label, id) = (kept.label, kept.id);
        let mut joined = Self::from_columns(kept.into_columns().into_iter().chain(added.into_columns()).collect())?;
        (joined.label, joined.id) = (label, id);
        Ok(joined)
    }
}

/// A key as text; none where it is missing.
fn key_text(column: &Column, row: usize) -> Option<String> {
    match &column.data {
        ColumnData::Numbers(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
        ColumnData::Categories { codes, levels } => codes[row].map(|code| levels[code as usize].clone()),
        ColumnData::Objects(_) | ColumnData::Groups { .. } => Some(column.data.object_text(row)),
    }
}
