//! Parquet without the feature `parquet`: files are recognized and refused by name.

use std::sync::Arc;

use super::chunks::{Cells, Kind};
use super::source::Source;
use crate::points::Table;
use crate::{Error, Result};

pub(super) const MAGIC: &[u8] = b"PAR1";

/// A file that cannot be opened.
#[derive(Debug)]
pub(super) enum ParquetFile {}

/// Rows that cannot be read.
#[derive(Debug)]
pub(super) enum ParquetRows {}

impl ParquetFile {
    pub fn open(_: Arc<Source>) -> Result<Self> {
        Err(absent())
    }

    pub fn names(&self) -> Vec<String> {
        match *self {}
    }

    pub fn survey(&self) -> Result<Vec<Kind>> {
        match *self {}
    }
}

impl ParquetRows {
    pub fn new(file: Arc<ParquetFile>, _: usize) -> Result<Self> {
        match *file {}
    }

    pub fn next(&mut self, _: usize, _: &mut [Cells]) -> Result<()> {
        match *self {}
    }

    pub fn position(&self) -> u64 {
        match *self {}
    }
}

pub(super) fn read(_: &Arc<Source>) -> Result<Table> {
    Err(absent())
}

fn absent() -> Error {
    Error::unsupported("the format parquet", "this build of mercer", "", "compile it with the feature `parquet`")
}
