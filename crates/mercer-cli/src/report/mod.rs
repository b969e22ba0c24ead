//! Reports, independent of the output format: text, JSON or HTML.

mod clean;
mod html;
mod text;

use serde_json::Value;

use crate::plot::Figure;

pub use clean::{clean, clean_line, is_command};
pub use html::{PICTURES, page};
pub use text::{Paint, render};

/// The outcome of a command.
#[derive(Default)]
pub struct Report {
    /// The headline of the page.
    pub title: String,
    /// What people read.
    pub blocks: Vec<Block>,
    /// What programs read.
    pub json: Value,
    /// The pictures: the first is for `--plot`, all are on the page.
    pub figures: Vec<Figure>,
}

/// A piece of a report.
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Lines that must keep their shape: proofs, kernels.
    Verbatim(String),
    /// Text that goes out byte for byte: scripts, manual pages.
    Raw(String),
    /// Names with values.
    Fields(Vec<(String, String)>),
    /// A table.
    Table(Table),
    /// A statement with its truth.
    Verdict(Truth, String),
}

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// Neither proven nor refuted.
    Open,
}

impl Truth {
    /// From the library's three values.
    pub fn from_option(known: Option<bool>) -> Self {
        match known {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::Open,
        }
    }

    /// As one character.
    pub fn mark(self) -> char {
        match self {
            Self::Yes => '✓',
            Self::No => '✗',
            Self::Open => '?',
        }
    }
}

/// A table with named columns.
pub struct Table {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// Whether a column is aligned to the right.
    pub right: Vec<bool>,
}

impl Table {
    /// A table whose columns are aligned to the left, but for those listed.
    pub fn new(head: &[&str], right: &[usize]) -> Self {
        Self {
            head: head.iter().map(|h| (*h).to_owned()).collect(),
            rows: Vec::new(),
            right: (0..head.len()).map(|i| right.contains(&i)).collect(),
        }
    }

    /// One more row.
    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Report {
    /// An empty report.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// One more block.
    pub fn push(&mut self, block: Block) -> &mut Self {
        self.blocks.push(block);
        self
    }

    /// A heading.
    pub fn heading(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Block::Heading(text.into()))
    }

    /// A paragraph.
    pub fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Block::Text(text.into()))
    }

    /// Names with values.
    pub fn fields<N: Into<String>>(&mut self, fields: impl IntoIterator<Item = (N, String)>) -> &mut Self {
        self.push(Block::Fields(fields.into_iter().map(|(n, v)| (n.into(), v)).collect()))
    }
}
