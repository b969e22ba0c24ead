//! `aᵀKa` for many label vectors `a` at once: products of tiles with matrices of labels.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::traits::RealField;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::Array2;
use rayon::prelude::*;

use super::dense::{Ticker, tile_count};
use super::simd::{Element, add_margins, add_products, add_weighted};
use crate::{Compute, Result};

/// Rows and columns of a tile; never a function of the number of threads.
const BLOCK: usize = 128;
/// Label vectors in one product.
const LABELS: usize = 256;

/// What is known of every pair of a label vector (row) and a matrix (column).
pub(crate) struct Forms {
    /// `aᵀKa`.
    pub(crate) squares: Array2<f64>,
    /// `aᵀK1`, where they were asked for.
    pub(crate) lines: Array2<f64>,
    /// `Σ aᵢKᵢᵢ`.
    pub(crate) diagonals: Array2<f64>,
    /// `1ᵀK1`, one per matrix.
    pub(crate) totals: Vec<f64>,
    /// `Σ|Kᵢⱼ|`, one per matrix: the scale of rounding.
    pub(crate) absolute: Vec<f64>,
    /// `Σ_{i≠j} Kᵢⱼ²`, one per matrix.
    pub(crate) off_diagonal_squares: Vec<f64>,
    /// `Σ Kᵢᵢ`, one per matrix.
    pub(crate) traces: Vec<f64>,
}

/// The forms of `count` symmetric matrices of `n` rows, whose tiles `fill` gives one after the other. No matrix is stored; products of a tile
/// with the labels are in the precision of the tile, sums over tiles in `f64`, strip after strip in a fixed order. Without `lines` these are 0.
///
/// # Cost
/// Every pair of points once; `n²B/2` multiplications for each matrix and `B` label vectors.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory) when the sums of the strips exceed the limit, [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn quadratic_forms<T: Element + RealField>(
    fill: impl Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    (n, count): (usize, usize),
    labels: &[Vec<i8>],
    lines: bool,
    compute: &Compute,
) -> Result<Forms> {
    let strips = n.div_ceil(BLOCK);
    let bytes = 24 * strips as u64 * labels.len() as u64 * count as u64 + (n * labels.len()) as u64;
    compute.reserve("the sums of the relabelled statistics", bytes, "draw fewer relabellings at a time")?;
    let ticker = Ticker::new("relabelled statistics", tile_count(n, n, true), compute);
    let work = Work { fill, n, count, labels: &transposed(labels, n), relabellings: labels.len(), lines };
    let run = |scratch: &mut Scratch<T>, i: usize| work.strip(scratch, i, &ticker);
    let done: Result<Vec<Partial>> =
        compute.install(|| (0..strips).into_par_iter().map_init(|| Scratch::new(count), run).collect());
    ticker.finish();
    Ok(work.total(done?))
}

struct Work<'a, F> {
    fill: F,
    n: usize,
    count: usize,
    /// The labels of each point, point after point.
    labels: &'a [i8],
    relabellings: usize,
    /// Whether `aᵀK1` is asked for.
    lines: bool,
}

/// The sums of a strip, matrix after matrix, label vector by label vector within.
struct Partial {
    squares: Vec<f64>,
    lines: Vec<f64>,
    diagonals: Vec<f64>,
    /// Total, absolute sum, off-diagonal squares and trace of each matrix.
    plain: Vec<[f64; 4]>,
}

struct Scratch<T> {
    tiles: Vec<T>,
    left: Vec<T>,
    right: Vec<T>,
    product: Vec<T>,
}

impl<T: Element> Scratch<T> {
    fn new(count: usize) -> Self {
        let labels = vec![T::default(); BLOCK * LABELS];
        Self {
            tiles: vec![T::default(); count * BLOCK * BLOCK],
            left: labels.clone(),
            right: labels.clone(),
            product: labels,
        }
    }
}

impl<F> Work<'_, F> {
    fn strip<T: Element + RealField>(&self, scratch: &mut Scratch<T>, i: usize, ticker: &Ticker<'_>) -> Result<Partial>
    where
        F: Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    {
        let zeros = || vec![0.0; self.count * self.relabellings];
        let mut partial =
            Partial { squares: zeros(), lines: zeros(), diagonals: zeros(), plain: vec![[0.0; 4]; self.count] };
        let rows = self.block(i);
        let mut row_sums = vec![vec![0.0; rows.len()]; self.count];
        for j in i..self.n.div_ceil(BLOCK) {
            let cols = self.block(j);
            let size = rows.len() * cols.len();
            (self.fill)(rows.clone(), cols.clone(), &mut scratch.tiles[..self.count * size]);
            let margins: Vec<Margins> = scratch.tiles[..self.count * size]
                .chunks_exact(size.max(1))
                .map(|tile| Margins::new(tile, cols.len(), i == j))
                .collect();
            for ((plain, sums), m) in partial.plain.iter_mut().zip(&mut row_sums).zip(&margins) {
                m.add_to(plain);
                sums.iter_mut().zip(&m.rows).for_each(|(sum, row)| *sum += row);
            }
            for chunk in 0..self.relabellings.div_ceil(LABELS) {
                self.meet(scratch, &rows, &cols, chunk, &margins, &mut partial);
            }
            ticker.tick()?;
        }
        if self.lines {
            self.add_lines(scratch, &rows, &row_sums, &mut partial);
        }
        Ok(partial)
    }

    /// Adds the sums of the rows of a strip, over all its tiles, to the lines.
    fn add_lines<T: Element>(
        &self,
        scratch: &mut Scratch<T>,
        rows: &Range<usize>,
        row_sums: &[Vec<f64>],
        partial: &mut Partial,
    ) {
        for start in (0..self.relabellings).step_by(LABELS) {
            let range = start..self.relabellings.min(start + LABELS);
            let left = self.expand(rows, &range, &mut scratch.left);
            for (sums, lines) in row_sums.iter().zip(partial.lines.chunks_exact_mut(self.relabellings)) {
                add_weighted(left, sums, &mut lines[range.clone()]);
            }
        }
    }

    /// Adds what a tile gives to a chunk of label vectors.
    fn meet<T: Element + RealField>(
        &self,
        scratch: &mut Scratch<T>,
        rows: &Range<usize>,
        cols: &Range<usize>,
        chunk: usize,
        margins: &[Margins],
        partial: &mut Partial,
    ) {
        let range = chunk * LABELS..self.relabellings.min((chunk + 1) * LABELS);
        let (count, size) = (range.len(), rows.len() * cols.len());
        let left = self.expand(rows, &range, &mut scratch.left);
        let right = self.expand(cols, &range, &mut scratch.right);
        let product = &mut scratch.product[..rows.len() * count];
        let diagonal = rows.start == cols.start;
        for (k, (tile, margins)) in scratch.tiles.chunks_exact(size.max(1)).zip(margins).enumerate() {
            matmul(
                MatMut::from_row_major_slice_mut(product, rows.len(), count),
                Accum::Replace,
                MatRef::from_row_major_slice(tile, rows.len(), cols.len()),
                MatRef::from_row_major_slice(right, cols.len(), count),
                T::one(),
                Par::Seq,
            );
            let at = k * self.relabellings;
            let place = at + range.start..at + range.end;
            let factor = if diagonal { 1.0 } else { 2.0 };
            add_products(left, product, factor, &mut partial.squares[place.clone()]);
            if diagonal {
                add_weighted(left, &margins.diagonal, &mut partial.diagonals[place]);
            } else if self.lines {
                add_weighted(right, &margins.cols, &mut partial.lines[place]);
            }
        }
    }

    /// Some labels of some points, a row per point.
    fn expand<'s, T: Element>(&self, points: &Range<usize>, range: &Range<usize>, out: &'s mut [T]) -> &'s [T] {
        for (point, line) in points.clone().zip(out.chunks_exact_mut(range.len().max(1))) {
            let labels = &self.labels[point * self.relabellings..][range.clone()];
            line.iter_mut().zip(labels).for_each(|(out, label)| *out = T::from_f64(f64::from(*label)));
        }
        &out[..points.len() * range.len()]
    }

    fn block(&self, i: usize) -> Range<usize> {
        i * BLOCK..self.n.min((i + 1) * BLOCK)
    }

    /// The strips in order.
    fn total(&self, strips: Vec<Partial>) -> Forms {
        let (count, relabellings) = (self.count, self.relabellings);
        let add = |part: fn(&Partial) -> &Vec<f64>| {
            let sum_at = |at: usize| strips.iter().map(|s| part(s)[at]).sum::<f64>();
            Array2::from_shape_fn((relabellings, count), |(b, k)| sum_at(k * relabellings + b))
        };
        let plain = |which: usize| (0..count).map(|k| strips.iter().map(|s| s.plain[k][which]).sum()).collect();
        Forms {
            squares: add(|s| &s.squares),
            lines: add(|s| &s.lines),
            diagonals: add(|s| &s.diagonals),
            totals: plain(0),
            absolute: plain(1),
            off_diagonal_squares: plain(2),
            traces: plain(3),
        }
    }
}

/// The labels of each point, point after point.
fn transposed(labels: &[Vec<i8>], n: usize) -> Vec<i8> {
    let mut by_point = vec![0; n * labels.len()];
    for (b, label) in labels.iter().enumerate() {
        by_point[b..].iter_mut().step_by(labels.len()).zip(label).for_each(|(out, value)| *out = *value);
    }
    by_point
}

/// Sums of the rows and the columns of a tile.
struct Margins {
    rows: Vec<f64>,
    cols: Vec<f64>,
    /// The diagonal of a tile on it, empty elsewhere.
    diagonal: Vec<f64>,
    absolute: f64,
    squares: f64,
}

impl Margins {
    fn new<T: Element>(tile: &[T], width: usize, on_diagonal: bool) -> Self {
        let (mut rows, mut cols) = (vec![0.0; tile.len() / width.max(1)], vec![0.0; width]);
        let [absolute, squares] = add_margins(tile, &mut rows, &mut cols);
        let own = tile.iter().step_by(width + 1).map(|v| v.to_f64());
        let diagonal = if on_diagonal { own.collect() } else { Vec::new() };
        Self { rows, cols, diagonal, absolute, squares }
    }

    fn add_to(&self, plain: &mut [f64; 4]) {
        let factor = if self.diagonal.is_empty() { 2.0 } else { 1.0 };
        let own: f64 = self.diagonal.iter().map(|d| d * d).sum();
        plain[0] += factor * self.rows.iter().sum::<f64>();
        plain[1] += factor * self.absolute;
        plain[2] += factor * self.squares - own;
        plain[3] += self.diagonal.iter().sum::<f64>();
    }
}
