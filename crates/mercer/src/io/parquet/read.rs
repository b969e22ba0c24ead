//! The Parquet reader.

use std::sync::Arc;

use super::super::csv::Levels;
use super::super::room_for;
use super::super::source::Source;
use super::column::{ColumnReading, Sink};
use super::file::{ParquetFile, damaged, guarded};
use crate::Result;
use crate::points::{Column, ColumnData, Table};

/// Reads a table from Parquet.
pub(in super::super) fn read(source: &Arc<Source>) -> Result<Table> {
    let file = ParquetFile::open(source.clone())?;
    guarded(source, || read_columns(source, &file))
}

fn read_columns(source: &Source, file: &ParquetFile) -> Result<Table> {
    let columns = file.columns();
    source.reserve((file.rows as u64).saturating_mul(8).saturating_mul(columns.len() as u64))?;
    let mut read = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        source.compute.check_canceled()?;
        read.push(Column { name: column.name().to_owned(), data: read_column(file, i)? });
        source.compute.report("reading", i as u64 + 1, columns.len() as u64);
    }
    Table::from_columns(read).map_err(|error| source.wrong(None, error.to_string()))
}

fn read_column(file: &ParquetFile, index: usize) -> Result<ColumnData> {
    let reading = ColumnReading { source: &file.source, column: &file.columns()[index] };
    let mut whole = if reading.is_text() {
        Whole::Text(Levels::default())
    } else {
        Whole::Numbers(room_for("a column", file.rows.min(plausible_rows(&file.source)))?)
    };
    each_group(file, index, &mut whole)?;
    match whole.finish() {
        data if data.len() == file.rows => Ok(data),
        data => Err(reading.wrong(&format!("{} rows where the file has {}", data.len(), file.rows))),
    }
}

/// Returns all values of a column to a sink.
pub(super) fn each_group(file: &ParquetFile, index: usize, sink: &mut impl Sink) -> Result<()> {
    let reading = ColumnReading { source: &file.source, column: &file.columns()[index] };
    for group in 0..file.reader.num_row_groups() {
        let group = file.reader.get_row_group(group).map_err(|e| damaged(&file.source, &e))?;
        let mut reader = group.get_column_reader(index).map_err(|e| damaged(&file.source, &e))?;
        reading.read(&mut reader, sink, usize::MAX)?;
    }
    Ok(())
}

/// A damaged file may claim any number of rows: room is made beforehand only for what its size
/// allows.
fn plausible_rows(source: &Source) -> usize {
    usize::try_from(source.size().saturating_mul(64)).unwrap_or(usize::MAX)
}

/// The values of a whole column.
enum Whole {
    Numbers(Vec<f64>),
    Text(Levels),
}

impl Sink for Whole {
    fn number(&mut self, value: f64) {
        if let Self::Numbers(values) = self {
            values.push(value);
        }
    }

    fn text(&mut self, text: Option<&str>) -> Result<(), String> {
        if let Self::Text(levels) = self {
            levels.push_text(text);
        }
        Ok(())
    }

    fn row(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Text(levels) => levels.len(),
        }
    }
}

impl Whole {
    fn finish(self) -> ColumnData {
        match self {
            Self::Numbers(values) => ColumnData::Numbers(values),
            Self::Text(levels) => levels.finish(),
        }
    }
}
