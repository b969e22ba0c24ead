//! Functions `Σ αᵢk(·, xᵢ)` over the cells of a grid.

use ndarray::{Array2, ArrayView2};

use super::points::Grid;
use super::system::GridSystem;
use crate::{Compute, Kernel, Points, Result, Sample};

/// Functions at all cells of a grid, missing ones included.
#[derive(Clone, Debug)]
pub(crate) struct GridFunction {
    grid: Grid,
    /// A row per cell, a column per function.
    values: Array2<f64>,
}

impl GridFunction {
    /// From coefficients at the rows; `None` where the points are no grid.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(crate) fn new(
        kernel: &Kernel,
        points: Points<'_>,
        coefficients: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Option<Self>> {
        let Some(grid) = Grid::of(kernel, points) else { return Ok(None) };
        let values =
            GridSystem::new(kernel, grid.clone().into(), None, 1.0, compute)?.cell_values(coefficients, compute)?;
        Ok(Some(Self { grid, values }))
    }

    /// The values at cells; at the other points those of `elsewhere`.
    ///
    /// # Errors
    /// Those of `elsewhere`.
    pub(crate) fn values(
        &self,
        x: ArrayView2<f64>,
        elsewhere: impl Fn(Points<'_>) -> Result<Array2<f64>>,
    ) -> Result<Array2<f64>> {
        self.grid.at_cells(x, self.values.view(), elsewhere)
    }
}

impl Grid {
    /// Rows of `values`, one per cell, at points that are cells; `elsewhere` at the others.
    pub(crate) fn at_cells(
        &self,
        x: ArrayView2<f64>,
        values: ArrayView2<f64>,
        elsewhere: impl Fn(Points<'_>) -> Result<Array2<f64>>,
    ) -> Result<Array2<f64>> {
        let cells: Vec<Option<usize>> = x.rows().into_iter().map(|row| self.cell_at(row)).collect();
        let others: Vec<usize> = (0..x.nrows()).filter(|&i| cells[i].is_none()).collect();
        if others.len() == x.nrows() {
            return elsewhere(Points::Vectors(x));
        }
        let mut out = Array2::zeros((x.nrows(), values.ncols()));
        for (mut out, cell) in out.rows_mut().into_iter().zip(&cells) {
            cell.iter().for_each(|&cell| out.assign(&values.row(cell)));
        }
        if !others.is_empty() {
            let found = elsewhere(Sample::select(Points::Vectors(x), &others).as_points())?;
            others.iter().zip(found.rows()).for_each(|(&i, row)| out.row_mut(i).assign(&row));
        }
        Ok(out)
    }
}
