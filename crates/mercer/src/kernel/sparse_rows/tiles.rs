//! Rectangles of a kernel with explicit features.

use std::ops::Range;

use super::{SparseProducts, SparseRows};
use crate::kernel::object::ObjectTiles;

/// Inner products of sparse rows.
#[derive(Debug)]
pub(crate) struct SparseTiles {
    products: SparseProducts,
    diagonals: (Vec<f64>, Option<Vec<f64>>),
}

impl SparseTiles {
    /// Values of rows and columns on common features, or of rows and rows if `cols` is `None`.
    pub(crate) fn new(rows: SparseRows, cols: Option<SparseRows>) -> Self {
        let diagonals = (rows.squared_norms(), cols.as_ref().map(SparseRows::squared_norms));
        Self { products: SparseProducts::new(rows, cols), diagonals }
    }
}

impl ObjectTiles for SparseTiles {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        self.products.fill(rows, cols, out);
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn operations(&self) -> usize {
        self.products.operations()
    }

    fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        Some((self.products.rows(), self.products.columns()))
    }
}
