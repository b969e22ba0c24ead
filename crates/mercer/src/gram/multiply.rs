//! `K·V` without storing `K`.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::dense::{BLOCK, SMALL, Ticker, tile_count};
use super::simd::{Element, product};
use super::{Tiles, by_features};
use crate::error::MemoryPurpose;
use crate::{Compute, Error, Precision, Result};

/// Strips of rows that are worth having: enough for the threads of most machines. Not tuned.
const STRIPS: usize = 16;

/// `K·V`, with each tile of `K` computed, used and forgotten.
///
/// The tiles are in the precision of `compute`; the sums are always `f64`. A symmetric `K` is
/// computed once per pair of blocks. The bytes of the answer do not depend on the number of
/// threads: the blocks are paired as in a round-robin tournament, so that in every round each block
/// receives at most one contribution, in a fixed order.
///
/// # Cost
/// Every pair once (half of them when symmetric), `O(nmc)` for `c` columns of `V`; memory for the
/// answer and a tile per thread. A kernel with explicit features ([`Tiles::features`]) and many
/// pairs is multiplied as `F(GᵀV)`, in time linear in the features, where that takes fewer operations.
///
/// # Errors
/// [`Error::Shape`] when `V` has not as many rows as `K` has columns, [`Error::Memory`],
/// [`Error::Canceled`].
pub fn multiply(tiles: &dyn Tiles, v: ArrayView2<'_, f64>, compute: &Compute) -> Result<Array2<f64>> {
    let (rows, cols) = tiles.shape();
    if v.nrows() != cols {
        return Err(Error::shape("rows of the factor", cols, v.nrows()));
    }
    let bytes = (rows as u64 + cols as u64).saturating_mul(v.ncols() as u64).saturating_mul(8);
    compute.reserve(
        MemoryPurpose::KernelMatrix,
        "the product of the Gram matrix",
        bytes,
        "multiply by fewer columns at a time",
    )?;
    compute.check_canceled()?;
    if let Some(features) = by_features::cheaper(tiles, v.ncols()) {
        return by_features::multiply(features, v, compute);
    }
    tiles.prepare(compute.precision(), compute);
    let operations = tiles.operations() + v.ncols();
    let v = v.as_standard_layout();
    let x = v.as_slice().unwrap_or_default();
    let product = match compute.precision() {
        Precision::Double => {
            Product { fill: |r, c, out: &mut [f64]| tiles.fill(r, c, out), rows, cols, operations, x, count: v.ncols() }
                .run(tiles.symmetric(), compute)
        }
        Precision::SingleTiles => Product {
            fill: |r, c, out: &mut [f32]| tiles.fill_single(r, c, out),
            rows,
            cols,
            operations,
            x,
            count: v.ncols(),
        }
        .run(tiles.symmetric(), compute),
    }?;
    Array2::from_shape_vec((rows, v.ncols()), product).map_err(|e| Error::shape("product", rows, e))
}

/// `K·V` for parts of the columns apart: one binding, one pass, and for each part its own columns
/// of the answer, one after the other.
///
/// # Errors
/// As [`multiply`].
pub(crate) fn multiply_parts(
    tiles: &dyn Tiles,
    parts: &[Range<usize>],
    v: ArrayView2<'_, f64>,
    compute: &Compute,
) -> Result<Array2<f64>> {
    let ((rows, cols), count) = (tiles.shape(), v.ncols());
    if v.nrows() != cols {
        return Err(Error::shape("rows of the factor", cols, v.nrows()));
    }
    let bytes = (2 * rows as u64 * parts.len() as u64 + cols as u64).saturating_mul(8 * count as u64);
    compute.reserve(
        MemoryPurpose::KernelMatrix,
        "the product of the Gram matrix",
        bytes,
        "multiply fewer rows at a time",
    )?;
    if let Some(features) = by_features::cheaper(tiles, parts.len() * count) {
        return by_features::multiply_parts(features, parts, v, compute);
    }
    let x: Vec<f64> = v.iter().copied().collect();
    tiles.prepare(Precision::Double, compute);
    let operations = tiles.operations() + count;
    let product = Product { fill: |r, c, out: &mut [f64]| tiles.fill(r, c, out), rows, cols, operations, x: &x, count };
    let ticker = Ticker::new("K·V", rows.div_ceil(BLOCK) as u64, compute);
    let strips = (0..rows.div_ceil(BLOCK)).into_par_iter();
    let strip = |scratch: &mut Vec<f64>, i: usize| {
        ticker.tick()?;
        Ok(product.strip_of_parts(scratch, &block(i, rows), parts))
    };
    let strips: Result<Vec<Vec<f64>>> = if product.is_small() {
        let mut scratch = vec![0.0; BLOCK.min(rows) * BLOCK.min(cols)];
        (0..rows.div_ceil(BLOCK)).map(|i| strip(&mut scratch, i)).collect()
    } else {
        compute.install(|| strips.map_init(scratch, strip).collect())
    };
    ticker.finish();
    let shape = (rows, parts.len() * count);
    Array2::from_shape_vec(shape, strips?.concat()).map_err(|e| Error::shape("product", rows, e))
}

struct Product<'a, F> {
    fill: F,
    rows: usize,
    cols: usize,
    /// About how many operations a value takes.
    operations: usize,
    x: &'a [f64],
    count: usize,
}

impl<F> Product<'_, F> {
    fn run<T: Element>(&self, symmetric: bool, compute: &Compute) -> Result<Vec<f64>>
    where
        F: Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    {
        let symmetric = symmetric && self.rows == self.cols;
        let height = self.height();
        let tiles = self.rows.div_ceil(height) * self.cols.div_ceil(BLOCK);
        let count = if symmetric { tile_count(self.rows, self.cols, true) } else { tiles as u64 };
        let ticker = Ticker::new("K·V", count, compute);
        let blocks = if symmetric {
            compute.install(|| self.tournament(&ticker))?
        } else if self.is_small() {
            let mut scratch = vec![T::default(); height * BLOCK.min(self.cols)];
            let strips = 0..self.rows.div_ceil(height);
            strips.map(|i| self.strip(&mut scratch, i, &ticker)).collect::<Result<_>>()?
        } else {
            compute.install(|| self.strips(&ticker))?
        };
        ticker.finish();
        Ok(blocks.concat())
    }

    /// Blocks of rows in parallel, each from left to right.
    fn strips<T: Element>(&self, ticker: &Ticker<'_>) -> Result<Vec<Vec<f64>>>
    where
        F: Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    {
        let strips = (0..self.rows.div_ceil(self.height())).into_par_iter();
        strips.map_init(scratch, |scratch, i| self.strip(scratch, i, ticker)).collect()
    }

    /// The sums of one strip of rows.
    fn strip<T: Element>(&self, scratch: &mut [T], i: usize, ticker: &Ticker<'_>) -> Result<Vec<f64>>
    where
        F: Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    {
        let height = self.height();
        let rows = i * height..self.rows.min((i + 1) * height);
        let mut sums = vec![0.0; rows.len() * self.count];
        for j in 0..self.cols.div_ceil(BLOCK) {
            let cols = block(j, self.cols);
            let tile = self.tile(scratch, &rows, &cols);
            product::multiply(tile, self.part(&cols), &mut sums, self.count);
            ticker.tick()?;
        }
        Ok(sums)
    }

    /// Rows of a strip: fewer where there would be too few strips for many threads. It depends on the
    /// number of rows alone, so that the bytes do not depend on the threads.
    fn height(&self) -> usize {
        self.rows.div_ceil(STRIPS).next_multiple_of(8).clamp(8, BLOCK)
    }

    /// Whether to wake other threads would take longer than the work, or there is one strip alone.
    fn is_small(&self) -> bool {
        self.rows <= self.height() || self.rows * self.cols * self.operations <= SMALL
    }

    /// Some rows of the answer of [`multiply_parts`].
    fn strip_of_parts(&self, scratch: &mut [f64], rows: &Range<usize>, parts: &[Range<usize>]) -> Vec<f64>
    where
        F: Fn(Range<usize>, Range<usize>, &mut [f64]) + Sync,
    {
        let width = parts.len() * self.count;
        let mut out = vec![0.0; rows.len() * width];
        let mut sums = vec![0.0; rows.len() * self.count];
        for (at, part) in parts.iter().enumerate() {
            sums.fill(0.0);
            for start in part.clone().step_by(BLOCK) {
                let cols = start..part.end.min(start + BLOCK);
                product::multiply(self.tile(scratch, rows, &cols), self.part(&cols), &mut sums, self.count);
            }
            let lines = out.chunks_exact_mut(width.max(1)).zip(sums.chunks_exact(self.count.max(1)));
            lines.for_each(|(line, sums)| line[at * self.count..(at + 1) * self.count].copy_from_slice(sums));
        }
        out
    }

    /// Every pair of blocks once: first each block with itself, then the rounds of a tournament.
    fn tournament<T: Element>(&self, ticker: &Ticker<'_>) -> Result<Vec<Vec<f64>>>
    where
        F: Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    {
        let blocks = self.rows.div_ceil(BLOCK);
        // No block is in two pairs of a round, so that no lock is ever waited for.
        let sums: Vec<Mutex<Vec<f64>>> =
            (0..blocks).map(|i| Mutex::new(vec![0.0; block(i, self.rows).len() * self.count])).collect();
        let alone = (0..blocks).map(|i| (i, i)).collect();
        for round in std::iter::once(alone).chain((0..rounds(blocks)).map(|r| pairs(blocks, r))) {
            round.into_par_iter().try_for_each_init(scratch, |scratch, (i, j)| {
                self.meet(scratch, i, j, &sums);
                ticker.tick()
            })?;
        }
        Ok(sums.into_iter().map(|block| block.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
    }

    /// Adds the contributions of the tile (i, j), and of its transpose when `i ≠ j`.
    fn meet<T: Element>(&self, scratch: &mut [T], i: usize, j: usize, sums: &[Mutex<Vec<f64>>])
    where
        F: Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    {
        let (rows, cols) = (block(i, self.rows), block(j, self.rows));
        let tile = self.tile(scratch, &rows, &cols);
        let lock = |at: usize| sums[at].lock().unwrap_or_else(PoisonError::into_inner);
        product::multiply(tile, self.part(&cols), &mut lock(i), self.count);
        if i != j {
            product::multiply_transposed(tile, self.part(&rows), &mut lock(j), self.count);
        }
    }

    fn tile<'s, T: Element>(&self, scratch: &'s mut [T], rows: &Range<usize>, cols: &Range<usize>) -> &'s [T]
    where
        F: Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    {
        let tile = &mut scratch[..rows.len() * cols.len()];
        (self.fill)(rows.clone(), cols.clone(), tile);
        tile
    }

    /// The rows of `V` that meet these columns of `K`.
    fn part(&self, cols: &Range<usize>) -> &[f64] {
        &self.x[cols.start * self.count..cols.end * self.count]
    }
}

fn scratch<T: Element>() -> Vec<T> {
    vec![T::default(); BLOCK * BLOCK]
}

fn block(i: usize, n: usize) -> Range<usize> {
    i * BLOCK..n.min((i + 1) * BLOCK)
}

/// Rounds of a tournament in which each of `players` meets each other once.
fn rounds(players: usize) -> usize {
    (players + players % 2).saturating_sub(1)
}

/// The pairs of a round (the circle method): the last player stays, the others turn around it.
fn pairs(players: usize, round: usize) -> Vec<(usize, usize)> {
    let seats = players + players % 2;
    let turning = seats - 1;
    let opponents = |k: usize| {
        let first = (round + k) % turning;
        let second = if k == 0 { turning } else { (round + turning - k) % turning };
        (first.min(second), first.max(second))
    };
    (0..seats / 2).map(opponents).filter(|&(_, second)| second < players).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ndarray::{Array2, s};

    use super::{multiply, multiply_parts, pairs, rounds};
    use crate::gram::Pairs;
    use crate::{Compute, Kernel};

    #[test]
    fn parts_of_the_columns_have_their_own_products() {
        let points = |n: usize| Array2::from_shape_fn((n, 3), |(i, j)| ((3 * i + j) as f64).sin());
        let (x, y, compute) = (points(250), points(430), Compute::new());
        let kernel: Kernel = "gaussian()".parse().unwrap();
        let v = Array2::from_shape_fn((430, 2), |(i, j)| (i as f64 + j as f64).cos());
        let bound = kernel.bind(Pairs::between(x.view(), y.view()), &compute).unwrap();
        let parts = [0..0, 0..5, 5..210, 210..430];
        let found = multiply_parts(&bound, &parts, v.view(), &compute).unwrap();
        assert_eq!(found.dim(), (250, 8));
        for (at, part) in parts.into_iter().enumerate() {
            let mut alone = Array2::zeros((430, 2));
            alone.slice_mut(s![part.clone(), ..]).assign(&v.slice(s![part, ..]));
            let expected = multiply(&bound, alone.view(), &compute).unwrap();
            let found = found.slice(s![.., 2 * at..2 * at + 2]);
            assert_close!(&found, &expected, each = 1e-12);
        }
        assert!(multiply_parts(&bound, &[0..1, 1..2], x.view(), &compute).is_err());
    }

    #[test]
    fn everybody_meets_everybody_once_and_nobody_twice_in_a_round() {
        for players in 0..12_usize {
            let mut met = BTreeSet::new();
            for round in 0..rounds(players) {
                let mut busy = BTreeSet::new();
                for (a, b) in pairs(players, round) {
                    assert!(a < b && b < players && busy.insert(a) && busy.insert(b) && met.insert((a, b)));
                }
            }
            assert_eq!(met.len(), players * players.saturating_sub(1) / 2);
        }
    }
}
