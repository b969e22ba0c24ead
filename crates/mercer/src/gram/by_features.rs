//! `K·V` of a kernel with explicit features: `F(GᵀV)` without a value of `K`.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use super::{SparseRows, Tiles};
use crate::{Compute, Result};

/// Pairs up to which the values of the kernel are computed. Not tuned.
const FEW_PAIRS: usize = 1 << 20;

/// The features of a matrix, where `columns` products with them take fewer operations than its
/// values do.
pub(super) fn cheaper(tiles: &dyn Tiles, columns: usize) -> Option<(&SparseRows, &SparseRows)> {
    let (n, m) = tiles.shape();
    if n.saturating_mul(m) <= FEW_PAIRS {
        return None;
    }
    let (rows, cols) = tiles.features()?;
    let pairs = n as f64 * m as f64 * (tiles.operations() + columns) as f64;
    let half = if tiles.symmetric() { 0.5 } else { 1.0 };
    let sparse = (2 * cols.columns.len() + rows.columns.len()) as f64 * (columns + 2) as f64;
    (sparse < half * pairs).then_some((rows, cols))
}

/// `F(GᵀV)`.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(super) fn multiply(
    (rows, cols): (&SparseRows, &SparseRows),
    v: ArrayView2<f64>,
    compute: &Compute,
) -> Result<Array2<f64>> {
    rows.multiply(cols.transposed().multiply(v, compute)?.view(), compute)
}

/// The same for parts of the columns apart: the answers side by side.
///
/// # Errors
/// As [`multiply`].
pub(super) fn multiply_parts(
    (rows, cols): (&SparseRows, &SparseRows),
    parts: &[Range<usize>],
    v: ArrayView2<f64>,
    compute: &Compute,
) -> Result<Array2<f64>> {
    let function = |part: &Range<usize>| {
        let chosen = cols.select(&part.clone().collect::<Vec<_>>());
        chosen.transposed().multiply(v.slice(s![part.clone(), ..]), compute)
    };
    let functions = parts.iter().map(function).collect::<Result<Vec<_>>>()?;
    let views: Vec<ArrayView2<f64>> = functions.iter().map(|function| function.view()).collect();
    match concatenate(Axis(1), &views) {
        Ok(beside) => rows.multiply(beside.view(), compute),
        Err(_) => Ok(Array2::zeros((rows.len(), 0))),
    }
}
