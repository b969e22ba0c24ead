//! A kernel matrix by its tiles, stored or computed anew in every product.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, s};
use rayon::prelude::*;

use super::{Doubled, Operator, RowMap, check_rows, check_square, products};
use crate::gram::simd::{Element, product};
use crate::gram::{self, Tiles};
use crate::{Compute, Error, Precision, Result};

/// Values of a tile: small enough for a second-level cache.
/// An eighth and eight times of it are both 15 % slower (10 000 rows, 500 centers).
const TILE: usize = 1 << 16;
/// Rows of a task, whose sums are added in order; at most this many tasks would be too few for long
/// samples, so it has an upper bound. Bounds of 1024 to 16 384 rows differ by less than 3 %
/// (400 000 rows, 50 centers).
const TASKS: usize = 64;
const MOST_ROWS: usize = 4096;

/// A kernel matrix between points, or of points with themselves.
///
/// Tiles are in the precision of the computation, sums in `f64` and in a fixed order.
pub struct Tiled<'a> {
    source: Source<'a>,
    compute: Compute,
}

enum Source<'a> {
    Tiles(&'a dyn Tiles),
    Stored(Stored),
}

impl<'a> Tiled<'a> {
    /// The matrix of these tiles, which are computed for every product and forgotten.
    pub fn new(tiles: &'a dyn Tiles, compute: &Compute) -> Self {
        Self { source: Source::Tiles(tiles), compute: compute.clone() }
    }

    /// The matrix of these tiles, computed once and stored in the precision of the computation: the
    /// tiles are not needed any more.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Canceled`], [`Error::Overflow`] for values beyond single
    /// precision.
    pub fn stored(tiles: &dyn Tiles, compute: &Compute) -> Result<Self> {
        let values = match compute.precision() {
            Precision::Double => Values::Double(gram::dense(tiles, compute)?),
            Precision::SingleTiles => Values::Single(gram::dense_single(tiles, compute)?),
        };
        let stored = Stored { values, symmetric: tiles.symmetric() };
        Ok(Self { source: Source::Stored(stored), compute: compute.clone() })
    }

    /// The tiles, from memory where they are stored.
    pub(crate) fn tiles(&self) -> &dyn Tiles {
        match &self.source {
            Source::Tiles(tiles) => *tiles,
            Source::Stored(stored) => stored,
        }
    }

    /// The matrix, where it is stored in double precision.
    pub(crate) fn values(&self) -> Option<&Array2<f64>> {
        match &self.source {
            Source::Stored(Stored { values: Values::Double(values), .. }) => Some(values),
            _ => None,
        }
    }

    fn run<T: Element>(&self, source: Lines<'_, T>, v: ArrayView2<f64>, map: &RowMap<'_>) -> Result<Doubled> {
        let ((n, m), count) = (self.shape(), v.ncols());
        let v: Vec<f64> = v.iter().copied().collect();
        let (height, rows) = ((TILE / m.max(1)).clamp(8, 256), n.div_ceil(TASKS).clamp(1, MOST_ROWS));
        let task = |buffer: &mut Vec<T>, index: usize| {
            let all = index * rows..n.min((index + 1) * rows);
            let (mut forward, mut backward) = (vec![0.0; all.len() * count], vec![0.0; m * count]);
            let mut between = vec![0.0; height * count];
            for start in all.clone().step_by(height) {
                self.compute.check_canceled()?;
                let part = start..all.end.min(start + height);
                let tile = source.rows(part.clone(), m, buffer);
                let u = &mut forward[(part.start - all.start) * count..(part.end - all.start) * count];
                product::multiply(tile, &v, u, count);
                let mapped = &mut between[..u.len()];
                map(part, u, mapped);
                product::multiply_transposed(tile, mapped, &mut backward, count);
            }
            Ok((forward, backward))
        };
        let parts: Vec<Result<(Vec<f64>, Vec<f64>)>> =
            self.compute.install(|| (0..n.div_ceil(rows)).into_par_iter().map_init(Vec::new, task).collect());
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
        Ok(Doubled { forward: shaped(forward, n)?, backward: shaped(backward, m)? })
    }
}

impl Operator for Tiled<'_> {
    fn shape(&self) -> (usize, usize) {
        self.tiles().shape()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        match &self.source {
            Source::Stored(Stored { values, symmetric: false }) => {
                check_rows(v, self.shape().1)?;
                match values {
                    Values::Double(values) => products::multiply(values.view(), v, &self.compute),
                    Values::Single(values) => products::multiply_single(values.view(), v, &self.compute),
                }
            }
            // Of a symmetric matrix every tile serves twice, stored or not.
            _ => gram::multiply(self.tiles(), v, &self.compute),
        }
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        if self.tiles().symmetric() {
            return self.apply(v);
        }
        check_rows(v, self.shape().0)?;
        let (count, zero) = (v.ncols(), Array2::zeros((self.shape().1, v.ncols())));
        let replace = |rows: Range<usize>, _: &[f64], out: &mut [f64]| {
            for (i, line) in rows.zip(out.chunks_exact_mut(count.max(1))) {
                line.iter_mut().zip(v.row(i)).for_each(|(u, v)| *u = *v);
            }
        };
        Ok(self.double(zero.view(), &replace)?.backward)
    }

    fn double(&self, v: ArrayView2<f64>, map: &RowMap<'_>) -> Result<Doubled> {
        let columns = 0..self.shape().1;
        check_rows(v, columns.end)?;
        match &self.source {
            Source::Tiles(tiles) if self.compute.precision() == Precision::SingleTiles => {
                let fill = |rows: Range<usize>, out: &mut [f32]| tiles.fill_single(rows, columns.clone(), out);
                self.run(Lines::Tiles(&fill), v, map)
            }
            Source::Tiles(tiles) => {
                let fill = |rows: Range<usize>, out: &mut [f64]| tiles.fill(rows, columns.clone(), out);
                self.run(Lines::Tiles(&fill), v, map)
            }
            Source::Stored(Stored { values: Values::Double(values), .. }) => self.run(Lines::Stored(values), v, map),
            Source::Stored(Stored { values: Values::Single(values), .. }) => self.run(Lines::Stored(values), v, map),
        }
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        check_square(self.shape())?;
        Ok(self.tiles().diagonal()?.into())
    }
}

/// Where the rows of a pass come from.
#[derive(Clone, Copy)]
enum Lines<'s, T> {
    Stored(&'s Array2<T>),
    Tiles(&'s (dyn Fn(Range<usize>, &mut [T]) + Sync)),
}

impl<T: Element> Lines<'_, T> {
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

/// A matrix in memory, given by its tiles.
#[derive(Debug)]
struct Stored {
    values: Values,
    symmetric: bool,
}

#[derive(Debug)]
enum Values {
    Double(Array2<f64>),
    Single(Array2<f32>),
}

impl Tiles for Stored {
    fn shape(&self) -> (usize, usize) {
        match &self.values {
            Values::Double(values) => values.dim(),
            Values::Single(values) => values.dim(),
        }
    }

    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        match &self.values {
            Values::Double(values) => copy(values, rows, cols, out, |v| v),
            Values::Single(values) => copy(values, rows, cols, out, f64::from),
        }
    }

    fn fill_single(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f32]) {
        match &self.values {
            Values::Double(values) => copy(values, rows, cols, out, |v| v as f32),
            Values::Single(values) => copy(values, rows, cols, out, |v| v),
        }
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(match &self.values {
            Values::Double(values) => values.diag().to_vec(),
            Values::Single(values) => values.diag().iter().map(|v| f64::from(*v)).collect(),
        })
    }
}

/// A rectangle of a stored matrix.
fn copy<S: Copy, T>(
    values: &Array2<S>,
    rows: Range<usize>,
    cols: Range<usize>,
    out: &mut [T],
    number: impl Fn(S) -> T,
) {
    for (row, line) in rows.zip(out.chunks_exact_mut(cols.len().max(1))) {
        let values = values.slice(s![row, cols.clone()]);
        line.iter_mut().zip(values).for_each(|(o, v)| *o = number(*v));
    }
}
