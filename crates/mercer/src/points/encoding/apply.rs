//! A fitted encoding on a new table.

use std::collections::{HashMap, HashSet};

use ndarray::{Array2, ArrayViewMut2, Axis};

use super::super::{Affine, Column, ColumnData, Table};
use super::fit::{refuse_infinite, rows_to_keep};
use super::objects::take_objects;
use super::{Encoded, EncodedColumn, FittedEncoding};
use crate::error::{ColumnProblem, Requirement};
use crate::{Error, Result};

impl FittedEncoding {
    /// The table as vectors and objects. Columns are matched by name, in whatever order they come.
    ///
    /// A column that was fitted as categories and is read as numbers here (because this file
    /// happens to hold only levels that look like numbers) is matched by the text of its numbers.
    ///
    /// # Cost
    /// One pass over the table and `8·n·d` bytes.
    ///
    /// # Errors
    /// [`Error::Column`] for a column that is missing, that was not in the fitted table, or that
    /// held numbers there and holds categories here; [`Error::Value`] for a level that was not in
    /// the fitted table, an infinite number, and a missing value under
    /// [`Missing::Refuse`](super::Missing::Refuse).
    pub fn apply(&self, table: &Table) -> Result<Encoded> {
        let columns = self.match_columns(table)?;
        let kept_rows = rows_to_keep(table, self.rules.missing)?;
        let mut matrix = Array2::zeros((kept_rows.len(), self.dimension()));
        let (mut filled, mut objects) = (0, Vec::new());
        let mut start = 0;
        for (fitted, column) in self.columns.iter().zip(columns) {
            if let EncodedColumn::Object { name, kind, members } = fitted {
                let (sample, empty) = take_objects(column, *kind, members.as_deref(), &kept_rows)?;
                objects.push((name.clone(), sample));
                filled += empty;
                continue;
            }
            let end = start + fitted.width();
            let target = matrix.slice_axis_mut(Axis(1), (start..end).into());
            filled += encode(fitted, column, &kept_rows, target)?;
            start = end;
        }
        let dropped = table.rows() - kept_rows.len();
        Ok(Encoded { matrix, names: self.output_names(), objects, kept_rows, filled, dropped })
    }

    fn match_columns<'t>(&self, table: &'t Table) -> Result<Vec<&'t Column>> {
        let known: HashSet<&str> = self.columns.iter().map(EncodedColumn::name).collect();
        if let Some(extra) = table.names().find(|name| !known.contains(name)) {
            let known: Vec<&str> = self.columns.iter().map(EncodedColumn::name).collect();
            let known = known.join(", ");
            return Err(Error::column(extra, ColumnProblem::Unexpected(known)));
        }
        let found: HashMap<&str, &Column> = table.columns().iter().map(|c| (c.name.as_str(), c)).collect();
        let column_for = |name| found.get(name).copied().ok_or_else(|| table.no_such_name(name));
        self.columns.iter().map(|fitted| column_for(fitted.name())).collect()
    }
}

/// Writes one column into its coordinates; returns how many missing cells were filled.
fn encode(fitted: &EncodedColumn, column: &Column, rows: &[usize], target: ArrayViewMut2<f64>) -> Result<usize> {
    match (fitted, &column.data) {
        (EncodedColumn::Number { name, fill, map, .. }, ColumnData::Numbers(values)) => {
            encode_numbers(name, values, rows, *fill, *map, target)
        }
        (EncodedColumn::Number { name, .. }, ColumnData::Categories { codes, levels }) => {
            Err(not_a_number(name, codes, levels))
        }
        (EncodedColumn::Category { name, levels, .. }, data) => encode_categories(name, levels, data, rows, target),
        (other, _) => Err(Error::column(other.name(), ColumnProblem::NotNumbers)),
    }
}

fn encode_numbers(
    name: &str,
    values: &[f64],
    rows: &[usize],
    fill: f64,
    map: Affine,
    mut target: ArrayViewMut2<f64>,
) -> Result<usize> {
    refuse_infinite(name, values)?;
    let mut filled = 0;
    for (cell, &row) in target.iter_mut().zip(rows) {
        let missing = values[row].is_nan();
        filled += usize::from(missing);
        *cell = map.apply(if missing { fill } else { values[row] });
        if !cell.is_finite() {
            return Err(Error::value("table", (row, name), values[row], "it is too large to be scaled"));
        }
    }
    Ok(filled)
}

fn encode_categories(
    name: &str,
    levels: &[String],
    data: &ColumnData,
    rows: &[usize],
    mut target: ArrayViewMut2<f64>,
) -> Result<usize> {
    let known: Vec<Option<usize>> = match data {
        ColumnData::Categories { levels: found, .. } => found.iter().map(|l| level_index(levels, l)).collect(),
        _ => Vec::new(),
    };
    let mut filled = 0;
    for (i, &row) in rows.iter().enumerate() {
        if data.is_missing(row) {
            filled += 1;
            continue;
        }
        let index = match data {
            ColumnData::Categories { codes, .. } => codes[row].and_then(|code| known[code as usize]),
            ColumnData::Numbers(values) => level_index(levels, &values[row].to_string()),
            _ => None,
        };
        let index = index.ok_or_else(|| unseen_level(name, row, data, levels))?;
        target[[i, index]] = 1.0;
    }
    Ok(filled)
}

fn level_index(levels: &[String], level: &str) -> Option<usize> {
    levels.binary_search_by(|known| known.as_str().cmp(level)).ok()
}

fn unseen_level(name: &str, row: usize, data: &ColumnData, levels: &[String]) -> Error {
    let value = match data {
        ColumnData::Numbers(values) => values[row].to_string(),
        ColumnData::Categories { codes, levels } => {
            codes[row].map_or(String::new(), |code| format!("`{}`", levels[code as usize]))
        }
        _ => "an object".into(),
    };
    Error::value("table", (row, name), value, Requirement::Level(levels.to_vec()))
}

fn not_a_number(name: &str, codes: &[Option<u32>], levels: &[String]) -> Error {
    let is_text = |code: &u32| levels[*code as usize].parse::<f64>().is_err();
    let found = codes.iter().enumerate().find_map(|(row, code)| code.filter(is_text).map(|c| (row, c)));
    match found {
        Some((row, code)) => {
            let value = format!("`{}`", levels[code as usize]);
            Error::value("table", (row, name), value, "the fitted table had numbers in this column")
        }
        None => Error::column(name, ColumnProblem::NotNumbers),
    }
}
