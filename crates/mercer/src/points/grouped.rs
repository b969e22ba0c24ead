//! A long table as a table of groups of its rows.

use std::collections::HashMap;

use super::{Column, ColumnData, Table};
use crate::error::Requirement;
use crate::{Error, Result};

impl Table {
    /// One row per value of the column `by`, in the order of first appearance. In the result this
    /// column holds the groups: the rows of the long table with its `members` columns. The columns
    /// `constant` must have one value within each group, and keep it. Other columns are left out.
    ///
    /// # Errors
    /// [`Error::Value`] for a missing value of `by`, and for two values of a constant column in one
    /// group, with the row of the second; [`Error::Column`] as [`Table::find`].
    ///
    /// # Example
    /// ```
    /// use mercer::points::{Column, ColumnData, Table};
    /// let long = Table::from_columns(vec![
    ///     Column::categories("molecule", [Some("b"), Some("a"), Some("b")]),
    ///     Column::numbers("charge", vec![1.0, 2.0, 3.0]),
    ///     Column::numbers("active", vec![1.0, 0.0, 1.0]),
    /// ])?;
    /// let bags = long.grouped("molecule", &["charge"], &["active"])?;
    /// assert_eq!(bags.names().collect::<Vec<_>>(), ["active", "molecule"]);
    /// assert_eq!(bags.columns()[0].data, ColumnData::Numbers(vec![1.0, 0.0]));
    /// let ColumnData::Groups { rows, ends } = &bags.columns()[1].data else { unreachable!() };
    /// assert_eq!((rows.columns()[0].data.clone(), ends.as_slice()), (ColumnData::Numbers(vec![1.0, 3.0, 2.0]), &[2, 3][..]));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn grouped<T: AsRef<str>>(&self, by: &str, members: &[T], constant: &[T]) -> Result<Self> {
        let groups = self.groups(by)?;
        let first: Vec<usize> = groups.iter().map(|rows| rows[0]).collect();
        let constant = self.select(constant.iter().map(AsRef::as_ref))?;
        for column in constant.columns() {
            groups.iter().try_for_each(|rows| check_constant(column, rows, by))?;
        }
        let mut columns = constant.select_rows(&first)?.into_columns();
        let ends = groups.iter().scan(0, |end, rows| {
            *end += rows.len();
            Some(*end)
        });
        let ends = ends.collect();
        let rows = self.select(members.iter().map(AsRef::as_ref))?.select_rows(&groups.concat())?;
        let name = self.column(by)?.name.clone();
        columns.push(Column { name, data: ColumnData::Groups { rows: Box::new(rows), ends } });
        Self::from_columns(columns)
    }

    /// The rows of every value of a column, in the order of first appearance.
    fn groups(&self, by: &str) -> Result<Vec<Vec<usize>>> {
        let column = self.column(by)?;
        let mut positions = HashMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for row in 0..self.rows() {
            let key = key_of(column, row).ok_or_else(|| Error::missing("table", row, &column.name))?;
            let at = *positions.entry(key).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Vec::new());
            }
            groups[at].push(row);
        }
        Ok(groups)
    }
}

/// A value as something to compare; none where it is missing.
fn key_of(column: &Column, row: usize) -> Option<u64> {
    match &column.data {
        // 0 and −0 are one value.
        ColumnData::Numbers(values) => (!values[row].is_nan()).then(|| (values[row] + 0.0).to_bits()),
        ColumnData::Categories { codes, .. } => codes[row].map(u64::from),
        ColumnData::Objects(_) | ColumnData::Groups { .. } => Some(row as u64),
    }
}

fn check_constant(column: &Column, rows: &[usize], by: &str) -> Result<()> {
    let first = key_of(column, rows[0]);
    match rows.iter().find(|&&row| key_of(column, row) != first) {
        None => Ok(()),
        Some(&row) => {
            let needed =
                format!("it must be the same in all rows of one `{by}`, and differs from that of row {}", rows[0]);
            Err(Error::value("table", (row, &column.name), value_text(column, row), Requirement::from(needed)))
        }
    }
}

fn value_text(column: &Column, row: usize) -> String {
    match &column.data {
        ColumnData::Numbers(values) => values[row].to_string(),
        ColumnData::Categories { codes, levels } => {
            codes[row].map_or_else(|| "no value".into(), |code| format!("`{}`", levels[code as usize]))
        }
        _ => String::new(),
    }
}
