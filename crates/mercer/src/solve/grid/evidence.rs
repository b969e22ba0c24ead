//! What a Gaussian process needs beside solutions: determinants, diagonals, slopes.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::lanczos;
use super::line::LineInverse;
use super::system::{GridSystem, Kind};
use super::toeplitz::lag_slopes;
use crate::operator::ByProduct;
use crate::solve::{Factored, factor};
use crate::{Compute, Error, Kernel, Result};

/// Missing cells up to which the determinant of `B_mm` is that of a stored matrix.
const STORED: usize = 512;

impl GridSystem {
    /// `log det A` without weights, and its error: 0 where it has a closed form, a bound along one
    /// axis, a standard error where it is estimated from random vectors.
    ///
    /// # Formula
    /// With missing cells `det A_oo = det A · det B_mm`, `A` on all cells and `B = A⁻¹`.
    ///
    /// # Errors
    /// [`Error::Singular`], [`Error::NotConverged`], [`Error::Canceled`].
    pub(crate) fn log_determinant(&self, compute: &Compute) -> Result<(f64, f64)> {
        let whole = match &self.kind {
            Kind::Kronecker(k) => (k.values.iter().map(|d| (d + self.lambda).ln()).sum(), 0.0),
            Kind::Toeplitz(t) if self.grid.axes.len() == 1 => {
                self.line(t, compute)?.log_determinant(&t.lags, self.lambda, compute)?
            }
            Kind::Toeplitz(t) => match &t.near {
                Some(near) if self.missing.is_empty() => {
                    // A = M½(M⁻½AM⁻½)M½, and the middle is near the identity.
                    let root = |v: Vec<f64>| near.apply(v, &|d| (d + self.lambda).sqrt().recip(), compute);
                    let middle = ByProduct::new(self.grid.cells(), |v: ArrayView2<f64>| {
                        let inner = Array1::from(root(v.iter().copied().collect())?);
                        let product = Array1::from(t.multiplied(inner.as_slice().unwrap_or_default(), compute)?);
                        let outer = root((product + &inner * self.lambda).to_vec())?;
                        Ok(Array1::from(outer).insert_axis(Axis(1)))
                    });
                    let (middle, error) = lanczos::log_determinant(&middle, compute)?;
                    return Ok((near.values.iter().map(|d| (d + self.lambda).ln()).sum::<f64>() + middle, error));
                }
                _ => {
                    let whole = ByProduct::new(self.grid.cell.len(), |v| self.multiply(v, compute));
                    return lanczos::log_determinant(&whole, compute);
                }
            },
        };
        if self.missing.is_empty() {
            return Ok(whole);
        }
        let (part, error) = self.missing_log_determinant(compute)?;
        Ok((whole.0 + part, whole.1 + error))
    }

    /// `log det B_mm`.
    fn missing_log_determinant(&self, compute: &Compute) -> Result<(f64, f64)> {
        let m = self.missing.len();
        if m > STORED {
            return lanczos::log_determinant(&ByProduct::new(m, |z| self.missing_inverse(z, compute)), compute);
        }
        let matrix = self.missing_inverse(Array2::eye(m).view(), compute)?;
        match factor((&matrix + &matrix.t()) * 0.5, compute)? {
            Factored::Definite(factor) => Ok((factor.log_determinant(), 0.0)),
            Factored::Singular(_) => Err(Error::singular("the system of the missing cells", "use a larger noise")),
        }
    }

    /// The diagonal of `A⁻¹`, where it has a closed form.
    ///
    /// # Errors
    /// [`Error::NotConverged`], [`Error::Canceled`].
    pub(crate) fn inverse_diagonal(&self, compute: &Compute) -> Result<Option<Array1<f64>>> {
        if !self.is_plain() {
            return Ok(None);
        }
        let cells = match &self.kind {
            Kind::Kronecker(k) => k.diagonal(&|d| 1.0 / (d + self.lambda), compute)?,
            Kind::Toeplitz(t) if self.grid.axes.len() == 1 => self.line(t, compute)?.diagonal(),
            Kind::Toeplitz(_) => return Ok(None),
        };
        Ok(Some(self.gather(&cells)))
    }

    /// `Σ (αᵢαⱼ − (A⁻¹)ᵢⱼ) ∂Kᵢⱼ/∂θ` for every parameter requested, and the sum with the identity for
    /// `∂K`; where they have a closed form.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(crate) fn slopes(
        &self,
        kernel: &Kernel,
        alpha: ArrayView1<f64>,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<Option<(Vec<f64>, f64)>> {
        if !self.is_plain() {
            return Ok(None);
        }
        let alpha = self.scatter(alpha);
        match &self.kind {
            Kind::Kronecker(k) => k.slopes(kernel, &self.grid, (alpha, self.lambda), requested, compute).map(Some),
            Kind::Toeplitz(t) if self.grid.axes.len() == 1 => {
                let products = LineInverse::autocorrelation(t, &alpha, compute)?;
                let sums = self.line(t, compute)?.diagonal_sums(t, compute)?;
                // The entries of a lag stand on two diagonals.
                let twice = |k: usize| if k == 0 { 1.0 } else { 2.0 };
                let weights: Vec<f64> =
                    products.iter().zip(&sums).enumerate().map(|(k, (p, s))| twice(k) * (p - s)).collect();
                let slopes = lag_slopes(kernel, &self.grid, &weights, requested, compute)?;
                Ok(Some((slopes, weights[0])))
            }
            Kind::Toeplitz(_) => Ok(None),
        }
    }

    /// `k(x)ᵀA⁻¹k(x)` for every row of `x`, where it has a closed form: `O(n)` each.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(crate) fn explained(
        &self,
        kernel: &Kernel,
        x: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Option<Array1<f64>>> {
        match &self.kind {
            Kind::Kronecker(k) if self.is_plain() => {
                k.form(kernel, &self.grid, x, &|d| 1.0 / (d + self.lambda), compute).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether all cells are observed, with weight 1.
    fn is_plain(&self) -> bool {
        self.missing.is_empty() && self.roots.is_none()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ndarray::Array2;

    use super::*;
    use crate::gram::{self, Pairs};
    use crate::solve::grid::Grid;

    /// Cells of a grid, without some of them.
    fn cells(shape: &[usize], keep: impl Fn(usize) -> bool) -> Array2<f64> {
        let kept: Vec<usize> = (0..shape.iter().product()).filter(|&i| keep(i)).collect();
        Array2::from_shape_fn((kept.len(), shape.len()), |(i, a)| {
            let after: usize = shape[a + 1..].iter().product();
            0.3 * (kept[i] / after % shape[a]) as f64 - 1.0
        })
    }

    #[test]
    fn determinants_and_diagonals_are_those_of_the_matrix() {
        let compute = Compute::new();
        let cases: [(&[usize], &str, bool); 5] = [
            (&[60], "gaussian()", true),
            (&[9, 7], "gaussian() * on([1], periodic())", true),
            (&[4, 3, 5], "2*gaussian(lengthscale=[1, 2, 0.5])", true),
            (&[60], "matern(nu=3/2)", true),
            (&[9, 7], "matern(nu=3/2)", false),
        ];
        for (shape, text, exact) in cases {
            for (what, x) in [("all", cells(shape, |_| true)), ("some", cells(shape, |i| i % 5 != 2 && i != 7))] {
                let (kernel, lambda): (Kernel, f64) = (text.parse().unwrap(), 0.05);
                let grid = Arc::new(Grid::of(&kernel, x.view().into()).unwrap());
                let system = GridSystem::new(&kernel, grid, None, lambda, &compute).unwrap();
                let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
                let mut matrix = gram::dense(&bound, &compute).unwrap();
                matrix.diag_mut().mapv_inplace(|d| d + lambda);
                let Factored::Definite(factor) = factor(matrix, &compute).unwrap() else { panic!("{text}") };
                let (found, error) = system.log_determinant(&compute).unwrap();
                let expected = factor.log_determinant();
                if exact {
                    assert_close!(found, expected, 1e-8, "{text} {what}");
                    assert!(error <= 1e-9 * expected.abs(), "{error}");
                } else {
                    // Five standard errors: a false alarm in a million seeds.
                    assert_close!(found, expected, abs = 5.0 * error, "{text} {what}");
                    assert!(error < 0.2 * expected.abs(), "{text} {what} {error}");
                }
                if let Some(diagonal) = system.inverse_diagonal(&compute).unwrap() {
                    assert_close!(&diagonal, factor.inverse_diagonal(&compute).unwrap(), each = 1e-8, "{text}");
                }
            }
        }
    }
}
