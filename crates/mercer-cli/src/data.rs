//! From DATA arguments to points: reading, choice of columns, encoding.

use std::path::Path;

use mercer::Error;
use mercer::io::{self, ReadOptions};
use mercer::points::{Encoded, EncodedColumn, Encoding, FittedEncoding, Table};

use crate::arguments::DataOptions;
use crate::failure::Failure;
use crate::flags::advice_on_data;
use crate::session::Session;

/// Reads a table from a file, or from standard input for `-`.
pub fn read_table(path: &Path, session: &Session) -> Result<Table, Failure> {
    let options = ReadOptions { format: session.common.format, ..ReadOptions::default() };
    if is_standard_input(path) {
        let input = std::io::stdin().lock();
        return Ok(io::read_table_from(input, "standard input", &options, &session.compute)?);
    }
    Ok(io::read_table(path, &options, &session.compute)?)
}

/// Whether the word stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A table as points, with the rules that made them.
pub struct EncodedData {
    /// The points and the names of their coordinates.
    pub encoded: Encoded,
    encoding: FittedEncoding,
}

impl EncodedData {
    /// Reads the file and turns its chosen columns into vectors.
    pub fn read(path: &Path, options: &DataOptions, session: &Session) -> Result<Self, Failure> {
        let table = choose_features(read_table(path, session)?, &options.columns)?;
        if table.rows() == 0 {
            return Err(Failure::request(format!("{}: there is no row of data", shown(path))));
        }
        let rules = Encoding {
            missing: options.missing.map(Into::into).unwrap_or_default(),
            scaling: options.scale.map(Into::into).unwrap_or_default(),
        };
        let encoding = rules.fit(&table).map_err(|e| named(e, path))?;
        let encoded = encoding.apply(&table).map_err(|e| named(e, path))?;
        if encoded.matrix.nrows() == 0 {
            return Err(Failure::request(format!("{}: --missing drop leaves no row", shown(path))));
        }
        Ok(Self { encoded, encoding })
    }

    /// Another file with the same columns, encoded by the rules of this one.
    pub fn read_alike(&self, path: &Path, options: &DataOptions, session: &Session) -> Result<Encoded, Failure> {
        let table = read_table(path, session)?;
        let table = if options.columns.is_empty() {
            table.features()
        } else {
            let names = self.encoding.columns().iter().map(EncodedColumn::name);
            table.select(names).map_err(|e| Failure::request(format!("{}: {e}", shown(path))))?
        };
        self.encoding.apply(&table).map_err(|e| named(e, path))
    }
}

/// The columns requested, or all but the label that the format has (LIBSVM): the label is a feature
/// only if requested.
pub fn choose_features(table: Table, columns: &[String]) -> Result<Table, Failure> {
    without_label(choose(table, columns)?)
}

/// The features of a table, of which there must be some where there is a label.
pub fn without_label(table: Table) -> Result<Table, Failure> {
    let labeled = table.label().is_some();
    let features = table.features();
    if labeled && features.columns().is_empty() {
        return Err(Failure::request("there is no feature: the file holds only its label"));
    }
    Ok(features)
}

/// The columns requested, or all.
pub fn choose(table: Table, columns: &[String]) -> Result<Table, Failure> {
    if columns.is_empty() {
        return Ok(table);
    }
    let names: Vec<String> = columns.iter().flat_map(|c| expand(&table, c.trim())).collect();
    table.select(&names).map_err(|e| Failure::request(format!("--columns: {e}")))
}

/// `2-5` stands for the columns 2, 3, 4, 5, unless a column bears that name.
pub fn expand(table: &Table, text: &str) -> Vec<String> {
    let range = text.split_once('-').and_then(|(a, b)| Some((a.parse::<usize>().ok()?, b.parse::<usize>().ok()?)));
    match range {
        Some((first, last)) if first <= last && last < table.columns().len() && table.names().all(|n| n != text) => {
            (first..=last).map(|j| j.to_string()).collect()
        }
        _ => vec![text.to_string()],
    }
}

/// The first names of a list that may be very long.
pub fn few(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    let rest = names.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(", … {rest} more") } else { String::new() };
    format!("{}{more}", names[..names.len() - rest].join(", "))
}

/// A file as messages name it.
pub fn shown(path: &Path) -> String {
    if is_standard_input(path) { "standard input".into() } else { path.display().to_string() }
}

/// The error with the name of the file, and the flag that helps against missing values.
pub fn named(error: Error, path: &Path) -> Failure {
    match error {
        Error::Value { row, column, value, requirement, .. } => {
            Failure::advised(Error::Value { what: shown(path), row, column, value, requirement }, advice_on_data)
        }
        other => other.into(),
    }
}
