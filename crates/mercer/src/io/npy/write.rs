//! The NPY writer: rows come in blocks, so that a matrix larger than memory can be written.

use std::io::{self, Write};
use std::path::Path;

use ndarray::{ArrayView1, ArrayView2};

use super::super::atomic_write;
use super::super::meter::carry;
use super::MAGIC;
use crate::{Error, Result};

/// How the numbers of an NPY file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum NpyNumber {
    /// 8 bytes, exact.
    #[default]
    Double,
    /// 4 bytes, rounded to the nearest.
    Single,
}

/// Writes a matrix as NPY, block of rows by block of rows.
///
/// # Example
/// ```
/// use mercer::io::{NpyNumber, NpyWriter};
/// let mut bytes = Vec::new();
/// let mut writer = NpyWriter::new(&mut bytes, (2, 3), NpyNumber::Double).unwrap();
/// writer.write_rows(ndarray::array![[1.0, 2.0, 3.0]].view()).unwrap();
/// writer.write_rows(ndarray::array![[4.0, 5.0, 6.0]].view()).unwrap();
/// writer.finish().unwrap();
/// assert_eq!(bytes.len(), 128 + 6 * 8);
/// ```
pub struct NpyWriter<'w> {
    out: &'w mut dyn Write,
    shape: (usize, usize),
    number: NpyNumber,
    done: usize,
    buffer: Vec<u8>,
}

impl<'w> NpyWriter<'w> {
    /// Writes the header of a matrix of `shape = (rows, columns)`.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn new(out: &'w mut dyn Write, shape: (usize, usize), number: NpyNumber) -> io::Result<Self> {
        out.write_all(&header(shape, number))?;
        Ok(Self { out, shape, number, done: 0, buffer: Vec::new() })
    }

    /// Writes the next rows.
    ///
    /// # Errors
    /// [`Error::Shape`] inside for rows of the wrong length and for too many of them; the error of
    /// the operating system.
    pub fn write_rows(&mut self, rows: ArrayView2<'_, f64>) -> io::Result<()> {
        if rows.ncols() != self.shape.1 {
            return Err(carry(Error::shape("columns of the rows to write", self.shape.1, rows.ncols())));
        }
        let after = self.done + rows.nrows();
        if after > self.shape.0 {
            return Err(carry(Error::shape("rows to write", self.shape.0, after)));
        }
        rows.rows().into_iter().try_for_each(|row| self.write_row(row))?;
        self.done = after;
        Ok(())
    }

    /// Checks that all rows came.
    ///
    /// # Errors
    /// [`Error::Shape`] inside if rows are missing; the error of the operating system.
    pub fn finish(self) -> io::Result<()> {
        if self.done != self.shape.0 {
            return Err(carry(Error::shape("rows written", self.shape.0, self.done)));
        }
        self.out.flush()
    }

    fn write_row(&mut self, row: ArrayView1<'_, f64>) -> io::Result<()> {
        self.buffer.clear();
        match self.number {
            NpyNumber::Double => row.iter().for_each(|v| self.buffer.extend_from_slice(&v.to_le_bytes())),
            NpyNumber::Single => row.iter().for_each(|v| self.buffer.extend_from_slice(&(*v as f32).to_le_bytes())),
        }
        self.out.write_all(&self.buffer)
    }
}

/// Writes a matrix as an NPY file, whole or not at all.
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn write_npy(path: &Path, matrix: ArrayView2<'_, f64>, number: NpyNumber) -> Result<()> {
    atomic_write(path, |out| {
        let mut writer = NpyWriter::new(out, matrix.dim(), number)?;
        writer.write_rows(matrix)?;
        writer.finish()
    })
}

/// Version 1, padded with spaces so that the numbers begin at a multiple of 64 bytes.
fn header(shape: (usize, usize), number: NpyNumber) -> Vec<u8> {
    let descr = match number {
        NpyNumber::Double => "<f8",
        NpyNumber::Single => "<f4",
    };
    let (rows, columns) = shape;
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let before = MAGIC.len() + 4;
    let length = (before + text.len() + 1).next_multiple_of(64) - before;
    let padding = " ".repeat(length - text.len() - 1);
    // The text is at most 100 bytes long, so its length fits two bytes.
    let mut bytes = [MAGIC, &[1, 0], &(length as u16).to_le_bytes()].concat();
    bytes.extend_from_slice(format!("{text}{padding}\n").as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::super::meter::uncarry;
    use super::*;
    use crate::Compute;
    use ndarray::{Array2, array, s};

    #[test]
    fn blocks_of_rows_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.npy");
        let matrix = Array2::from_shape_fn((7, 3), |(i, j)| (i as f64 + 0.1).powi(j as i32));
        let write = |out: &mut (dyn Write + Send)| {
            let mut writer = NpyWriter::new(out, (7, 3), NpyNumber::Double)?;
            writer.write_rows(matrix.slice(s![..5, ..]))?;
            writer.write_rows(matrix.slice(s![5.., ..]))?;
            writer.finish()
        };
        atomic_write(&path, write).unwrap();
        assert_eq!(super::super::read_npy(&path, &Compute::new()).unwrap(), matrix);
        write_npy(&path, matrix.t(), NpyNumber::Single).unwrap();
        let single = super::super::read_npy(&path, &Compute::new()).unwrap();
        assert_eq!(single, matrix.t().mapv(|v| f64::from(v as f32)));
        write_npy(&path, Array2::zeros((0, 2)).view(), NpyNumber::Double).unwrap();
        assert_eq!(super::super::read_npy(&path, &Compute::new()).unwrap().dim(), (0, 2));
    }

    #[test]
    fn wrong_numbers_of_rows_and_columns_are_refused() {
        let shape_error = |e: io::Error| matches!(uncarry(e), Ok(Error::Shape { .. }));
        let mut bytes = Vec::new();
        let mut writer = NpyWriter::new(&mut bytes, (1, 2), NpyNumber::Double).unwrap();
        assert!(shape_error(writer.write_rows(array![[1.0]].view()).unwrap_err()));
        assert!(shape_error(writer.write_rows(array![[1.0, 2.0], [3.0, 4.0]].view()).unwrap_err()));
        assert!(shape_error(writer.finish().unwrap_err()));
    }

    #[test]
    fn numbers_begin_at_a_multiple_of_64() {
        for shape in [(0, 0), (1, 1), (usize::MAX, usize::MAX)] {
            assert_eq!(header(shape, NpyNumber::Double).len() % 64, 0);
        }
    }
}
