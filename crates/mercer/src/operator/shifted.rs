//! `A + λI`.

use ndarray::{Array1, Array2, ArrayView2};

use super::Operator;
use crate::Result;

/// `A + λI` for a square operator `A`.
pub struct Shifted<'a> {
    inner: &'a dyn Operator,
    shift: f64,
}

impl<'a> Shifted<'a> {
    /// An operator with a multiple of the identity added.
    pub fn new(inner: &'a dyn Operator, shift: f64) -> Self {
        Self { inner, shift }
    }
}

impl Operator for Shifted<'_> {
    fn shape(&self) -> (usize, usize) {
        self.inner.shape()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut image = self.inner.apply(v)?;
        image.scaled_add(self.shift, &v);
        Ok(image)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut image = self.inner.apply_transposed(v)?;
        image.scaled_add(self.shift, &v);
        Ok(image)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok(self.inner.diagonal()? + self.shift)
    }
}
