//! `aᵀKa` for many label vectors `a` at once.

use std::ops::Range;

use ndarray::Array2;
use rayon::prelude::*;

use super::dense::{Ticker, tile_count};
use super::simd::subsets::{LabeledBlock, POINTS, Tables, add_weighted, empty_tables, expand};
use super::simd::{Element, add_margins};
use crate::error::MemoryPurpose;
use crate::{Compute, Result};

/// Rows and columns of a tile; never a function of the number of threads.
/// 64 and 256 take the same time within 1 % (MMD of 1000 + 1000 points, 500 permutations).
const BLOCK: usize = 128;
/// Strips whose sums are held at a time, added up in order; fewer where memory is short. The sums
/// are the same for any number. Any number of at least the threads would do.
pub(crate) const FORMS_HELD: usize = 16;
/// Label vectors that are worked on together: their labels as numbers stay in the cache. 128 is
/// 20 % and 256 up to 11 % slower, 1024 up to 9 % faster (500 + 500 points).
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
    /// The labels of the bits 0 and 1.
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

/// The forms of `count` symmetric matrices of `n` rows, whose tiles `fill` gives one after the
/// other. No matrix is stored; sums over a block of a tile are in the precision of the tile, those
/// over blocks in `f64`, strip after strip in a fixed order.
///
/// # Cost
/// Every pair of points once; `n²B/8` additions for each matrix and `B` label vectors, by tables of
/// the sums over four points.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory) when the sums of the strips exceed the limit,
/// [`Error::Canceled`](crate::Error::Canceled).
pub(crate) fn quadratic_forms<T: Element>(
    fill: impl Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    (n, count): (usize, usize),
    labels: &[Vec<i8>],
    values: LabelValues,
    compute: &Compute,
) -> Result<Forms> {
    let strips = n.div_ceil(BLOCK);
    let held = reserve_strips((n, count), labels.len(), strips, compute)?;
    let ticker = Ticker::new("relabeled statistics", tile_count(n, n, true), compute);
    let words = compute.install(|| packed(labels, n));
    let work = Work { fill, n, count, words: &words, relabelings: labels.len(), values };
    let run = |scratch: &mut Scratch<T>, i: usize| work.strip(scratch, i, &ticker);
    let mut total = Sums::new(n, count, labels.len());
    for start in (0..strips).step_by(held) {
        let some = start..strips.min(start + held);
        let done: Result<Vec<Sums>> =
            compute.install(|| some.into_par_iter().map_init(|| Scratch::new(count), run).collect());
        done?.iter().for_each(|strip| total.add(strip));
    }
    ticker.finish();
    Ok(compute.install(|| work.forms(total)))
}

/// How many strips the memory holds at a time, beside their total and the labels.
fn reserve_strips((n, count): (usize, usize), labels: usize, strips: usize, compute: &Compute) -> Result<usize> {
    let each = (8 * count as u64).saturating_mul((labels + 2 * n) as u64);
    // The labels themselves, and their bits.
    let fixed = each + (n * labels + n * labels / 8) as u64;
    let affordable = compute.memory().saturating_sub(fixed) / each.max(1);
    let held = affordable.clamp(1, strips.clamp(1, FORMS_HELD) as u64);
    let suggestion = "use method features or linear, fewer kernels, or a higher memory limit";
    compute.reserve(
        MemoryPurpose::Test,
        "the sums of the relabeled statistics",
        fixed.saturating_add(held * each),
        suggestion,
    )?;
    Ok(held as usize)
}

struct Work<'a, F> {
    fill: F,
    n: usize,
    count: usize,
    /// The labels of each group of points, a word per label vector, group after group.
    words: &'a [u32],
    relabelings: usize,
    values: LabelValues,
}

/// Sums over some strips, matrix after matrix.
struct Sums {
    /// `aᵀKa` for every label vector.
    squares: Vec<f64>,
    /// `K1` and the diagonal, point by point.
    rows: Vec<f64>,
    diagonal: Vec<f64>,
    /// The sum of absolute values and that of squares off the diagonal.
    plain: Vec<[f64; 2]>,
}

impl Sums {
    fn new(n: usize, count: usize, relabelings: usize) -> Self {
        let zeros = |each: usize| vec![0.0; count * each];
        Self { squares: zeros(relabelings), rows: zeros(n), diagonal: zeros(n), plain: vec![[0.0; 2]; count] }
    }

    fn add(&mut self, other: &Self) {
        let lists = [&mut self.squares, &mut self.rows, &mut self.diagonal];
        for (sums, more) in lists.into_iter().zip([&other.squares, &other.rows, &other.diagonal]) {
            sums.iter_mut().zip(more).for_each(|(sum, value)| *sum += value);
        }
        for (sums, more) in self.plain.iter_mut().zip(&other.plain) {
            sums.iter_mut().zip(more).for_each(|(sum, value)| *sum += value);
        }
    }

    /// Adds the margins of a tile of matrix `k`; those above the diagonal count for the ones below
    /// it too.
    fn add_margins<T: Element>(&mut self, tile: &[T], k: usize, n: usize, rows: &Range<usize>, cols: &Range<usize>) {
        let (own, mut across) = (k * n + rows.start..k * n + rows.end, vec![0.0; cols.len()]);
        let [absolute, squares] = add_margins(tile, &mut self.rows[own], &mut across);
        let on_diagonal = rows.start == cols.start;
        let factor = if on_diagonal { 1.0 } else { 2.0 };
        self.plain[k][0] += factor * absolute;
        self.plain[k][1] += factor * squares;
        if on_diagonal {
            for (value, out) in tile.iter().step_by(cols.len() + 1).zip(&mut self.diagonal[k * n + rows.start..]) {
                *out = value.to_f64();
                self.plain[k][1] -= *out * *out;
            }
        } else {
            self.rows[k * n + cols.start..].iter_mut().zip(&across).for_each(|(sum, value)| *sum += value);
        }
    }
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

impl<F: Sync> Work<'_, F> {
    fn strip<T: Element>(&self, scratch: &mut Scratch<T>, i: usize, ticker: &Ticker<'_>) -> Result<Sums>
    where
        F: Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    {
        let (mut sums, rows) = (Sums::new(self.n, self.count, self.relabelings), self.block(i));
        for j in i..self.n.div_ceil(BLOCK) {
            let cols = self.block(j);
            let size = rows.len() * cols.len();
            (self.fill)(rows.clone(), cols.clone(), &mut scratch.tiles[..self.count * size]);
            for (k, tile) in scratch.tiles.chunks_exact(size.max(1)).take(self.count).enumerate() {
                sums.add_margins(tile, k, self.n, &rows, &cols);
            }
            self.add_squares(scratch, &rows, &cols, &mut sums.squares);
            ticker.tick()?;
        }
        Ok(sums)
    }

    /// `Σ aᵢwᵢ` for every label vector.
    fn weighted(&self, weights: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.relabelings];
        for (at, weights) in (0..self.n).step_by(POINTS).zip(weights.chunks(POINTS)) {
            add_weighted(self.labels(at), self.values.of(), weights, &mut sums);
        }
        sums
    }

    /// Adds what the tiles give to `aᵀKa`, block after block; of a tile on the diagonal the blocks
    /// above it count for those below.
    fn add_squares<T: Element>(
        &self,
        scratch: &mut Scratch<T>,
        rows: &Range<usize>,
        cols: &Range<usize>,
        squares: &mut [f64],
    ) {
        let (labels, size) = (self.values.of(), rows.len() * cols.len());
        for chunk in (0..self.relabelings).step_by(LABELS) {
            let range = chunk..self.relabelings.min(chunk + LABELS);
            for col in cols.clone().step_by(POINTS) {
                expand(&self.labels(col)[range.clone()], labels, &mut scratch.labels);
                let numbers = &scratch.labels[..POINTS * range.len()];
                for row in rows.clone().step_by(POINTS).take_while(|row| *row <= col) {
                    let corner = (row - rows.start) * cols.len() + (col - cols.start);
                    let shape = ((rows.end - row).min(POINTS), (cols.end - col).min(POINTS));
                    let factor = if row == col { 1.0 } else { 2.0 };
                    for (k, tile) in scratch.tiles.chunks_exact(size.max(1)).take(self.count).enumerate() {
                        let block = LabeledBlock {
                            values: &tile[corner..],
                            stride: cols.len(),
                            shape,
                            rows: &self.labels(row)[range.clone()],
                            cols: numbers,
                            labels,
                        };
                        let sums = &mut squares[k * self.relabelings..][range.clone()];
                        block.add_forms(factor, &mut scratch.tables, sums);
                    }
                }
            }
        }
    }

    /// The words of the group of points that begins at `point`.
    fn labels(&self, point: usize) -> &[u32] {
        &self.words[point / POINTS * self.relabelings..][..self.relabelings]
    }

    fn block(&self, i: usize) -> Range<usize> {
        i * BLOCK..self.n.min((i + 1) * BLOCK)
    }

    /// What the sums over all strips give.
    fn forms(&self, sums: Sums) -> Forms {
        let (count, relabelings) = (self.count, self.relabelings);
        let of_points = |values: &[f64]| -> Vec<f64> {
            let matrices = values.par_chunks_exact(self.n.max(1));
            matrices.flat_map_iter(|weights| self.weighted(weights)).collect()
        };
        let table =
            |values: Vec<f64>| Array2::from_shape_fn((relabelings, count), |(b, k)| values[k * relabelings + b]);
        let total = |values: &[f64]| values.chunks_exact(self.n.max(1)).map(|v| v.iter().sum()).collect::<Vec<f64>>();
        let lines = match self.values {
            LabelValues::Membership => of_points(&sums.rows),
            LabelValues::Signs => vec![0.0; count * relabelings],
        };
        Forms {
            lines: table(lines),
            diagonals: table(of_points(&sums.diagonal)),
            totals: total(&sums.rows),
            traces: total(&sums.diagonal),
            absolute: sums.plain.iter().map(|plain| plain[0]).collect(),
            off_diagonal_squares: sums.plain.iter().map(|plain| plain[1]).collect(),
            squares: table(sums.squares),
        }
    }
}

/// The labels of each group of points, a bit per point: 1 for the label 1.
fn packed(labels: &[Vec<i8>], n: usize) -> Vec<u32> {
    let word = |points: &[i8]| {
        let (eights, rest) = points.as_chunks::<8>();
        let last = rest.iter().rev().fold(0, |word, label| word << 1 | u32::from(*label == 1));
        let fold = |word: u64, eight: &[i8; 8]| word << 8 | u64::from(eight_bits(eight));
        eights.iter().rev().fold(u64::from(last), fold) as u32
    };
    let groups = (0..n).into_par_iter().step_by(POINTS);
    groups.flat_map_iter(|at| labels.iter().map(move |label| word(&label[at..n.min(at + POINTS)]))).collect()
}

/// A bit for each of eight labels −1, 0 or 1: the labels 1 are those with the lowest bit and
/// without the one above it; a product gathers them.
fn eight_bits(labels: &[i8; 8]) -> u8 {
    let bytes = u64::from_le_bytes(labels.map(|label| label as u8));
    let ones = bytes & !(bytes >> 1) & 0x0101_0101_0101_0101;
    (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn labels_are_packed_bit_by_bit() {
        let mut random = Seed(9).stream("labels", 0);
        for n in [1, 7, 8, 31, 32, 33, 70] {
            for values in [[0_i8, 1], [-1, 1]] {
                let labels: Vec<Vec<i8>> = (0..3).map(|_| (0..n).map(|_| values[random.below(2)]).collect()).collect();
                let words = packed(&labels, n);
                for (b, label) in labels.iter().enumerate() {
                    let bit = |i: usize| words[i / POINTS * labels.len() + b] >> (i % POINTS) & 1;
                    assert!((0..n).all(|i| (bit(i) == 1) == (label[i] == 1)), "{n}");
                }
            }
        }
    }
}
