//! Passes over the kernel matrix between points and centers.

use std::ops::Range;

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::gram::simd::{Element, product};
use crate::gram::{self, Bound, Tiles};
use crate::{Compute, Error, Precision, Result};

/// Values of a tile: small enough for a second-level cache.
/// An eighth and eight times of it are both 15 % slower (10 000 rows, 500 centers).
const TILE: usize = 1 << 16;
/// Rows of a task, whose sums are added in order; at most this many tasks would be too few for long
/// samples, so it has an upper bound. Bounds of 1024 to 16 384 rows differ by less than 3 %
/// (400 000 rows, 50 centers).
const TASKS: usize = 64;
const MOST_ROWS: usize = 4096;

/// `K_nm`, stored or given by its tiles.
pub(super) enum Matrix<'a> {
    Tiles(Box<Bound<'a>>),
    Double(Array2<f64>),
    Single(Array2<f32>),
}

/// What a pass gives: `Kα`, and `Kᵀ` times what `middle` made of it.
pub(super) struct Swept {
    pub(super) forward: Array2<f64>,
    pub(super) backward: Array2<f64>,
}

/// What becomes of some rows of `Kα` before they meet `Kᵀ`: `middle(rows, values, out)`.
pub(super) type Middle<'a> = dyn Fn(Range<usize>, &[f64], &mut [f64]) + Sync + 'a;

impl<'a> Matrix<'a> {
    pub(super) fn new(bound: Bound<'a>, stored: bool, compute: &Compute) -> Result<Self> {
        Ok(match (stored, compute.precision()) {
            (false, _) => Self::Tiles(Box::new(bound)),
            (true, Precision::Double) => Self::Double(gram::dense(&bound, compute)?),
            (true, Precision::SingleTiles) => Self::Single(gram::dense_single(&bound, compute)?),
        })
    }

    pub(super) fn shape(&self) -> (usize, usize) {
        match self {
            Self::Tiles(bound) => bound.shape(),
            Self::Double(k) => k.dim(),
            Self::Single(k) => k.dim(),
        }
    }

    /// `Kα` and `Kᵀmiddle(Kα)`, with every tile of `K` made once. Tiles are in the precision of the
    /// computation, sums in `f64` and in a fixed order.
    pub(super) fn sweep(&self, alpha: ArrayView2<f64>, middle: &Middle<'_>, compute: &Compute) -> Result<Swept> {
        let columns = 0..self.shape().1;
        match self {
            Self::Tiles(bound) if compute.precision() == Precision::SingleTiles => {
                let fill = |rows: Range<usize>, out: &mut [f32]| bound.fill_single(rows, columns.clone(), out);
                self.run(Source::Tiles(&fill), alpha, middle, compute)
            }
            Self::Tiles(bound) => {
                let fill = |rows: Range<usize>, out: &mut [f64]| bound.fill(rows, columns.clone(), out);
                self.run(Source::Tiles(&fill), alpha, middle, compute)
            }
            Self::Double(k) => self.run(Source::Stored(k), alpha, middle, compute),
            Self::Single(k) => self.run(Source::Stored(k), alpha, middle, compute),
        }
    }

    fn run<T: Element>(
        &self,
        source: Source<'_, T>,
        alpha: ArrayView2<f64>,
        middle: &Middle<'_>,
        compute: &Compute,
    ) -> Result<Swept> {
        let (n, m) = self.shape();
        let count = alpha.ncols();
        let alpha: Vec<f64> = alpha.iter().copied().collect();
        let (height, rows) = ((TILE / m.max(1)).clamp(8, 256), n.div_ceil(TASKS).clamp(1, MOST_ROWS));
        let task = |buffer: &mut Vec<T>, index: usize| {
            let all = index * rows..n.min((index + 1) * rows);
            let (mut forward, mut backward) = (vec![0.0; all.len() * count], vec![0.0; m * count]);
            let mut between = vec![0.0; height * count];
            for start in all.clone().step_by(height) {
                compute.check_canceled()?;
                let part = start..all.end.min(start + height);
                let tile = source.rows(part.clone(), m, buffer);
                let u = &mut forward[(part.start - all.start) * count..(part.end - all.start) * count];
                product::multiply(tile, &alpha, u, count);
                let v = &mut between[..u.len()];
                middle(part, u, v);
                product::multiply_transposed(tile, v, &mut backward, count);
            }
            Ok((forward, backward))
        };
        let parts: Vec<Result<(Vec<f64>, Vec<f64>)>> =
            compute.install(|| (0..n.div_ceil(rows)).into_par_iter().map_init(Vec::new, task).collect());
        let (mut forward, mut backward) = (Vec::with_capacity(n * count), vec![0.0; m * count]);
        for part in parts {
            let (u, sums) = part?;
            forward.extend(u);
            backward.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        let shaped = |values: Vec<f64>, rows: usize| {
            Array2::from_shape_vec((rows, count), values)
                .map_err(|e| Error::shape("a product with the kernel matrix", rows, e))
        };
        Ok(Swept { forward: shaped(forward, n)?, backward: shaped(backward, m)? })
    }
}

/// Where the rows of the matrix come from.
#[derive(Clone, Copy)]
enum Source<'s, T> {
    Stored(&'s Array2<T>),
    Tiles(&'s (dyn Fn(Range<usize>, &mut [T]) + Sync)),
}

impl<T: Element> Source<'_, T> {
    /// Some rows of `columns` values: where they lie, or made in the buffer.
    fn rows<'b>(&'b self, rows: Range<usize>, columns: usize, buffer: &'b mut Vec<T>) -> &'b [T] {
        match self {
            Self::Stored(k) => {
                let all = k.as_slice().expect("a matrix in standard layout");
                &all[rows.start * columns..rows.end * columns]
            }
            Self::Tiles(fill) => {
                buffer.resize(rows.len() * columns, T::default());
                fill(rows, buffer);
                buffer
            }
        }
    }
}

impl Matrix<'_> {
    /// `Kᵀv`.
    pub(super) fn backward(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let (count, zero) = (v.ncols(), Array2::zeros((self.shape().1, v.ncols())));
        let replace = |rows: Range<usize>, _: &[f64], out: &mut [f64]| {
            for (i, line) in rows.zip(out.chunks_exact_mut(count.max(1))) {
                line.iter_mut().zip(v.row(i)).for_each(|(u, v)| *u = *v);
            }
        };
        Ok(self.sweep(zero.view(), &replace, compute)?.backward)
    }
}
