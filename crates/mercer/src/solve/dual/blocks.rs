//! The kernel matrix of points in classes, of which pairs of classes are requested.

use std::ops::Range;

use super::rows::KernelRows;
use crate::gram::simd::assemble;
use crate::gram::{Tiles, block_of};
use crate::{Compute, Result};

/// Rows between two classes that are computed at a time. 16 to 256 differ by less than the noise of
/// 12 % (4000 rows, 10 classes).
const STRIP: usize = 64;

/// The blocks of single classes, each of which many pairs share, in single precision. The values
/// between two classes belong to one pair alone: they are computed when it is requested, and
/// forgotten.
pub(crate) struct ClassBlocks<'a> {
    tiles: &'a dyn Tiles,
    /// The points of each class.
    classes: Vec<Range<usize>>,
    diagonal: Vec<f64>,
    /// The block of every class, row after row.
    own: Vec<Vec<f32>>,
}

/// Room for the matrix of a pair.
#[derive(Debug, Default)]
pub(crate) struct PairRoom {
    matrix: Vec<f32>,
    strip: Vec<f32>,
}

impl<'a> ClassBlocks<'a> {
    /// The blocks of classes of points that follow each other.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub(crate) fn new(tiles: &'a dyn Tiles, classes: Vec<Range<usize>>, compute: &Compute) -> Result<Self> {
        let block = |class: &Range<usize>| {
            let shifted = |range: Range<usize>| class.start + range.start..class.start + range.end;
            let fill = |rows, cols, out: &mut [f32]| tiles.fill_single(shifted(rows), shifted(cols), out);
            let shape = (class.len(), class.len());
            compute.install(|| assemble(shape, block_of(tiles), true, fill, || compute.check_canceled()))
        };
        let own = classes.iter().map(block).collect::<Result<_>>()?;
        Ok(Self { diagonal: tiles.diagonal()?, tiles, classes, own })
    }

    /// The bytes of the blocks of classes of these sizes, and of the matrix of the largest pair.
    pub(crate) fn bytes(sizes: &[usize]) -> (u64, u64) {
        let square = |n: usize| 4 * (n as u64).pow(2);
        let mut sorted = sizes.to_vec();
        sorted.sort_unstable();
        let largest: usize = sorted.iter().rev().take(2).sum();
        (sizes.iter().map(|&n| square(n)).sum(), square(largest))
    }

    /// The rows of two classes, the first before the second.
    pub(crate) fn pair<'r>(&self, first: usize, second: usize, room: &'r mut PairRoom) -> KernelRows<'r> {
        let (a, b) = (&self.classes[first], &self.classes[second]);
        let (m, n) = (a.len(), b.len());
        let width = m + n;
        room.matrix.resize(width * width, 0.0);
        room.strip.resize(STRIP * n, 0.0);
        let (above, below) = room.matrix.split_at_mut(m * width);
        for (line, own) in above.chunks_exact_mut(width).zip(self.own[first].chunks_exact(m)) {
            line[..m].copy_from_slice(own);
        }
        for (line, own) in below.chunks_exact_mut(width).zip(self.own[second].chunks_exact(n)) {
            line[m..].copy_from_slice(own);
        }
        for start in (0..m).step_by(STRIP) {
            let end = m.min(start + STRIP);
            let strip = &mut room.strip[..(end - start) * n];
            self.tiles.fill_single(a.start + start..a.start + end, b.clone(), strip);
            for (line, values) in above[start * width..end * width].chunks_exact_mut(width).zip(strip.chunks_exact(n)) {
                line[m..].copy_from_slice(values);
            }
            for (j, line) in below.chunks_exact_mut(width).enumerate() {
                for (i, value) in line[start..end].iter_mut().enumerate() {
                    *value = strip[i * n + j];
                }
            }
        }
        KernelRows::of_single(a.clone().chain(b.clone()).map(|p| self.diagonal[p]).collect(), &room.matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{self, Pairs};
    use crate::{Kernel, Seed};
    use ndarray::{Array2, Axis};

    #[test]
    fn a_pair_has_the_matrix_of_its_points() {
        let compute = Compute::new();
        let kernel: Kernel = "gaussian(lengthscale=1.5)".parse().unwrap();
        for sizes in [[130, 1, 70], [64, 192, 300]] {
            let mut stream = Seed(6).stream("points", 0);
            let x = Array2::from_shape_fn((sizes.iter().sum(), 3), |_| stream.normal());
            let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
            let (whole, mut classes) = (gram::dense(&bound, &compute).unwrap(), Vec::new());
            for size in sizes {
                let start = classes.last().map_or(0, |last: &Range<usize>| last.end);
                classes.push(start..start + size);
            }
            let blocks = ClassBlocks::new(&bound, classes.clone(), &compute).unwrap();
            let mut room = PairRoom::default();
            for (a, b) in [(0, 2), (0, 1), (1, 2)] {
                let points: Vec<usize> = classes[a].clone().chain(classes[b].clone()).collect();
                let expected = whole.select(Axis(0), &points).select(Axis(1), &points);
                let mut rows = blocks.pair(a, b, &mut room);
                for i in [0, points.len() / 2, points.len() - 1] {
                    let mut found = vec![0.0; points.len()];
                    rows.spread(&[(i, 1.0)], &mut found, &compute).unwrap();
                    let off = found.iter().zip(expected.row(i)).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
                    assert!(off <= 1e-6, "{a}, {b}, row {i}: {off}");
                }
            }
        }
    }
}
