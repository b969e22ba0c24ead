//! An NPY file, some rows at a time.

use std::io::Read;
use std::sync::Arc;

use super::super::source::Source;
use super::super::{numbered_name, reserve_columns};
use super::header::NpyHeader;
use super::read::{check_size, read_header, read_values};
use crate::Result;
use crate::points::ColumnData;

/// A file and its header.
#[derive(Clone)]
pub(in super::super) struct NpyFile {
    source: Arc<Source>,
    header: NpyHeader,
}

/// The rows that are left.
pub(in super::super) struct NpyRows {
    file: NpyFile,
    next: usize,
    /// Where the next row is, for numbers in the order of rows.
    reader: Option<Box<dyn Read + Send>>,
}

impl NpyFile {
    pub fn open(source: Arc<Source>) -> Result<Self> {
        let header = read_header(&source, &mut *source.open()?)?;
        check_size(&source, &header)?;
        reserve_columns(&source, header.columns)?;
        if header.fortran && header.columns > 1 && source.is_compressed() {
            let reason = "a compressed file in the order of columns cannot be read in chunks of rows: unpack it";
            return Err(source.wrong(None, reason));
        }
        Ok(Self { source, header })
    }

    pub fn columns(&self) -> usize {
        self.header.columns
    }

    pub fn names(&self) -> Vec<String> {
        (0..self.header.columns).map(numbered_name).collect()
    }

    /// The rows from `first` on.
    pub fn rows(&self, first: usize) -> Result<NpyRows> {
        let first = first.min(self.header.rows);
        let sequential = !self.header.fortran || self.header.columns == 1;
        let at = self.byte(first * self.header.columns);
        let reader = sequential.then(|| self.source.open_at(at)).transpose()?;
        Ok(NpyRows { file: self.clone(), next: first, reader })
    }

    fn byte(&self, number: usize) -> u64 {
        self.header.length + number as u64 * self.header.size as u64
    }
}

impl NpyRows {
    /// At most this many rows; none at the end.
    pub fn next(&mut self, count: usize) -> Result<Vec<ColumnData>> {
        let NpyFile { source, header } = &self.file;
        let rows = count.min(header.rows - self.next);
        let columns = match &mut self.reader {
            Some(reader) => {
                let values = read_values(source, &mut **reader, header, rows * header.columns)?;
                let column = |j: usize| values.iter().skip(j).step_by(header.columns.max(1)).copied().collect();
                (0..header.columns).map(column).collect()
            }
            None => (0..header.columns).map(|j| self.column(j, rows)).collect::<Result<Vec<Vec<f64>>>>()?,
        };
        self.next += rows;
        Ok(columns.into_iter().map(ColumnData::Numbers).collect())
    }

    /// Some numbers of a column that lies in one piece.
    fn column(&self, j: usize, rows: usize) -> Result<Vec<f64>> {
        let NpyFile { source, header } = &self.file;
        let mut reader = source.open_at(self.file.byte(j * header.rows + self.next))?;
        read_values(source, &mut *reader, header, rows)
    }

    /// The bytes that were read, about.
    pub fn position(&self) -> u64 {
        let share = self.next as f64 / self.file.header.rows.max(1) as f64;
        (share * self.file.source.size() as f64) as u64
    }
}
