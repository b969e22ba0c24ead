//! Column points that are kept for later bindings.

use std::sync::Arc;

use ndarray::ArrayView2;

use super::Bound;
use super::bind::{SparseColumnPoints, bind_beside, bind_sparse_beside, bind_vectors, sparse_columns};
use super::slots::Slots;
use crate::points::Csr;
use crate::{Compute, Kernel, Points, Result, Sample};

/// What binding a kernel makes of some vectors, as the column points of later bindings: checked
/// coordinates, their transformations, norms, and packed copies or lists.
#[derive(Debug)]
pub(in crate::gram) enum KeptColumns {
    Dense(Arc<Slots>),
    Sparse(SparseColumnPoints),
}

impl KeptColumns {
    /// `None` where the kernel is not the same on other points, as with `median`, or brings its own
    /// rectangles, which know both sides.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(in crate::gram) fn new(kernel: &Kernel, points: &Sample, compute: &Compute) -> Result<Option<Self>> {
        match points {
            Sample::Vectors(points) => Self::of_vectors(kernel, points.view(), compute),
            Sample::Sparse(points) => Ok(sparse_columns(kernel, points, compute)?.map(Self::Sparse)),
            _ => Ok(None),
        }
    }

    fn of_vectors(kernel: &Kernel, points: ArrayView2<'_, f64>, compute: &Compute) -> Result<Option<Self>> {
        let bound = bind_vectors(kernel, points, None, compute)?;
        let alone = bound.kernel == *kernel && !bound.root.has_own_tiles();
        Ok(alone.then(|| Self::Dense(Arc::new(bound.slots))))
    }

    /// The numbers of points that can be kept; none for points of other kinds, and for sparse ones
    /// that are bound as dense ones.
    pub(in crate::gram) fn numbers(points: &Sample) -> Option<usize> {
        match points {
            Sample::Vectors(points) => Some(points.len()),
            Sample::Sparse(points) => Some(points.stored()).filter(|_| !points.is_full()),
            _ => None,
        }
    }

    /// The bytes that are held at most, with every packed form that a precision may ask for.
    pub(in crate::gram) fn bytes(&self, compute: &Compute) -> u64 {
        match self {
            Self::Dense(slots) => slots.column_bytes(),
            Self::Sparse(kept) => kept.iter().map(|(_, columns)| columns.bytes(compute)).sum(),
        }
    }

    /// The same kernel on finite vectors with these column points; `None` for rows of another kind.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(in crate::gram) fn bind<'a>(
        &self,
        kernel: &Kernel,
        rows: Points<'a>,
        columns: &Sample,
        compute: &Compute,
    ) -> Result<Option<Bound<'a>>> {
        match (self, rows, columns) {
            (Self::Dense(slots), Points::Vectors(rows), _) => {
                slots.metrics.iter().for_each(|shared| shared.metric.columns().prepare(compute.precision(), compute));
                bind_beside(kernel, rows, slots, compute).map(Some)
            }
            (Self::Sparse(kept), rows @ (Points::Sparse(_) | Points::Vectors(_)), Sample::Sparse(columns)) => {
                let rows = rows.sparse()?;
                let rows: &Csr = &rows;
                bind_sparse_beside(kernel, rows, (columns, kept), compute).map(Some)
            }
            _ => Ok(None),
        }
    }
}
