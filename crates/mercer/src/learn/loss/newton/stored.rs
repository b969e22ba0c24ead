//! `K` for the Newton steps: stored if memory allows, recomputed otherwise.

use std::ops::Range;

use ndarray::{Array2, s};

use crate::gram::{self, Bound, Tiles};
use crate::{Compute, Kernel, Precision, Result};

/// The kernel matrix of the points.
pub(in crate::learn) struct KernelMatrix<'a> {
    kernel: &'a Kernel,
    tiles: &'a dyn Tiles,
    stored: Option<Stored>,
    compute: Compute,
}

impl<'a> KernelMatrix<'a> {
    pub(super) fn new(bound: &'a Bound<'_>, store: bool, compute: &Compute) -> Result<Self> {
        // Newton steps to the last digit need every digit of the products.
        let compute = compute.clone().with_precision(Precision::Double);
        let stored = if store { Some(Stored(gram::dense(bound, &compute)?)) } else { None };
        Ok(Self { kernel: bound.kernel(), tiles: bound, stored, compute })
    }

    pub(super) fn kernel(&self) -> &Kernel {
        self.kernel
    }

    pub(super) fn tiles(&self) -> &dyn Tiles {
        match &self.stored {
            Some(stored) => stored,
            None => self.tiles,
        }
    }

    pub(super) fn values(&self) -> Option<&Array2<f64>> {
        self.stored.as_ref().map(|s| &s.0)
    }

    /// `K·V`.
    pub(super) fn multiply(&self, v: &Array2<f64>) -> Result<Array2<f64>> {
        gram::multiply(self.tiles(), v.view(), &self.compute)
    }
}

/// A symmetric matrix in memory, given by its tiles.
#[derive(Debug)]
struct Stored(Array2<f64>);

impl Tiles for Stored {
    fn shape(&self) -> (usize, usize) {
        self.0.dim()
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        let width = cols.len().max(1);
        for (row, line) in rows.zip(out.chunks_exact_mut(width)) {
            let values = self.0.slice(s![row, cols.clone()]);
            line.iter_mut().zip(values).for_each(|(o, v)| *o = *v);
        }
    }

    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        let width = cols.len().max(1);
        for (row, line) in rows.zip(out.chunks_exact_mut(width)) {
            let values = self.0.slice(s![row, cols.clone()]);
            line.iter_mut().zip(values).for_each(|(o, v)| *o = *v as f32);
        }
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(self.0.diag().to_vec())
    }
}
