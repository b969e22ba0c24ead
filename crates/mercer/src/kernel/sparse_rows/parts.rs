//! Sparse rows from parts that were computed in parallel.

use std::borrow::Borrow;

use super::SparseRows;
use crate::{Error, Result};

/// Some consecutive sparse rows.
#[derive(Default)]
pub(crate) struct Part {
    /// Where each row ends.
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Part {
    /// Appends a value to the current row; columns ascend.
    #[inline]
    pub(crate) fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// Ends the current row.
    pub(crate) fn end_row(&mut self) {
        self.ends.push(self.columns.len());
    }
}

/// The rows of all parts, in order.
pub(crate) fn concat(parts: Vec<Part>, width: usize) -> SparseRows {
    let size = parts.iter().map(|part| part.columns.len()).sum();
    let (mut starts, mut columns, mut values) = (vec![0], Vec::with_capacity(size), Vec::with_capacity(size));
    for part in parts {
        starts.extend(part.ends.iter().map(|end| columns.len() + end));
        columns.extend_from_slice(&part.columns);
        values.extend_from_slice(&part.values);
    }
    SparseRows { starts, columns, values, width }
}

impl SparseRows {
    /// The blocks side by side: row `i` is row `i` of the first block, then that of the second, ….
    ///
    /// # Errors
    /// [`Error::Unsupported`] if there are more than `2³² − 1` columns.
    pub(crate) fn beside<B: Borrow<Self>>(blocks: &[B]) -> Result<Self> {
        let blocks: Vec<&Self> = blocks.iter().map(Borrow::borrow).collect();
        let width = blocks.iter().map(|block| block.width).sum();
        if width > u32::MAX as usize {
            let reason = "at most 2³² − 1 features are supported";
            return Err(Error::unsupported("explicit features", format!("{width} features"), reason, ""));
        }
        let mut part = Part::default();
        for i in 0..blocks.first().map_or(0, |block| block.len()) {
            let mut left = 0;
            for block in &blocks {
                let (columns, values) = block.row(i);
                part.columns.extend(columns.iter().map(|column| left + column));
                part.values.extend_from_slice(values);
                left += block.width as u32;
            }
            part.end_row();
        }
        Ok(concat(vec![part], width))
    }
}
