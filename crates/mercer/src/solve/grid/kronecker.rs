//! `K = K₁ ⊗ … ⊗ K_d` by the eigenvectors of its factors.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::points::Grid;
use crate::gram::{self, Pairs};
use crate::operator::products::multiply;
use crate::solve::symmetric_eigen;
use crate::{Compute, Error, Kernel, Points, Precision, Result};

/// Rows of a factor whose slopes one task contracts. Not tuned.
const ROWS: usize = 64;

/// A Kronecker product on all cells.
///
/// # Formula
/// `K = c^{1−d} K₁ ⊗ … ⊗ K_d`, where `Kₐ` is the matrix of the kernel along axis `a` through one
/// cell, and `c` its value there. With `Kₐ = UₐDₐUₐᵀ`: `g(K) = U g(D) Uᵀ` for `U = ⊗Uₐ`, `D = ⊗Dₐ`.
#[derive(Clone, Debug)]
pub(super) struct Kronecker {
    /// `Uₐ`, and its transpose.
    vectors: Vec<(Array2<f64>, Array2<f64>)>,
    /// The eigenvalues of every factor, none negative; `K₂, …` over `c`.
    factor_values: Vec<Vec<f64>>,
    /// `c`.
    corner: f64,
    /// The eigenvalues on all cells, none negative.
    pub(super) values: Vec<f64>,
}

impl Kronecker {
    pub(super) fn new(kernel: &Kernel, grid: &Grid, compute: &Compute) -> Result<Self> {
        let double = compute.clone().with_precision(Precision::Double).silent();
        let (mut vectors, mut factor_values, mut corner) = (Vec::new(), Vec::new(), 0.0);
        for a in 0..grid.axes.len() {
            let points = section(grid, a, ArrayView1::from(&grid.axes[a].values));
            let bound = kernel.bind(Pairs::Within(Points::Vectors(points.view())), &double)?;
            let mut matrix = gram::dense(&bound, &double)?;
            let last = matrix.nrows() - 1;
            corner = matrix[[last, last]];
            if corner.is_nan() || corner <= 0.0 {
                return Err(Error::singular("the kernel at a cell of the grid", "use another solver"));
            }
            if a > 0 {
                matrix /= corner;
            }
            compute.check_canceled()?;
            let eigen = symmetric_eigen(matrix.view(), compute)?;
            factor_values.push(eigen.values.iter().map(|e| e.max(0.0)).collect::<Vec<f64>>());
            let transposed = eigen.vectors.t().as_standard_layout().into_owned();
            vectors.push((eigen.vectors, transposed));
        }
        let values = outer(factor_values.iter());
        Ok(Self { vectors, factor_values, corner, values })
    }

    /// The eigenvectors along the axes of another matrix, with other values: a matrix near it.
    pub(super) fn with_values(self, values: impl FnOnce(&[Array2<f64>]) -> Result<Vec<f64>>) -> Result<Self> {
        let columns: Vec<Array2<f64>> = self.vectors.iter().map(|(u, _)| u.clone()).collect();
        Ok(Self { values: values(&columns)?, ..self })
    }

    /// `U g Uᵀv` for a function `g` of the eigenvalues.
    pub(super) fn apply(&self, v: Vec<f64>, g: &dyn Fn(f64) -> f64, compute: &Compute) -> Result<Vec<f64>> {
        let mut coefficients = self.coefficients(v, compute)?;
        coefficients.iter_mut().zip(&self.values).for_each(|(c, d)| *c *= g(*d));
        along(coefficients, self.vectors.iter().map(|(_, t)| t.view()), compute)
    }

    /// `Uᵀv`.
    fn coefficients(&self, v: Vec<f64>, compute: &Compute) -> Result<Vec<f64>> {
        along(v, self.vectors.iter().map(|(u, _)| u.view()), compute)
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

    /// `k(x)ᵀ g(K) k(x)` for every row of `x`, where `k(x)` are the kernel values with all cells.
    ///
    /// # Formula
    /// `k(x) = ⊗kₐ(xₐ)`, so that `Uᵀk(x) = ⊗Uₐᵀkₐ(xₐ)`: `O(n)` per row.
    pub(super) fn form(
        &self,
        kernel: &Kernel,
        grid: &Grid,
        x: ArrayView2<f64>,
        g: &dyn Fn(f64) -> f64,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        let double = compute.clone().with_precision(Precision::Double).silent();
        let rows = x.nrows();
        let mut squares = Vec::with_capacity(grid.axes.len());
        for (a, axis) in grid.axes.iter().enumerate() {
            let (new, old) =
                (section(grid, a, x.column(axis.column)), section(grid, a, ArrayView1::from(&axis.values)));
            let pairs = Pairs::Between(Points::Vectors(old.view()), Points::Vectors(new.view()));
            let cross = gram::dense(&kernel.bind(pairs, &double)?, &double)?;
            let scale = if a > 0 { 1.0 / self.corner } else { 1.0 };
            squares.push(multiply(self.vectors[a].1.view(), cross.view(), compute)?.mapv(|v| (v * scale).powi(2)));
        }
        let values: Vec<f64> = self.values.iter().map(|d| g(*d)).collect();
        let mut sums = Array1::zeros(rows);
        let Some((last, before)) = squares.split_last() else { return Ok(sums) };
        let lines = values.len() / last.nrows();
        // A block of lines of cells at a time, for all rows.
        let block = (self.values.len() / rows.max(1)).clamp(1, lines.max(1));
        for start in (0..lines).step_by(block) {
            let count = block.min(lines - start);
            let part = &values[start * last.nrows()..(start + count) * last.nrows()];
            let part =
                ArrayView2::from_shape((count, last.nrows()), part).map_err(|e| Error::shape("a grid", count, e))?;
            let mut found = multiply(part, last.view(), compute)?;
            for (line, mut row) in found.rows_mut().into_iter().enumerate() {
                let mut rest = start + line;
                for square in before.iter().rev() {
                    row *= &square.row(rest % square.nrows());
                    rest /= square.nrows();
                }
            }
            sums += &found.sum_axis(Axis(0));
        }
        Ok(sums)
    }

    /// `Σ (αᵢαⱼ − (A⁻¹)ᵢⱼ) ∂Kᵢⱼ/∂θ` for every parameter requested, `A = K + λI`, and the sum with the
    /// identity for `∂K`.
    ///
    /// # Formula
    /// With `α̂ = Uᵀα` the weights of `∂Kₐ` are `Uₐ(Σ α̂[k, ·]α̂[l, ·]D₋ₐ − diag Σ D₋ₐ/(D + λ))Uₐᵀ`,
    /// sums over the other axes, whose eigenvalues have the product `D₋ₐ`.
    pub(super) fn slopes(
        &self,
        kernel: &Kernel,
        grid: &Grid,
        (alpha, lambda): (Vec<f64>, f64),
        requested: &[bool],
        compute: &Compute,
    ) -> Result<(Vec<f64>, f64)> {
        let double = compute.clone().with_precision(Precision::Double).silent();
        let mut sums = vec![0.0; requested.len()];
        let mut rotated = self.coefficients(alpha, compute)?;
        let plain: f64 = rotated.iter().zip(&self.values).map(|(c, d)| c * c - 1.0 / (d + lambda)).sum();
        let whole: f64 = rotated.iter().zip(&self.values).map(|(c, d)| (c * c - 1.0 / (d + lambda)) * d).sum();
        let d = grid.axes.len();
        for a in 0..d {
            let own = &self.factor_values[a];
            let others = outer((1..d).map(|b| &self.factor_values[(a + b) % d]));
            let matrix = ArrayView2::from_shape((own.len(), others.len()), &rotated[..])
                .map_err(|e| Error::shape("a grid", own.len(), e))?;
            let weighted = &matrix * &ArrayView1::from(&others);
            let mut inner = multiply(weighted.view(), matrix.t(), compute)?;
            for (k, own) in own.iter().enumerate() {
                inner[[k, k]] -= others.iter().map(|o| o / (own * o + lambda)).sum::<f64>();
            }
            let (u, t) = &self.vectors[a];
            let mut weights = multiply(multiply(u.view(), inner.view(), compute)?.view(), t.view(), compute)?;
            if a > 0 {
                weights /= self.corner;
            }
            let last = own.len() - 1;
            if a == 0 {
                weights[[last, last]] -= (d - 1) as f64 * whole / self.corner;
            }
            let next = matrix.t().as_standard_layout().into_owned().into_raw_vec_and_offset().0;
            let points = section(grid, a, ArrayView1::from(&grid.axes[a].values));
            let bound = kernel.bind(Pairs::Within(Points::Vectors(points.view())), &double)?;
            let parts = compute.try_map_tasks(own.len().div_ceil(ROWS), |part| {
                compute.check_canceled()?;
                let rows = part * ROWS..own.len().min((part + 1) * ROWS);
                let tile: Vec<f64> = weights.slice(ndarray::s![rows.clone(), ..]).iter().copied().collect();
                let mut sums = vec![0.0; requested.len()];
                bound.contract_tile(rows, 0..own.len(), &tile, requested, &mut sums);
                Ok(sums)
            })?;
            parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(s, p)| *s += p));
            rotated = next;
        }
        Ok((sums, plain))
    }
}

/// Points along one axis, through the last cell of the others: kernels of processes are 0 at the
/// first.
fn section(grid: &Grid, axis: usize, values: ArrayView1<f64>) -> Array2<f64> {
    let mut points = Array2::zeros((values.len(), grid.columns));
    for other in &grid.axes {
        points.column_mut(other.column).fill(other.values[other.values.len() - 1]);
    }
    points.column_mut(grid.axes[axis].column).assign(&values);
    points
}

/// All products of entries, the last list fastest.
fn outer<'v>(lists: impl Iterator<Item = &'v Vec<f64>>) -> Vec<f64> {
    lists.fold(vec![1.0], |all, list| all.iter().flat_map(|v| list.iter().map(move |w| v * w)).collect())
}

/// `(M₁ᵀ ⊗ … ⊗ M_dᵀ)v`: an axis at a time, which becomes the last.
pub(super) fn along<'m>(
    mut v: Vec<f64>,
    factors: impl Iterator<Item = ArrayView2<'m, f64>>,
    compute: &Compute,
) -> Result<Vec<f64>> {
    for factor in factors {
        let (n, total) = (factor.nrows(), v.len());
        let matrix = ArrayView2::from_shape((n, total / n), &v[..]).map_err(|e| Error::shape("a grid", n, e))?;
        v = multiply(matrix.t(), factor, compute)?.into_raw_vec_and_offset().0;
    }
    Ok(v)
}
