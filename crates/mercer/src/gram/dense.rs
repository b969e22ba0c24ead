//! The whole matrix, computed in parallel, tile by tile.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, ArrayView1};

use super::Tiles;
use super::simd::{Element, assemble};
use crate::error::MemoryPurpose;
use crate::{Compute, Error, Precision, Result};

/// Rows and columns of a tile. A tile of doubles takes 288 KiB, more than half of a second-level
/// cache of 512 KiB. It never depends on the number of threads, so that the bytes do not either.
/// 96 is as fast for 3000 points in 10 columns, 384 is 8 % slower.
pub(crate) const BLOCK: usize = 192;
/// Operations of a tile: a thread asks for cancellation between tiles, and there must be several of
/// them for every thread. An estimate, at some 10⁹ operations a second, of a few hundredths of a
/// second; not tuned.
const OPERATIONS: usize = 1 << 25;
/// Operations below which one thread does all: other threads take 10 µs and more to wake up, in
/// which one does some 10⁵ operations.
pub(super) const SMALL: usize = 1 << 19;
/// The fewest rows of a tile.
const SMALLEST: usize = 4;
/// Weights of at least this total size are checked for overflow.
const LARGE: f64 = 1e75;

/// The matrix `K`, stored.
///
/// # Cost
/// Every pair once (half of them when the binding is symmetric); `8nm` bytes and a tile per thread.
///
/// # Errors
/// [`Error::Memory`] before anything is allocated when the matrix does not fit into the limit,
/// [`Error::Memory`] when the system refuses the memory, [`Error::Canceled`].
pub fn dense(tiles: &dyn Tiles, compute: &Compute) -> Result<Array2<f64>> {
    build(tiles, compute, |rows, cols, out| tiles.fill(rows, cols, out))
}

/// The matrix `K`, stored in single precision: half the memory, about half the time.
///
/// # Errors
/// As [`dense`].
pub fn dense_single(tiles: &dyn Tiles, compute: &Compute) -> Result<Array2<f32>> {
    let matrix = build(tiles, compute, |rows, cols, out| tiles.fill_single(rows, cols, out))?;
    if tiles.symmetric() {
        check_single(matrix.diag().iter().map(|v| f64::from(*v)))?;
    }
    Ok(matrix)
}

/// Refuses a diagonal whose values single precision does not hold.
///
/// # Errors
/// [`Error::Overflow`].
pub(crate) fn check_single(mut diagonal: impl Iterator<Item = f64>) -> Result<()> {
    match diagonal.position(|v| v.abs() >= f64::from(f32::MAX) / 8.0 || v.is_nan()) {
        None => Ok(()),
        Some(row) => Err(Error::overflow(
            format!("k(x, x) of point {row} in single precision"),
            "scale the kernel or the data down",
        )),
    }
}

fn build<T: Element>(
    tiles: &dyn Tiles,
    compute: &Compute,
    fill: impl Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
) -> Result<Array2<T>> {
    let (rows, cols) = tiles.shape();
    reserve::<T>(rows, cols, compute)?;
    compute.check_canceled()?;
    let single = size_of::<T>() == size_of::<f32>();
    tiles.prepare(if single { Precision::SingleTiles } else { Precision::Double }, compute);
    let block = block_of(tiles);
    let ticker = Ticker::new("Gram matrix", count_of(rows, cols, tiles.symmetric(), block), compute);
    let build = || assemble((rows, cols), block, tiles.symmetric(), &fill, || ticker.tick());
    let small = rows.max(cols) <= block || rows * cols * tiles.operations() <= SMALL;
    let values = if small { build()? } else { compute.install(build)? };
    ticker.finish();
    Array2::from_shape_vec((rows, cols), values).map_err(|e| Error::shape("Gram matrix", format!("{rows} × {cols}"), e))
}

/// Refuses weights `w` so large that `wᵀKw` overflows: `|wᵀKw| ≤ (Σ|w|)² max k(x, x)`.
///
/// # Errors
/// [`Error::Overflow`].
pub(crate) fn check_weights(what: &str, weights: ArrayView1<f64>, tiles: &dyn Tiles) -> Result<()> {
    let total: f64 = weights.iter().map(|w| w.abs()).sum();
    if total < LARGE {
        return Ok(());
    }
    let largest = tiles.diagonal()?.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if (total * total * largest).is_finite() {
        return Ok(());
    }
    Err(Error::overflow(format!("a sum with {what} of a total size of {total:e}"), "scale them down"))
}

/// Asks the budget for a matrix.
fn reserve<T>(rows: usize, cols: usize, compute: &Compute) -> Result<()> {
    let bytes = (rows as u64).saturating_mul(cols as u64).saturating_mul(size_of::<T>() as u64);
    let suggestion = if size_of::<T>() == 8 {
        "use fewer rows, single precision (half the size), a product K·v that does not store K, or a higher memory limit"
    } else {
        "use fewer rows, a product K·v that does not store K, or a higher memory limit"
    };
    compute.reserve(
        MemoryPurpose::KernelMatrix,
        &format!("the Gram matrix of {rows} × {cols} values"),
        bytes,
        suggestion,
    )
}

/// Rows and columns of a tile of values that may take long, such as those of bags.
pub(crate) fn block_of(tiles: &dyn Tiles) -> usize {
    BLOCK.min((OPERATIONS / tiles.operations().max(1)).isqrt().max(SMALLEST))
}

/// How many tiles will be computed.
pub(crate) fn tile_count(rows: usize, cols: usize, symmetric: bool) -> u64 {
    count_of(rows, cols, symmetric, BLOCK)
}

fn count_of(rows: usize, cols: usize, symmetric: bool, block: usize) -> u64 {
    let (m, n) = (rows.div_ceil(block) as u64, cols.div_ceil(block) as u64);
    if symmetric && rows == cols { m * (m + 1) / 2 } else { m * n }
}

/// Counts finished tiles, reports progress, and checks for cancellation.
pub(crate) struct Ticker<'a> {
    work: &'static str,
    done: AtomicU64,
    total: u64,
    compute: &'a Compute,
}

impl<'a> Ticker<'a> {
    pub(crate) fn new(work: &'static str, total: u64, compute: &'a Compute) -> Self {
        Self { work, done: AtomicU64::new(0), total, compute }
    }

    /// One more tile is finished. The last one is reported by [`Ticker::finish`], when all threads
    /// are done.
    pub(crate) fn tick(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done < self.total {
            self.compute.report(self.work, done, self.total);
        }
        self.compute.check_canceled()
    }

    pub(crate) fn finish(&self) {
        self.compute.report(self.work, self.total, self.total);
    }
}
