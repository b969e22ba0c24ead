//! The posterior variance of `f(x) + p(x)ᵀβ` given the data, for a process `f` and a vague prior on
//! `β`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::error::Remedy;
use crate::gram::{self, Pairs};
use crate::solve::{CholeskyFactor, Factored, Solved, factor, solve_positive};
use crate::wording::number_text;
use crate::{Compute, Error, Kernel, Points, Result};

/// What is given: the covariance and the unpenalized functions of the data.
pub(super) struct Observed<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) points: Points<'a>,
    /// `√wᵢ`.
    pub(super) roots: Array1<f64>,
    /// `P`, one row per point.
    pub(super) design: ArrayView2<'a, f64>,
    pub(super) lambda: f64,
}

/// `A = SKS + λI` factored, for covariances in units in which the noise of weight 1 has variance λ.
#[derive(Debug)]
pub(super) struct Conditional {
    /// `√wᵢ`.
    roots: Array1<f64>,
    /// `P`, one row per point.
    design: Array2<f64>,
    lambda: f64,
    factor: CholeskyFactor,
    /// `L⁻¹SP`.
    null: Array2<f64>,
    /// `(PᵀSA⁻¹SP)⁻¹`.
    schur: Array2<f64>,
}

impl Conditional {
    /// # Cost
    /// `n³/3`, `8n²` bytes.
    pub(super) fn new(observed: Observed<'_>, compute: &Compute) -> Result<Self> {
        let bound = observed.kernel.bind(Pairs::Within(observed.points), compute)?;
        let mut matrix = gram::dense(&bound, compute)?;
        let by_row = observed.roots.view().insert_axis(Axis(1));
        matrix *= &observed.roots;
        matrix *= &by_row;
        matrix.diag_mut().mapv_inplace(|d| d + observed.lambda);
        let Factored::Definite(factor) = factor(matrix, compute)? else { return Err(singular(&observed)) };
        let null = factor.half_solve((&observed.design * &by_row).view(), compute)?;
        let unit = Array2::eye(null.ncols());
        let found = solve_positive(null.t().dot(&null).view(), unit.view())?;
        if null.ncols() > 0 && found.solved != Solved::Cholesky {
            return Err(singular(&observed));
        }
        let Observed { roots, design, lambda, .. } = observed;
        Ok(Self { roots, design: design.to_owned(), lambda, factor, null, schur: found.solution })
    }

    /// The number of unpenalized functions.
    pub(super) fn functions(&self) -> usize {
        self.null.ncols()
    }

    /// The variance of what has this variance before the data, this covariance with the values of
    /// `f` at the data (one column each), and these coefficients of `β` (one row each).
    ///
    /// # Formula
    /// `v − kᵀA⁻¹k + dᵀ(PᵀA⁻¹P)⁻¹d` with `d = p − PᵀA⁻¹k`, at least 0.
    pub(super) fn variance(
        &self,
        before: ArrayView1<f64>,
        covariance: Array2<f64>,
        design: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        let scaled = covariance * &self.by_row();
        let half = self.factor.half_solve(scaled.view(), compute)?;
        let open = &design.t() - &self.null.t().dot(&half);
        let drift = (&self.schur.dot(&open) * &open).sum_axis(Axis(0));
        let known = (&half * &half).sum_axis(Axis(0));
        Ok((&before - &known + drift).mapv(|v| v.max(0.0)))
    }

    /// `Σ(1 − λGᵢᵢ)`.
    ///
    /// # Cost
    /// `n³/3`.
    pub(super) fn degrees_of_freedom(&self, compute: &Compute) -> Result<f64> {
        let trace: f64 = self.factor.inverse_diagonal(compute)?.iter().sum();
        let solved = self.solved_design(compute)?;
        let correction = (&solved.dot(&self.schur) * &solved).sum();
        Ok(self.roots.len() as f64 - self.lambda * (trace - correction))
    }

    /// The weights of the observations in the value at new points: `f(x) + p(x)ᵀβ = l(x)ᵀy`, one
    /// column per point, from the covariance with the data and the unpenalized functions `p`.
    ///
    /// # Formula
    /// `l(x) = S(A⁻¹Sk + A⁻¹SP(PᵀSA⁻¹SP)⁻¹d)` with `d = p(x) − PᵀSA⁻¹Sk`.
    ///
    /// # Cost
    /// `2n²` per point.
    pub(super) fn weights(
        &self,
        covariance: Array2<f64>,
        design: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        let roots = self.by_row();
        let mut solved = self.factor.solve((covariance * &roots).view(), compute)?;
        if self.functions() > 0 {
            let open = &design.t() - &(&self.design * &roots).t().dot(&solved);
            solved += &self.solved_design(compute)?.dot(&self.schur.dot(&open));
        }
        solved *= &roots;
        Ok(solved)
    }

    /// The leave-one-out residuals `yᵢ − f₋ᵢ(xᵢ)` from the coefficients `α`, one column per output;
    /// for a row of weight 0 its residual, which is 0/0 here, must be put in by the caller.
    ///
    /// # Formula
    /// `αᵢ/(sᵢ²Gᵢᵢ)` with `G = A⁻¹ − A⁻¹SP(PᵀSA⁻¹SP)⁻¹PᵀSA⁻¹`.
    ///
    /// # Cost
    /// `n³/3`.
    pub(super) fn leave_one_out(&self, dual: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let mut gain = Array1::from(self.factor.inverse_diagonal(compute)?);
        if self.functions() > 0 {
            let solved = self.solved_design(compute)?;
            gain -= &(&solved.dot(&self.schur) * &solved).sum_axis(Axis(1));
        }
        let scale = gain * &self.roots * &self.roots;
        Ok(&dual / &scale.insert_axis(Axis(1)))
    }

    /// `A⁻¹SP`.
    fn solved_design(&self, compute: &Compute) -> Result<Array2<f64>> {
        self.factor.solve((&self.design * &self.by_row()).view(), compute)
    }

    fn by_row(&self) -> Array2<f64> {
        self.roots.clone().insert_axis(Axis(1))
    }
}

fn singular(observed: &Observed<'_>) -> Error {
    Error::singular(
        format!("K + {}·I of {} on this data", number_text(observed.lambda), observed.kernel),
        Remedy::larger("lambda"),
    )
}
