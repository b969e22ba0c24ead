//! Tensor products of functions.

use ndarray::{Array1, Array2};

use super::Expansion;
use crate::error::MemoryPurpose;
use crate::kernel::ColumnRef;
use crate::{Compute, Result};

impl Expansion {
    /// `(f ⊗ g)(x, z) = f(x) g(z)` on pairs: the first columns belong to `f`, the others to `g`.
    ///
    /// # Theory
    /// `f ⊗ g` lies in the RKHS of `k₁(x, x′) k₂(z, z′)`, with `‖f ⊗ g‖ = ‖f‖‖g‖`.
    ///
    /// # Cost
    /// `mn` centers.
    ///
    /// # Errors
    /// [`crate::Error::Memory`] when the centers do not fit into the limit.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Expansion, Kernel};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let f = Expansion::new(&"linear()".parse()?, array![[2.0]].view(), array![1.0].view(), &compute)?;
    /// let g = Expansion::new(&"gaussian()".parse()?, array![[0.0]].view(), array![3.0].view(), &compute)?;
    /// let h = f.tensor_product(&g, &compute)?;
    /// assert_eq!(h.evaluate(array![[1.0, 0.0]].view(), &compute)?[0], 6.0);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn tensor_product(&self, other: &Self, compute: &Compute) -> Result<Self> {
        let (first, second) = (self.centers().vectors()?, other.centers().vectors()?);
        let (m, n) = (first.nrows(), second.nrows());
        let (left, right) = (first.ncols(), second.ncols());
        let bytes = 8 * (m as u64) * (n as u64) * (left + right + 1) as u64;
        compute.reserve(
            MemoryPurpose::KernelMatrix,
            "the centers of a tensor product",
            bytes,
            "project the factors on fewer points first",
        )?;
        let columns = |range: std::ops::Range<usize>| range.map(ColumnRef::Index).collect();
        let kernel =
            self.kernel().clone().on(columns(0..left))? * other.kernel().clone().on(columns(left..left + right))?;
        let centers = Array2::from_shape_fn((m * n, left + right), |(ij, c)| {
            if c < left { first[[ij / n, c]] } else { second[[ij % n, c - left]] }
        });
        let coefficients =
            Array1::from_shape_fn(m * n, |ij| self.coefficients()[ij / n] * other.coefficients()[ij % n]);
        Ok(Self::from_parts(kernel, centers.into(), coefficients))
    }
}
