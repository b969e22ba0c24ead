//! A matrix with exactly one entry per row and grid.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

use crate::error::MemoryPurpose;
use crate::{Compute, Error, Result};

/// Rows that one task works on.
const ROWS: usize = 1024;

/// The features of points on grids: row `i` has the value `values[g]` in column `cells[[i, g]]` for
/// every grid `g`, and 0 elsewhere. Grid `g` owns the columns from `g·buckets` to
/// `(g + 1)·buckets`.
#[derive(Clone, Debug, PartialEq)]
pub struct CellMatrix {
    /// Grid after grid: what a product reads lies in one piece.
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

    /// The same matrix without the columns that no row has an entry in, as far as grids of one size
    /// allow, and which column each of the others was.
    pub(crate) fn occupied(&self) -> (Self, Vec<Option<usize>>) {
        let seen: Vec<Vec<u32>> = self.cells.columns().into_iter().map(distinct).collect();
        let buckets = seen.iter().map(Vec::len).max().unwrap_or(0);
        let mut cells = self.cells.clone();
        for (grid, (mut column, seen)) in cells.columns_mut().into_iter().zip(&seen).enumerate() {
            let start = (grid * buckets) as u32;
            column.mapv_inplace(|cell| start + seen.partition_point(|s| *s < cell) as u32);
        }
        let column = |seen: &Vec<u32>| (0..buckets).map(|b| seen.get(b).map(|c| *c as usize)).collect::<Vec<_>>();
        let positions = seen.iter().flat_map(column).collect();
        (Self { cells, values: self.values.clone(), buckets }, positions)
    }

    /// `ZW`, one column per column of `W`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `W` has a row per column of `Z`, [`Error::Canceled`].
    pub fn multiply(&self, w: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        if w.nrows() != self.columns() {
            return Err(Error::shape("rows of the factor", self.columns(), w.nrows()));
        }
        let (rows, count) = (self.cells.nrows(), w.ncols());
        let (mut out, w) = (vec![0.0; rows * count], w.as_standard_layout());
        let w = w.as_slice().expect("row after row");
        let block = |block: usize, out: &mut [f64]| {
            let positions = block * ROWS..rows.min((block + 1) * ROWS);
            compute.check_canceled()?;
            for (grid, &value) in self.values.iter().enumerate() {
                let cells = self.cells.slice(s![positions.clone(), grid]);
                match count {
                    1 => out.iter_mut().zip(cells).for_each(|(sum, &cell)| *sum += value * w[cell as usize]),
                    _ => out.chunks_exact_mut(count).zip(cells).for_each(|(sums, &cell)| {
                        add(sums, value, &w[cell as usize * count..][..count]);
                    }),
                }
            }
            Ok(())
        };
        compute.try_each_chunk(&mut out, ROWS * count, block)?;
        Array2::from_shape_vec((rows, count), out).map_err(|e| Error::shape("product", rows, e))
    }

    /// `ZᵀV`, one column per column of `V`; grids in parallel, each over all rows in order.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `V` has a row per row of `Z`, [`Error::Canceled`].
    pub fn multiply_transposed(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        if v.nrows() != self.cells.nrows() {
            return Err(Error::shape("rows of the factor", self.cells.nrows(), v.nrows()));
        }
        let (columns, count) = (self.columns(), v.ncols());
        // A solver may append the row of a constant: room for it saves a copy.
        let mut out = Vec::with_capacity((columns + 1) * count);
        out.resize(columns * count, 0.0);
        let v = v.as_standard_layout();
        let v = v.as_slice().expect("row after row");
        let grid = |grid: usize, sums: &mut [f64]| {
            compute.check_canceled()?;
            let (start, value, cells) = (grid * self.buckets, self.values[grid], self.cells.column(grid));
            match count {
                1 => cells.iter().zip(v).for_each(|(&cell, v)| sums[cell as usize - start] += value * v),
                _ => cells.iter().zip(v.chunks_exact(count)).for_each(|(&cell, row)| {
                    add(&mut sums[(cell as usize - start) * count..][..count], value, row);
                }),
            }
            Ok(())
        };
        compute.try_each_chunk(&mut out, self.buckets * count, grid)?;
        Array2::from_shape_vec((columns, count), out).map_err(|e| Error::shape("product", columns, e))
    }

    /// `ZYᵀ`: the kernel that the features approximate, between the rows of two matrices of the
    /// same map.
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
        compute.reserve(
            MemoryPurpose::Features,
            "binning features with their zeros",
            bytes,
            "keep them sparse, or use fewer buckets",
        )?;
        let mut dense = Array2::zeros((rows, columns));
        for (mut line, cells) in dense.rows_mut().into_iter().zip(self.cells.rows()) {
            cells.iter().zip(&self.values).for_each(|(&cell, &v)| line[cell as usize] = v);
        }
        Ok(dense)
    }
}

/// The values in ascending order, each once.
fn distinct(cells: ArrayView1<u32>) -> Vec<u32> {
    let mut seen = cells.to_vec();
    seen.sort_unstable();
    seen.dedup();
    seen
}

/// `sums += value · row`.
fn add(sums: &mut [f64], value: f64, row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += value * v);
}
