//! `K = K₁ ⊗ … ⊗ K_d` by the eigenvectors of its factors.

use ndarray::{Array2, ArrayView2};

use super::points::Grid;
use crate::gram::{self, Pairs};
use crate::solve::products::multiply;
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Kernel, Points, Precision, Result};

/// A Kronecker product on all cells.
///
/// # Formula
/// `K = c^{1−d} K₁ ⊗ … ⊗ K_d`, where `Kₐ` is the matrix of the kernel along axis `a` through one
/// cell, and `c` its value there. With `Kₐ = UₐDₐUₐᵀ`: `g(K) = U g(D) Uᵀ` for `U = ⊗Uₐ`, `D = ⊗Dₐ`.
#[derive(Clone, Debug)]
pub(super) struct Kronecker {
    /// `Uₐ`, and its transpose.
    vectors: Vec<(Array2<f64>, Array2<f64>)>,
    /// The eigenvalues on all cells, none negative.
    pub(super) values: Vec<f64>,
}

impl Kronecker {
    pub(super) fn new(kernel: &Kernel, grid: &Grid, compute: &Compute) -> Result<Self> {
        let double = compute.clone().with_precision(Precision::Double);
        let (mut vectors, mut values, mut at_cell) = (Vec::new(), vec![1.0], 0.0);
        for (a, axis) in grid.axes.iter().enumerate() {
            // Through the last cell, as kernels of processes are 0 at the origin.
            let mut points = Array2::zeros((axis.values.len(), grid.columns));
            for other in &grid.axes {
                points.column_mut(other.column).fill(other.values[other.values.len() - 1]);
            }
            points.column_mut(axis.column).assign(&ndarray::ArrayView1::from(&axis.values));
            let bound = kernel.bind(Pairs::Within(Points::Vectors(points.view())), &double)?;
            let mut matrix = gram::dense(&bound, &double)?;
            let corner = matrix[[axis.values.len() - 1, axis.values.len() - 1]];
            if a == 0 {
                at_cell = corner;
            } else {
                matrix /= at_cell;
            }
            if !(at_cell > 0.0 && matrix.iter().all(|v| v.is_finite())) {
                return Err(Error::singular("the kernel at a cell of the grid", "use another solver"));
            }
            compute.check_canceled()?;
            let eigen = symmetric_eigen(matrix.view(), compute)?;
            let product = |v: &f64| eigen.values.iter().map(|e| v * e.max(0.0)).collect::<Vec<f64>>();
            values = values.iter().flat_map(product).collect();
            let transposed = eigen.vectors.t().as_standard_layout().into_owned();
            vectors.push((eigen.vectors, transposed));
        }
        Ok(Self { vectors, values })
    }

    /// `U g Uᵀv` for a function `g` of the eigenvalues.
    pub(super) fn apply(&self, v: Vec<f64>, g: &dyn Fn(f64) -> f64, compute: &Compute) -> Result<Vec<f64>> {
        let mut coefficients = along(v, self.vectors.iter().map(|(u, _)| u.view()), compute)?;
        coefficients.iter_mut().zip(&self.values).for_each(|(c, d)| *c *= g(*d));
        along(coefficients, self.vectors.iter().map(|(_, t)| t.view()), compute)
    }

    /// The diagonal of `U g Uᵀ`.
    ///
    /// # Formula
    /// `Σₖ g(dₖ) Πₐ Uₐ[iₐ, kₐ]²`: the same product with the squares of the eigenvectors.
    pub(super) fn diagonal(&self, g: &dyn Fn(f64) -> f64, compute: &Compute) -> Result<Vec<f64>> {
        let squares: Vec<Array2<f64>> = self.vectors.iter().map(|(_, t)| t.mapv(|u| u * u)).collect();
        let values = self.values.iter().map(|d| g(*d)).collect();
        along(values, squares.iter().map(|s| s.view()), compute)
    }
}

/// `(M₁ᵀ ⊗ … ⊗ M_dᵀ)v`: an axis at a time, which becomes the last.
fn along<'m>(
    mut v: Vec<f64>,
    factors: impl Iterator<Item = ArrayView2<'m, f64>>,
    compute: &Compute,
) -> Result<Vec<f64>> {
    for factor in factors {
        let (n, total) = (factor.nrows(), v.len());
        let matrix = ArrayView2::from_shape((n, total / n), &v[..]).map_err(|e| Error::shape("a grid", n, e))?;
        let turned = multiply(matrix.t(), factor, compute)?;
        v = turned.into_raw_vec_and_offset().0;
    }
    Ok(v)
}
