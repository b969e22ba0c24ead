//! A symmetric operator given by a function, and the identity.

use ndarray::{Array1, Array2, ArrayView2};

use super::{Operator, check_rows};
use crate::{Error, Result};

/// A symmetric operator that is known by a function for its products: an inverse, an iteration.
///
/// # Example
/// ```
/// use mercer::operator::{ByProduct, Operator};
/// use ndarray::{ArrayView2, array};
/// let twice = ByProduct::new(2, |v: ArrayView2<f64>| Ok(&v * 2.0));
/// assert_eq!(twice.apply(array![[1.0], [3.0]].view())?, array![[2.0], [6.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct ByProduct<F> {
    size: usize,
    product: F,
}

impl<F: Fn(ArrayView2<f64>) -> Result<Array2<f64>> + Sync> ByProduct<F> {
    /// The symmetric operator of this size whose products the function computes.
    pub fn new(size: usize, product: F) -> Self {
        Self { size, product }
    }
}

impl<F: Fn(ArrayView2<f64>) -> Result<Array2<f64>> + Sync> Operator for ByProduct<F> {
    fn shape(&self) -> (usize, usize) {
        (self.size, self.size)
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.size)?;
        (self.product)(v)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Err(Error::unsupported("the diagonal", "an operator known by its products", "", "store the matrix"))
    }
}

/// `I`: the preconditioner that does nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Identity(
    /// Rows and columns.
    pub usize,
);

impl Operator for Identity {
    fn shape(&self) -> (usize, usize) {
        (self.0, self.0)
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.0)?;
        Ok(v.to_owned())
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok(Array1::ones(self.0))
    }
}
