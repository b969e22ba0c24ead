//! A fit that was stopped, in a file: the stream, the row that comes next, and what the fit was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::atomic_write;
use super::super::model_file::read_bytes;
use super::digest::of_record;
use crate::record::{Record, container};
use crate::{Compute, Error, Result};

/// Where a fit is kept on the way, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The file, which is replaced whole or not at all.
    pub path: PathBuf,
    /// Bytes of the data between two of them.
    pub every: u64,
    /// Whether to go on from the file if it is there. Without it, a file that is there is refused.
    pub resume: bool,
}

/// What a fit is, by name.
pub(super) type Facts = BTreeMap<&'static str, String>;

const FACT: &str = "fact.";

impl Checkpoint {
    /// Goes on from a file that is there as soon as it is.
    pub fn new(path: impl Into<PathBuf>, every: u64) -> Self {
        Self { path: path.into(), every, resume: true }
    }

    /// Writes the state of a fit.
    pub(super) fn save(&self, mut record: Record, facts: &Facts) -> Result<()> {
        for (name, value) in facts {
            record.put_text(&format!("{FACT}{name}"), value);
        }
        let digest = of_record(&record);
        record.put_text("digest", digest);
        atomic_write(&self.path, |out| container::write(out, &record))
    }

    /// The state in the file, if there is one and it belongs to this fit.
    pub(super) fn load(&self, facts: &Facts, compute: &Compute) -> Result<Option<Record>> {
        if !self.path.is_file() {
            return Ok(None);
        }
        if !self.resume {
            return Err(Error::Exists { what: "checkpoint", path: self.path.clone(), parameter: "resume".into() });
        }
        let bytes = read_bytes(&self.path, compute)?;
        let mut record = container::read(&bytes).map_err(|e| self.damaged(e))?;
        drop(bytes);
        let digest = record.texts.remove("digest").unwrap_or_default();
        if digest != of_record(&record) {
            return Err(wrong(&self.path, "no checkpoint can be read: it is damaged, or not one of this version"));
        }
        for (name, value) in facts {
            let then = record.text(&format!("{FACT}{name}")).unwrap_or("nothing");
            if then != value {
                return Err(self.changed(name, then, value));
            }
        }
        Ok(Some(record))
    }

    /// The error for a file that holds no state.
    pub(super) fn damaged(&self, error: Error) -> Error {
        match error {
            Error::Memory { .. } | Error::Canceled => error,
            other => wrong(&self.path, &format!("no checkpoint can be read: {other}")),
        }
    }

    fn changed(&self, name: &str, then: &str, now: &str) -> Error {
        let path = self.path.display();
        let (first, second) = match name {
            "data" => ("it was written for other data".to_owned(), "the data has changed since".to_owned()),
            _ => (format!("it was written with {name} = {then}"), format!("this fit has {name} = {now}")),
        };
        Error::mismatch(
            format!("the checkpoint {path} is one of another fit"),
            first,
            second,
            "remove it to start again",
        )
    }
}

fn wrong(path: &Path, reason: &str) -> Error {
    Error::Format { path: path.to_owned(), line: None, reason: reason.to_owned() }
}
