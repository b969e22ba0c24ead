//! Sparse rows as a linear map, in both directions.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2};

use super::SparseRows;
use crate::{Compute, Result};

/// Rows of the result that one task computes. Fixed, so that the bytes do not depend on the number
/// of threads.
const CHUNK: usize = 1024;

impl SparseRows {
    /// `F·V` for a dense `V`, every sum in the order of the columns.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub(crate) fn multiply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let count = v.ncols();
        let mut out = Array2::zeros((self.len(), count));
        if count == 0 {
            return Ok(out);
        }
        let v = v.as_standard_layout();
        let (v, sums) = (v.as_slice().expect("standard layout"), out.as_slice_mut().expect("standard layout"));
        compute.try_each_chunk(sums, CHUNK * count, |chunk, sums| {
            compute.check_canceled()?;
            for (i, sums) in sums.chunks_exact_mut(count).enumerate() {
                self.put_row(chunk * CHUNK + i, v, sums);
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// `row · v`.
    pub(crate) fn row_times(&self, i: usize, v: &[f64]) -> f64 {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).fold(0.0, |sum, (&column, value)| sum + value * v[column as usize])
    }

    /// `sums = row · V`.
    fn put_row(&self, i: usize, v: &[f64], sums: &mut [f64]) {
        if let [sum] = sums {
            *sum = self.row_times(i, v);
            return;
        }
        let (columns, values) = self.row(i);
        for (&column, value) in columns.iter().zip(values) {
            let line = &v[column as usize * sums.len()..][..sums.len()];
            sums.iter_mut().zip(line).for_each(|(sum, v)| *sum += value * v);
        }
    }
}

/// A sparse matrix with its transpose: products in both directions run over rows.
#[derive(Debug)]
pub(crate) struct SparseMap<'a> {
    rows: Cow<'a, SparseRows>,
    transposed: SparseRows,
}

impl<'a> SparseMap<'a> {
    pub(crate) fn new(rows: Cow<'a, SparseRows>) -> Self {
        let transposed = rows.transposed();
        Self { rows, transposed }
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &SparseRows {
        &self.rows
    }

    /// The columns as rows.
    pub(crate) fn transposed(&self) -> &SparseRows {
        &self.transposed
    }

    /// `F·V`.
    ///
    /// # Errors
    /// As [`SparseRows::multiply`].
    pub(crate) fn apply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.rows.multiply(v, compute)
    }

    /// `FᵀV`.
    ///
    /// # Errors
    /// As [`SparseRows::multiply`].
    pub(crate) fn apply_transposed(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.transposed.multiply(v, compute)
    }
}
