//! The coordinates of the points of one side of a matrix.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use ndarray::{Array2, ArrayView2};

use super::simd::reserved;
use crate::compute::filled;

/// Points row after row, with what is computed of them once: shared by the metrics on them, and by
/// all bindings to the same points.
#[derive(Debug)]
pub(crate) struct Coordinates {
    /// In standard layout.
    values: Array2<f64>,
    transposed: OnceLock<Array2<f64>>,
    reach: OnceLock<f64>,
}

impl Coordinates {
    pub(crate) fn new(values: Array2<f64>) -> Arc<Self> {
        let values = if values.is_standard_layout() { values } else { values.as_standard_layout().into_owned() };
        Arc::new(Self { values, transposed: OnceLock::new(), reach: OnceLock::new() })
    }

    pub(crate) fn copied(view: ArrayView2<'_, f64>) -> Arc<Self> {
        let mut values = reserved(view.len());
        match view.as_slice() {
            Some(slice) => values.extend_from_slice(slice),
            None => values.extend(&view),
        }
        Self::new(Array2::from_shape_vec(view.dim(), values).unwrap_or_else(|_| view.to_owned()))
    }

    /// All coordinates, row after row.
    pub(crate) fn as_slice(&self) -> &[f64] {
        self.values.as_slice().unwrap_or_default()
    }

    /// The coordinates of a point.
    pub(crate) fn point(&self, i: usize) -> &[f64] {
        let dims = self.values.ncols();
        &self.as_slice()[i * dims..(i + 1) * dims]
    }

    /// The points coordinate by coordinate, for passes over the columns.
    pub(crate) fn transposed(&self) -> &Array2<f64> {
        filled(&self.transposed, || self.values.t().as_standard_layout().into_owned())
    }

    /// The largest `|x|` of all coordinates.
    pub(crate) fn reach(&self) -> f64 {
        *filled(&self.reach, || self.as_slice().iter().fold(0.0_f64, |m, v| m.max(v.abs())))
    }
}

impl Deref for Coordinates {
    type Target = Array2<f64>;

    fn deref(&self) -> &Array2<f64> {
        &self.values
    }
}
