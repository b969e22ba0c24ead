//! `A = ZZᵀ + λI` for few features `Z`, in time linear in the rows.

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::{CholeskyFactor, Factored, factor};
use crate::operator::products::{multiply, multiply_transposed};
use crate::{Compute, Result};

/// Rows whose leverages are computed at a time. Not tuned.
const ROWS: usize = 4096;
/// Refinements of a solution: each removes what the subtraction in `(r − Zw)/λ` lost.
const REFINEMENTS: usize = 2;

/// `A = ZZᵀ + λI` by the factor of `M = ZᵀZ + λI`.
///
/// # Formula
/// `A⁻¹ = (I − ZM⁻¹Zᵀ)/λ`, `det A = λⁿ⁻ᵖ det M` for `n` rows and `p` features.
#[derive(Clone, Debug)]
pub(crate) struct FeatureSystem {
    features: Arc<Array2<f64>>,
    factor: CholeskyFactor,
    lambda: f64,
}

impl FeatureSystem {
    /// The system of features and of `ZᵀZ`; `None` where `M` is singular to working precision.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled), as everything here.
    pub(crate) fn new(
        features: Arc<Array2<f64>>,
        mut gram: Array2<f64>,
        lambda: f64,
        compute: &Compute,
    ) -> Result<Option<Self>> {
        gram.diag_mut().mapv_inplace(|d| d + lambda);
        match factor(gram, compute)? {
            Factored::Definite(factor) => Ok(Some(Self { features, factor, lambda })),
            Factored::Singular(_) => Ok(None),
        }
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
        let mut solution = self.solve_once(right, compute)?;
        for _ in 0..REFINEMENTS {
            let inner = multiply_transposed(self.features.view(), solution.view(), compute)?;
            let left = multiply(self.features.view(), inner.view(), compute)? + &solution * self.lambda;
            solution += &self.solve_once((&right - &left).view(), compute)?;
        }
        Ok(solution)
    }

    fn solve_once(&self, right: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let weights = self.factor.solve(multiply_transposed(self.features.view(), right, compute)?.view(), compute)?;
        Ok((&right - &multiply(self.features.view(), weights.view(), compute)?) / self.lambda)
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

    #[test]
    fn the_closed_forms_are_those_of_the_matrix() {
        let z = Array2::from_shape_fn((7, 2), |(i, j)| ((3 * i + j) as f64).sin());
        let (lambda, compute) = (0.3, Compute::new());
        let a = z.dot(&z.t()) + Array2::<f64>::eye(7) * lambda;
        let system = FeatureSystem::new(Arc::new(z.clone()), z.t().dot(&z), lambda, &compute).unwrap().unwrap();
        let Factored::Definite(whole) = factor(a.clone(), &compute).unwrap() else { panic!("singular") };
        let inverse = whole.solve(Array2::eye(7).view(), &compute).unwrap();
        assert_close!(&system.solve(Array2::eye(7).view(), &compute).unwrap(), &inverse, each = 1e-13);
        assert_close!(system.log_determinant(), whole.log_determinant(), abs = 1e-13);
        assert_close!(system.inverse_trace(&compute).unwrap(), inverse.diag().sum(), abs = 1e-12);
        let leverages = system.leverages(&compute).unwrap();
        assert_close!(&leverages.mapv(|h| (1.0 - h) / lambda), &inverse.diag().to_owned(), each = 1e-12);
    }
}
