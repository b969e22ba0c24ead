//! The kernel submatrix of a working set, in the layout of the inner solver.

use std::ops::Range;

use crate::Compute;
use crate::gram::simd::Element;

/// Rows of a block that one task gathers. With 32 a classifier takes 10 % more time (6000 rows, C = 1),
/// 16 and 128 differ by less than the noise of 9 %.
pub(super) const LINES: usize = 64;
/// Elements between the ends of gathered rows: rows that lie whole powers of two apart would
/// compete for the same lines of the cache. 8 to 64 differ by less than 5 % (6000 rows, C = 1 and
/// C = 100).
pub(super) const GAP: usize = 24;

/// Points are many if they are at least one of so many. Not tuned.
const MANY: usize = 4;

/// A square matrix that need not lie in one piece: the rows and columns of some runs of a larger
/// one.
#[derive(Clone, Debug)]
pub(super) struct Lines<'k, T> {
    pub(super) matrix: &'k [T],
    /// From one row to the next.
    pub(super) stride: usize,
    /// The runs, in the rows and in the columns.
    pub(super) runs: Vec<Range<usize>>,
}

impl<'k, T: Element> Lines<'k, T> {
    /// The row of the larger matrix.
    fn position(&self, i: usize) -> usize {
        let mut before = 0;
        for run in &self.runs {
            if i < before + run.len() {
                return run.start + i - before;
            }
            before += run.len();
        }
        unreachable!("row {i} of {before}")
    }

    /// The columns of a run.
    pub(super) fn columns(&self, run: usize) -> Range<usize> {
        let before = self.runs[..run].iter().map(ExactSizeIterator::len).sum();
        before..before + self.runs[run].len()
    }

    /// The values of a row in a run of columns.
    pub(super) fn piece(&self, i: usize, run: usize) -> &'k [T] {
        let start = self.position(i) * self.stride;
        &self.matrix[start + self.runs[run].start..start + self.runs[run].end]
    }

    /// The rows and columns of some of the points in one piece.
    pub(super) fn gather<'b>(&self, points: &[usize], buffer: &'b mut Vec<T>, compute: &Compute) -> Lines<'b, T> {
        let positions: Vec<usize> = points.iter().map(|&p| self.position(p)).collect();
        let length = self.stride;
        gather(&positions, length, |p| &self.matrix[p * length..(p + 1) * length], buffer, compute)
    }

    /// One value.
    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.matrix[self.position(i) * self.stride + self.position(j)].to_f64()
    }
}

/// The runs of neighbors in a list.
pub(super) fn runs(points: &[usize]) -> Vec<Range<usize>> {
    points.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[0] + run.len()).collect()
}

/// The kernel among some points of a matrix with rows of this length. Of many points whole rows, which
/// are read nearly in sequence; of few the lower triangle from their rows, and the upper one by symmetry,
/// which costs one random access for a pair, not two.
pub(super) fn gather<'r, 'b, T: Element>(
    points: &[usize],
    length: usize,
    row: impl Fn(usize) -> &'r [T] + Sync,
    buffer: &'b mut Vec<T>,
    compute: &Compute,
) -> Lines<'b, T> {
    let q = points.len();
    let many = are_many(q, length);
    let stride = q.next_multiple_of(GAP) + GAP;
    buffer.resize(buffer.len().max(q * stride), T::default());
    let block = &mut buffer[..q * stride];
    let lines = |group: usize, lines: &mut [T]| {
        for (at, line) in lines.chunks_exact_mut(stride).enumerate().map(|(r, line)| (group * LINES + r, line)) {
            let row = row(points[at]);
            let wanted = if many { points } else { &points[..=at] };
            line.iter_mut().zip(wanted).for_each(|(v, &p)| *v = row[p]);
        }
    };
    compute.each_chunk(block, LINES * stride, lines);
    if !many {
        mirror(block, q, stride);
    }
    Lines { matrix: block, stride, runs: std::iter::once(0..q).collect() }
}

/// Whether so many points of a matrix are read in whole rows.
pub(super) fn are_many(points: usize, length: usize) -> bool {
    MANY * points >= length
}

/// Copies the lower triangle to the upper one, block by block.
pub(super) fn mirror<T: Element>(block: &mut [T], q: usize, stride: usize) {
    for top in (0..q).step_by(LINES) {
        for left in (top..q).step_by(LINES) {
            for i in top..q.min(top + LINES) {
                for j in left.max(i + 1)..q.min(left + LINES) {
                    block[i * stride + j] = block[j * stride + i];
                }
            }
        }
    }
}
