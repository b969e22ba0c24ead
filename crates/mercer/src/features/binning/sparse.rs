//! A matrix with exactly one entry per row and grid.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use crate::{Compute, Error, Result};

/// Rows that one task works on.
const ROWS: usize = 1024;

/// The features of points on grids: row `i` has the value `values[g]` in column `cells[[i, g]]` for every grid `g`, and 0 elsewhere. Grid `g` owns
/// the columns from `g·buckets` to `(g + 1)·buckets`.
#[derive(Clone, Debug, PartialEq)]
pub struct CellMatrix {
    pub(super) cells: Array2<u32>,
    pub(super) values: Array1<f64>,
    pub(super) buckets: usize,
}

impl CellMatrix {
    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.cells.nrows(), self.columns())
    }

    fn columns(&self) -> usize {
        self.values.len() * self.buckets
    }

    /// The column of every entry, one row per point and one column per grid.
    pub fn cells(&self) -> ArrayView2<'_, u32> {
        self.cells.view()
    }

    /// The value of the entries of every grid.
    pub fn values(&self) -> ArrayView1<'_, f64> {
        self.values.view()
    }

    /// `ZW`, one column per column of `W`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `W` has a row per column of `Z`.
    pub fn multiply(&self, w: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        if w.nrows() != self.columns() {
            return Err(Error::shape("rows of the factor", self.columns(), w.nrows()));
        }
        let mut out = Array2::zeros((self.cells.nrows(), w.ncols()));
        let block = |(mut out, cells): (ndarray::ArrayViewMut2<f64>, ArrayView2<u32>)| {
            for (mut sum, cells) in out.rows_mut().into_iter().zip(cells.rows()) {
                cells.iter().zip(&self.values).for_each(|(&cell, &v)| sum.scaled_add(v, &w.row(cell as usize)));
            }
        };
        compute.install(|| {
            let pairs: Vec<_> =
                out.axis_chunks_iter_mut(Axis(0), ROWS).zip(self.cells.axis_chunks_iter(Axis(0), ROWS)).collect();
            pairs.into_par_iter().for_each(block);
        });
        Ok(out)
    }

    /// `ZᵀV`, one column per column of `V`; grids in parallel, each over all rows in order.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `V` has a row per row of `Z`.
    pub fn multiply_transposed(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        if v.nrows() != self.cells.nrows() {
            return Err(Error::shape("rows of the factor", self.cells.nrows(), v.nrows()));
        }
        let mut out = Array2::zeros((self.columns(), v.ncols()));
        let grid = |(grid, mut sums): (usize, ndarray::ArrayViewMut2<f64>)| {
            let (start, value) = (grid * self.buckets, self.values[grid]);
            for (&cell, row) in self.cells.column(grid).iter().zip(v.rows()) {
                sums.row_mut(cell as usize - start).scaled_add(value, &row);
            }
        };
        compute.install(|| {
            let blocks: Vec<_> = out.axis_chunks_iter_mut(Axis(0), self.buckets.max(1)).enumerate().collect();
            blocks.into_par_iter().for_each(grid);
        });
        Ok(out)
    }

    /// `ZYᵀ`: the kernel that the features stand for, between the rows of two matrices of the same map.
    ///
    /// # Errors
    /// [`Error::Shape`] when the matrices have different grids.
    pub fn inner(&self, other: &Self) -> Result<Array2<f64>> {
        if self.values != other.values || self.buckets != other.buckets {
            return Err(Error::shape("columns of the features", self.columns(), other.columns()));
        }
        let value = |(i, j): (usize, usize)| {
            let meets = self.cells.row(i).into_iter().zip(other.cells.row(j)).zip(&self.values);
            meets.map(|((a, b), v)| if a == b { v * v } else { 0.0 }).sum()
        };
        Ok(Array2::from_shape_fn((self.cells.nrows(), other.cells.nrows()), value))
    }

    /// The matrix with its zeros.
    ///
    /// # Errors
    /// [`Error::Memory`] over the limit.
    pub fn to_dense(&self, compute: &Compute) -> Result<Array2<f64>> {
        let (rows, columns) = self.shape();
        let bytes = (rows as u64).saturating_mul(columns as u64).saturating_mul(8);
        compute.reserve("binning features with their zeros", bytes, "keep them sparse, or use fewer buckets")?;
        let mut dense = Array2::zeros((rows, columns));
        for (mut line, cells) in dense.rows_mut().into_iter().zip(self.cells.rows()) {
            cells.iter().zip(&self.values).for_each(|(&cell, &v)| line[cell as usize] = v);
        }
        Ok(dense)
    }
}
