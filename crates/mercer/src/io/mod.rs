//! Files: CSV, TSV, LIBSVM, NPY, Parquet, FASTA, graphs and models; writes are atomic.
//!
//! A wrong file gives [`Error::Format`] with the file, the line where there are lines, and the
//! reason.

mod atomic;
mod chunks;
mod csv;
mod fasta;
mod format;
mod graphs;
mod libsvm;
mod meter;
mod model_file;
mod npy;
mod number;
#[cfg_attr(not(feature = "parquet"), path = "parquet_absent.rs")]
mod parquet;
mod source;
mod streamed;
mod text_file;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::error::MemoryPurpose;
use crate::points::Table;
use crate::{Compute, Error, Result};

pub use atomic::atomic_write;
pub use chunks::{Chunk, ChunkedFile, Chunks};
pub use csv::{Delimiter, Header, write_table_csv, write_table_csv_to};
pub use fasta::{Fasta, read_fasta};
pub use format::Format;
pub use graphs::{GraphMlNames, read_edge_lists, read_graphml, read_tu};
pub use libsvm::{LabeledRows, read_libsvm, read_libsvm_model, write_libsvm, write_libsvm_model};
pub use model_file::{
    load_model, load_sketch, read_model, read_sketch, save_model, save_sketch, write_model, write_sketch,
};
pub use npy::{NpyNumber, NpyWriter, read_npy, write_npy};
pub use number::format_number;
#[cfg(feature = "parquet")]
pub use parquet::write_parquet;
pub use streamed::{
    Checkpoint, FileRules, PartStatistics, PassOptions, Resumed, Roles, RowPart, StreamedModel, StreamedTest,
    SurveyedFile,
};

use source::Source;

/// How a table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The format; by default it is determined by the file extension.
    pub format: Option<Format>,
    /// Whether a CSV or TSV file has a header.
    pub header: Header,
    /// What separates the cells of a CSV file.
    pub delimiter: Delimiter,
    /// Whether the rows of a LIBSVM file are stored with their zeros.
    pub rows: RowLayout,
}

/// Whether the rows of a LIBSVM file are stored with their zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RowLayout {
    /// A column of numbers per index.
    #[default]
    Dense,
    /// One column of sparse vectors, `x`.
    Sparse,
    /// Sparse if the dense columns take more than eight times the memory, or are over the memory
    /// limit.
    BySize,
}

/// Reads a table from a file. The format is determined by the extension (`.csv`, `.tsv`, `.libsvm`,
/// `.svm`, `.npy`, `.parquet`, `.fasta`, `.fa`, `.fna`, `.faa`, `.graphml`, `.edges`, `.edgelist`)
/// unless the options specify it; compressed files (gzip) are recognized by their first bytes. A
/// folder holds graphs.
///
/// - **CSV, TSV**: quoting, byte order mark, CRLF, blank lines are understood; see [`Header`] and
///   [`Delimiter`]. Space around a cell is not part of it. Missing values: an empty cell, `NA`,
///   `N/A`, `NaN`, `nan`, `null`, `?`. A column whose other cells are all numbers (decimal points
///   only) holds numbers, any other one categories.
/// - **LIBSVM**: columns `target`, `x1`, …, `xd`, or `target` and sparse vectors `x`
///   ([`RowLayout`]); `target` is the [label](Table::label) of the table.
/// - **NPY**: columns `x0`, `x1`, …; one- and two-dimensional arrays of real numbers.
/// - **Parquet**: booleans (0 and 1), numbers and strings; dates and times as the integers that are
///   stored.
/// - **FASTA**: the columns `id` and `sequence` (strings), and the label `label`, the word after the
///   first `|` of every header, where all have one ([`read_fasta`]).
/// - **Graphs**: the column `graph`. A folder in the TU format has the label `label`
///   ([`read_tu`]); a GraphML file or an edge list, and a folder of them, the column `id`
///   ([`read_graphml`], [`read_edge_lists`] as undirected graphs).
///
/// # Cost
/// A text file is read once, and a second time if a column turns out to be text after some numbers.
///
/// # Errors
/// [`Error::File`] if the file cannot be read, [`Error::Format`] if it is not what it should be,
/// [`Error::Memory`] if the table is over the memory limit, [`Error::Canceled`].
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let path = std::env::temp_dir().join("mercer-doctest-read-table.csv");
/// std::fs::write(&path, "speed;kind\n4.5;slow\n7;fast\n").unwrap();
/// let table = io::read_table(&path, &io::ReadOptions::default(), &Compute::new())?;
/// assert_eq!(table.rows(), 2);
/// assert_eq!(table.summary()[0].numbers.unwrap().mean, 5.75);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn read_table(path: &Path, options: &ReadOptions, compute: &Compute) -> Result<Table> {
    // A folder with the ending of a file is no folder of graphs.
    let named = options.format.or_else(|| Format::from_path(path).ok());
    if path.is_dir() && matches!(named, None | Some(Format::Tu | Format::GraphMl | Format::Edges)) {
        return graphs::read_folder(path, options.format, compute);
    }
    let format = options.format.map_or_else(|| Format::from_path(path), Ok)?;
    if matches!(format, Format::GraphMl | Format::Edges) {
        return graphs::read_files(&[path.to_owned()], format, compute);
    }
    read_source(&Arc::new(Source::file(path, compute)?), format, options)
}

/// Reads a table from a stream, such as standard input; `name` names the file in errors.
///
/// Without a format in the options it is determined by the extension, then by the first bytes (NPY,
/// Parquet), else it is CSV.
///
/// # Cost
/// The (compressed) stream is held in memory while it is read.
///
/// # Errors
/// As [`read_table`].
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let text = "4,2\n7,4\n";
/// let table = io::read_table_from(text.as_bytes(), "-", &io::ReadOptions::default(), &Compute::new())?;
/// assert_eq!(table.names().collect::<Vec<_>>(), ["x0", "x1"]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn read_table_from(reader: impl Read, name: &str, options: &ReadOptions, compute: &Compute) -> Result<Table> {
    let source = Arc::new(Source::stream(reader, name, compute)?);
    let by_name = options.format.or_else(|| Format::from_path(Path::new(name)).ok());
    let format = by_name.map_or_else(|| source.guess_format(), Ok)?;
    read_source(&source, format, options)
}

fn read_source(source: &Arc<Source>, format: Format, options: &ReadOptions) -> Result<Table> {
    match format {
        Format::Csv => csv::read(source.clone(), options.header, options.delimiter),
        Format::Tsv => csv::read(source.clone(), options.header, options.delimiter.or_tab()),
        Format::Libsvm => libsvm::read(source, options.rows),
        Format::Npy => npy::read_table(source),
        Format::Parquet => parquet::read(source),
        Format::Fasta => fasta::read_table(source),
        Format::Tu | Format::GraphMl | Format::Edges => {
            let what = format!("the format {format}");
            Err(Error::unsupported(what, "this data", "it is read from files", "give a file or a folder"))
        }
    }
}

/// Bytes of a column beside its numbers: its names, the rules of its encoding, its coordinate.
const COLUMN: u64 = 1024;

/// Asks the memory budget for what columns take by themselves, before anything is made for each of
/// them: a damaged or hostile header can claim billions of columns in a few bytes.
fn reserve_columns(source: &Source, count: usize) -> Result<()> {
    let what = format!("a table of the {count} columns of {}", source.name.display());
    let advice = "raise the limit, or make a file with fewer columns";
    source.compute.reserve(MemoryPurpose::File, &what, (count as u64).saturating_mul(COLUMN), advice)
}

/// Names `x0`, `x1`, … for columns that have none.
fn numbered_name(index: usize) -> String {
    format!("x{index}")
}

/// An empty vector with room for `count` values, or an error instead of an abort.
fn room_for<T>(what: &str, count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    values.try_reserve_exact(count).map_err(|_| Error::Memory {
        purpose: MemoryPurpose::Table,
        what: what.to_owned(),
        needed: bytes,
        limit: bytes.saturating_sub(1),
        remedy: "the system refuses to give that much memory; use fewer rows or columns".into(),
    })?;
    Ok(values)
}
