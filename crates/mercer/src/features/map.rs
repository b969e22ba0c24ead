//! The trait of explicit feature maps.

use ndarray::{Array2, ArrayView2};

use crate::{Compute, Kernel, Result};

/// A map `z: ℝᵈ → ℝᵖ` with `z(x)ᵀz(y) ≈ k(x, y)`.
///
/// Every row of the answer depends on its own row of the data alone, so data may come in chunks of
/// any size.
pub trait FeatureMap: std::fmt::Debug + Send + Sync {
    /// The kernel that the features approximate, medians resolved.
    fn kernel(&self) -> &Kernel;

    /// `d`: the columns of the data.
    fn columns(&self) -> usize;

    /// `p`: the columns of the features.
    fn components(&self) -> usize;

    /// The features, one row per point.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a wrong number of columns,
    /// [`Error::Value`](crate::Error::Value) for NaN and infinities,
    /// [`Error::Memory`](crate::Error::Memory) when the answer does not fit into the limit,
    /// [`Error::Canceled`](crate::Error::Canceled).
    fn transform(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>>;

    /// The features in single precision: about half the time and the memory, with some seven digits
    /// where a map has a way of its own to them.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`].
    fn transform_single(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f32>> {
        Ok(self.transform(x, compute)?.mapv(|v| v as f32))
    }
}
