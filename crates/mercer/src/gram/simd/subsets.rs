//! Sums over labeled points by tables of the sums over all subsets of a few of them (the method of
//! the four Russians).
//!
//! A label has one of two values. Four points have 16 ways to be labeled: once the 16 sums of their
//! rows are known, a label vector costs one addition where a product of matrices takes four
//! multiplications.

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;

/// Points whose labels stand in a word, and the side of a block of a tile.
pub(crate) const POINTS: usize = 32;
/// Points of a group, and the ways to label them.
const GROUP: usize = 4;
const CODES: usize = 1 << GROUP;
const GROUPS: usize = POINTS / GROUP;

/// For each group of a block, the sums of its rows under every labeling.
pub(crate) type Tables<T> = [[T; POINTS]; GROUPS * CODES];

/// Tables to be filled.
pub(crate) fn empty_tables<T: Element>() -> Box<Tables<T>> {
    Box::new([[T::default(); POINTS]; GROUPS * CODES])
}

/// A block of a tile with at most [`POINTS`] rows and columns, and the labels of its points.
pub(crate) struct LabeledBlock<'a, T> {
    /// The tile from the first value of the block on.
    pub(crate) values: &'a [T],
    /// Values of a row of the tile.
    pub(crate) stride: usize,
    /// Rows and columns of the block.
    pub(crate) shape: (usize, usize),
    /// The labels of the rows, a word per label vector, a bit per point.
    pub(crate) rows: &'a [u32],
    /// The labels of the columns, [`POINTS`] numbers per label vector.
    pub(crate) cols: &'a [T],
    /// The labels of the bits 0 and 1.
    pub(crate) labels: [T; 2],
}

impl<T: Element> LabeledBlock<'_, T> {
    /// `sums[b] += factor Σᵢⱼ aᵢKᵢⱼaⱼ` over the block for every label vector `a`.
    pub(crate) fn add_forms(&self, factor: f64, tables: &mut Tables<T>, sums: &mut [f64]) {
        Arch::new().dispatch(AddForms { block: self, factor, tables, sums });
    }

    /// Row `i` of the block, with zeros behind it.
    #[inline(always)]
    fn line(&self, i: usize) -> [T; POINTS] {
        let mut line = [T::default(); POINTS];
        if i < self.shape.0 {
            let values = &self.values[i * self.stride..][..self.shape.1];
            line[..values.len()].copy_from_slice(values);
        }
        line
    }

    /// A table begins with all bits 0; every point doubles what is there, with its own bit 1.
    #[inline(always)]
    fn fill(&self, tables: &mut Tables<T>) {
        let [zero, one] = self.labels;
        for (group, table) in tables.chunks_exact_mut(CODES).enumerate() {
            table[0] = [T::default(); POINTS];
            for point in 0..GROUP {
                let line = self.line(GROUP * group + point);
                (0..POINTS).for_each(|lane| table[0][lane] += zero * line[lane]);
            }
            for point in 0..GROUP {
                let line = self.line(GROUP * group + point);
                let (known, new) = table.split_at_mut(1 << point);
                for (known, new) in known.iter().zip(new) {
                    (0..POINTS).for_each(|lane| new[lane] = known[lane] + (one - zero) * line[lane]);
                }
            }
        }
    }
}

struct AddForms<'a, 'b, T> {
    block: &'a LabeledBlock<'b, T>,
    factor: f64,
    tables: &'a mut Tables<T>,
    sums: &'a mut [f64],
}

impl<T: Element> WithSimd for AddForms<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { block, factor, tables, sums } = self;
        block.fill(tables);
        for ((&word, labels), sum) in block.rows.iter().zip(block.cols.chunks_exact(POINTS)).zip(sums) {
            let lines: [&[T::Vector<S>]; GROUPS] =
                std::array::from_fn(|g| T::vectors(&tables[g * CODES + code(word, g)]));
            let plus = |a, b| T::plus(simd, a, b);
            let mut total = T::splat(simd, T::default());
            for (v, label) in T::vectors::<S>(labels).iter().enumerate() {
                let pair = |g: usize| plus(lines[g][v], lines[g + 1][v]);
                let image = plus(plus(pair(0), pair(2)), plus(pair(4), pair(6)));
                total = T::multiply_add(simd, image, *label, total);
            }
            *sum += factor * T::total(simd, total).to_f64();
        }
    }
}

/// How the points of a group are labeled.
#[inline(always)]
fn code(word: u32, group: usize) -> usize {
    (word >> (GROUP * group)) as usize % CODES
}

/// The labels of [`POINTS`] points as numbers, for every label vector.
pub(crate) fn expand<T: Element>(words: &[u32], labels: [T; 2], out: &mut [T]) {
    Arch::new().dispatch(Expand { words, labels, out });
}

struct Expand<'a, T> {
    words: &'a [u32],
    labels: [T; 2],
    out: &'a mut [T],
}

impl<T: Element> WithSimd for Expand<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let [zero, one] = self.labels;
        for (&word, out) in self.words.iter().zip(self.out.as_chunks_mut::<POINTS>().0) {
            for (lane, out) in out.iter_mut().enumerate() {
                *out = if word & (1 << lane) == 0 { zero } else { one };
            }
        }
    }
}

/// `sums[b] += Σᵢ weights[i]·aᵢ` over at most [`POINTS`] points for every label vector `a`, given
/// by a word each.
pub(crate) fn add_weighted(words: &[u32], labels: [f64; 2], weights: &[f64], sums: &mut [f64]) {
    let mut tables = [[0.0; CODES]; GROUPS];
    for (table, weights) in tables.iter_mut().zip(weights.chunks(GROUP)) {
        for (code, sum) in table.iter_mut().enumerate() {
            *sum = weights.iter().enumerate().map(|(p, weight)| labels[code >> p & 1] * weight).sum();
        }
    }
    for (&word, sum) in words.iter().zip(sums) {
        let group = |g: usize| tables[g][code(word, g)];
        let [a, b] = [0, GROUPS / 2].map(|from| (group(from) + group(from + 1)) + (group(from + 2) + group(from + 3)));
        *sum += a + b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn bit(word: u32, at: usize) -> usize {
        (word >> at & 1) as usize
    }

    #[test]
    fn forms_of_blocks_are_those_of_plain_loops() {
        let mut random = Seed(1).stream("labels", 0);
        for (rows, cols) in [(1, 1), (3, 32), (32, 5), (31, 17), (32, 32)] {
            let stride = cols + 3;
            // Integers, so that sums are exact in any order.
            let values: Vec<f32> = (0..rows * stride).map(|_| random.below(100) as f32 - 50.0).collect();
            let words: Vec<[u32; 2]> = (0..20).map(|_| [random.bits() as u32, random.bits() as u32]).collect();
            let [left, right] = [0, 1].map(|side| words.iter().map(|w| w[side]).collect::<Vec<u32>>());
            for labels in [[0.0, 1.0], [-1.0, 1.0_f32]] {
                let mut expanded = vec![0.0; POINTS * words.len()];
                expand(&right, labels, &mut expanded);
                let block =
                    LabeledBlock { values: &values, stride, shape: (rows, cols), rows: &left, cols: &expanded, labels };
                let mut sums = vec![1.0; words.len()];
                block.add_forms(2.0, &mut empty_tables(), &mut sums);
                for (sum, [row, col]) in sums.iter().zip(&words) {
                    let term =
                        |i: usize, j: usize| labels[bit(*row, i)] * values[i * stride + j] * labels[bit(*col, j)];
                    let form: f32 = (0..rows).flat_map(|i| (0..cols).map(move |j| term(i, j))).sum();
                    assert_eq!(*sum, 1.0 + 2.0 * f64::from(form));
                }
            }
        }
    }

    #[test]
    fn weighted_sums_are_those_of_plain_loops() {
        let mut random = Seed(2).stream("labels", 0);
        for points in [1, 7, 32] {
            let weights: Vec<f64> = (0..points).map(|_| random.below(100) as f64).collect();
            let words: Vec<u32> = (0..9).map(|_| random.bits() as u32).collect();
            let mut sums = vec![3.0; words.len()];
            add_weighted(&words, [-1.0, 1.0], &weights, &mut sums);
            for (sum, word) in sums.iter().zip(&words) {
                let sign = |i: usize| [-1.0, 1.0][bit(*word, i)];
                assert_eq!(*sum, 3.0 + weights.iter().enumerate().map(|(i, w)| sign(i) * w).sum::<f64>());
            }
        }
    }
}
