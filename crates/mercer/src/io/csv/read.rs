//! The CSV reader: one pass, and a second one for columns that turned into text late.

use std::sync::Arc;

use super::super::chunks::{Cells, Kind};
use super::super::source::Source;
use super::column::Builder;
use super::file::{CsvFile, Records};
use super::{Delimiter, Header};
use crate::points::{Column, Table};
use crate::{Error, Result};

/// Cells between two questions to the memory budget, and the most rows.
const CELLS: usize = 1 << 20;
const ROWS: usize = 8192;

/// Reads a table from CSV.
pub(in super::super) fn read(source: Arc<Source>, header: Header, delimiter: Delimiter) -> Result<Table> {
    let file = CsvFile::open(source, header, delimiter)?;
    let columns = builders(&file, |_| {})?;
    let column = |(name, c): (&String, Builder)| Column { name: name.clone(), data: c.finish() };
    Table::from_columns(file.names.iter().zip(columns).map(column).collect())
}

/// What the columns hold, without keeping their rows.
pub(in super::super) fn survey(file: &Arc<CsvFile>) -> Result<Vec<Kind>> {
    Ok(builders(file, Builder::forget_rows)?.into_iter().map(Builder::kind).collect())
}

/// Reads all rows into columns; `settle` is called on each column from time to time.
fn builders(file: &Arc<CsvFile>, settle: fn(&mut Builder)) -> Result<Vec<Builder>> {
    let mut columns: Vec<Builder> = file.names.iter().map(|_| Builder::new()).collect();
    fill(file, &mut columns.iter_mut().collect::<Vec<_>>(), |i| i, settle)?;
    let late: Vec<usize> = (0..columns.len()).filter(|&i| columns[i].must_be_read_again()).collect();
    if !late.is_empty() {
        let mut again: Vec<&mut Builder> = columns.iter_mut().filter(|c| c.must_be_read_again()).collect();
        again.iter_mut().for_each(|column| column.read_again_as_text());
        fill(file, &mut again, |k| late[k], settle)?;
    }
    Ok(columns)
}

/// Returns each row's cells to the columns; column `k` of `columns` takes cell `cell_of(k)`.
fn fill(
    file: &Arc<CsvFile>,
    columns: &mut [&mut Builder],
    cell_of: impl Fn(usize) -> usize,
    settle: fn(&mut Builder),
) -> Result<()> {
    let mut records = file.records()?;
    let block = (CELLS / columns.len().max(1)).clamp(1, ROWS) as u64;
    let mut rows = 0_u64;
    while records.advance()? {
        for (k, column) in columns.iter_mut().enumerate() {
            let cell = cell_of(k);
            column.push(&records.record[cell]).map_err(|r| file.wrong_cell(&records.record, cell, &r))?;
        }
        rows += 1;
        if rows.is_multiple_of(block) {
            file.source.reserve(columns.iter().map(|c| c.bytes()).sum())?;
            columns.iter_mut().for_each(|column| settle(column));
        }
    }
    file.source.reserve(columns.iter().map(|c| c.bytes()).sum())
}

/// The rows of a file whose columns are known, some at a time.
pub(in super::super) struct CsvRows {
    file: Arc<CsvFile>,
    records: Records,
}

impl CsvRows {
    /// From this row on.
    pub fn new(file: &Arc<CsvFile>, first: usize) -> Result<Self> {
        let mut records = file.records()?;
        for _ in 0..first {
            records.advance()?;
        }
        Ok(Self { file: file.clone(), records })
    }

    /// At most this many rows; none at the end.
    pub fn next(&mut self, rows: usize, cells: &mut [Cells]) -> Result<()> {
        for _ in 0..rows {
            if !self.records.advance()? {
                return Ok(());
            }
            let record = &self.records.record;
            for (i, (column, cell)) in cells.iter_mut().zip(record).enumerate() {
                column.push_cell(cell).map_err(|r| self.file.wrong_cell(record, i, &r))?;
            }
        }
        Ok::<(), Error>(())
    }
}
