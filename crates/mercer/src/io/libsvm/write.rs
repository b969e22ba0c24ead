//! The LIBSVM writer.

use std::io::{self, Write};
use std::path::Path;

use super::super::atomic_write;
use super::super::number::format_number;
use crate::error::ColumnProblem;
use crate::points::{Column, ColumnData, ColumnSelector, Table};
use crate::{Error, Result};

/// Writes a table of numbers in the LIBSVM format, whole or not at all. `target` is the label; the
/// other columns become the indices 1, 2, … in their order.
///
/// Zeros are left out, except for the last column in the first row, which keeps the dimension.
///
/// # Errors
/// [`Error::Column`] for a column of categories or an unknown target, [`Error::Value`] for a
/// missing value, [`Error::File`] if the file cannot be written.
pub fn write_libsvm<'a>(path: &Path, table: &Table, target: impl Into<ColumnSelector<'a>>) -> Result<()> {
    let target = table.find(target)?;
    let columns: Vec<&[f64]> = table.columns().iter().map(numbers).collect::<Result<_>>()?;
    let labels = columns[target];
    let features: Vec<&[f64]> = columns.iter().enumerate().filter(|(i, _)| *i != target).map(|(_, c)| *c).collect();
    atomic_write(path, |out| (0..table.rows()).try_for_each(|row| write_row(out, row, labels, &features)))
}

fn numbers(column: &Column) -> Result<&[f64]> {
    let ColumnData::Numbers(values) = &column.data else {
        return Err(Error::column(&column.name, ColumnProblem::NotNumbers));
    };
    match values.iter().position(|v| v.is_nan()) {
        None => Ok(values),
        Some(row) => Err(Error::missing("table", row, &column.name)),
    }
}

fn write_row(out: &mut dyn Write, row: usize, labels: &[f64], features: &[&[f64]]) -> io::Result<()> {
    write!(out, "{}", format_number(labels[row]))?;
    for (i, column) in features.iter().enumerate() {
        let keeps_dimension = row == 0 && i + 1 == features.len();
        if column[row] != 0.0 || keeps_dimension {
            write!(out, " {}:{}", i + 1, format_number(column[row]))?;
        }
    }
    writeln!(out)
}
