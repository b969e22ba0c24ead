//! `SAS` for a diagonal matrix `S`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::Operator;
use crate::Result;

/// `SAS` for a square operator `A` and `S = diag(s)`: the matrix of a weighted problem in
/// coordinates in which every weight is 1, with `sᵢ = √wᵢ`.
pub struct Weighted<'a> {
    inner: &'a dyn Operator,
    roots: ArrayView1<'a, f64>,
}

impl<'a> Weighted<'a> {
    /// An operator between two diagonal matrices.
    pub fn new(inner: &'a dyn Operator, roots: ArrayView1<'a, f64>) -> Self {
        Self { inner, roots }
    }

    fn between(
        &self,
        v: ArrayView2<f64>,
        product: &dyn Fn(ArrayView2<f64>) -> Result<Array2<f64>>,
    ) -> Result<Array2<f64>> {
        let roots = self.roots.insert_axis(Axis(1));
        let mut image = product((&v * &roots).view())?;
        image *= &roots;
        Ok(image)
    }
}

impl Operator for Weighted<'_> {
    fn shape(&self) -> (usize, usize) {
        self.inner.shape()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        super::check_rows(v, self.roots.len())?;
        self.between(v, &|v| self.inner.apply(v))
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        super::check_rows(v, self.roots.len())?;
        self.between(v, &|v| self.inner.apply_transposed(v))
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok(self.inner.diagonal()? * self.roots * self.roots)
    }
}
