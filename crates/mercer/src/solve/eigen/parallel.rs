//! Work on fixed blocks, on one thread where the problem is small.

use ndarray::{ArrayView2, ArrayViewMut2, ShapeBuilder};

use crate::{Compute, Result};

/// Size of a problem from which on threads are used: below, all of it takes about a millisecond.
pub(super) const PARALLEL: usize = 128;

/// [`Compute::try_each_chunk`] if `parallel`, else the same on this thread.
pub(super) fn each_chunk<T: Send>(
    parallel: bool,
    values: &mut [T],
    length: usize,
    compute: &Compute,
    work: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    if parallel {
        compute.try_each_chunk(values, length, work)
    } else {
        values.chunks_mut(length).enumerate().try_for_each(|(k, chunk)| work(k, chunk))
    }
}

/// Both results; at the same time if `parallel`.
pub(super) fn both<A: Send, B: Send>(
    parallel: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if parallel { rayon::join(first, second) } else { (first(), second()) }
}

/// A column-major matrix that starts with the first value; its columns are `stride` apart.
pub(super) fn view(values: &[f64], shape: (usize, usize), stride: usize) -> ArrayView2<'_, f64> {
    ArrayView2::from_shape(shape.strides((1, stride)), values).expect("columns lie within the values")
}

/// As [`view`], to be written.
pub(super) fn view_mut(values: &mut [f64], shape: (usize, usize), stride: usize) -> ArrayViewMut2<'_, f64> {
    ArrayViewMut2::from_shape(shape.strides((1, stride)), values).expect("columns lie within the values")
}
