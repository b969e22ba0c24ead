//! `ZZᵀ` of features.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::Operator;
use crate::Result;

/// Unit vectors whose products give a part of the diagonal.
const UNITS: usize = 64;

/// `ZZᵀ`: the kernel matrix of features.
pub struct Outer<'a> {
    features: &'a dyn Operator,
}

impl<'a> Outer<'a> {
    /// The kernel matrix of features, one row per point.
    pub fn new(features: &'a dyn Operator) -> Self {
        Self { features }
    }
}

impl Operator for Outer<'_> {
    fn shape(&self) -> (usize, usize) {
        (self.features.shape().0, self.features.shape().0)
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.features.apply(self.features.apply_transposed(v)?.view())
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    /// The squared norms of the rows of `Z`, from products with unit vectors.
    fn diagonal(&self) -> Result<Array1<f64>> {
        let (n, width) = self.features.shape();
        let mut norms = Array1::zeros(n);
        for start in (0..width).step_by(UNITS) {
            let count = UNITS.min(width - start);
            let mut units = Array2::zeros((width, count));
            units.slice_mut(s![start..start + count, ..]).diag_mut().fill(1.0);
            let columns = self.features.apply(units.view())?;
            norms += &columns.mapv(|v| v * v).sum_axis(Axis(1));
        }
        Ok(norms)
    }
}
