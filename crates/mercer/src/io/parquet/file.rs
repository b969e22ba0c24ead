//! An opened Parquet file whose footer was checked.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};

use super::super::reserve_columns;
use super::super::source::Source;
use crate::{Error, Result};

/// A file of flat columns.
pub(in super::super) struct ParquetFile {
    pub source: Arc<Source>,
    pub reader: Box<dyn FileReader>,
    pub rows: usize,
}

impl ParquetFile {
    /// Reads the footer, and refuses what cannot be read.
    pub fn open(source: Arc<Source>) -> Result<Self> {
        if source.is_compressed() {
            return Err(source.wrong(None, "a Parquet file is compressed inside: unpack the .gz around it"));
        }
        guarded(&source, || {
            let reader = match source.memory() {
                Some(bytes) => footer(&source, bytes)?,
                None => {
                    let failed = |error| Error::File { path: source.name.clone(), source: error };
                    footer(&source, File::open(&source.name).map_err(failed)?)?
                }
            };
            let facts = reader.metadata().file_metadata();
            reserve_columns(&source, facts.schema_descr().num_columns())?;
            facts.schema_descr().columns().iter().try_for_each(|column| refuse_nested(&source, column))?;
            let rows = usize::try_from(facts.num_rows());
            let rows = rows.map_err(|_| source.wrong(None, "the number of rows is negative"))?;
            refuse_negative_offsets(&source, &*reader)?;
            Ok(Self { source: source.clone(), reader, rows })
        })
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[ColumnDescPtr] {
        self.reader.metadata().file_metadata().schema_descr().columns()
    }

    pub fn names(&self) -> Vec<String> {
        self.columns().iter().map(|column| column.name().to_owned()).collect()
    }
}

/// Does some work with the decoder beneath, which may panic on a damaged file: that becomes an
/// error.
pub(super) fn guarded<T>(source: &Source, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(source.wrong(None, "the Parquet file is damaged")))
}

pub(super) fn damaged(source: &Source, error: &ParquetError) -> Error {
    source.wrong(None, format!("not a readable Parquet file: {error}"))
}

fn footer<R: ChunkReader + 'static>(source: &Source, bytes: R) -> Result<Box<dyn FileReader>> {
    Ok(Box::new(SerializedFileReader::new(bytes).map_err(|e| damaged(source, &e))?))
}

fn refuse_nested(source: &Source, column: &ColumnDescriptor) -> Result<()> {
    if column.path().parts().len() == 1 && column.max_rep_level() == 0 {
        return Ok(());
    }
    let name = column.path().string();
    Err(source.wrong(
        None,
        format!("column `{name}` is nested (a list, a map or a structure): only flat columns can be read"),
    ))
}

/// The decoder beneath does not validate the offsets of the footer.
fn refuse_negative_offsets(source: &Source, file: &dyn FileReader) -> Result<()> {
    let chunks = file.metadata().row_groups().iter().flat_map(|group| group.columns());
    let start = |offset: i64, dictionary: Option<i64>| dictionary.unwrap_or(offset).min(offset);
    let mut lowest = chunks.map(|c| start(c.data_page_offset(), c.dictionary_page_offset()).min(c.compressed_size()));
    if lowest.any(|number| number < 0) {
        return Err(source.wrong(None, "the Parquet file is damaged: its footer holds a negative offset or length"));
    }
    Ok(())
}
