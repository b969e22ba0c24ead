//! A matrix in memory.

use ndarray::{Array1, Array2, ArrayView2};

use super::{Operator, check_rows, check_square, products};
use crate::{Compute, Result};

/// A stored matrix: a kernel matrix, or dense features.
#[derive(Clone, Debug)]
pub struct Dense<'a> {
    values: ArrayView2<'a, f64>,
    compute: Compute,
}

impl<'a> Dense<'a> {
    /// The map of a matrix.
    pub fn new(values: ArrayView2<'a, f64>, compute: &Compute) -> Self {
        Self { values, compute: compute.clone() }
    }
}

impl Operator for Dense<'_> {
    fn shape(&self) -> (usize, usize) {
        self.values.dim()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.values.ncols())?;
        products::multiply(self.values, v, &self.compute)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.values.nrows())?;
        products::multiply_transposed(self.values, v, &self.compute)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        check_square(self.values.dim())?;
        Ok(self.values.diag().to_owned())
    }
}
