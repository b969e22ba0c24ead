//! Reader of FASTA files.

use std::path::Path;
use std::sync::Arc;

use super::source::Source;
use super::text_file::TextFile;
use crate::points::{Column, Strings, Table};
use crate::{Compute, Result};

/// The records of a FASTA file.
#[derive(Clone, Debug, PartialEq)]
pub struct Fasta {
    /// The first word of every header.
    pub ids: Vec<String>,
    /// The word after the first `|` of every header, where it has one.
    pub labels: Vec<Option<String>>,
    /// The sequences, with the lines of a record joined and spaces left out.
    pub sequences: Strings,
}

/// Reads the records of a FASTA file, plain or compressed (gzip). Letters stay as they are; lines
/// that start with `;` are comments; a record without letters is an empty string.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be read,
/// [`Error::Format`](crate::Error::Format) with the line for letters before the first header, and
/// for a file without records.
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let path = std::env::temp_dir().join("mercer-doctest.fasta");
/// std::fs::write(&path, ">s1|coding first\nACG\nT\n>s2|other\nTTT\n").unwrap();
/// let records = io::read_fasta(&path, &Compute::new())?;
/// assert_eq!((records.ids[0].as_str(), records.labels[0].as_deref()), ("s1|coding", Some("coding")));
/// assert_eq!(records.sequences.get(0), "ACGT");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn read_fasta(path: &Path, compute: &Compute) -> Result<Fasta> {
    parse(&TextFile::read(path, compute)?)
}

/// A FASTA file as a table: the columns `id` and `sequence`, and the label `label` where every
/// header has one.
pub(super) fn read_table(source: &Arc<Source>) -> Result<Table> {
    let Fasta { ids, labels, sequences } = parse(&TextFile::of(source.clone())?)?;
    let mut columns = vec![Column::categories("id", ids.iter().map(|id| Some(id.as_str())))];
    columns.push(Column::objects("sequence", sequences));
    if labels.iter().any(Option::is_none) {
        return Table::from_columns(columns)?.with_id("id");
    }
    columns.push(Column::categories("label", labels.iter().map(Option::as_deref)));
    Table::from_columns(columns)?.with_id("id")?.with_label("label")
}

fn parse(file: &TextFile) -> Result<Fasta> {
    let (mut ids, mut labels, mut sequences) = (Vec::new(), Vec::new(), Strings::default());
    let mut letters = String::new();
    for (line, text) in file.lines().filter(|(_, text)| !text.starts_with(';')) {
        match text.strip_prefix('>') {
            Some(header) => {
                if !ids.is_empty() {
                    sequences.push(&letters);
                }
                letters.clear();
                ids.push(header.split_whitespace().next().unwrap_or_default().to_owned());
                labels.push(label(header));
            }
            None if ids.is_empty() => {
                return Err(file.error(line, "a FASTA file begins with a header, a line that starts with `>`"));
            }
            None => letters.extend(text.chars().filter(|c| !c.is_whitespace())),
        }
    }
    if ids.is_empty() {
        return Err(file.problem("there is no record, a header that starts with `>` and its letters"));
    }
    sequences.push(&letters);
    Ok(Fasta { ids, labels, sequences })
}

/// The word after the first `|`.
fn label(header: &str) -> Option<String> {
    let (_, rest) = header.split_once('|')?;
    let word = rest.split(|c: char| c == '|' || c.is_whitespace()).next()?;
    (!word.is_empty()).then(|| word.to_owned())
}
