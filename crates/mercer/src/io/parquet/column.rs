//! The values of one column.

use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::schema::types::ColumnDescriptor;

use super::super::source::Source;
use super::file::damaged;
use crate::{Error, Result};

/// Values read at a time.
const BLOCK: usize = 8192;

/// Takes the values of a column.
pub(super) trait Sink {
    /// A number; NaN for none.
    fn number(&mut self, value: f64);
    /// A text, or none; the reason if it cannot be taken.
    fn text(&mut self, text: Option<&str>) -> Result<(), String>;
    /// The row that comes next.
    fn row(&self) -> usize;
}

/// How one column is read.
#[derive(Clone, Copy)]
pub(super) struct ColumnReading<'r> {
    pub source: &'r Source,
    pub column: &'r ColumnDescriptor,
}

impl ColumnReading<'_> {
    /// Whether the column holds texts.
    pub fn is_text(&self) -> bool {
        self.column.physical_type() == parquet::basic::Type::BYTE_ARRAY
    }

    /// Returns at most `most` values to the sink; how many there were.
    pub fn read(&self, reader: &mut ColumnReader, sink: &mut impl Sink, most: usize) -> Result<usize> {
        let scale = 10.0_f64.powi(decimal_scale(self.column));
        let unsigned = is_unsigned(self.column);
        match reader {
            ColumnReader::BoolColumnReader(r) => self.numbers(r, sink, most, |v| f64::from(u8::from(*v))),
            ColumnReader::FloatColumnReader(r) => self.numbers(r, sink, most, |v| f64::from(*v)),
            ColumnReader::DoubleColumnReader(r) => self.numbers(r, sink, most, |v| *v),
            ColumnReader::Int32ColumnReader(r) if unsigned => self.numbers(r, sink, most, |v| f64::from(*v as u32)),
            ColumnReader::Int32ColumnReader(r) => self.numbers(r, sink, most, |v| f64::from(*v) / scale),
            ColumnReader::Int64ColumnReader(r) if unsigned => self.numbers(r, sink, most, |v| *v as u64 as f64),
            ColumnReader::Int64ColumnReader(r) => self.numbers(r, sink, most, |v| *v as f64 / scale),
            ColumnReader::ByteArrayColumnReader(r) if !is_decimal(self.column) => self.texts(r, sink, most),
            _ => Err(self.wrong(&format!("values of type {} cannot be read", self.type_name()))),
        }
    }

    fn numbers<T: DataType>(
        &self,
        reader: &mut ColumnReaderImpl<T>,
        sink: &mut impl Sink,
        most: usize,
        number: impl Fn(&T::T) -> f64,
    ) -> Result<usize> {
        self.each_value(reader, most, |value| {
            sink.number(value.map_or(f64::NAN, &number));
            Ok(())
        })
    }

    fn texts(&self, reader: &mut ColumnReaderImpl<ByteArrayType>, sink: &mut impl Sink, most: usize) -> Result<usize> {
        self.each_value(reader, most, |value: Option<&ByteArray>| {
            let text = value.map(|v| std::str::from_utf8(v.data())).transpose();
            let text = text.map_err(|_| self.wrong(&format!("row {} is not valid UTF-8", sink.row())))?;
            sink.text(text).map_err(|reason| self.wrong(&reason))
        })
    }

    /// Returns at most `most` values of the row group, or `None` for a null, to `take`.
    fn each_value<T: DataType>(
        &self,
        reader: &mut ColumnReaderImpl<T>,
        most: usize,
        mut take: impl FnMut(Option<&T::T>) -> Result<()>,
    ) -> Result<usize> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let present = self.column.max_def_level();
        let mut total = 0;
        while total < most {
            levels.clear();
            values.clear();
            let read = reader.read_records(BLOCK.min(most - total), Some(&mut levels), None, &mut values);
            let (records, _, _) = read.map_err(|e| damaged(self.source, &e))?;
            if records == 0 {
                break;
            }
            total += records;
            self.source.compute.check_canceled()?;
            let mut next = values.iter();
            for i in 0..records {
                let is_null = levels.get(i).is_some_and(|level| *level < present);
                take(if is_null { None } else { next.next() })?;
            }
        }
        Ok(total)
    }

    fn type_name(&self) -> String {
        let stored = self.column.physical_type();
        self.column.logical_type_ref().map_or(stored.to_string(), |logical| format!("{logical:?} ({stored})"))
    }

    pub fn wrong(&self, reason: &str) -> Error {
        self.source.wrong(None, format!("column `{}`: {reason}", self.column.name()))
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
