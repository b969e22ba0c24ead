//! A Cholesky factor in single precision: half the memory and about half the time, for a
//! preconditioner.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::blocks::{by_columns, by_columns_mut, factor_blocks, substitute};
use crate::{Compute, Error, Result};

/// The Cholesky factor of a positive definite matrix in `f32`, kept where the matrix was.
///
/// # Theory
/// It differs from the exact factor by about `n·6·10⁻⁸` relative to the matrix, so conjugate
/// gradients with it as preconditioner need a handful of steps to reach an `f64` residual, as long
/// as the condition number is below about 10⁷.
#[derive(Clone, Debug)]
pub struct SingleFactor {
    size: usize,
    values: Vec<f32>,
}

impl SingleFactor {
    /// Factors a symmetric matrix in its own memory; `None` when it is not positive definite in
    /// single precision.
    ///
    /// # Cost
    /// `n³/3` in single precision, `4n²` bytes.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the matrix is square, [`Error::Canceled`].
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, solve::SingleFactor};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let factor = SingleFactor::new(array![[4.0_f32, 2.0], [2.0, 5.0]], &compute)?.unwrap();
    /// let x = factor.solve(array![[1.0], [0.0]].view(), &compute)?;
    /// mercer::assert_close!(x[[0, 0]], 5.0 / 16.0, abs = 1e-6);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn new(a: Array2<f32>, compute: &Compute) -> Result<Option<Self>> {
        let n = a.nrows();
        if a.ncols() != n {
            return Err(Error::shape("columns of a symmetric matrix", n, a.ncols()));
        }
        let mut values =
            if a.is_standard_layout() { a } else { a.as_standard_layout().into_owned() }.into_raw_vec_and_offset().0;
        let matrix = by_columns_mut(&mut values, n, n);
        let definite = compute.install(|| factor_blocks(matrix, compute))?;
        let finite = (0..n).all(|i| values[i * n + i].is_finite() && values[i * n + i] > 0.0);
        Ok((definite && finite).then_some(Self { size: n, values }))
    }

    /// `A⁻¹B`, to single precision relative to each column.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `B` has `n` rows.
    pub fn solve(&self, b: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        if b.nrows() != self.size {
            return Err(Error::shape("rows of the right-hand side", self.size, b.nrows()));
        }
        // Columns of any size keep their digits: they are solved at size 1.
        let sizes: Array1<f64> = b.axis_iter(Axis(1)).map(|c| c.iter().fold(0.0_f64, |m, v| m.max(v.abs()))).collect();
        let inverse = sizes.mapv(|s| if s > 0.0 { 1.0 / s } else { 0.0 });
        let mut x = Array2::from_shape_fn(b.dim(), |(i, j)| (b[[i, j]] * inverse[j]) as f32);
        substitute(by_columns(&self.values, self.size, self.size), x.view_mut(), true, compute);
        Ok(Array2::from_shape_fn(b.dim(), |(i, j)| f64::from(x[[i, j]]) * sizes[j]))
    }
}
