//! Reduction of a symmetric matrix to tridiagonal form by Householder reflections.

use rayon::prelude::*;

use super::super::reflectors::reflect;
use super::parallel::{PARALLEL, each_chunk, view, view_mut};
use super::reflections::Reflections;
use crate::gram::simd::columns::Columns;
use crate::gram::simd::dot;
use crate::gram::simd::matmul::{Target, matmul};
use crate::{Compute, Result};

/// Columns of a panel. With 48 or 64 the products within the panel take as much more time as the
/// update of the trailing matrix takes less: 2.6 and 2.7 instead of 2.2 ms at 300 rows, 58 and 59
/// instead of 51 ms at 1 000 rows on one thread, no difference at 2 000.
const WIDTH: usize = 32;
/// Columns of a strip of the trailing matrix. The tile on the diagonal is computed as a whole: with
/// 128 the update takes 16.5 instead of 14.4 to 16.2 ms at 1 000 rows, with 32 as long.
const STRIP: usize = 64;
/// Rows from which on the product with a vector is cut into parts for threads: below, 40 µs of work
/// are too few to wake a thread. From 256 rows on the time is within the noise of the measurement.
const SPLIT: usize = 384;
/// Rows per part, and the greatest number of parts. With 256 rows two threads take 23 instead of
/// 19 ms for all products of a reduction of 1 000 rows.
const PART: usize = 128;
const PARTS: usize = 16;
/// A column whose norm is less, where the largest entry of the matrix is about 1, counts as zero:
/// squares of smaller numbers lose digits.
const NEGLIGIBLE: f64 = 1e-145;

/// `A = Q T Qᵀ`.
pub(super) struct Tridiagonal {
    pub(super) diagonal: Vec<f64>,
    pub(super) off_diagonal: Vec<f64>,
    /// `Q`.
    pub(super) reflections: Reflections,
}

/// Reduces a column-major matrix, of which the lower triangle is read and the largest entry is
/// about 1.
///
/// # Formula
/// `Hⱼ = I − τvvᵀ` maps column `j` below the diagonal to its first entry. With `w = τ(Av − ½τ(vᵀAv)v)`
/// the matrix becomes `HⱼAHⱼ = A − vwᵀ − wvᵀ`. The changes of a panel of columns are applied to the
/// columns to the right of it together, by matrix products; within the panel `Av` is
/// `A₀v − V(Wᵀv) − W(Vᵀv)` with the matrix `A₀` before the panel.
///
/// # Cost
/// `4n³/3` operations: half of them in products `A₀v`, which are bound by memory.
pub(super) fn reduce(entries: Vec<f64>, size: usize, compute: &Compute) -> Result<Tridiagonal> {
    let mut reduction = Reduction {
        size,
        entries,
        images: vec![0.0; size * WIDTH],
        parts: vec![0.0; size * PARTS],
        diagonal: Vec::with_capacity(size),
        off_diagonal: Vec::with_capacity(size),
        weights: Vec::with_capacity(size),
    };
    for start in (0..size).step_by(WIDTH) {
        compute.check_canceled()?;
        let end = size.min(start + WIDTH);
        (start..end).for_each(|column| reduction.reduce_column(start, column));
        reduction.update_trailing(start, end, compute)?;
    }
    let Reduction { entries, diagonal, off_diagonal, weights, .. } = reduction;
    Ok(Tridiagonal { diagonal, off_diagonal, reflections: Reflections::new(size, entries, weights) })
}

struct Reduction {
    size: usize,
    /// The matrix; column `j` holds `v` of its reflection below the diagonal once it is reduced.
    entries: Vec<f64>,
    /// The columns `w` of the current panel.
    images: Vec<f64>,
    /// Shares of parts of the matrix in a product with a vector.
    parts: Vec<f64>,
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
    /// `τ` of the reflections.
    weights: Vec<f64>,
}

impl Reduction {
    fn reduce_column(&mut self, start: usize, column: usize) {
        let n = self.size;
        self.update_column(start, column);
        let own = &mut self.entries[column * n + column..(column + 1) * n];
        self.diagonal.push(own[0]);
        if own.len() == 1 {
            return;
        }
        let (entry, weight) = reflect_column(&mut own[1..]);
        self.off_diagonal.push(entry);
        self.weights.push(weight);
        if weight == 0.0 {
            let k = column - start;
            self.images[k * n..(k + 1) * n].fill(0.0);
        } else {
            self.find_image(start, column, weight);
        }
    }

    /// Applies the reflections of the panel to its next column.
    fn update_column(&mut self, start: usize, column: usize) {
        let (n, count) = (self.size, column - start);
        let (before, own) = self.entries.split_at_mut(column * n);
        let own = &mut own[column..n];
        let v = Columns { values: &before[start * n..], stride: n, count };
        let w = Columns { values: &self.images, stride: n, count };
        let (v_row, w_row) = (row(&v, column), row(&w, column));
        below(v, column).subtract_from(own, &w_row[..count]);
        below(w, column).subtract_from(own, &v_row[..count]);
    }

    /// `w` for the reflection of a column.
    fn find_image(&mut self, start: usize, column: usize, weight: f64) {
        let (n, count, first) = (self.size, column - start, column + 1);
        let v = &self.entries[column * n + first..first * n];
        let (before, image) = self.images.split_at_mut(count * n);
        let image = &mut image[first..n];
        let trailing = Columns { values: &self.entries[first * n + first..], stride: n, count: n - first };
        symmetric_product(trailing, v, &mut self.parts, image);
        let vectors = below(Columns { values: &self.entries[start * n..], stride: n, count }, first);
        let images = below(Columns { values: before, stride: n, count }, first);
        let (mut from_vectors, mut from_images) = ([0.0; WIDTH], [0.0; WIDTH]);
        vectors.dot(v, &mut from_vectors);
        images.dot(v, &mut from_images);
        vectors.subtract_from(image, &from_images[..count]);
        images.subtract_from(image, &from_vectors[..count]);
        let half = 0.5 * weight * dot(image, v);
        image.iter_mut().zip(v).for_each(|(w, v)| *w = weight * (*w - half * v));
    }

    /// `A ← A − VWᵀ − WVᵀ` on and below the diagonal, right of a panel; strips of columns in
    /// parallel.
    fn update_trailing(&mut self, start: usize, end: usize, compute: &Compute) -> Result<()> {
        let (n, width, rows) = (self.size, end - start, self.size - end);
        if rows == 0 {
            return Ok(());
        }
        let factors = self.factors(start, end);
        each_chunk(rows >= PARALLEL, &mut self.entries[end * n..], STRIP * n, compute, |number, strip| {
            let (first, columns) = (number * STRIP, strip.len() / n);
            let left = view(&factors[first..], (rows - first, 2 * width), rows);
            let right = view(&factors[width * rows + first..], (columns, 2 * width), rows);
            matmul(view_mut(&mut strip[end + first..], (rows - first, columns), n), Target::Add, left, right.t(), -1.0);
            Ok(())
        })
    }

    /// `[V W V]` in the rows below the panel: `[V W]` and `[W V]` are parts of it.
    fn factors(&self, start: usize, end: usize) -> Vec<f64> {
        let (n, rows) = (self.size, self.size - end);
        let (vectors, images) = (&self.entries[start * n..end * n], &self.images[..(end - start) * n]);
        let mut all = Vec::with_capacity(3 * (end - start) * rows);
        for columns in [vectors, images, vectors] {
            columns.chunks_exact(n).for_each(|column| all.extend_from_slice(&column[end..]));
        }
        all
    }
}

/// One row of a panel.
fn row(columns: &Columns, number: usize) -> [f64; WIDTH] {
    let mut row = [0.0; WIDTH];
    (0..columns.count).for_each(|k| row[k] = columns.values[k * columns.stride + number]);
    row
}

/// Columns from a row on.
fn below(columns: Columns, first: usize) -> Columns {
    Columns { values: &columns.values[first.min(columns.values.len())..], ..columns }
}

/// [`reflect`] for a column whose largest entry is at most about 1.
fn reflect_column(x: &mut [f64]) -> (f64, f64) {
    let tail = dot(&x[1..], &x[1..]).sqrt();
    if tail < NEGLIGIBLE {
        x[1..].fill(0.0);
        return reflect(x.into(), 0.0);
    }
    reflect(x.into(), tail)
}

/// `y = Ax` from the lower triangle. The columns are cut into parts of equal area, whose shares are
/// added in order.
fn symmetric_product(a: Columns, x: &[f64], parts: &mut [f64], y: &mut [f64]) {
    let rows = x.len();
    if rows < SPLIT {
        return a.symmetric_product(0..rows, x, y);
    }
    let count = (rows / PART).min(PARTS);
    let parts = &mut parts[..count * rows];
    parts.par_chunks_mut(rows).enumerate().for_each(|(number, part)| {
        a.symmetric_product(cut(rows, number, count)..cut(rows, number + 1, count), x, part);
    });
    y.copy_from_slice(&parts[..rows]);
    for (number, part) in parts.chunks_exact(rows).enumerate().skip(1) {
        let first = cut(rows, number, count);
        y[first..].iter_mut().zip(&part[first..]).for_each(|(y, part)| *y += part);
    }
}

/// Where a part begins: the first `number` of `count` parts hold `number / count` of the triangle.
fn cut(rows: usize, number: usize, count: usize) -> usize {
    let left = ((count - number) as f64 / count as f64).sqrt();
    if number == count { rows } else { (rows as f64 * (1.0 - left)) as usize / 4 * 4 }
}
