//! `aᵀKa` for many label vectors `a` at once.

use std::ops::Range;

use ndarray::Array2;
use rayon::prelude::*;

use super::dense::{Ticker, tile_count};
use super::simd::subsets::{LabelledBlock, POINTS, Tables, add_weighted, empty_tables, expand};
use super::simd::{Element, add_margins};
use crate::{Compute, Result};

/// Rows and columns of a tile; never a function of the number of threads.
const BLOCK: usize = 128;
/// Label vectors that are worked on together: their labels as numbers stay in the cache.
const LABELS: usize = 512;

/// The two values of the labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelValues {
    /// 1 for the points of a sample, 0 for the others.
    Membership,
    /// −1 and 1.
    Signs,
}

impl LabelValues {
    /// The labels that the bits 0 and 1 stand for.
    fn of<T: Element>(self) -> [T; 2] {
        [if self == Self::Membership { 0.0 } else { -1.0 }, 1.0].map(T::from_f64)
    }
}

/// What is known of every pair of a label vector (row) and a matrix (column).
pub(crate) struct Forms {
    /// `aᵀKa`.
    pub(crate) squares: Array2<f64>,
    /// `aᵀK1` for memberships, 0 for signs.
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

/// The forms of `count` symmetric matrices of `n` rows, whose tiles `fill` gives one after the other. No matrix is stored; sums over a block of a tile
/// are in the precision of the tile, those over blocks in `f64`, strip after strip in a fixed order.
///
/// # Cost
/// Every pair of points once; `n²B/8` additions for each matrix and `B` label vectors, by tables of the sums over four points.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory) when the sums of the strips exceed the limit, [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn quadratic_forms<T: Element>(
    fill: impl Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    (n, count): (usize, usize),
    labels: &[Vec<i8>],
    values: LabelValues,
    compute: &Compute,
) -> Result<Forms> {
    let strips = n.div_ceil(BLOCK);
    let bytes = 24 * strips as u64 * labels.len() as u64 * count as u64 + (n * labels.len() / 8) as u64;
    compute.reserve("the sums of the relabelled statistics", bytes, "draw fewer relabellings at a time")?;
    let ticker = Ticker::new("relabelled statistics", tile_count(n, n, true), compute);
    let words = compute.install(|| packed(labels, n));
    let work = Work { fill, n, count, words: &words, relabellings: labels.len(), values };
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
    /// The labels of each group of points, a word per label vector, group after group.
    words: &'a [u32],
    relabellings: usize,
    values: LabelValues,
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
    labels: Vec<T>,
    tables: Box<Tables<T>>,
}

impl<T: Element> Scratch<T> {
    fn new(count: usize) -> Self {
        Self {
            tiles: vec![T::default(); count * BLOCK * BLOCK],
            labels: vec![T::default(); LABELS * POINTS],
            tables: empty_tables(),
        }
    }
}

impl<F> Work<'_, F> {
    fn strip<T: Element>(&self, scratch: &mut Scratch<T>, i: usize, ticker: &Ticker<'_>) -> Result<Partial>
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
            for (k, tile) in scratch.tiles[..self.count * size].chunks_exact(size.max(1)).enumerate() {
                let margins = Margins::new(tile, cols.len(), i == j);
                margins.add_to(&mut partial.plain[k]);
                row_sums[k].iter_mut().zip(&margins.rows).for_each(|(sum, row)| *sum += row);
                if i == j {
                    self.add_line(&cols, &margins.diagonal, k, &mut partial.diagonals);
                } else if self.values == LabelValues::Membership {
                    self.add_line(&cols, &margins.cols, k, &mut partial.lines);
                }
            }
            self.add_squares(scratch, &rows, &cols, &mut partial.squares);
            ticker.tick()?;
        }
        if self.values == LabelValues::Membership {
            row_sums.iter().enumerate().for_each(|(k, sums)| self.add_line(&rows, sums, k, &mut partial.lines));
        }
        Ok(partial)
    }

    /// Adds `Σ aᵢwᵢ` over some points to the sums of matrix `k`.
    fn add_line(&self, points: &Range<usize>, weights: &[f64], k: usize, sums: &mut [f64]) {
        let sums = &mut sums[k * self.relabellings..][..self.relabellings];
        for (at, weights) in points.clone().step_by(POINTS).zip(weights.chunks(POINTS)) {
            add_weighted(self.labels(at), self.values.of(), weights, sums);
        }
    }

    /// Adds what the tiles give to `aᵀKa`, block after block; of a tile on the diagonal the blocks above it stand for those below.
    fn add_squares<T: Element>(
        &self,
        scratch: &mut Scratch<T>,
        rows: &Range<usize>,
        cols: &Range<usize>,
        squares: &mut [f64],
    ) {
        let (labels, size) = (self.values.of(), rows.len() * cols.len());
        for chunk in (0..self.relabellings).step_by(LABELS) {
            let range = chunk..self.relabellings.min(chunk + LABELS);
            for col in cols.clone().step_by(POINTS) {
                expand(&self.labels(col)[range.clone()], labels, &mut scratch.labels);
                let numbers = &scratch.labels[..POINTS * range.len()];
                for row in rows.clone().step_by(POINTS).take_while(|row| *row <= col) {
                    let corner = (row - rows.start) * cols.len() + (col - cols.start);
                    let shape = ((rows.end - row).min(POINTS), (cols.end - col).min(POINTS));
                    let factor = if row == col { 1.0 } else { 2.0 };
                    for (k, tile) in scratch.tiles.chunks_exact(size.max(1)).take(self.count).enumerate() {
                        let block = LabelledBlock {
                            values: &tile[corner..],
                            stride: cols.len(),
                            shape,
                            rows: &self.labels(row)[range.clone()],
                            cols: numbers,
                            labels,
                        };
                        let sums = &mut squares[k * self.relabellings..][range.clone()];
                        block.add_forms(factor, &mut scratch.tables, sums);
                    }
                }
            }
        }
    }

    /// The words of the group of points that begins at `point`.
    fn labels(&self, point: usize) -> &[u32] {
        &self.words[point / POINTS * self.relabellings..][..self.relabellings]
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

/// The labels of each group of points, a bit per point: 1 for the label 1.
fn packed(labels: &[Vec<i8>], n: usize) -> Vec<u32> {
    let word = |points: &[i8]| points.iter().rev().fold(0, |word, label| word << 1 | u32::from(*label == 1));
    let groups = (0..n).into_par_iter().step_by(POINTS);
    groups.flat_map_iter(|at| labels.iter().map(move |label| word(&label[at..n.min(at + POINTS)]))).collect()
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
