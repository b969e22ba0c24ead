//! The Newton system of a dual problem in the features of its points.

use ndarray::{Array2, ArrayView2};

use super::finite_rank::FiniteRank;
use super::kkt::{group, groups};
use super::{Constraint, DualProblem};
use crate::operator::products::mirror;
use crate::solve::{CholeskyFactor, Factored, factor_any};
use crate::{Compute, Result};

/// The step `δ` of the signed variables `βᵢ = sᵢαᵢ`, of the function and of the offsets.
pub(super) struct Step {
    /// `δᵢ`, one per variable.
    pub(super) signed: Vec<f64>,
    /// `Zω` with `ω = Zᵀδ`: the change of `F` at every point.
    pub(super) values: Vec<f64>,
    /// The change of the offset of each group.
    pub(super) offsets: [f64; 2],
}

/// `δᵢ/wᵢ + zᵢᵀω − ηᵍ = rᵢ` with `ω = Zᵀδ` and, for each group `g` of variables, `Σ δᵢ = ρᵍ`.
///
/// # Formula
/// With the weighted means `z̄ᵍ` and `r̄ᵍ` of the groups,
/// `(I + Σ wᵢ(zᵢ − z̄ᵍ)(zᵢ − z̄ᵍ)ᵀ) ω = Σ wᵢ(zᵢ − z̄ᵍ)(rᵢ − r̄ᵍ) + Σ ρᵍz̄ᵍ`,
/// `ηᵍ = z̄ᵍᵀω − r̄ᵍ + ρᵍ/Wᵍ` and `δᵢ = wᵢ(rᵢ − zᵢᵀω + ηᵍ)`: what a weighted ridge regression with an
/// intercept for each group solves. Without a constraint there are no means.
///
/// # Cost
/// `n·d²` for `n` points with `d` features.
pub(super) struct System<'p> {
    problem: &'p DualProblem,
    features: &'p FiniteRank,
    weights: &'p [f64],
    factor: CholeskyFactor,
    /// `Wᵍ`.
    totals: [f64; 2],
    /// `z̄ᵍ`.
    means: Vec<Vec<f64>>,
}

impl<'p> System<'p> {
    /// `None` where the matrix is singular to working precision.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped.
    pub(super) fn new(
        problem: &'p DualProblem,
        features: &'p FiniteRank,
        weights: &'p [f64],
        compute: &Compute,
    ) -> Result<Option<Self>> {
        let rank = features.features.ncols();
        let count = if problem.constraint == Constraint::Free { 0 } else { groups(problem.constraint) };
        let (mut totals, mut means) = ([0.0; 2], Vec::new());
        for (g, total) in totals.iter_mut().enumerate().take(count) {
            let of_group = |i: usize| group(problem.constraint, problem.signs[i]) == g;
            let sums = by_point(problem, features, |i| if of_group(i) { weights[i] } else { 0.0 });
            *total = sums.iter().sum();
            let scale = if *total > 0.0 { 1.0 / *total } else { 0.0 };
            means.push(features.transposed(&sums, compute).iter().map(|z| scale * z).collect::<Vec<f64>>());
        }
        let total = totals[0] + totals[1];
        let mean = |j: usize| match total > 0.0 {
            true => means.iter().zip(totals).map(|(mean, t)| t / total * mean[j]).sum(),
            false => 0.0,
        };
        let center: Vec<f64> = (0..rank).map(mean).collect();
        let mut matrix = features.weighted_square(&by_point(problem, features, |i| weights[i]), &center, compute)?;
        if count > 1 {
            for (mean, total) in means.iter().zip(totals) {
                let off: Vec<f64> = mean.iter().zip(&center).map(|(m, c)| m - c).collect();
                for i in 0..rank {
                    (0..=i).for_each(|j| matrix[[i, j]] -= total * off[i] * off[j]);
                }
            }
        }
        mirror(&mut matrix);
        matrix.diag_mut().mapv_inplace(|d| d + 1.0);
        if matrix.diag().iter().any(|d| !d.is_finite()) {
            return Ok(None);
        }
        Ok(match factor_any(matrix, compute)? {
            Factored::Definite(factor) => Some(Self { problem, features, weights, factor, totals, means }),
            Factored::Singular(_) => None,
        })
    }

    /// The step for the right-hand sides `r`, one per variable, and `ρ`.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped.
    pub(super) fn solve(&self, right: &[f64], sums: [f64; 2], compute: &Compute) -> Result<Step> {
        let p = self.problem;
        let of = |i: usize| group(p.constraint, p.signs[i]);
        let mut middle = [0.0; 2];
        for (i, r) in right.iter().enumerate() {
            middle[of(i)] += self.weights[i] * r;
        }
        let centered = !self.means.is_empty();
        middle.iter_mut().zip(self.totals).for_each(|(m, t)| *m = if centered && t > 0.0 { *m / t } else { 0.0 });
        // The weighted sum of rᵢ − r̄ᵍ within a group is 0: zᵢ need not be centered.
        let pulls = by_point(p, self.features, |i| self.weights[i] * (right[i] - middle[of(i)]));
        let mut rhs = self.features.transposed(&pulls, compute);
        for (mean, sum) in self.means.iter().zip(sums) {
            rhs.iter_mut().zip(mean).for_each(|(r, m)| *r += sum * m);
        }
        let column = ArrayView2::from_shape((rhs.len(), 1), &rhs).expect("a column");
        let function: Array2<f64> = self.factor.solve(column, compute)?;
        let function = function.into_raw_vec_and_offset().0;
        let mut levels = [0.0; 2];
        for (g, mean) in self.means.iter().enumerate().filter(|(g, _)| self.totals[*g] > 0.0) {
            let level: f64 = mean.iter().zip(&function).map(|(m, w)| m * w).sum();
            levels[g] = level + sums[g] / self.totals[g];
        }
        let mut values = vec![0.0; self.features.features.nrows()];
        self.features.add_product(&function, &mut values, compute);
        // In this order: a large weight would magnify the rounding of rᵢ + ηᵍ.
        let signed =
            |(i, r): (usize, &f64)| self.weights[i] * ((r - middle[of(i)]) - (values[p.points[i]] - levels[of(i)]));
        let signed = right.iter().enumerate().map(signed).collect();
        let offsets = [levels[0] - middle[0], levels[1] - middle[1]];
        Ok(Step { signed, values, offsets })
    }
}

/// Sums over the variables of each point.
pub(super) fn by_point(problem: &DualProblem, features: &FiniteRank, of: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; features.features.nrows()];
    problem.points.iter().enumerate().for_each(|(i, &point)| sums[point] += of(i));
    sums
}
