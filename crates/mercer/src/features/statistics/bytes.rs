//! Statistics as bytes: a name, a version, sizes and numbers, all little-endian.

use ndarray::{Array1, Array2};

use crate::error::RecordProblem;
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"mercer\x00\x01";

/// Writes the parts of a statistic one after the other.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    /// Begins with the name of the statistic, which has four letters.
    pub(super) fn new(name: &[u8; 4]) -> Self {
        Self([MAGIC.as_slice(), name].concat())
    }

    pub(super) fn size(mut self, size: usize) -> Self {
        self.0.extend((size as u64).to_le_bytes());
        self
    }

    pub(super) fn numbers<'n>(mut self, numbers: impl IntoIterator<Item = &'n f64>) -> Self {
        numbers.into_iter().for_each(|v| self.0.extend(v.to_le_bytes()));
        self
    }

    pub(super) fn integers(mut self, integers: &[i64]) -> Self {
        integers.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
        self
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads the parts again, and refuses bytes that are not what they should be.
pub(super) struct Reader<'b> {
    rest: &'b [u8],
    what: &'static str,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8], name: &[u8; 4], what: &'static str) -> Result<Self> {
        let rest = bytes.strip_prefix(MAGIC.as_slice()).and_then(|rest| rest.strip_prefix(name.as_slice()));
        let rest = rest.ok_or_else(|| Error::record(what, RecordProblem::Foreign))?;
        Ok(Self { rest, what })
    }

    pub(super) fn size(&mut self) -> Result<usize> {
        usize::try_from(u64::from_le_bytes(self.word()?)).map_err(|_| self.broken())
    }

    pub(super) fn number(&mut self) -> Result<f64> {
        let value = f64::from_le_bytes(self.word()?);
        if value.is_finite() { Ok(value) } else { Err(self.broken()) }
    }

    pub(super) fn vector(&mut self, length: usize) -> Result<Array1<f64>> {
        self.check(length)?;
        (0..length).map(|_| self.number()).collect()
    }

    pub(super) fn matrix(&mut self, rows: usize, columns: usize) -> Result<Array2<f64>> {
        let length = rows.checked_mul(columns).ok_or_else(|| self.broken())?;
        self.check(length)?;
        let values = (0..length).map(|_| self.number()).collect::<Result<Vec<_>>>()?;
        Array2::from_shape_vec((rows, columns), values).map_err(|_| self.broken())
    }

    /// All that is left, as integers.
    pub(super) fn integers(self) -> Result<Vec<i64>> {
        let (words, rest) = self.rest.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(self.broken());
        }
        Ok(words.iter().map(|word| i64::from_le_bytes(*word)).collect())
    }

    /// Nothing may be left.
    pub(super) fn end(self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.broken()) }
    }

    /// Whether so many numbers are there, before anything is allocated.
    fn check(&self, length: usize) -> Result<()> {
        if length <= self.rest.len() / 8 { Ok(()) } else { Err(self.broken()) }
    }

    fn word(&mut self) -> Result<[u8; 8]> {
        let (word, rest) = self.rest.split_first_chunk().ok_or_else(|| self.broken())?;
        self.rest = rest;
        Ok(*word)
    }

    fn broken(&self) -> Error {
        Error::record(self.what, RecordProblem::Damaged("its bytes are cut short or not possible".into()))
    }
}
