//! Comma-separated values and their relatives.

mod column;
mod file;
mod read;
mod sniff;
mod spaces;
mod write;

pub(super) use column::Levels;
pub(super) use file::CsvFile;
pub(super) use read::{CsvRows, read, survey};
pub(super) use sniff::BOM;
pub use write::{write_table_csv, write_table_csv_to};

/// Whether the first row holds the names of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Header {
    /// It does, unless its cells are all numbers or missing values, with at least one number.
    #[default]
    Auto,
    /// It does. A cell without text is named by its position, as below.
    Yes,
    /// It does not: the columns are named `x0`, `x1`, ….
    No,
}

/// What separates the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Delimiter {
    /// Found by looking at the first rows (at most 50, within the first 64 KiB), quotes respected:
    /// the first of tab, `;`, `|` and `,` that splits every row into the same number of cells, two
    /// at least. If there is none, runs of spaces and tabs, provided that they do so and that every
    /// row after the first holds a number. If still none, whichever splits the first row into most
    /// cells (so that the ragged row is reported with its line). `;` goes before `,` because
    /// `1,5;2,5` has decimal commas.
    #[default]
    Auto,
    /// This byte.
    Byte(u8),
    /// Runs of spaces and tabs; those at the beginning and at the end of a line do not count.
    Spaces,
}

impl Delimiter {
    /// A tab, unless something was chosen.
    pub(super) fn or_tab(self) -> Self {
        if self == Self::Auto { Self::Byte(b'\t') } else { self }
    }
}
