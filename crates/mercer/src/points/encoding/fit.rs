//! Fitting an encoding to a table.

use super::super::moments::Moments;
use super::super::scaling::is_constant;
use super::super::{Column, ColumnData, PointKind, Scaling, Table};
use super::{EncodedColumn, Encoding, FittedEncoding, Missing};
use crate::error::{ColumnProblem, Requirement};
use crate::{Error, Result};

impl Encoding {
    /// Learns levels, means and scales from a table.
    ///
    /// Means and scales are those of the values that are there; under [`Missing::DropRows`], of the
    /// rows that are kept. The scale of a constant column is 1.
    ///
    /// # Cost
    /// A few passes over each column.
    ///
    /// # Errors
    /// [`Error::Value`] for an infinite number, and for a missing value under [`Missing::Refuse`];
    /// [`Error::Shape`] when a column without values needs a mean or a scale.
    pub fn fit(&self, table: &Table) -> Result<FittedEncoding> {
        self.fit_as(table, &[])
    }

    /// The same with columns that are taken as objects of a kind: texts as strings, groups of rows as
    /// bags or persistence diagrams.
    ///
    /// # Errors
    /// As [`Encoding::fit`]; [`Error::WrongPoints`] for a column that cannot be taken as that.
    ///
    /// # Example
    /// ```
    /// use mercer::points::{Column, Encoding, PointKind, Strings, Table};
    /// let table = Table::from_columns(vec![
    ///     Column::numbers("price", vec![1.0, 2.0]),
    ///     Column::categories("review", [Some("good"), Some("bad")]),
    /// ])?;
    /// let encoding = Encoding::default().fit_as(&table, &[("review".into(), PointKind::Strings)])?;
    /// let encoded = encoding.apply(&table)?;
    /// assert_eq!(encoded.names, ["price"]);
    /// let texts: Strings = ["good", "bad"].into_iter().collect();
    /// assert_eq!(encoded.objects, [("review".into(), texts.into())]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit_as(&self, table: &Table, kinds: &[(String, PointKind)]) -> Result<FittedEncoding> {
        let rows = rows_to_keep(table, self.missing)?;
        let kind = |name: &str| kinds.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
        let fit = |column: &Column| match (kind(&column.name), &column.data) {
            (None, ColumnData::Numbers(_) | ColumnData::Categories { .. }) => self.fit_column(column, &rows),
            (kind, _) => self.fit_objects(column, kind),
        };
        Ok(FittedEncoding { rules: *self, columns: table.columns().iter().map(fit).collect::<Result<_>>()? })
    }

    fn fit_column(&self, column: &Column, rows: &[usize]) -> Result<EncodedColumn> {
        match &column.data {
            ColumnData::Numbers(values) => self.fit_numbers(&column.name, values, rows),
            ColumnData::Categories { codes, levels } => Ok(EncodedColumn::Category {
                name: column.name.clone(),
                levels: levels.clone(),
                constant: all_equal(rows.iter().filter_map(|&r| codes[r])),
            }),
            ColumnData::Objects(_) | ColumnData::Groups { .. } => self.fit_objects(column, None),
        }
    }

    fn fit_numbers(&self, name: &str, values: &[f64], rows: &[usize]) -> Result<EncodedColumn> {
        refuse_infinite(name, values)?;
        let present: Vec<f64> = rows.iter().map(|&r| values[r]).filter(|v| !v.is_nan()).collect();
        let needs_values = self.scaling != Scaling::None || self.missing == Missing::Mean;
        if needs_values && present.is_empty() {
            return Err(Error::too_few("scaling or filling", format!("values of column `{name}`"), 1, 0));
        }
        let fill = if self.missing == Missing::Mean { Moments::of(present.iter().copied()).mean } else { 0.0 };
        let map = self.scaling.fit(&present);
        if !map.scale.is_finite() {
            return Err(Error::column(name, ColumnProblem::TooWide));
        }
        Ok(EncodedColumn::Number { name: name.to_owned(), fill, map, constant: is_constant(&present) })
    }
}

/// The rows that stay under this rule.
pub(super) fn rows_to_keep(table: &Table, rule: Missing) -> Result<Vec<usize>> {
    if rule == Missing::Refuse {
        table.columns().iter().try_for_each(refuse_missing)?;
    }
    if rule != Missing::DropRows {
        return Ok((0..table.rows()).collect());
    }
    Ok((0..table.rows()).filter(|&row| !table.columns().iter().any(|c| c.data.is_missing(row))).collect())
}

fn refuse_missing(column: &Column) -> Result<()> {
    match (0..column.data.len()).find(|&row| column.data.is_missing(row)) {
        None => Ok(()),
        Some(row) => Err(Error::missing("table", row, &column.name)),
    }
}

pub(super) fn refuse_infinite(name: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|v| v.is_infinite()) {
        None => Ok(()),
        Some(row) => Err(Error::value("table", (row, name), values[row], Requirement::Finite)),
    }
}

fn all_equal(mut codes: impl Iterator<Item = u32>) -> bool {
    let first = codes.next();
    codes.all(|code| Some(code) == first)
}
