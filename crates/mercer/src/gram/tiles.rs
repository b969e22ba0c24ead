//! A kernel bound to points, seen as a matrix that is never stored: rectangles of it are computed
//! on demand.

use std::ops::Range;

use super::SparseRows;
use crate::{Compute, Precision, Result};

/// The matrix `K = [k(xᵢ, yⱼ)]`, given by its rectangles.
///
/// One virtual call serves a whole rectangle, never a pair. A call must not depend on the
/// rectangles requested before it, so that any number of threads may call it in any order.
pub trait Tiles: Sync {
    /// Rows and columns of `K`.
    fn shape(&self) -> (usize, usize);

    /// Whether the column points are the row points and `k(x, y) = k(y, x)`: only half of the tiles
    /// is then requested.
    fn symmetric(&self) -> bool;

    /// Does what every rectangle needs, by all threads: whoever is about to ask for many rectangles
    /// calls it once. Without it the first of them does so, by one thread.
    fn prepare(&self, precision: Precision, compute: &Compute) {
        let _ = (precision, compute);
    }

    /// Writes `K[rows, cols]` to `out`, row after row; `out` holds exactly that many values.
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]);

    /// The same in single precision.
    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]);

    /// Writes `K[rows, cols]` for rows in any order, for solvers that work on a few rows at a time.
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        for (&row, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            self.fill(row..row + 1, cols.clone(), line);
        }
    }

    /// The same in single precision.
    fn fill_rows_single(&self, rows: &[usize], cols: Range<usize>, out: &mut [f32]) {
        for (&row, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            self.fill_single(row..row + 1, cols.clone(), line);
        }
    }

    /// The matrix of some of the points, in this order, for solvers that work on a few points at a
    /// time; `None` where it is not cheaper than to read it from the rows.
    fn submatrix(&self, points: &[usize]) -> Option<Box<dyn Tiles + '_>> {
        let _ = points;
        None
    }

    /// About how many operations a value takes: whether it is worth keeping.
    fn operations(&self) -> usize {
        100
    }

    /// `k(xᵢ, xᵢ)` for every row point `xᵢ`; the diagonal of `K` when the binding is symmetric.
    ///
    /// # Errors
    /// When the values cannot be computed, for instance for a matrix that was read from a file and
    /// is not square.
    fn diagonal(&self) -> Result<Vec<f64>>;

    /// Sparse rows `F` of the row points and `G` of the column points with `K = FGᵀ`, where there
    /// are such.
    fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        None
    }
}
