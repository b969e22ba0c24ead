//! `A = ZZᵀ + λI` for few features `Z`, in time linear in the rows.

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::reflectors::triangular_factor;
use super::{CholeskyFactor, Factored, factor};
use crate::operator::products::{multiply, multiply_transposed};
use crate::{Compute, Result};

/// Rows whose leverages are computed at a time. Not tuned.
const ROWS: usize = 4096;
/// Refinements of the weights: each multiplies their error by that of a solve, at most 10⁻⁵.
const REFINEMENTS: usize = 2;
/// The largest condition number of `M` for which it is made of products: they leave six digits of a
/// solve, and the refinements the others.
const CONDITION: f64 = 1e10;
/// The smallest λ as a part of the scale of `ZᵀZ`: the condition number of `[Z; √λI]` is its root, and
/// four digits of the weights are left; rounding errors of the features themselves are seen below.
const LEAST: f64 = 1e-24;

/// `A = ZZᵀ + λI` by the factor of `M = ZᵀZ + λI`.
///
/// # Formula
/// `A⁻¹r = (r − Zw)/λ` with the weights `w = M⁻¹Zᵀr`, refined by their own residual;
/// `det A = λⁿ⁻ᵖ det M` for `n` rows and `p` features. Where the digits of `M` are lost in its squares,
/// its factor is the triangle of `[Z; √λI]` by reflections.
#[derive(Clone, Debug)]
pub(crate) struct FeatureSystem {
    features: Arc<Array2<f64>>,
    factor: CholeskyFactor,
    lambda: f64,
}

impl FeatureSystem {
    /// The system of features and of `ZᵀZ`, whose errors are relative to `scale` (its trace, or more where
    /// the features were centered); `None` where λ is too small for any digit.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled), as everything here.
    pub(crate) fn new(
        features: Arc<Array2<f64>>,
        mut gram: Array2<f64>,
        (lambda, scale): (f64, f64),
        compute: &Compute,
    ) -> Result<Option<Self>> {
        // Not `<=`, which NaN would pass.
        if !(lambda > LEAST * scale && scale.is_finite()) {
            return Ok(None);
        }
        gram.diag_mut().mapv_inplace(|d| d + lambda);
        if let Factored::Definite(factor) = factor(gram, compute)?
            && factor.condition(compute)? < CONDITION
        {
            return Ok(Some(Self { features, factor, lambda }));
        }
        let upper = triangular_factor(features.view(), compute)?;
        let p = features.ncols();
        let mut stacked = Array2::zeros((upper.nrows() + p, p));
        stacked.slice_mut(s![..upper.nrows(), ..]).assign(&upper);
        stacked.slice_mut(s![upper.nrows().., ..]).diag_mut().fill(lambda.sqrt());
        let factor = CholeskyFactor::from_upper(&triangular_factor(stacked.view(), compute)?);
        Ok(Some(Self { features, factor, lambda }))
    }

    /// `Z`.
    pub(crate) fn features(&self) -> &Array2<f64> {
        &self.features
    }

    /// The factor of `M`.
    pub(crate) fn factor(&self) -> &CholeskyFactor {
        &self.factor
    }

    /// `A⁻¹R`.
    pub(crate) fn solve(&self, right: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.solve_with(right, self.weights(right, compute)?.view(), compute)
    }

    /// `A⁻¹R` from the weights of `R`.
    pub(crate) fn solve_with(
        &self,
        right: ArrayView2<f64>,
        weights: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        Ok((&right - &multiply(self.features.view(), weights, compute)?) / self.lambda)
    }

    /// `ZᵀA⁻¹R = M⁻¹ZᵀR`: the weights of the features.
    pub(crate) fn weights(&self, right: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let along = multiply_transposed(self.features.view(), right, compute)?;
        let mut weights = self.factor.solve(along.view(), compute)?;
        for _ in 0..REFINEMENTS {
            let left = &right - &multiply(self.features.view(), weights.view(), compute)?;
            let slope = multiply_transposed(self.features.view(), left.view(), compute)? - &weights * self.lambda;
            weights += &self.factor.solve(slope.view(), compute)?;
        }
        Ok(weights)
    }

    /// The diagonal of `ZM⁻¹Zᵀ`.
    pub(crate) fn leverages(&self, compute: &Compute) -> Result<Array1<f64>> {
        let n = self.features.nrows();
        let mut found = Array1::zeros(n);
        for start in (0..n).step_by(ROWS) {
            let rows = start..n.min(start + ROWS);
            let part = self.features.slice(s![rows.clone(), ..]);
            let half = self.factor.half_solve(part.t(), compute)?;
            found.slice_mut(s![rows]).assign(&half.mapv(|v| v * v).sum_axis(Axis(0)));
        }
        Ok(found)
    }

    /// `log det A`.
    pub(crate) fn log_determinant(&self) -> f64 {
        let (n, p) = self.features.dim();
        self.factor.log_determinant() + (n as f64 - p as f64) * self.lambda.ln()
    }

    /// `tr A⁻¹`.
    pub(crate) fn inverse_trace(&self, compute: &Compute) -> Result<f64> {
        let (n, p) = self.features.dim();
        Ok((n as f64 - p as f64) / self.lambda + self.factor.inverse_diagonal(compute)?.iter().sum::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(z: &Array2<f64>, lambda: f64) -> Option<FeatureSystem> {
        let gram = z.t().dot(z);
        let scale = gram.diag().sum();
        FeatureSystem::new(Arc::new(z.clone()), gram, (lambda, scale), &Compute::new()).unwrap()
    }

    fn assert_is_the_matrix(system: &FeatureSystem, lambda: f64, tolerance: f64) {
        let (z, compute) = (system.features(), Compute::new());
        let n = z.nrows();
        let a = z.dot(&z.t()) + Array2::<f64>::eye(n) * lambda;
        let Factored::Definite(whole) = factor(a, &compute).unwrap() else { panic!("singular") };
        let inverse = whole.solve(Array2::eye(n).view(), &compute).unwrap();
        assert_close!(&system.solve(Array2::eye(n).view(), &compute).unwrap(), &inverse, each = tolerance);
        assert_close!(
            &system.weights(Array2::eye(n).view(), &compute).unwrap(),
            &z.t().dot(&inverse),
            each = tolerance
        );
        assert_close!(system.log_determinant(), whole.log_determinant(), abs = tolerance);
        assert_close!(system.inverse_trace(&compute).unwrap(), inverse.diag().sum(), abs = 10.0 * tolerance);
        let leverages = system.leverages(&compute).unwrap();
        assert_close!(&leverages.mapv(|h| (1.0 - h) / lambda), &inverse.diag().to_owned(), each = 10.0 * tolerance);
    }

    #[test]
    fn the_closed_forms_are_those_of_the_matrix() {
        let z = Array2::from_shape_fn((7, 2), |(i, j)| ((3 * i + j) as f64).sin());
        assert_is_the_matrix(&system(&z, 0.3).unwrap(), 0.3, 1e-13);
    }

    #[test]
    fn triangles_of_many_rows_are_those_of_the_products() {
        let z = Array2::from_shape_fn((5000, 4), |(i, j)| ((3 * i + j * j) as f64).sin());
        let upper = triangular_factor(z.view(), &Compute::new()).unwrap();
        assert_eq!(upper.dim(), (4, 4));
        assert_close!(&upper.t().dot(&upper), &z.t().dot(&z), each = 1e-10);
        assert!((0..4).all(|i| (0..i).all(|j| upper[[i, j]] == 0.0)));
    }

    /// A linear function without noise; λ takes less than `λ/s² = 10⁻⁹` of its weights away.
    #[test]
    fn features_far_from_zero_keep_their_digits() {
        let z = Array2::from_shape_fn((3000, 2), |(i, j)| 1e6 + ((7 * i + 3 * j) as f64).sin());
        let (found, compute) = (system(&z, 1e-6).unwrap(), Compute::new());
        let weights = Array2::from_shape_vec((2, 1), vec![1.0, -2.0]).unwrap();
        let y = z.dot(&weights);
        assert_close!(&found.weights(y.view(), &compute).unwrap(), &weights, each = 1e-6);
        // `A⁻¹y = Z(ZᵀZ + λI)⁻¹w` is at most `‖w‖/s`.
        let solved = found.solve(y.view(), &compute).unwrap();
        assert!(solved.iter().all(|v| v.abs() < 0.1), "{solved:?}");
        assert!(system(&z, 1e-14).is_none());
        assert!(system(&z, f64::NAN).is_none());
    }
}
