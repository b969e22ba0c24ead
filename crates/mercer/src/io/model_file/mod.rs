//! Model files: a safetensors container with texts about the model and named arrays of `f64`.

mod renamed;
mod sketch;

pub use sketch::{load_sketch, read_sketch, save_sketch, write_sketch};

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use super::atomic_write;
use super::meter::{Meter, uncarry};
use crate::error::{MemoryPurpose, RecordProblem};
use crate::model::Model;
use crate::record::{Record, container};
use crate::{Compute, Error, Result};

/// The version of the files that are written, and the newest that can be read.
///
/// Version 2 added the settings of the learner, and left out what the plan of a run took (bytes,
/// operations, seconds, reasons). Version 3 spells names in American English.
const VERSION: u32 = 3;

/// Writes a model as a file, whole or not at all.
///
/// The file is a safetensors container (any reader of that format can open it): texts under
/// `__metadata__`, and arrays of `f64`. It holds the answer and the settings of the learner, and
/// nothing about the run: the same data and settings give the same bytes for every number of
/// threads.
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn save_model(path: &Path, model: &Model) -> Result<()> {
    atomic_write(path, |out| write_model(out, model))
}

/// Writes a model to a stream, in the format of [`save_model`].
///
/// # Errors
/// The error of the operating system.
pub fn write_model(out: &mut dyn Write, model: &Model) -> io::Result<()> {
    container::write(out, &stamped(model.to_record()))
}

/// A record with the file signature.
fn stamped(mut record: Record) -> Record {
    record.put_text("format", "mercer");
    record.put_text("version", VERSION);
    record
}

/// Reads a model that [`save_model`] wrote. Its predictions have the same bytes as those of the
/// model that was saved.
///
/// # Errors
/// [`Error::File`] if the file cannot be read, [`Error::Format`] if it is not a whole model file,
/// or was written by a newer version, [`Error::Memory`] if it is over the memory limit,
/// [`Error::Canceled`].
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let path = std::env::temp_dir().join("mercer-doctest-no-model.safetensors");
/// std::fs::write(&path, "no model").unwrap();
/// let error = io::load_model(&path, &Compute::new()).unwrap_err();
/// assert!(matches!(error, mercer::Error::Format { .. }));
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn load_model(path: &Path, compute: &Compute) -> Result<Model> {
    read_model(&read_bytes(path, compute)?, &path.display().to_string(), compute)
}

/// The bytes of a file, if they fit the memory limit.
pub(super) fn read_bytes(path: &Path, compute: &Compute) -> Result<Vec<u8>> {
    let failed = |source: io::Error| match uncarry(source) {
        Ok(ours) => ours,
        Err(source) => Error::File { path: path.to_owned(), source },
    };
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    reserve(size, compute)?;
    let mut bytes = Vec::new();
    // A pipe has no size: one byte more than is allowed shows that there is too much.
    let limit = compute.memory().saturating_add(1);
    Meter::new(file, size, compute).take(limit).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Reads a model from bytes, in the format of [`save_model`]; `name` names the file in errors.
///
/// # Errors
/// As [`load_model`].
pub fn read_model(bytes: &[u8], name: &str, compute: &Compute) -> Result<Model> {
    read_record(bytes, name, "model", compute, |record| Model::from_record(record, compute))
}

/// Reads the record in some bytes, and makes of it what it is a record of.
fn read_record<T>(
    bytes: &[u8],
    name: &str,
    what: &str,
    compute: &Compute,
    make: impl FnOnce(Record) -> Result<T>,
) -> Result<T> {
    reserve(bytes.len() as u64, compute)?;
    let found = container::read(bytes).and_then(|mut record| {
        if check_version(&record)? < 3 {
            renamed::rename(&mut record);
        }
        make(record)
    });
    found.map_err(|error| match error {
        Error::Memory { .. } | Error::Canceled => error,
        other => Error::Format { path: name.into(), line: None, reason: format!("no {what} can be read: {other}") },
    })
}

/// The bytes, and the arrays made of them.
fn reserve(size: u64, compute: &Compute) -> Result<()> {
    compute.reserve(MemoryPurpose::File, "a model file", size.saturating_mul(2), "raise the memory limit")
}

/// The version of a file that Mercer wrote.
fn check_version(record: &Record) -> Result<u32> {
    if record.text("format").ok() != Some("mercer") {
        return Err(Error::record("safetensors file", RecordProblem::Foreign));
    }
    let text = record.text("version")?;
    let version: u32 = text.parse().map_err(|_| Error::parameter("version", text, "a whole number"))?;
    if version == 0 || version > VERSION {
        return Err(Error::record("format", RecordProblem::Newer(version.to_string(), VERSION.to_string())));
    }
    Ok(version)
}
