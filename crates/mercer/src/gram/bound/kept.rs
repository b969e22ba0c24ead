//! Column points that are kept for later bindings.

use std::sync::Arc;

use ndarray::ArrayView2;

use super::Bound;
use super::bind::{bind_beside, bind_vectors};
use super::slots::Slots;
use crate::{Compute, Kernel, Result};

/// What binding a kernel makes of some vectors, as the column points of later bindings: checked
/// coordinates, their transformations, norms, and packed copies.
#[derive(Debug)]
pub(in crate::gram) struct KeptColumns(Arc<Slots>);

impl KeptColumns {
    /// `None` where the kernel is not the same on other points, as with `median`, or brings its own
    /// rectangles, which know both sides.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(in crate::gram) fn new(
        kernel: &Kernel,
        points: ArrayView2<'_, f64>,
        compute: &Compute,
    ) -> Result<Option<Self>> {
        let bound = bind_vectors(kernel, points, None, compute)?;
        let alone = bound.kernel == *kernel && !bound.root.has_own_tiles();
        Ok(alone.then(|| Self(Arc::new(bound.slots))))
    }

    /// The bytes that are held at most, with every packed form that a precision may ask for.
    pub(in crate::gram) fn bytes(&self) -> u64 {
        self.0.column_bytes()
    }

    /// The same kernel on finite vectors with these column points.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(in crate::gram) fn bind<'a>(
        &self,
        kernel: &Kernel,
        rows: ArrayView2<'_, f64>,
        compute: &Compute,
    ) -> Result<Bound<'a>> {
        self.0.metrics.iter().for_each(|shared| shared.metric.columns().prepare(compute.precision(), compute));
        bind_beside(kernel, rows, &self.0, compute)
    }
}
