//! LIBSVM files as sparse vectors.

use std::path::Path;
use std::sync::Arc;

use super::super::source::Source;
use super::read::read_rows;
use crate::points::Csr;
use crate::{Compute, Result};

/// The points of a LIBSVM file with their labels.
#[derive(Clone, Debug, PartialEq)]
pub struct LabeledRows {
    /// The label of every point.
    pub targets: Vec<f64>,
    /// The points: index `j` of the file is column `j − 1`, and there are as many columns as the
    /// largest index.
    pub rows: Csr,
}

/// Reads a LIBSVM file, plain or compressed (gzip), as sparse vectors without a table.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be read,
/// [`Error::Format`](crate::Error::Format) with the line for what is no point,
/// [`Error::Value`](crate::Error::Value) for NaN and infinities,
/// [`Error::Memory`](crate::Error::Memory), [`Error::Canceled`](crate::Error::Canceled).
///
/// # Example
/// ```
/// use mercer::{Compute, io};
/// let path = std::env::temp_dir().join("mercer-doctest-sparse.libsvm");
/// std::fs::write(&path, "1 2:0.5 40000:1\n-1 1:2\n").unwrap();
/// let data = io::read_libsvm(&path, &Compute::new())?;
/// assert_eq!((data.targets, data.rows.len(), data.rows.width()), (vec![1.0, -1.0], 2, 40000));
/// assert_eq!(data.rows.row(0), (&[1, 39999][..], &[0.5, 1.0][..]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn read_libsvm(path: &Path, compute: &Compute) -> Result<LabeledRows> {
    read_rows(&Arc::new(Source::file(path, compute)?))?.into_labeled()
}
