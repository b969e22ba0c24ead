//! Sets that the program carries with it.

use mercer::io::{ReadOptions, read_table_from};
use mercer::points::Table;
use mercer::{Compute, Result};

use super::archive::read_folder;
use crate::lab::refusal::Refusal;

/// A bundled set.
pub struct Bundled {
    /// The name in addresses.
    pub id: &'static str,
    /// The file or folder that commands name.
    pub file: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its kind in one word.
    pub kind: &'static str,
    /// What is predicted by default.
    pub target: Option<&'static str>,
    files: &'static [(&'static str, &'static str)],
}

macro_rules! example {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../../examples/data/", $name)))
    };
}

/// All of them.
pub const ALL: [Bundled; 7] = [
    Bundled {
        id: "concrete",
        file: "concrete.csv",
        title: "Compressive strength of 1030 mixtures of concrete",
        kind: "numbers",
        target: Some("strength"),
        files: &[example!("concrete.csv")],
    },
    Bundled {
        id: "iris",
        file: "iris.csv",
        title: "150 irises of three species",
        kind: "classes",
        target: Some("species"),
        files: &[example!("iris.csv")],
    },
    Bundled {
        id: "books",
        file: "books.csv",
        title: "80 short reviews of books, and whether they were kept",
        kind: "text",
        target: Some("verdict"),
        files: &[example!("books.csv")],
    },
    Bundled {
        id: "rings",
        file: "rings",
        title: "120 small molecules with or without a ring",
        kind: "graphs",
        target: Some("label"),
        files: &[
            example!("rings/rings_A.txt"),
            example!("rings/rings_graph_indicator.txt"),
            example!("rings/rings_graph_labels.txt"),
            example!("rings/rings_node_labels.txt"),
        ],
    },
    Bundled {
        id: "sensors_january",
        file: "sensors_january.csv",
        title: "Readings of a machine in January, the first of two samples",
        kind: "two samples",
        target: None,
        files: &[example!("sensors_january.csv")],
    },
    Bundled {
        id: "sensors_june",
        file: "sensors_june.csv",
        title: "Readings of the same machine in June, the second sample",
        kind: "two samples",
        target: None,
        files: &[example!("sensors_june.csv")],
    },
    Bundled {
        id: "co2",
        file: "co2.csv",
        title: "Weekly CO₂ at Mauna Loa, with missing values",
        kind: "a series",
        target: Some("co2"),
        files: &[example!("co2.csv")],
    },
];

impl Bundled {
    /// Reads the set.
    pub fn table(&self, compute: &Compute) -> Result<Table, Refusal> {
        if let [(name, text)] = self.files {
            return Ok(read_table_from(text.as_bytes(), name, &ReadOptions::default(), compute)?);
        }
        let plain = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let files: Vec<_> = self.files.iter().map(|(name, text)| (plain(name), text.as_bytes().to_vec())).collect();
        read_folder(&files, compute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_set_is_read_and_has_its_target() {
        for set in &ALL {
            let table = set.table(&Compute::new()).unwrap_or_else(|e| panic!("{}: {}", set.id, e.message));
            assert!(table.rows() >= 80, "{}", set.id);
            if let Some(target) = set.target {
                assert!(table.find(target).is_ok(), "{}: {target}", set.id);
            }
        }
    }
}
