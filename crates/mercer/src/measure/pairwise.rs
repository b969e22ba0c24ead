//! The core of paired statistics: `h(i, j)` of pairs `(xᵢ, yᵢ)` as a matrix of its own.

use std::ops::Range;

use crate::Result;
use crate::gram::Tiles;
use crate::gram::simd::Element;

/// `h(i, j) = k(xᵢ, xⱼ) + k(yᵢ, yⱼ) − k(xᵢ, yⱼ) − k(yᵢ, xⱼ)`, from the kernel values of the pooled
/// sample.
pub(crate) struct PairTiles<'a> {
    pooled: &'a dyn Tiles,
    pairs: usize,
}

impl<'a> PairTiles<'a> {
    /// The first `pairs` points are the `xᵢ`, the next `pairs` the `yᵢ`.
    pub(crate) fn new(pooled: &'a dyn Tiles, pairs: usize) -> Self {
        Self { pooled, pairs }
    }

    /// Adds the four tiles that `one` gives, with their signs.
    pub(crate) fn combine<T: Element>(
        pairs: usize,
        rows: &Range<usize>,
        cols: &Range<usize>,
        out: &mut [T],
        one: impl Fn(Range<usize>, Range<usize>, &mut [T]),
    ) {
        let shift = |range: &Range<usize>| pairs + range.start..pairs + range.end;
        one(rows.clone(), cols.clone(), out);
        let mut part = vec![T::default(); out.len()];
        let others =
            [(shift(rows), shift(cols), 1.0), (rows.clone(), shift(cols), -1.0), (shift(rows), cols.clone(), -1.0)];
        for (rows, cols, sign) in others {
            one(rows, cols, &mut part);
            let sign = T::from_f64(sign);
            out.iter_mut().zip(&part).for_each(|(o, p)| *o += sign * *p);
        }
    }
}

impl Tiles for PairTiles<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.pairs, self.pairs)
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        Self::combine(self.pairs, &rows, &cols, out, |r, c, o| self.pooled.fill(r, c, o));
    }

    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        Self::combine(self.pairs, &rows, &cols, out, |r, c, o| self.pooled.fill_single(r, c, o));
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        let value = |i: usize| {
            let mut out = [0.0];
            self.fill(i..i + 1, i..i + 1, &mut out);
            out[0]
        };
        Ok((0..self.pairs).map(value).collect())
    }
}
