//! The Parquet writer: numbers as doubles, categories as strings, missing values as nulls.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::super::atomic_write;
use crate::Result;
use crate::points::{Column, ColumnData, Table};

/// Rows per row group. The default of the `parquet` crate.
const GROUP: usize = 1 << 20;

/// Writes a table as Parquet (compressed with Snappy), whole or not at all.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written.
pub fn write_parquet(path: &Path, table: &Table) -> Result<()> {
    atomic_write(path, |out| write_table(out, table).map_err(plain))
}

fn write_table(out: &mut (dyn Write + Send), table: &Table) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(out, schema(table)?, Arc::new(properties))?;
    for start in (0..table.rows()).step_by(GROUP) {
        let rows = start..table.rows().min(start + GROUP);
        let mut group = writer.next_row_group()?;
        for column in table.columns() {
            if let Some(out) = group.next_column()? {
                write_column(out, &column.data, rows.clone())?;
            }
        }
        group.close()?;
    }
    writer.close().map(|_| ())
}

fn schema(table: &Table) -> Result<TypePtr, ParquetError> {
    let fields = table.columns().iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build().map(Arc::new)
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let (stored, logical) = match column.data {
        ColumnData::Numbers(_) => (PhysicalType::DOUBLE, None),
        _ => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(&column.name, stored).with_repetition(Repetition::OPTIONAL);
    builder.with_logical_type(logical).build().map(Arc::new)
}

fn write_column(
    mut out: SerializedColumnWriter<'_>,
    data: &ColumnData,
    rows: std::ops::Range<usize>,
) -> Result<(), ParquetError> {
    let present: Vec<i16> = rows.clone().map(|row| i16::from(!data.is_missing(row))).collect();
    match data {
        ColumnData::Numbers(values) => {
            let values: Vec<f64> = values[rows].iter().copied().filter(|v| !v.is_nan()).collect();
            out.typed::<DoubleType>().write_batch(&values, Some(&present), None)?;
        }
        ColumnData::Categories { codes, levels } => {
            let levels: Vec<ByteArray> = levels.iter().map(|level| ByteArray::from(level.as_str())).collect();
            let values: Vec<ByteArray> = codes[rows].iter().flatten().map(|&c| levels[c as usize].clone()).collect();
            out.typed::<ByteArrayType>().write_batch(&values, Some(&present), None)?;
        }
        objects => {
            let values: Vec<ByteArray> = rows.map(|row| ByteArray::from(objects.object_text(row).as_str())).collect();
            out.typed::<ByteArrayType>().write_batch(&values, Some(&present), None)?;
        }
    }
    out.close()
}

/// The system's error inside the Parquet writer's.
fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
