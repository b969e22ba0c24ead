//! A Parquet file, some rows at a time.

use std::sync::Arc;

use parquet::column::reader::ColumnReader;

use super::super::chunks::{Cells, Kind};
use super::super::csv::Levels;
use super::column::{ColumnReading, Sink};
use super::file::{ParquetFile, damaged, guarded};
use super::read::each_group;
use crate::Result;

/// Values between two looks at the memory that the levels of a column take.
const BLOCK: usize = 8192;

impl ParquetFile {
    /// What the columns hold; the levels of columns of text are found by reading these.
    pub fn survey(&self) -> Result<Vec<Kind>> {
        guarded(&self.source, || (0..self.columns().len()).map(|i| self.kind(i)).collect())
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        let reading = ColumnReading { source: &self.source, column: &self.columns()[index] };
        if !reading.is_text() {
            return Ok(Kind::Numbers);
        }
        let mut found = LevelsOnly::default();
        each_group(self, index, &mut found)?;
        self.source.reserve(found.levels.bytes())?;
        Ok(found.levels.kind())
    }
}

/// The levels of a column, whose rows are forgotten.
#[derive(Default)]
struct LevelsOnly {
    levels: Levels,
    rows: usize,
}

impl Sink for LevelsOnly {
    fn number(&mut self, _: f64) {}

    fn text(&mut self, text: Option<&str>) -> Result<(), String> {
        self.levels.push_text(text);
        self.rows += 1;
        if self.levels.len() >= BLOCK {
            self.levels.forget_rows();
        }
        Ok(())
    }

    fn row(&self) -> usize {
        self.rows
    }
}

/// The rows that are left.
pub(in super::super) struct ParquetRows {
    file: Arc<ParquetFile>,
    /// The row group that comes after the open one.
    next_group: usize,
    /// The columns of the open row group.
    readers: Vec<ColumnReader>,
    left: usize,
    next_row: usize,
}

impl ParquetRows {
    /// From this row on.
    pub fn new(file: Arc<ParquetFile>, first: usize) -> Result<Self> {
        let mut rows = Self { file, next_group: 0, readers: Vec::new(), left: 0, next_row: 0 };
        let source = rows.file.source.clone();
        guarded(&source, || rows.skip(first))?;
        Ok(rows)
    }

    fn skip(&mut self, first: usize) -> Result<()> {
        let mut before = first;
        while self.open_group()? {
            if before < self.left {
                let file = self.file.clone();
                for (reader, column) in self.readers.iter_mut().zip(file.columns()) {
                    let reading = ColumnReading { source: &file.source, column };
                    reading.read(reader, &mut Nothing, before)?;
                }
                (self.left, self.next_row) = (self.left - before, first);
                return Ok(());
            }
            before -= self.left;
            self.left = 0;
        }
        Ok(())
    }

    /// Opens the next row group; false after the last.
    fn open_group(&mut self) -> Result<bool> {
        let file = &self.file;
        if self.next_group == file.reader.num_row_groups() {
            return Ok(false);
        }
        let group = file.reader.get_row_group(self.next_group).map_err(|e| damaged(&file.source, &e))?;
        let rows = usize::try_from(group.metadata().num_rows());
        self.left = rows.map_err(|_| file.source.wrong(None, "the number of rows is negative"))?;
        let open = |i| group.get_column_reader(i).map_err(|e| damaged(&file.source, &e));
        self.readers = (0..file.columns().len()).map(open).collect::<Result<_>>()?;
        self.next_group += 1;
        Ok(true)
    }

    /// At most this many rows; none at the end.
    pub fn next(&mut self, rows: usize, cells: &mut [Cells]) -> Result<()> {
        let source = self.file.source.clone();
        guarded(&source, || self.read(rows, cells))
    }

    fn read(&mut self, rows: usize, cells: &mut [Cells]) -> Result<()> {
        let mut requested = rows;
        while requested > 0 && (self.left > 0 || self.open_group()?) {
            let count = requested.min(self.left);
            for ((reader, cells), column) in self.readers.iter_mut().zip(&mut *cells).zip(self.file.columns()) {
                let reading = ColumnReading { source: &self.file.source, column };
                let found = reading.read(reader, cells, count)?;
                if found != count {
                    return Err(reading.wrong(&format!("{found} rows where the row group has {count} more")));
                }
            }
            (self.left, requested, self.next_row) = (self.left - count, requested - count, self.next_row + count);
        }
        Ok(())
    }

    /// The bytes that were read, about.
    pub fn position(&self) -> u64 {
        let share = self.next_row as f64 / self.file.rows.max(1) as f64;
        (share * self.file.source.size() as f64) as u64
    }
}

impl Sink for Cells {
    fn number(&mut self, value: f64) {
        self.push_number(value);
    }

    fn text(&mut self, text: Option<&str>) -> Result<(), String> {
        self.push_text(text)
    }

    fn row(&self) -> usize {
        self.len()
    }
}

/// Discards values.
struct Nothing;

impl Sink for Nothing {
    fn number(&mut self, _: f64) {}

    fn text(&mut self, _: Option<&str>) -> Result<(), String> {
        Ok(())
    }

    fn row(&self) -> usize {
        0
    }
}
