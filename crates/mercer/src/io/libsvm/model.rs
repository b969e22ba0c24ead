//! Model files of LIBSVM.

use std::path::Path;

use super::super::atomic_write;
use crate::learn::svm::LibsvmModel;
use crate::{Error, Result};

/// Reads a model that LIBSVM's `svm-train` wrote; `columns` as for [`LibsvmModel::parse`].
///
/// # Errors
/// [`Error::File`] if the file cannot be read, [`Error::Format`] with the line if it is not a whole
/// model.
///
/// # Example
/// ```
/// use mercer::io;
/// let error = io::read_libsvm_model(std::path::Path::new("no.model"), None).unwrap_err();
/// assert!(matches!(error, mercer::Error::File { .. }));
/// ```
pub fn read_libsvm_model(path: &Path, columns: Option<usize>) -> Result<LibsvmModel> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    LibsvmModel::parse(&text, columns).map_err(|error| match error {
        Error::Format { line, reason, .. } => Error::Format { path: path.to_owned(), line, reason },
        other => other,
    })
}

/// Writes a model that LIBSVM's `svm-predict` takes, whole or not at all.
///
/// # Errors
/// As [`LibsvmModel::to_text`], and [`Error::File`] if the file cannot be written.
pub fn write_libsvm_model(path: &Path, model: &LibsvmModel) -> Result<()> {
    let text = model.to_text()?;
    atomic_write(path, |out| out.write_all(text.as_bytes()))
}
