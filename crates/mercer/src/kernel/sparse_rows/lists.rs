//! Inner products of sparse rows through the list of the columns that have a feature.

use std::ops::Range;

use super::SparseRows;

/// Lists are read in blocks of this many values (3 MB), which all rows of a rectangle use before
/// the next block, so that they come from the cache. On 630 proteins with `mismatch(length=5,
/// mismatches=1)` (28 million values) blocks take less than half of the time. Smaller blocks read
/// and write the rectangle too often: 6 blocks of `spectrum(length=6)` on 3 190 strings double its
/// time.
const LIST_BLOCK: usize = 1 << 18;

/// Columns between two places of a list that are known: tiles of a Gram matrix begin at multiples of it.
const STRIDE: usize = 192;

/// For each feature the columns that have it, ascending, and its values there.
#[derive(Debug)]
pub(super) struct Lists {
    /// The features at which blocks of lists end, of about [`LIST_BLOCK`] values each.
    blocks: Vec<u32>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    marks: Marks,
}

impl Lists {
    pub(super) fn new(rows: &SparseRows) -> Self {
        let SparseRows { starts, columns, values, width } = rows.transposed();
        let marks = Marks::new(&starts, &columns, width);
        Self { blocks: blocks(&starts), starts, columns, values, marks }
    }

    pub(super) fn fill(&self, rows: &SparseRows, list: &[usize], cols: Range<usize>, out: &mut [f64]) {
        if cols.is_empty() {
            return;
        }
        out.fill(0.0);
        let mut next: Vec<usize> = list.iter().map(|&i| rows.starts[i]).collect();
        for &end in &self.blocks {
            for ((&i, next), line) in list.iter().zip(&mut next).zip(out.chunks_exact_mut(cols.len())) {
                let rest = *next..rows.starts[i + 1];
                let features = &rows.columns[rest.clone()];
                let entries = features.iter().zip(&rows.values[rest]).take_while(|(feature, _)| **feature < end);
                for (&feature, &value) in entries {
                    self.add(feature as usize, value, &cols, line);
                    *next += 1;
                }
            }
        }
    }

    /// Adds `value` times the values of a feature to the columns `cols`.
    #[inline]
    fn add(&self, feature: usize, value: f64, cols: &Range<usize>, line: &mut [f64]) {
        let list = self.starts[feature]..self.starts[feature + 1];
        let (mut columns, mut values) = (&self.columns[list.clone()], &self.values[list]);
        if cols.start > 0 {
            let first = self.marks.first(feature, cols.start, columns);
            (columns, values) = (&columns[first..], &values[first..]);
        }
        for (&j, x) in columns.iter().zip(values) {
            match line.get_mut(j as usize - cols.start) {
                Some(sum) => *sum += value * x,
                None => break,
            }
        }
    }
}

/// Where the columns from a multiple of a stride on begin in every list: a tile would otherwise search
/// in the list of every value of its rows, which takes longer than the products of a few common
/// features.
#[derive(Debug)]
struct Marks {
    stride: usize,
    features: usize,
    /// For every multiple of the stride, how many columns of each list are before it.
    before: Vec<u32>,
}

impl Marks {
    /// Marks that take no more memory than half of the lists.
    fn new(starts: &[usize], columns: &[u32], width: usize) -> Self {
        let (features, mut stride) = (starts.len() - 1, STRIDE);
        while width.div_ceil(stride) * features > columns.len() && stride < width {
            stride *= 2;
        }
        let multiples = width.div_ceil(stride);
        let mut before = vec![0; multiples * features];
        for (feature, list) in starts.windows(2).enumerate() {
            let mut count = 0;
            let list = &columns[list[0]..list[1]];
            for multiple in 0..multiples {
                while list.get(count).is_some_and(|&j| (j as usize) < multiple * stride) {
                    count += 1;
                }
                before[multiple * features + feature] = count as u32;
            }
        }
        Self { stride, features, before }
    }

    /// The place of the first column of a list that is not before `start`, which is a column.
    #[inline]
    fn first(&self, feature: usize, start: usize, list: &[u32]) -> usize {
        let known = self.before[start / self.stride * self.features + feature] as usize;
        if start.is_multiple_of(self.stride) {
            return known;
        }
        let near = &list[known..list.len().min(known + self.stride)];
        known + near.partition_point(|&j| (j as usize) < start)
    }
}

/// The features at which blocks of about [`LIST_BLOCK`] values end.
fn blocks(starts: &[usize]) -> Vec<u32> {
    let (mut ends, mut first) = (Vec::new(), 0);
    for (feature, &end) in starts.iter().enumerate().skip(1) {
        if end - first >= LIST_BLOCK || feature + 1 == starts.len() {
            ends.push(feature as u32);
            first = end;
        }
    }
    ends
}
