//! `PAP` with a projection `P = I − QQᵀ`.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::{Operator, check_rows};
use crate::Result;

/// `PAP` for a square operator `A` and `P = I − QQᵀ`, with orthonormal columns `Q`: an operator on
/// the complement of unpenalized functions, such as the intercept.
pub struct Projected<'a> {
    inner: &'a dyn Operator,
    q: ArrayView2<'a, f64>,
}

impl<'a> Projected<'a> {
    /// An operator on the complement of orthonormal columns.
    pub fn new(inner: &'a dyn Operator, q: ArrayView2<'a, f64>) -> Self {
        Self { inner, q }
    }

    fn remove(&self, mut v: Array2<f64>) -> Array2<f64> {
        if self.q.ncols() > 0 {
            v -= &self.q.dot(&self.q.t().dot(&v));
        }
        v
    }
}

impl Operator for Projected<'_> {
    fn shape(&self) -> (usize, usize) {
        self.inner.shape()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.q.nrows())?;
        Ok(self.remove(self.inner.apply(self.remove(v.to_owned()).view())?))
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.q.nrows())?;
        Ok(self.remove(self.inner.apply_transposed(self.remove(v.to_owned()).view())?))
    }

    /// `aᵢᵢ − (Q·AᵀQ + Q·AQ)ᵢ + (Q(QᵀAQ)·Q)ᵢ`.
    fn diagonal(&self) -> Result<Array1<f64>> {
        let (image, back) = (self.inner.apply(self.q)?, self.inner.apply_transposed(self.q)?);
        let square = self.q.dot(&self.q.t().dot(&image));
        let change = (&self.q * &(square - image - back)).sum_axis(Axis(1));
        Ok(self.inner.diagonal()? + change)
    }
}
