//! File formats and their recognition.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{Error, Result};

/// A file format for tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Cells separated by a character that is found by looking.
    Csv,
    /// Cells separated by tabs.
    Tsv,
    /// `label index:value …`.
    Libsvm,
    /// A numpy array.
    Npy,
    /// Apache Parquet.
    Parquet,
    /// Sequences with headers.
    Fasta,
    /// A folder of graphs in the format of the TU collection.
    Tu,
    /// Graphs as XML.
    GraphMl,
    /// A graph as a list of its edges.
    Edges,
}

const NAMES: [(&str, Format); 15] = [
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("libsvm", Format::Libsvm),
    ("npy", Format::Npy),
    ("parquet", Format::Parquet),
    ("fasta", Format::Fasta),
    ("tu", Format::Tu),
    ("graphml", Format::GraphMl),
    ("edges", Format::Edges),
    ("svm", Format::Libsvm),
    ("tab", Format::Tsv),
    ("fa", Format::Fasta),
    ("fna", Format::Fasta),
    ("faa", Format::Fasta),
    ("edgelist", Format::Edges),
];

impl Format {
    /// The format by the file extension, with `.gz` taken off first.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an unknown extension, with the formats there are.
    pub fn from_path(path: &Path) -> Result<Self> {
        let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let stem = name.strip_suffix(".gz").unwrap_or(&name);
        let ending = stem.rsplit_once('.').map_or("", |(_, ending)| ending);
        by_name(ending).ok_or_else(|| {
            let path = path.display();
            Error::unsupported("format", path, "its ending is not known", format!("name one of {}", list()))
        })
    }
}

/// How many of the names stand for a format each; the others are more endings.
const FORMATS: usize = 9;

fn by_name(name: &str) -> Option<Format> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
}

fn list() -> String {
    NAMES[..FORMATS].iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        by_name(&text.to_ascii_lowercase())
            .ok_or_else(|| Error::parameter("format", text, format!("one of {}", list())))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, format)| format == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_determine_the_format() {
        let format_of = |name: &str| Format::from_path(Path::new(name)).ok();
        assert_eq!(format_of("a/b.csv"), Some(Format::Csv));
        assert_eq!(format_of("B.TSV.GZ"), Some(Format::Tsv));
        assert_eq!(format_of("heart.svm"), Some(Format::Libsvm));
        assert_eq!(format_of("x.y.npy"), Some(Format::Npy));
        assert_eq!(format_of("x.parquet"), Some(Format::Parquet));
        assert_eq!(format_of("x.fa.gz"), Some(Format::Fasta));
        assert_eq!(format_of("x.graphml"), Some(Format::GraphMl));
        assert_eq!(format_of("x.txt"), None);
        assert_eq!(format_of("csv"), None);
        let message = Format::from_path(Path::new("x.txt")).unwrap_err().to_string();
        assert!(
            message.ends_with("name one of csv, tsv, libsvm, npy, parquet, fasta, tu, graphml, edges"),
            "{message}"
        );
    }

    #[test]
    fn names_read_back() {
        for (_, format) in NAMES {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        assert!("xlsx".parse::<Format>().is_err());
    }
}
