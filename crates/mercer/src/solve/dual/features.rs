//! Rows of a kernel matrix of inner products of sparse features: only the submatrix of a working
//! set is ever in memory.

use std::borrow::Cow;

use super::lines::{GAP, LINES, Lines, mirror};
use crate::error::MemoryPurpose;
use crate::gram::SparseRows;
use crate::kernel::sparse_rows::SparseProducts;
use crate::{Compute, Result};

/// Rows of the smallest working set.
const FEWEST: usize = 16;
/// Points that one task updates. Fixed, so that the bytes do not depend on the number of threads.
const CHUNK: usize = 1024;
/// Most bytes of dense columns of a working set.
const PANEL_BYTES: f64 = (1u64 << 25) as f64;

/// The features of the points.
pub(super) struct FeatureRows<'a> {
    rows: Cow<'a, SparseRows>,
    /// Points whose submatrix fits into memory.
    pub(super) capacity: usize,
}

impl<'a> FeatureRows<'a> {
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when not even the smallest working set fits.
    pub(super) fn new(rows: &'a SparseRows, compute: &Compute) -> Result<Self> {
        // A quarter of the memory limit: other submatrices of the same size may be in use.
        let capacity = ((compute.memory() / 4 / 8) as f64).sqrt() as usize;
        let capacity = capacity.saturating_sub(2 * GAP).max(FEWEST);
        let bytes = Self::bytes(capacity.min(FEWEST), rows.len(), rows.width);
        let advice = "use fewer rows or a higher memory limit";
        compute.reserve(MemoryPurpose::KernelMatrix, "the kernel values of a working set", bytes, advice)?;
        Ok(Self { rows: Cow::Borrowed(rows), capacity })
    }

    /// The bytes of a working set beside the features: its submatrix, and a number per point and per
    /// feature.
    pub(super) fn bytes(set: usize, points: usize, width: usize) -> u64 {
        8 * (set as u64 * (set + 2 * GAP) as u64 + 4 * points as u64 + width as u64)
    }

    /// The features of some points alone.
    pub(super) fn subset(&self, points: &[usize]) -> FeatureRows<'static> {
        FeatureRows { rows: Cow::Owned(self.rows.select(points)), capacity: self.capacity }
    }

    /// The kernel among some points.
    pub(super) fn submatrix<'b>(&self, points: &[usize], room: &'b mut Vec<f64>, compute: &Compute) -> Lines<'b, f64> {
        let q = points.len();
        let products = SparseProducts::within(PANEL_BYTES, self.rows.select(points).without_empty_columns(), None);
        let stride = q.next_multiple_of(GAP) + GAP;
        room.resize(room.len().max(q * stride), 0.0);
        let block = &mut room[..q * stride];
        compute.each_chunk(block, LINES * stride, |group, lines| {
            let rows: Vec<usize> = (group * LINES..q.min((group + 1) * LINES)).collect();
            let columns = rows[rows.len() - 1] + 1;
            let mut tile = vec![0.0; rows.len() * columns];
            products.fill(&rows, 0..columns, &mut tile);
            for (line, values) in lines.chunks_exact_mut(stride).zip(tile.chunks_exact(columns)) {
                line[..columns].copy_from_slice(values);
            }
        });
        mirror(block, q, stride);
        Lines { matrix: block, stride, runs: std::iter::once(0..q).collect() }
    }

    /// `Σ factor · φ(point)`: the function whose values at all points are `F` times it.
    fn function(&self, terms: &[(usize, f64)]) -> Vec<f64> {
        let mut function = vec![0.0; self.rows.width];
        for &(point, factor) in terms {
            let (columns, values) = self.rows.row(point);
            columns.iter().zip(values).for_each(|(&column, value)| function[column as usize] += factor * value);
        }
        function
    }

    /// `Σ factor · K[point, column]` for some columns.
    pub(super) fn combine(&self, terms: &[(usize, f64)], columns: &[usize]) -> Vec<f64> {
        let function = self.function(terms);
        columns.iter().map(|&column| self.rows.row_times(column, &function)).collect()
    }

    /// `out += Σ factor · row`, as `F(Fᵀv)`.
    pub(super) fn spread(&self, changes: &[(usize, f64)], out: &mut [f64], compute: &Compute) {
        let function = self.function(changes);
        compute.each_chunk(out, CHUNK, |chunk, out| {
            for (i, out) in out.iter_mut().enumerate() {
                *out += self.rows.row_times(chunk * CHUNK + i, &function);
            }
        });
    }
}
