//! `−½κ`: the kernel whose centered matrix holds the inner products of the embedding.

use std::ops::Range;

use crate::gram::Tiles;
use crate::{Compute, Precision, Result};

/// The matrix `−½D` of a matrix `D`.
pub(super) struct Halved<'t>(pub(super) &'t dyn Tiles);

impl Tiles for Halved<'_> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }

    fn prepare(&self, precision: Precision, compute: &Compute) {
        self.0.prepare(precision, compute);
    }

    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        self.0.fill(rows, cols, out);
        out.iter_mut().for_each(|v| *v *= -0.5);
    }

    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        self.0.fill_single(rows, cols, out);
        out.iter_mut().for_each(|v| *v *= -0.5);
    }

    fn operations(&self) -> usize {
        self.0.operations()
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(self.0.diagonal()?.into_iter().map(|v| -0.5 * v).collect())
    }
}
