//! The Parquet reader.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::super::csv::Levels;
use super::super::room_for;
use super::super::source::Source;
use crate::points::{Column, ColumnData, Table};
use crate::{Error, Result};

/// Values read at a time.
const BLOCK: usize = 8192;

/// Reads a table from Parquet.
///
/// The decoder beneath may panic on a damaged file; that is caught here and becomes an error.
pub(in super::super) fn read(source: &Source<'_>) -> Result<Table> {
    if source.is_compressed() {
        return Err(source.wrong(None, "a Parquet file is compressed inside: unpack the .gz around it"));
    }
    let work = || match source.memory() {
        Some(bytes) => read_chunks(source, bytes),
        None => {
            let failed = |error| Error::File { path: source.name.clone(), source: error };
            read_chunks(source, File::open(&source.name).map_err(failed)?)
        }
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(source.wrong(None, "the Parquet file is damaged")))
}

fn read_chunks<R: ChunkReader + 'static>(source: &Source<'_>, chunks: R) -> Result<Table> {
    let file = SerializedFileReader::new(chunks).map_err(|e| damaged(source, &e))?;
    read_file(source, &file)
}

fn read_file(source: &Source<'_>, file: &dyn FileReader) -> Result<Table> {
    let facts = file.metadata().file_metadata();
    let columns = facts.schema_descr().columns();
    columns.iter().try_for_each(|column| refuse_nested(source, column))?;
    let rows = usize::try_from(facts.num_rows()).map_err(|_| source.wrong(None, "the number of rows is negative"))?;
    refuse_negative_offsets(source, file)?;
    source.reserve((rows as u64).saturating_mul(8).saturating_mul(columns.len() as u64))?;
    let mut read = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        source.compute.check_cancelled()?;
        let data = ColumnReading { source, file, column, rows }.read(i)?;
        read.push(Column { name: column.name().to_owned(), data });
        source.compute.report("reading", i as u64 + 1, columns.len() as u64);
    }
    Table::from_columns(read).map_err(|error| source.wrong(None, error.to_string()))
}

fn refuse_nested(source: &Source<'_>, column: &ColumnDescriptor) -> Result<()> {
    if column.path().parts().len() == 1 && column.max_rep_level() == 0 {
        return Ok(());
    }
    let name = column.path().string();
    Err(source.wrong(
        None,
        format!("column `{name}` is nested (a list, a map or a structure): only flat columns can be read"),
    ))
}

/// The decoder beneath takes the offsets of the footer on trust.
fn refuse_negative_offsets(source: &Source<'_>, file: &dyn FileReader) -> Result<()> {
    let chunks = file.metadata().row_groups().iter().flat_map(|group| group.columns());
    let start = |offset: i64, dictionary: Option<i64>| dictionary.unwrap_or(offset).min(offset);
    let mut lowest = chunks.map(|c| start(c.data_page_offset(), c.dictionary_page_offset()).min(c.compressed_size()));
    if lowest.any(|number| number < 0) {
        return Err(source.wrong(None, "the Parquet file is damaged: its footer holds a negative offset or length"));
    }
    Ok(())
}

fn damaged(source: &Source<'_>, error: &ParquetError) -> Error {
    source.wrong(None, format!("not a readable Parquet file: {error}"))
}

/// One column of the file.
struct ColumnReading<'r, 's> {
    source: &'r Source<'s>,
    file: &'r dyn FileReader,
    column: &'r ColumnDescriptor,
    rows: usize,
}

impl ColumnReading<'_, '_> {
    fn read(&self, index: usize) -> Result<ColumnData> {
        let mut cells = match self.column.physical_type() {
            parquet::basic::Type::BYTE_ARRAY => Cells::Text(Levels::default()),
            _ => Cells::Numbers(room_for("a column", self.rows.min(self.plausible_rows()))?),
        };
        for group in 0..self.file.num_row_groups() {
            let group = self.file.get_row_group(group).map_err(|e| damaged(self.source, &e))?;
            let reader = group.get_column_reader(index).map_err(|e| damaged(self.source, &e))?;
            self.read_group(reader, &mut cells)?;
        }
        match cells.finish() {
            data if data.len() == self.rows => Ok(data),
            data => Err(self.wrong(&format!("{} rows where the file has {}", data.len(), self.rows))),
        }
    }

    /// A damaged file may claim any number of rows: room is made beforehand only for what its size allows.
    fn plausible_rows(&self) -> usize {
        usize::try_from(self.source.size().saturating_mul(64)).unwrap_or(usize::MAX)
    }

    fn read_group(&self, reader: ColumnReader, cells: &mut Cells) -> Result<()> {
        let scale = 10.0_f64.powi(decimal_scale(self.column));
        let unsigned = is_unsigned(self.column);
        match reader {
            ColumnReader::BoolColumnReader(r) => self.numbers(r, cells, |v| f64::from(u8::from(*v))),
            ColumnReader::FloatColumnReader(r) => self.numbers(r, cells, |v| f64::from(*v)),
            ColumnReader::DoubleColumnReader(r) => self.numbers(r, cells, |v| *v),
            ColumnReader::Int32ColumnReader(r) if unsigned => self.numbers(r, cells, |v| f64::from(*v as u32)),
            ColumnReader::Int32ColumnReader(r) => self.numbers(r, cells, |v| f64::from(*v) / scale),
            ColumnReader::Int64ColumnReader(r) if unsigned => self.numbers(r, cells, |v| *v as u64 as f64),
            ColumnReader::Int64ColumnReader(r) => self.numbers(r, cells, |v| *v as f64 / scale),
            ColumnReader::ByteArrayColumnReader(r) if !is_decimal(self.column) => self.texts(r, cells),
            _ => Err(self.wrong(&format!("values of type {} cannot be read", self.type_name()))),
        }
    }

    fn numbers<T: DataType>(
        &self,
        reader: ColumnReaderImpl<T>,
        cells: &mut Cells,
        number: impl Fn(&T::T) -> f64,
    ) -> Result<()> {
        self.each_value(reader, |value| {
            if let Cells::Numbers(values) = cells {
                values.push(value.map_or(f64::NAN, &number));
            }
            Ok(())
        })
    }

    fn texts(&self, reader: ColumnReaderImpl<parquet::data_type::ByteArrayType>, cells: &mut Cells) -> Result<()> {
        self.each_value(reader, |value: Option<&ByteArray>| {
            let Cells::Text(levels) = &mut *cells else { return Ok(()) };
            let text = value.map(|v| std::str::from_utf8(v.data())).transpose();
            let row = levels.len();
            levels.push_text(text.map_err(|_| self.wrong(&format!("row {row} is not valid UTF-8")))?);
            Ok(())
        })
    }

    /// Gives each value of the row group, or `None` for a null, to `take`.
    fn each_value<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        mut take: impl FnMut(Option<&T::T>) -> Result<()>,
    ) -> Result<()> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let present = self.column.max_def_level();
        loop {
            levels.clear();
            values.clear();
            let read = reader.read_records(BLOCK, Some(&mut levels), None, &mut values);
            let (records, _, _) = read.map_err(|e| damaged(self.source, &e))?;
            if records == 0 {
                return Ok(());
            }
            self.source.compute.check_cancelled()?;
            let mut next = values.iter();
            for i in 0..records {
                let is_null = levels.get(i).is_some_and(|level| *level < present);
                take(if is_null { None } else { next.next() })?;
            }
        }
    }

    fn type_name(&self) -> String {
        let stored = self.column.physical_type();
        self.column.logical_type_ref().map_or(stored.to_string(), |logical| format!("{logical:?} ({stored})"))
    }

    fn wrong(&self, reason: &str) -> Error {
        self.source.wrong(None, format!("column `{}`: {reason}", self.column.name()))
    }
}

/// The values of a column as they come.
enum Cells {
    Numbers(Vec<f64>),
    Text(Levels),
}

impl Cells {
    fn finish(self) -> ColumnData {
        match self {
            Self::Numbers(values) => ColumnData::Numbers(values),
            Self::Text(levels) => levels.finish(),
        }
    }
}

fn is_unsigned(column: &ColumnDescriptor) -> bool {
    use ConvertedType::{UINT_8, UINT_16, UINT_32, UINT_64};
    matches!(column.logical_type_ref(), Some(LogicalType::Integer(kind)) if !kind.is_signed)
        || matches!(column.converted_type(), UINT_8 | UINT_16 | UINT_32 | UINT_64)
}

fn is_decimal(column: &ColumnDescriptor) -> bool {
    matches!(column.logical_type_ref(), Some(LogicalType::Decimal(_)))
        || column.converted_type() == ConvertedType::DECIMAL
}

/// How many digits stand after the point; 0 for what is not a decimal.
fn decimal_scale(column: &ColumnDescriptor) -> i32 {
    if is_decimal(column) { column.type_scale() } else { 0 }
}
