//! Sparse features.

use std::borrow::Cow;

use ndarray::{Array1, Array2, ArrayView2};

use super::{Operator, check_rows, check_square};
use crate::kernel::sparse_rows::{SparseMap, SparseRows};
use crate::{Compute, Result};

/// Sparse features of objects, one row each.
pub(crate) struct Sparse<'a> {
    map: SparseMap<'a>,
    compute: Compute,
}

impl<'a> Sparse<'a> {
    pub(crate) fn new(rows: Cow<'a, SparseRows>, compute: &Compute) -> Self {
        Self { map: SparseMap::new(rows), compute: compute.clone() }
    }

    /// The rows, and the columns as rows.
    pub(crate) fn map(&self) -> &SparseMap<'a> {
        &self.map
    }
}

impl Operator for Sparse<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.map.rows().len(), self.map.rows().width)
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.shape().1)?;
        self.map.apply(v, &self.compute)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.shape().0)?;
        self.map.apply_transposed(v, &self.compute)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        check_square(self.shape())?;
        let entry = |i: usize| {
            let (columns, values) = self.map.rows().row(i);
            columns.iter().zip(values).filter(|(column, _)| **column as usize == i).map(|(_, value)| *value).sum()
        };
        Ok((0..self.shape().0).map(entry).collect())
    }
}
