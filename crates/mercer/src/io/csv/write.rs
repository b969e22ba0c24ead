//! The CSV writer.

use std::io::{self, Write};
use std::path::Path;

use super::super::atomic_write;
use super::super::number::format_number;
use crate::Result;
use crate::points::{Column, ColumnData, Table};

/// Writes a table as CSV with a header, whole or not at all.
///
/// Numbers are printed so that they read back exactly; a missing value is an empty cell; cells are
/// quoted where needed. Categories read back as they were, unless their levels look like numbers or
/// like missing values, or have space around them.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written.
pub fn write_table_csv(path: &Path, table: &Table) -> Result<()> {
    atomic_write(path, |out| write_table_csv_to(out, table))
}

/// Writes a table as CSV to a stream, as [`write_table_csv`] does to a file.
///
/// # Errors
/// The error of the operating system.
///
/// # Example
/// ```
/// use mercer::points::{Column, Table};
/// let table = Table::from_columns(vec![
///     Column::numbers("x", vec![0.1, f64::NAN]),
///     Column::categories("note", [Some("a,b"), Some("c")]),
/// ])?;
/// let mut text = Vec::new();
/// mercer::io::write_table_csv_to(&mut text, &table).unwrap();
/// assert_eq!(text, b"x,note\n0.1,\"a,b\"\n,c\n");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn write_table_csv_to(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    if table.columns().is_empty() {
        return Ok(());
    }
    let mut writer = csv::WriterBuilder::new().buffer_capacity(1 << 16).from_writer(out);
    writer.write_record(table.names()).map_err(plain)?;
    for row in 0..table.rows() {
        for column in table.columns() {
            write_cell(&mut writer, column, row).map_err(plain)?;
        }
        writer.write_record(None::<&[u8]>).map_err(plain)?;
    }
    writer.flush()
}

fn write_cell(writer: &mut csv::Writer<&mut dyn Write>, column: &Column, row: usize) -> csv::Result<()> {
    match &column.data {
        ColumnData::Numbers(values) => writer.write_field(format_number(values[row])),
        ColumnData::Categories { codes, levels } => {
            writer.write_field(codes[row].map_or("", |code| levels[code as usize].as_str()))
        }
        objects => writer.write_field(objects.object_text(row)),
    }
}

/// The system's error inside the CSV writer's.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
