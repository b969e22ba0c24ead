//! Inner products of sparse rows through the list of the columns that have a feature.

use std::ops::Range;

use super::SparseRows;

/// Lists are read in blocks of this many values (3 MB), which all rows of a rectangle use before
/// the next block, so that they come from the cache. On 630 proteins with `mismatch(length=5,
/// mismatches=1)` (28 million values) blocks take less than half of the time. Smaller blocks read
/// and write the rectangle too often: 6 blocks of `spectrum(length=6)` on 3 190 strings double its
/// time.
const LIST_BLOCK: usize = 1 << 18;

/// For each feature the columns that have it, ascending, and its values there.
#[derive(Debug)]
pub(super) struct Lists {
    /// The features at which blocks of lists end, of about [`LIST_BLOCK`] values each.
    blocks: Vec<u32>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Lists {
    pub(super) fn new(rows: &SparseRows) -> Self {
        let SparseRows { starts, columns, values, .. } = rows.transposed();
        Self { blocks: blocks(&starts), starts, columns, values }
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
            let first = columns.partition_point(|&j| (j as usize) < cols.start);
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
