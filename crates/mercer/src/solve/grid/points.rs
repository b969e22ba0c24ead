//! Points that are cells of a grid.

use std::fmt;

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::convolution::Torus;
use crate::kernel::Property;
use crate::{Kernel, Points};

/// Cells of a grid per row of the data, at most: with more missing ones the grid does not pay.
const MOST_CELLS: usize = 8;
/// The longest axis whose matrix is decomposed: about ten seconds on two cores.
pub(super) const LONGEST_FACTOR: usize = 3000;

/// Rows of a matrix as cells of a grid.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(super) axes: Vec<GridAxis>,
    /// The cell of every row, the last axis fastest.
    pub(super) cell: Vec<usize>,
    /// The columns of the points.
    pub(super) columns: usize,
    structure: Structure,
}

/// The positions of the cells along one column.
#[derive(Clone, Debug)]
pub(super) struct GridAxis {
    pub(super) column: usize,
    pub(super) values: Vec<f64>,
    /// The distance of neighbors, where all have the same.
    pub(super) step: Option<f64>,
}

/// What the kernel matrix of a grid is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    /// A Kronecker product of small matrices.
    Kronecker,
    /// (Block) Toeplitz.
    Toeplitz,
}

/// What a solve on a grid will take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridPlan {
    pub(crate) structure: Structure,
    pub(crate) complete: bool,
    /// Bytes beside the vectors of the solve.
    pub(crate) bytes: u64,
    /// Operations of the preparation, and of one step of conjugate gradients.
    pub(crate) preparation: f64,
    pub(crate) step: f64,
    /// Whether the diagonal of the inverse has a closed form.
    pub(crate) has_diagonal: bool,
}

impl Grid {
    /// The grid of these points where the matrix of the kernel has a structure on it.
    pub(crate) fn of(kernel: &Kernel, x: Points<'_>) -> Option<Self> {
        let Points::Vectors(x) = x else { return None };
        let used = kernel.used_columns(x.ncols());
        let stationary = || kernel.property_on(Property::ShiftInvariant, x.ncols()).is_proven();
        let product = used.len() > 1 && kernel.is_column_product(x.ncols());
        if used.is_empty() || !(product || stationary()) {
            return None;
        }
        // A product needs no equal steps: positions without rows are no cells.
        let short = |axes: &Vec<GridAxis>| axes.iter().all(|a| a.values.len() <= LONGEST_FACTOR);
        let factors = if product { axes(x, &used, false).filter(short) } else { None };
        let (axes, structure) = match factors {
            Some(axes) => (axes, Structure::Kronecker),
            None => {
                let axes = axes(x, &used, true)?;
                if axes.iter().any(|a| a.step.is_none()) || !stationary() {
                    return None;
                }
                (axes, Structure::Toeplitz)
            }
        };
        let cell = cells(x, &axes)?;
        Some(Self { axes, cell, columns: x.ncols(), structure })
    }

    pub(crate) fn structure(&self) -> Structure {
        self.structure
    }

    /// The number of cells, missing ones included.
    pub(crate) fn cells(&self) -> usize {
        self.axes.iter().map(|a| a.values.len()).product()
    }

    /// The number of axes.
    pub(crate) fn axes(&self) -> usize {
        self.axes.len()
    }

    /// Rows of the data by cell; 0 where a cell has none.
    pub(crate) fn by_cell(&self, values: ArrayView2<f64>) -> Array2<f64> {
        let mut cells = Array2::zeros((self.cells(), values.ncols()));
        self.cell.iter().zip(values.rows()).for_each(|(&cell, row)| cells.row_mut(cell).assign(&row));
        cells
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.cell.len() == self.cells()
    }

    pub(super) fn lengths(&self) -> Vec<usize> {
        self.axes.iter().map(|a| a.values.len()).collect()
    }

    /// The cell at this point, if there is one.
    pub(crate) fn cell_at(&self, point: ArrayView1<f64>) -> Option<usize> {
        let mut cell = 0;
        for axis in &self.axes {
            cell = cell * axis.values.len() + axis.index(*point.get(axis.column)?)?;
        }
        Some(cell)
    }

    /// The cost of a solve.
    pub(crate) fn plan(&self, threads: usize) -> GridPlan {
        let (cells, complete) = (self.cells(), self.is_complete());
        let n = cells as f64;
        let power = |p: i32| self.axes.iter().map(|a| (a.values.len() as f64).powi(p)).sum::<f64>();
        // Conjugate gradients for the missing cells.
        let inner = 64 * (cells - self.cell.len()) as u64;
        let (bytes, preparation, step) = match self.structure {
            Structure::Kronecker => (16 * power(2) as u64 + inner, 9.0 * power(3), 6.0 * n * power(1)),
            Structure::Toeplitz => {
                let torus = Torus::new(&self.lengths());
                let m = torus.cells_of_torus() as u64;
                // With several short axes the preconditioner is as for a Kronecker product.
                let short = self.axes.len() > 1 && self.axes.iter().all(|a| a.values.len() <= LONGEST_FACTOR);
                let factors = |p: i32| if short { power(p) } else { 0.0 };
                // The spectra, and along one axis with missing cells those of the inverse; or the
                // column and its transform, while the vectors of the solve do not exist.
                let spectra = match (self.axes.len(), complete) {
                    (1, true) => 8 * m,
                    (1, false) => 24 * m,
                    _ if short => 4 * m + 16 * power(2) as u64,
                    _ => 8 * m,
                };
                let solving = spectra + torus.bytes(threads) + inner;
                let bytes = solving.max((20 * m).saturating_sub(80 * self.cell.len() as u64));
                let transform = 5.0 * m as f64 * (m as f64).log2();
                let preparation = 2.0 * transform + 20.0 * m as f64 + 9.0 * factors(3);
                (bytes, preparation, 2.0 * transform + 6.0 * n * factors(1))
            }
        };
        let has_diagonal = complete && (self.structure == Structure::Kronecker || self.axes.len() == 1);
        GridPlan { structure: self.structure, complete, bytes, preparation, step, has_diagonal }
    }
}

impl GridAxis {
    /// The cell of this value.
    fn index(&self, v: f64) -> Option<usize> {
        let Some(step) = self.step else {
            return self.values.binary_search_by(|a| a.total_cmp(&(v + 0.0))).ok();
        };
        let (first, last) = (self.values[0], self.values[self.values.len() - 1]);
        let at = ((v - first) / step).round();
        if !(at >= 0.0 && at < self.values.len() as f64) {
            return None;
        }
        let near = (v - self.values[at as usize]).abs() <= 2.0 * tolerance(first, last, step);
        near.then_some(at as usize)
    }
}

/// The difference from equal steps that positions have by their own rounding.
fn tolerance(first: f64, last: f64, step: f64) -> f64 {
    (16.0 * f64::EPSILON * first.abs().max(last.abs())).max(1e-12 * step)
}

/// `1000 × 1000 cells, 20 % missing`.
impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths: Vec<String> = self.lengths().iter().map(usize::to_string).collect();
        write!(f, "{} cells", lengths.join(" × "))?;
        let missing = self.cells() - self.cell.len();
        if missing == 0 {
            return Ok(());
        }
        let share = 100.0 * missing as f64 / self.cells() as f64;
        if share < 1.0 { write!(f, ", {missing} missing") } else { write!(f, ", {share:.0} % missing") }
    }
}

/// The axes of the columns in use, with cells in gaps between equal steps or without, unless the grid
/// would have far more cells than there are rows.
fn axes(x: ArrayView2<f64>, used: &[usize], gaps: bool) -> Option<Vec<GridAxis>> {
    let most = x.nrows().checked_mul(MOST_CELLS)?;
    let (mut axes, mut cells) = (Vec::with_capacity(used.len()), 1_usize);
    for &column in used {
        // Zero of either sign is one cell.
        let mut values: Vec<f64> = x.column(column).iter().map(|v| v + 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let regular = regular(column, &values, most / cells).filter(|a| gaps || a.values.len() == values.len());
        let axis = regular.unwrap_or(GridAxis { column, values, step: None });
        cells = cells.checked_mul(axis.values.len()).filter(|cells| *cells <= most)?;
        axes.push(axis);
    }
    Some(axes)
}

/// The axis with equal steps that has these values among its cells: to rounding, and with at most so
/// many cells.
fn regular(column: usize, values: &[f64], most: usize) -> Option<GridAxis> {
    let (first, last) = (*values.first()?, *values.last()?);
    let smallest = values.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
    if values.len() == 1 {
        return Some(GridAxis { column, values: values.to_vec(), step: Some(1.0) });
    }
    let steps = ((last - first) / smallest).round();
    if !(steps >= 1.0 && steps < most as f64) {
        return None;
    }
    let step = (last - first) / steps;
    let tolerance = tolerance(first, last, step);
    let near = |v: &f64| (v - (first + ((v - first) / step).round() * step)).abs() <= tolerance;
    if tolerance > 1e-6 * step || !values.iter().all(near) {
        return None;
    }
    // The values that occur, as they are; equal steps for the others.
    let mut all: Vec<f64> = (0..=steps as usize).map(|i| first + i as f64 * step).collect();
    values.iter().for_each(|v| all[((v - first) / step).round() as usize] = *v);
    Some(GridAxis { column, values: all, step: Some(step) })
}

/// The cell of every row; none where two rows have the same.
fn cells(x: ArrayView2<f64>, axes: &[GridAxis]) -> Option<Vec<usize>> {
    let mut taken = vec![false; axes.iter().map(|a| a.values.len()).product()];
    let mut cells = Vec::with_capacity(x.nrows());
    for row in x.rows() {
        let mut cell = 0;
        for axis in axes {
            cell = cell * axis.values.len() + axis.index(row[axis.column])?;
        }
        if std::mem::replace(&mut taken[cell], true) {
            return None;
        }
        cells.push(cell);
    }
    Some(cells)
}
