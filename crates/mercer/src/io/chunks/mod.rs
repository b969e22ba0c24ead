//! Files that are longer than memory, some rows at a time.

mod cells;

use std::path::Path;
use std::sync::Arc;

use super::csv::{self, CsvFile, CsvRows};
use super::libsvm::{self, LibsvmRows};
use super::npy::{NpyFile, NpyRows};
use super::parquet::{ParquetFile, ParquetRows};
use super::source::Source;
use super::{Format, ReadOptions};
use crate::points::{Column, ColumnData, Csr, Table};
use crate::{Compute, Error, Result};

pub(super) use cells::{Cells, Kind};

/// A file that is read in chunks: the same columns and values as [`read_table`](super::read_table)
/// gives, without ever holding them all.
///
/// Opening it makes a first pass where one is needed to determine the columns: a column of CSV is
/// numeric unless some cell is not, the levels of a category are those of the whole file in every
/// chunk, and the width of LIBSVM is that of its longest row. NPY needs none, nor does Parquet
/// without texts. Everything that is wrong with a file is an error of the first pass or of the
/// chunk in which it stands, with the words of [`read_table`](super::read_table).
///
/// # Cost
/// The memory of one chunk, and of the levels of categories.
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let path = std::env::temp_dir().join("mercer-doctest-chunks.csv");
/// std::fs::write(&path, "a,b\n1,x\n2,y\n3,x\n").unwrap();
/// let file = io::ChunkedFile::open(&path, &io::ReadOptions::default(), &Compute::new())?;
/// let chunks = file.chunks(0, 2)?.collect::<mercer::Result<Vec<_>>>()?;
/// assert_eq!(chunks.iter().map(|c| (c.first_row, c.table.rows())).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
/// assert_eq!(chunks[1].position, file.size());
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct ChunkedFile {
    source: Arc<Source>,
    layout: Layout,
    names: Vec<String>,
    kinds: Vec<Kind>,
}

enum Layout {
    Csv(Arc<CsvFile>),
    Libsvm { width: usize, dense: bool },
    Npy(NpyFile),
    Parquet(Arc<ParquetFile>),
}

/// Some rows of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The rows; every chunk has the same columns, with the same levels.
    pub table: Table,
    /// The number of its first row in the file, counted from 0.
    pub first_row: usize,
    /// How many bytes of the file have been read; all of them after the last chunk. For progress:
    /// readers read ahead.
    pub position: u64,
}

/// The chunks of a file, in order.
pub struct Chunks {
    source: Arc<Source>,
    rows: Rows,
    names: Vec<String>,
    height: usize,
    next_row: usize,
    ended: bool,
}

enum Rows {
    Csv(CsvRows, Vec<Kind>),
    Libsvm(LibsvmRows),
    Npy(NpyRows),
    Parquet(ParquetRows, Vec<Kind>),
}

impl ChunkedFile {
    /// Opens a file and finds out what its columns hold. A pipe is held in memory, because it can
    /// be read only once.
    ///
    /// # Errors
    /// As [`read_table`](super::read_table), but for a table that is over the memory limit;
    /// [`Error::Memory`] if the levels of its categories are.
    pub fn open(path: &Path, options: &ReadOptions, compute: &Compute) -> Result<Self> {
        let format = options.format.map_or_else(|| Format::from_path(path), Ok)?;
        let source = Arc::new(Source::file(path, compute)?);
        let csv = |delimiter| CsvFile::open(source.clone(), options.header, delimiter);
        let (layout, names, kinds) = match format {
            Format::Csv | Format::Tsv => {
                let delimiter = if format == Format::Tsv { options.delimiter.or_tab() } else { options.delimiter };
                let file = csv(delimiter)?;
                let (names, kinds) = (file.names.clone(), csv::survey(&file)?);
                (Layout::Csv(file), names, kinds)
            }
            Format::Libsvm => {
                let width = libsvm::width(&source)?;
                let dense = libsvm::is_dense(&source, width, options.rows)?;
                let names = libsvm::names(width, dense);
                let kinds = vec![Kind::Numbers; names.len()];
                (Layout::Libsvm { width, dense }, names, kinds)
            }
            Format::Npy => {
                let file = NpyFile::open(source.clone())?;
                let (names, kinds) = (file.names(), vec![Kind::Numbers; file.columns()]);
                (Layout::Npy(file), names, kinds)
            }
            Format::Parquet => {
                let file = Arc::new(ParquetFile::open(source.clone())?);
                let (names, kinds) = (file.names(), file.survey()?);
                (Layout::Parquet(file), names, kinds)
            }
            other => {
                let what = format!("the format {other}");
                return Err(Error::unsupported(what, "a file read in chunks", "", "read it whole"));
            }
        };
        source.hush();
        let file = Self { source, layout, names, kinds };
        file.table(file.no_rows()?)?;
        Ok(file)
    }

    /// The columns without any row: their names, and the levels of categories.
    pub fn header(&self) -> Table {
        let none = self.no_rows().and_then(|none| self.table(none));
        none.expect("the names were checked when the file was opened")
    }

    fn no_rows(&self) -> Result<Vec<ColumnData>> {
        if let Layout::Libsvm { width, dense: false } = self.layout {
            let none = Csr::new(width, vec![0], Vec::new(), Vec::new())?;
            return Ok(vec![ColumnData::Numbers(Vec::new()), ColumnData::Objects(none.into())]);
        }
        Ok(self.kinds.iter().map(|kind| Cells::new(kind).finish()).collect())
    }

    /// The size of the file in bytes, as it is stored.
    pub fn size(&self) -> u64 {
        self.source.size()
    }

    /// The rows from `first` on, so many at a time.
    ///
    /// # Errors
    /// [`Error::Parameter`] for chunks of no rows; [`Error::File`].
    pub fn chunks(&self, first: usize, rows: usize) -> Result<Chunks> {
        if rows == 0 {
            return Err(Error::parameter("rows", rows, 1..));
        }
        let (source, names) = (self.source.clone(), self.names.clone());
        let kinds = self.kinds.clone();
        let reader = match &self.layout {
            Layout::Csv(file) => Rows::Csv(CsvRows::new(file, first)?, kinds),
            Layout::Libsvm { width, dense } => Rows::Libsvm(LibsvmRows::new(source.clone(), (*width, *dense), first)?),
            Layout::Npy(file) => Rows::Npy(file.rows(first)?),
            Layout::Parquet(file) => Rows::Parquet(ParquetRows::new(file.clone(), first)?, kinds),
        };
        Ok(Chunks { source, rows: reader, names, height: rows, next_row: first, ended: false })
    }

    fn table(&self, data: Vec<ColumnData>) -> Result<Table> {
        let table = named(&self.names, data, matches!(self.layout, Layout::Libsvm { .. }));
        table.map_err(|error| self.source.wrong(None, error.to_string()))
    }
}

fn named(names: &[String], data: Vec<ColumnData>, labeled: bool) -> Result<Table> {
    let column = |(name, data): (&String, ColumnData)| Column { name: name.clone(), data };
    let table = Table::from_columns(names.iter().zip(data).map(column).collect())?;
    if labeled { table.with_label(libsvm::LABEL) } else { Ok(table) }
}

impl Chunks {
    fn read(&mut self) -> Result<Table> {
        self.source.compute.check_canceled()?;
        let height = self.height;
        let data = match &mut self.rows {
            Rows::Csv(rows, kinds) => filled(kinds, |cells| rows.next(height, cells))?,
            Rows::Parquet(rows, kinds) => filled(kinds, |cells| rows.next(height, cells))?,
            Rows::Libsvm(rows) => rows.next(height)?,
            Rows::Npy(rows) => rows.next(height)?,
        };
        named(&self.names, data, matches!(self.rows, Rows::Libsvm(_)))
    }

    fn bytes_read(&self) -> u64 {
        match &self.rows {
            Rows::Csv(..) | Rows::Libsvm(_) => self.source.passed(),
            Rows::Npy(rows) => rows.position(),
            Rows::Parquet(rows, _) => rows.position(),
        }
    }
}

fn filled(kinds: &[Kind], fill: impl FnOnce(&mut [Cells]) -> Result<()>) -> Result<Vec<ColumnData>> {
    let mut cells: Vec<Cells> = kinds.iter().map(Cells::new).collect();
    fill(&mut cells)?;
    Ok(cells.into_iter().map(Cells::finish).collect())
}

impl Iterator for Chunks {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let table = self.read();
        // A short chunk is the last one; after an error nothing can be relied upon.
        self.ended = table.as_ref().map_or(true, |table| table.rows() < self.height);
        match table {
            Ok(table) if table.rows() == 0 => None,
            Ok(table) => {
                let first_row = self.next_row;
                self.next_row += table.rows();
                let position = if self.ended { self.source.size() } else { self.bytes_read() };
                Some(Ok(Chunk { table, first_row, position }))
            }
            Err(error) => Some(Err(error)),
        }
    }
}
