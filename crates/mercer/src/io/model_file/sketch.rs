//! Sketches of mean embeddings in files, in the container of model files.

use std::io::{self, Write};
use std::path::Path;

use super::{read_bytes, read_record, stamped};
use crate::io::atomic_write;
use crate::measure::EmbeddingSketch;
use crate::record::container;
use crate::{Compute, Result};

/// Writes a sketch as a file, whole or not at all: a safetensors container, as model files are.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the file cannot be written.
pub fn save_sketch(path: &Path, sketch: &EmbeddingSketch) -> Result<()> {
    atomic_write(path, |out| write_sketch(out, sketch))
}

/// Writes a sketch to a stream, in the format of [`save_sketch`].
///
/// # Errors
/// The error of the operating system.
pub fn write_sketch(out: &mut dyn Write, sketch: &EmbeddingSketch) -> io::Result<()> {
    container::write(out, &stamped(sketch.to_record()))
}

/// Reads a sketch that [`save_sketch`] wrote.
///
/// # Errors
/// As [`load_model`](super::load_model).
///
/// # Example
/// ```
/// use mercer::{Compute, features::RandomFourier, io, measure::EmbeddingSketch};
/// use ndarray::array;
/// let compute = Compute::new();
/// let mut sketch = EmbeddingSketch::new(&RandomFourier::new("gaussian()".parse()?, 64), 1, &compute)?;
/// sketch.add(array![[0.25]].view(), &compute)?;
/// let path = std::env::temp_dir().join("mercer-doctest-sketch.safetensors");
/// io::save_sketch(&path, &sketch)?;
/// assert_eq!(io::load_sketch(&path, &compute)?, sketch);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn load_sketch(path: &Path, compute: &Compute) -> Result<EmbeddingSketch> {
    read_sketch(&read_bytes(path, compute)?, &path.display().to_string(), compute)
}

/// Reads a sketch from bytes, in the format of [`save_sketch`]; `name` names the file in errors.
///
/// # Errors
/// As [`load_sketch`].
pub fn read_sketch(bytes: &[u8], name: &str, compute: &Compute) -> Result<EmbeddingSketch> {
    read_record(bytes, name, "sketch", compute, |record| EmbeddingSketch::from_record(record, compute))
}
