//! Whole text files, plain or compressed.

use std::fmt::Display;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::source::Source;
use crate::error::MemoryPurpose;
use crate::{Compute, Error, Result};

/// A text file in memory, with the path for messages.
pub(super) struct TextFile {
    source: Arc<Source>,
    text: String,
}

impl TextFile {
    /// Reads a file; compressed files are recognized by their first bytes.
    pub(super) fn read(path: &Path, compute: &Compute) -> Result<Self> {
        Self::of(Arc::new(Source::file(path, compute)?))
    }

    /// The text of a source.
    pub(super) fn of(source: Arc<Source>) -> Result<Self> {
        let mut bytes = Vec::new();
        let limit = source.compute.memory().saturating_add(1);
        source.open()?.take(limit).read_to_end(&mut bytes).map_err(|e| source.failed(e))?;
        let what = format!("the text of {}", source.name.display());
        source.compute.reserve(
            MemoryPurpose::File,
            &what,
            bytes.len() as u64,
            "raise the limit, or give smaller files",
        )?;
        let text = String::from_utf8(bytes).map_err(|_| source.wrong(None, "the text is not UTF-8"))?;
        Ok(Self { source, text })
    }

    /// The whole text.
    pub(super) fn text(&self) -> &str {
        self.text.strip_prefix('\u{feff}').unwrap_or(&self.text)
    }

    /// The lines that are not blank, trimmed, with their numbers counted from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text().lines().enumerate().map(|(i, line)| (i + 1, line.trim())).filter(|(_, line)| !line.is_empty())
    }

    /// An error at a line of this file.
    pub(super) fn error(&self, line: usize, reason: impl Display) -> Error {
        self.source.wrong(Some(line as u64), reason.to_string())
    }

    /// An error of this file as a whole.
    pub(super) fn problem(&self, reason: impl Display) -> Error {
        self.source.wrong(None, reason.to_string())
    }
}

/// The error for files whose graphs do not fit together.
pub(super) fn unfit(path: &Path, error: Error) -> Error {
    Error::Format { path: path.to_owned(), line: None, reason: error.to_string() }
}
