//! Sums over the values of symmetric matrices that are never stored, in a fixed order.

use std::ops::Range;

use super::Tiles;
use super::dense::{BLOCK, Ticker, tile_count};
use crate::{Compute, Precision, Result};

/// A tile of several matrices: the same rows and columns of each.
pub(crate) struct Tile<'a> {
    pub(crate) rows: Range<usize>,
    /// The columns begin at the rows, or after their end.
    pub(crate) cols: Range<usize>,
    /// The values of each matrix, row after row.
    pub(crate) values: &'a [Vec<f64>],
}

impl Tile<'_> {
    /// Whether the tile stands on the diagonal; it then holds each pair twice and itself, elsewhere
    /// each pair once.
    pub(crate) fn on_diagonal(&self) -> bool {
        self.rows.start == self.cols.start
    }

    /// How often the tile counts in a sum over the whole matrix.
    pub(crate) fn weight(&self) -> f64 {
        if self.on_diagonal() { 1.0 } else { 2.0 }
    }

    /// The row numbers with the rows of matrix `at`.
    pub(crate) fn lines(&self, at: usize) -> impl Iterator<Item = (usize, &[f64])> {
        self.rows.clone().zip(self.values[at].chunks_exact(self.cols.len().max(1)))
    }
}

/// Visits the tiles on and above the diagonal of symmetric matrices of one size, strips of rows in
/// parallel, and gives the state of every strip in order: totals over them do not depend on the
/// number of threads.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(crate) fn fold_tiles<S: Send>(
    matrices: &[&dyn Tiles],
    compute: &Compute,
    start: impl Fn() -> S + Sync,
    visit: impl Fn(&mut S, &Tile<'_>) + Sync,
) -> Result<Vec<S>> {
    let n = matrices.first().map_or(0, |tiles| tiles.shape().0);
    let ticker = Ticker::new("sums over pairs", tile_count(n, n, true), compute);
    matrices.iter().for_each(|tiles| tiles.prepare(Precision::Double, compute));
    let block = |i: usize| i * BLOCK..n.min((i + 1) * BLOCK);
    let strip = |i: usize| {
        let (mut state, mut scratch) = (start(), vec![Vec::new(); matrices.len()]);
        for j in i..n.div_ceil(BLOCK) {
            let (rows, cols) = (block(i), block(j));
            for (out, tiles) in scratch.iter_mut().zip(matrices) {
                out.resize(rows.len() * cols.len(), 0.0);
                tiles.fill(rows.clone(), cols.clone(), out);
            }
            visit(&mut state, &Tile { rows, cols, values: &scratch });
            ticker.tick()?;
        }
        Ok(state)
    };
    let states = compute.try_map_tasks(n.div_ceil(BLOCK), strip);
    ticker.finish();
    states
}

/// The sum of a slice: eight chains in a fixed order.
pub(crate) fn sum(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for lane in 0..8 {
            sums[lane] += chunk[lane];
        }
    }
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}
