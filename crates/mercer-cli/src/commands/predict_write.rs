//! Predictions as files: CSV, TSV, NPY, Parquet.

use std::io::Write;
use std::path::Path;

use mercer::io::{self, Format, NpyNumber, write_npy, write_parquet, write_table_csv};
use mercer::points::{ColumnData, Table};
use ndarray::Array2;

use crate::failure::Failure;

/// How predictions can be written.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layout {
    Csv,
    Tsv,
    Npy,
    Parquet,
}

/// How a file of this name is written.
pub(super) fn layout(path: &Path) -> Result<Layout, Failure> {
    let device = std::fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir());
    match Format::from_path(path) {
        Ok(Format::Csv) => Ok(Layout::Csv),
        Ok(Format::Tsv) => Ok(Layout::Tsv),
        Ok(Format::Npy) => Ok(Layout::Npy),
        Ok(Format::Parquet) => Ok(Layout::Parquet),
        _ if device => Ok(Layout::Csv),
        _ => {
            let name = path.display();
            Err(Failure::request(format!("--output {name}: the name must end in .csv, .tsv, .npy or .parquet")))
        }
    }
}

/// Writes a table of predictions.
pub(super) fn write(path: &Path, table: &Table) -> Result<(), Failure> {
    match layout(path)? {
        Layout::Csv => write_table_csv(path, table)?,
        Layout::Parquet => write_parquet(path, table)?,
        Layout::Npy if table.columns().iter().any(|c| !matches!(c.data, ColumnData::Numbers(_))) => {
            let name = path.display();
            return Err(Failure::request(format!("--output {name}: labels that are texts cannot be written as .npy")));
        }
        Layout::Npy => write_npy(path, matrix(table).view(), NpyNumber::Double)?,
        Layout::Tsv => io::atomic_write(path, |out| write_tsv(out, table, true))?,
    }
    Ok(())
}

/// The rows, after the names if requested.
pub(super) fn write_tsv(out: &mut (dyn Write + Send), table: &Table, names: bool) -> std::io::Result<()> {
    if names {
        writeln!(out, "{}", table.names().collect::<Vec<_>>().join("\t"))?;
    }
    for row in 0..table.rows() {
        let cells: Vec<String> = table.columns().iter().map(|c| cell(&c.data, row)).collect();
        writeln!(out, "{}", cells.join("\t"))?;
    }
    Ok(())
}

/// A number that reads back exactly, or a label; nothing for a row that was left out.
pub(super) fn cell(data: &ColumnData, row: usize) -> String {
    match data {
        ColumnData::Numbers(values) if values[row].is_nan() => String::new(),
        ColumnData::Numbers(values) => io::format_number(values[row]),
        ColumnData::Categories { codes, levels } => codes[row].map_or_else(String::new, |c| levels[c as usize].clone()),
        _ => String::new(),
    }
}

fn matrix(table: &Table) -> Array2<f64> {
    let values = |j: usize| match &table.columns()[j].data {
        ColumnData::Numbers(values) => values.as_slice(),
        _ => &[],
    };
    Array2::from_shape_fn((table.rows(), table.columns().len()), |(i, j)| values(j)[i])
}
