//! Rows of a kernel matrix `ZZᵀ` with few columns of `Z`: no value is kept beyond a working set.

use ndarray::{Array1, Array2, ArrayViewMut2, Axis, ShapeBuilder, s};

use super::lines::{GAP, LINES, Lines, mirror};
use crate::error::MemoryPurpose;
use crate::gram::simd::matmul::{Target, matmul};
use crate::gram::simd::product;
use crate::{Compute, Result};

/// Rows of the smallest working set.
const FEWEST: usize = 16;
/// Points of a task. Fixed, so that the bytes do not depend on the number of threads. Not tuned.
const CHUNK: usize = 1024;
/// Tasks that form sums over all points: each has a matrix of its own. Not tuned.
const TASKS: usize = 8;
/// Numbers up to which one thread makes all passes: some ten microseconds each. Not tuned.
const SMALL: usize = 1 << 16;
/// Changes up to which only their points are read. Not tuned.
const FEW: usize = 2048;
/// Points whose scaled features are in the cache together, and columns of a strip of the product.
/// Not tuned.
const DEPTH: usize = 256;
const STRIP: usize = 96;

/// The features of the points, one row each.
#[derive(Clone, Debug)]
pub(super) struct FiniteRank {
    pub(super) features: Array2<f64>,
    /// Points whose submatrix fits into memory.
    pub(super) capacity: usize,
}

impl FiniteRank {
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when not even the smallest working set fits.
    pub(super) fn new(features: Array2<f64>, compute: &Compute) -> Result<Self> {
        // A quarter of the memory limit: other submatrices of the same size may be in use.
        let capacity = ((compute.memory() / 4 / 8) as f64).sqrt() as usize;
        let capacity = capacity.saturating_sub(2 * GAP).max(FEWEST);
        let (n, rank) = features.dim();
        let advice = "use fewer rows or a higher memory limit";
        let bytes = Self::bytes(n, rank);
        compute.reserve(MemoryPurpose::KernelMatrix, "the features of the points", bytes, advice)?;
        Ok(Self { features: features.as_standard_layout().into_owned(), capacity })
    }

    /// The bytes of the features of some points, and of the sums of their products.
    pub(super) fn bytes(points: usize, rank: usize) -> u64 {
        8 * (rank as u64 * (points as u64 + (TASKS + 2) as u64 * rank as u64))
    }

    /// The features of some points alone.
    pub(super) fn subset(&self, points: &[usize]) -> Self {
        Self { features: self.features.select(Axis(0), points), capacity: self.capacity }
    }

    /// The squared norm of every row.
    pub(super) fn diagonal(&self) -> Vec<f64> {
        self.features.rows().into_iter().map(|z| z.dot(&z)).collect()
    }

    /// The kernel among some points.
    pub(super) fn submatrix<'b>(&self, points: &[usize], room: &'b mut Vec<f64>, compute: &Compute) -> Lines<'b, f64> {
        let q = points.len();
        let chosen = self.features.select(Axis(0), points);
        let stride = q.next_multiple_of(GAP) + GAP;
        room.resize(room.len().max(q * stride), 0.0);
        let block = &mut room[..q * stride];
        compute.each_chunk(block, LINES * stride, |group, lines| {
            let rows = group * LINES..q.min((group + 1) * LINES);
            let shape = (rows.len(), rows.end).strides((stride, 1));
            let out = ArrayViewMut2::from_shape(shape, lines).expect("lines of this length");
            matmul(out, Target::Replace, chosen.slice(s![rows.clone(), ..]), chosen.slice(s![..rows.end, ..]).t(), 1.0);
        });
        mirror(block, q, stride);
        Lines { matrix: block, stride, runs: std::iter::once(0..q).collect() }
    }

    /// `Σ factor · K[point, column]` for some columns.
    pub(super) fn combine(&self, terms: &[(usize, f64)], columns: &[usize]) -> Vec<f64> {
        let function = self.function(terms);
        columns.iter().map(|&column| self.features.row(column).dot(&function)).collect()
    }

    /// `out += Σ factor · row`, as `Z(Zᵀv)`.
    pub(super) fn spread(&self, changes: &[(usize, f64)], out: &mut [f64], compute: &Compute) {
        let function = if changes.len() < FEW {
            self.function(changes).to_vec()
        } else {
            let mut v = vec![0.0; self.features.nrows()];
            changes.iter().for_each(|&(point, factor)| v[point] += factor);
            self.transposed(&v, compute)
        };
        self.add_product(&function, out, compute);
    }

    /// `Σ factor · φ(point)`.
    fn function(&self, terms: &[(usize, f64)]) -> Array1<f64> {
        let mut function = Array1::zeros(self.features.ncols());
        terms.iter().for_each(|&(point, factor)| function.scaled_add(factor, &self.features.row(point)));
        function
    }

    /// `Zᵀv`, summed in the order of the tasks.
    pub(super) fn transposed(&self, v: &[f64], compute: &Compute) -> Vec<f64> {
        let rank = self.features.ncols();
        let values = self.values();
        let part = |at: usize| {
            let rows = at * CHUNK..v.len().min((at + 1) * CHUNK);
            let mut sums = vec![0.0; rank];
            product::multiply_transposed(&values[rows.start * rank..rows.end * rank], &v[rows], &mut sums, 1);
            sums
        };
        let count = v.len().div_ceil(CHUNK);
        let parts = if self.is_small() { (0..count).map(part).collect() } else { compute.map_tasks(count, part) };
        parts.into_iter().fold(vec![0.0; rank], |mut sum, part| {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            sum
        })
    }

    /// `out += Zw`.
    pub(super) fn add_product(&self, w: &[f64], out: &mut [f64], compute: &Compute) {
        let (rank, values) = (self.features.ncols(), self.values());
        let part = |at: usize, out: &mut [f64]| {
            let start = at * CHUNK * rank;
            product::multiply(&values[start..start + out.len() * rank], w, out, 1);
        };
        if self.is_small() {
            out.chunks_mut(CHUNK).enumerate().for_each(|(at, out)| part(at, out));
        } else {
            compute.each_chunk(out, CHUNK, part);
        }
    }

    /// Whether a pass over the features takes less time than to wake another thread.
    pub(super) fn is_small(&self) -> bool {
        self.features.len() <= SMALL
    }

    /// `Σ wᵢ (zᵢ − c)(zᵢ − c)ᵀ` over the points with a positive weight: on and below the diagonal.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped.
    pub(super) fn weighted_square(&self, weights: &[f64], center: &[f64], compute: &Compute) -> Result<Array2<f64>> {
        let rank = self.features.ncols();
        let chosen: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
        let each = chosen.len().div_ceil(TASKS).next_multiple_of(DEPTH);
        let task = |at: usize| {
            compute.check_aborted()?;
            let mut sum = Array2::zeros((rank, rank));
            let mut scaled = Array2::zeros((DEPTH, rank));
            for part in chosen[at * each..chosen.len().min((at + 1) * each)].chunks(DEPTH) {
                for (&i, mut line) in part.iter().zip(scaled.rows_mut()) {
                    let root = weights[i].sqrt();
                    line.iter_mut().zip(self.features.row(i)).zip(center).for_each(|((s, z), c)| *s = root * (z - c));
                }
                add_square(&mut sum, &scaled.slice(s![..part.len(), ..]));
            }
            Ok(sum)
        };
        let count = chosen.len().div_ceil(each.max(1));
        let parts = match self.is_small() {
            true => (0..count).map(task).collect::<Result<Vec<_>>>()?,
            false => compute.try_map_tasks(count, task)?,
        };
        Ok(parts.into_iter().fold(Array2::zeros((rank, rank)), |sum, part| sum + part))
    }

    fn values(&self) -> &[f64] {
        self.features.as_slice().expect("features are kept in standard layout")
    }
}

/// `S += AᵀA` on and below the diagonal, strip by strip.
fn add_square(sum: &mut Array2<f64>, a: &ndarray::ArrayView2<f64>) {
    let rank = sum.ncols();
    for start in (0..rank).step_by(STRIP) {
        let end = rank.min(start + STRIP);
        let (left, right) = (a.slice(s![.., start..]), a.slice(s![.., start..end]));
        matmul(sum.slice_mut(s![start.., start..end]), Target::Add, left.t(), right, 1.0);
    }
}
