//! A matrix in blocks of rows.

use mercer::error::MemoryPurpose;
use std::ops::Range;
use std::sync::Arc;

use mercer::gram::{Tiles, dense, dense_single};
use mercer::{Compute, Precision, Progress, Result};
use ndarray::{Array2, ArrayView2};

/// Rows of a tile: blocks of a multiple of it are computed as a whole matrix would be.
const TILE: usize = 192;

/// A block that is large enough to keep all threads busy and small enough to stay out of the way.
/// Any value between 16 MiB and 1 GiB would do.
const TARGET_BYTES: u64 = 64 << 20;

/// How many rows of this many columns are computed at a time within the memory limit.
///
/// # Errors
/// When not even a single row fits.
pub fn strip_rows(columns: usize, compute: &Compute) -> Result<usize> {
    let row = (columns as u64).saturating_mul(8).max(1);
    compute.reserve(
        MemoryPurpose::KernelMatrix,
        "one row of the Gram matrix",
        row.saturating_mul(2),
        "raise --memory or use fewer columns",
    )?;
    let requested = (TARGET_BYTES / row) as usize / TILE * TILE;
    let affordable = usize::try_from(compute.memory() / 2 / row).unwrap_or(usize::MAX);
    let affordable = if affordable < TILE { affordable.max(1) } else { affordable / TILE * TILE };
    Ok(requested.max(TILE).min(affordable))
}

/// Somebody who sees blocks of rows pass by.
pub type Watcher<'w> = dyn FnMut(Range<usize>, ArrayView2<'_, f64>) -> Result<()> + 'w;

/// Shows the matrix to `see`, block by block, with progress and cancellation.
///
/// # Errors
/// Cancellation, memory, and the errors of `see`.
pub fn walk(tiles: &dyn Tiles, compute: &Compute, see: &mut Watcher<'_>) -> Result<()> {
    let (rows, columns) = tiles.shape();
    let step = strip_rows(columns, compute)?;
    let silent = compute.clone().with_progress(Arc::new(Silent));
    for start in (0..rows).step_by(step) {
        let range = start..rows.min(start + step);
        see(range.clone(), block(tiles, range.clone(), &silent)?.view())?;
        compute.report("Gram matrix", range.end as u64, rows as u64);
    }
    Ok(())
}

fn block(tiles: &dyn Tiles, rows: Range<usize>, compute: &Compute) -> Result<Array2<f64>> {
    let strip = Strip { tiles, rows };
    match compute.precision() {
        Precision::Double => dense(&strip, compute),
        Precision::SingleTiles => Ok(dense_single(&strip, compute)?.mapv(f64::from)),
    }
}

/// Some rows of a matrix, as a matrix.
struct Strip<'a> {
    tiles: &'a dyn Tiles,
    rows: Range<usize>,
}

impl Strip<'_> {
    fn absolute(&self, rows: Range<usize>) -> Range<usize> {
        self.rows.start + rows.start..self.rows.start + rows.end
    }
}

impl Tiles for Strip<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.rows.len(), self.tiles.shape().1)
    }

    fn symmetric(&self) -> bool {
        false
    }

    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        self.tiles.fill(self.absolute(rows), cols, out);
    }

    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        self.tiles.fill_single(self.absolute(rows), cols, out);
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(self.tiles.diagonal()?[self.rows.clone()].to_vec())
    }
}

/// Blocks are too small to be announced one by one.
struct Silent;

impl Progress for Silent {
    fn report(&self, _: &str, _: u64, _: u64) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer::Kernel;
    use mercer::gram::Pairs;

    #[test]
    fn blocks_are_the_matrix_and_it_is_symmetric() {
        let x = Array2::from_shape_fn((500, 7), |(i, j)| ((i * 31 + j * 17) % 97) as f64 * 0.1 + 1e3);
        let kernel: Kernel = "gaussian(lengthscale=3) + laplacian(norm=l1)".parse().unwrap();
        let compute = Compute::new();
        let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
        let whole = dense(&bound, &compute).unwrap();
        let mut seen = Array2::zeros((500, 500));
        let small = compute.with_memory(500 * 8 * 2 * 200);
        walk(&bound, &small, &mut |rows, block| {
            seen.slice_mut(ndarray::s![rows, ..]).assign(&block);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, whole);
        assert_eq!(seen, seen.t());
    }

    #[test]
    fn the_memory_limit_is_kept() {
        let compute = Compute::new().with_memory(1 << 20);
        assert_eq!(strip_rows(1 << 14, &compute).unwrap(), 4);
        assert!(strip_rows(1 << 20, &compute).is_err());
        assert_eq!(strip_rows(0, &compute).unwrap() % TILE, 0);
    }
}
