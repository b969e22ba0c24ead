//! Rows of the kernel matrix: stored in double or single precision, or computed on demand.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, s};

use super::plan::ClusterSolver;
use super::sums::{COLUMNS, Sums};
use crate::gram::simd::matmul::{Target, matmul};
use crate::gram::simd::{Element, add_rows};
use crate::gram::{self, Bound, Tiles};
use crate::operator::products::multiply_single;
use crate::{Compute, Result};

/// Rows that are added at a time: with [`COLUMNS`] values of each they stay in the second-level
/// cache for all starts. They are cut at multiples of this number, so that the sums of a start do
/// not depend on the other starts. Not tuned.
const ROWS: usize = 128;
/// Rows of a block of a product: each reads the factor once. Not tuned.
const PRODUCT_ROWS: usize = 256;

/// A kernel matrix by its rows.
pub(in crate::view) enum KernelRows<'a> {
    /// Stored.
    Double(Array2<f64>),
    /// Stored in single precision.
    Single(Array2<f32>),
    /// Computed on demand.
    Tiles(&'a Bound<'a>),
}

/// Kernel values of a point with all points.
#[derive(Clone, Copy)]
pub(super) enum Line<'l> {
    Double(&'l [f64]),
    Single(&'l [f32]),
}

/// A point that goes to another cluster, or to its first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) point: usize,
    pub(super) from: Option<usize>,
    pub(super) to: usize,
}

/// Some changed points in the order of their numbers, and for every start which of its changes are
/// of these.
struct Batch {
    points: Vec<usize>,
    changes: Vec<Range<usize>>,
}

impl<'a> KernelRows<'a> {
    /// The matrix of a bound kernel as the plan has it.
    pub(in crate::view) fn new(bound: &'a Bound<'a>, solver: ClusterSolver, compute: &Compute) -> Result<Self> {
        Ok(match solver {
            ClusterSolver::Stored => Self::Double(gram::dense(bound, compute)?),
            ClusterSolver::StoredSingle => Self::Single(gram::dense_single(bound, compute)?),
            _ => Self::Tiles(bound),
        })
    }

    /// Calls `work` with the values of a point; `buffer` is for those that are computed.
    pub(super) fn with_line<T>(&self, point: usize, buffer: &mut Vec<f64>, work: impl FnOnce(Line<'_>) -> T) -> T {
        match self {
            Self::Double(matrix) => work(Line::Double(matrix.row(point).to_slice().expect("rows are contiguous"))),
            Self::Single(matrix) => work(Line::Single(matrix.row(point).to_slice().expect("rows are contiguous"))),
            Self::Tiles(bound) => {
                buffer.resize(bound.shape().1, 0.0);
                bound.fill(point..point + 1, 0..bound.shape().1, buffer);
                work(Line::Double(buffer))
            }
        }
    }

    /// `KV`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Canceled`](crate::Error::Canceled).
    pub(in crate::view) fn multiply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        match self {
            Self::Double(matrix) => multiply_rows(matrix.view(), v, compute),
            Self::Single(matrix) => multiply_single(matrix.view(), v, compute),
            Self::Tiles(bound) => gram::multiply(*bound, v, compute),
        }
    }

    /// Adds `wⱼ k(·, xⱼ)` to the sums of the cluster that a point goes to, and takes it from those
    /// of the cluster that it leaves, for the changes of every start (in the order of their
    /// points).
    ///
    /// # Cost
    /// `n` values per point that changes in any start, and one or two additions for every change.
    pub(super) fn apply(
        &self,
        sums: &mut [&mut Sums],
        changes: &[Vec<Change>],
        weights: &[f64],
        compute: &Compute,
    ) -> Result<()> {
        let (n, batches) = (weights.len(), batches(changes));
        let mut blocks: Vec<Vec<&mut [f64]>> = (0..n.div_ceil(COLUMNS)).map(|_| Vec::new()).collect();
        for sums in sums {
            blocks.iter_mut().zip(sums.blocks_mut()).for_each(|(all, block)| all.push(block));
        }
        compute.try_each_chunk(&mut blocks, 1, |at, starts| {
            let cols = at * COLUMNS..n.min((at + 1) * COLUMNS);
            let mut scratch = Vec::new();
            for batch in &batches {
                compute.check_canceled()?;
                match self {
                    Self::Double(matrix) => {
                        add(&lines(matrix.view(), &batch.points, &cols), batch, changes, weights, &mut starts[0]);
                    }
                    Self::Single(matrix) => {
                        add(&lines(matrix.view(), &batch.points, &cols), batch, changes, weights, &mut starts[0]);
                    }
                    Self::Tiles(bound) => {
                        scratch.resize(batch.points.len() * cols.len(), 0.0);
                        bound.fill_rows(&batch.points, cols.clone(), &mut scratch);
                        let lines: Vec<&[f64]> = scratch.chunks_exact(cols.len()).collect();
                        add(&lines, batch, changes, weights, &mut starts[0]);
                    }
                }
            }
            Ok(())
        })
    }
}

fn lines<'m, T>(matrix: ArrayView2<'m, T>, points: &[usize], cols: &Range<usize>) -> Vec<&'m [T]> {
    let line =
        |&point: &usize| matrix.index_axis_move(ndarray::Axis(0), point).to_slice().expect("rows are contiguous");
    points.iter().map(|point| &line(point)[cols.clone()]).collect()
}

/// The changes of all starts in batches of at most [`ROWS`] points.
fn batches(changes: &[Vec<Change>]) -> Vec<Batch> {
    let mut points: Vec<usize> = changes.iter().flatten().map(|change| change.point).collect();
    points.sort_unstable();
    points.dedup();
    let mut batches = Vec::new();
    for points in points.chunk_by(|a, b| a / ROWS == b / ROWS) {
        let (first, last) = (points[0], points[points.len() - 1]);
        let of = |changes: &Vec<Change>| {
            changes.partition_point(|c| c.point < first)..changes.partition_point(|c| c.point <= last)
        };
        batches.push(Batch { points: points.to_vec(), changes: changes.iter().map(of).collect() });
    }
    batches
}

/// Adds the lines of a batch to a block of the sums of every start.
fn add<T: Element>(lines: &[&[T]], batch: &Batch, changes: &[Vec<Change>], weights: &[f64], starts: &mut [&mut [f64]]) {
    let width = lines.first().map_or(1, |line| line.len());
    for ((block, changes), range) in starts.iter_mut().zip(changes).zip(&batch.changes) {
        let mut added: Vec<Vec<(&[T], f64)>> = vec![Vec::new(); block.len() / width];
        let mut at = 0;
        for change in &changes[range.clone()] {
            while batch.points[at] < change.point {
                at += 1;
            }
            added[change.to].push((lines[at], weights[change.point]));
            if let Some(from) = change.from {
                added[from].push((lines[at], -weights[change.point]));
            }
        }
        added.iter().zip(block.chunks_exact_mut(width)).for_each(|(lines, sums)| add_rows(lines, sums));
    }
}

/// `AV` by blocks of rows.
fn multiply_rows(a: ArrayView2<f64>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let columns = v.ncols();
    let mut out = Array2::zeros((a.nrows(), columns));
    let values = out.as_slice_mut().expect("a matrix of its own");
    compute.try_each_chunk(values, PRODUCT_ROWS * columns.max(1), |at, part| {
        compute.check_canceled()?;
        let (start, count) = (at * PRODUCT_ROWS, part.len() / columns.max(1));
        let block = ndarray::ArrayViewMut2::from_shape((count, columns), part).expect("blocks are whole rows");
        matmul(block, Target::Replace, a.slice(s![start..start + count, ..]), v, 1.0);
        Ok(())
    })?;
    Ok(out)
}
