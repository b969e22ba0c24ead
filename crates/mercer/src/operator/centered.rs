//! `HAH` with `H = I − 11ᵀ/n`.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::{Operator, check_square};
use crate::Result;

/// `HAH` for a square operator `A` and `H = I − 11ᵀ/n`: kernel values of features without their
/// mean.
pub struct Centered<'a> {
    inner: &'a dyn Operator,
}

impl<'a> Centered<'a> {
    /// A centered operator.
    pub fn new(inner: &'a dyn Operator) -> Self {
        Self { inner }
    }
}

impl Operator for Centered<'_> {
    fn shape(&self) -> (usize, usize) {
        self.inner.shape()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(without_means(self.inner.apply(without_means(v.to_owned()).view())?))
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(without_means(self.inner.apply_transposed(without_means(v.to_owned()).view())?))
    }

    /// `aᵢᵢ − rᵢ − cᵢ + m` with the means `r` of the rows, `c` of the columns and `m` of all.
    fn diagonal(&self) -> Result<Array1<f64>> {
        check_square(self.shape())?;
        let n = self.shape().0;
        let constants = Array2::from_elem((n, 1), 1.0 / n.max(1) as f64);
        let rows = self.inner.apply(constants.view())?.index_axis_move(Axis(1), 0);
        let columns = self.inner.apply_transposed(constants.view())?.index_axis_move(Axis(1), 0);
        let mean = rows.sum() / n.max(1) as f64;
        Ok(self.inner.diagonal()? - &rows - &columns + mean)
    }
}

/// `Hv`: every column without its mean.
pub(crate) fn without_means(mut v: Array2<f64>) -> Array2<f64> {
    if let Some(means) = v.mean_axis(Axis(0)) {
        v -= &means;
    }
    v
}
