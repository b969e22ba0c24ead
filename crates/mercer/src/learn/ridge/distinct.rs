//! Equal points merged: the same solution as the dense solve, from a matrix of the distinct points.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::problem::Problem;
use super::solution::{RidgeMethod, Solution};
use crate::gram;
use crate::learn::observations::bind_fit;
use crate::solve::{Factored, factor};
use crate::{Compute, Error, Points, Result, Sample};

/// Which points are equal.
pub(super) struct Groups {
    /// The first point of every group.
    firsts: Vec<usize>,
    /// The group of every point.
    of: Vec<usize>,
}

impl Groups {
    pub(super) fn new(x: Points<'_>) -> Self {
        let mut firsts = Vec::new();
        let mut of: Vec<usize> = Vec::with_capacity(x.len());
        for (point, first) in x.first_equal().into_iter().enumerate() {
            let group = if first == point { firsts.len() } else { of[first] };
            if first == point {
                firsts.push(point);
            }
            of.push(group);
        }
        Self { firsts, of }
    }

    /// The number of distinct points.
    pub(super) fn count(&self) -> usize {
        self.firsts.len()
    }
}

/// Solves `(SKS + λI)[c₁ … | …] = [Sy | Q]` with the matrix of the distinct points.
///
/// # Formula
/// `SKS = BMBᵀ`, where column `u` of `B` has the entries `sᵢ/√Wᵤ` at the points `i` that are equal to
/// `zᵤ`, `Wᵤ = Σsᵢ²` and `Mᵤᵥ = √Wᵤ k(zᵤ, zᵥ) √Wᵥ`. As `BᵀB = I`,
/// `(SKS + λI)⁻¹r = B(M + λI)⁻¹Bᵀr + (r − BBᵀr)/λ`.
///
/// # Cost
/// `m³/3` for `m` distinct points, twice that with diagnostics, and `O(n)`.
///
/// # Errors
/// [`Error::Singular`] where `M + λI` is singular to working precision; as [`gram::dense`].
pub(super) fn solve(
    problem: &Problem<'_>,
    x: Points<'_>,
    groups: Option<&Groups>,
    lambda: f64,
    diagnostics: bool,
    compute: &Compute,
) -> Result<Solution> {
    if lambda <= 0.0 {
        return Err(Error::parameter("lambda", lambda, "positive for merged points: use Cholesky for λ = 0"));
    }
    let found;
    let groups = match groups {
        Some(groups) => groups,
        None => {
            found = Groups::new(x);
            &found
        }
    };
    let merge = Merge::new(problem, groups);
    let sample = Sample::select(x, &groups.firsts);
    let mut matrix = gram::dense(&bind_fit(problem.bound.kernel(), sample.as_points(), compute)?, compute)?;
    matrix *= &merge.totals;
    matrix *= &merge.totals.view().insert_axis(Axis(1));
    matrix.diag_mut().mapv_inplace(|d| d + lambda);
    let Factored::Definite(factor) = factor(matrix, compute)? else {
        let what = format!("the system of {} distinct points with λ = {lambda:e}", groups.count());
        return Err(Error::singular(what, "use a larger λ, or another solver"));
    };
    let right = problem.right_sides();
    let merged = merge.transposed(right.view());
    let inner = factor.solve(merged.view(), compute)? - &merged / lambda;
    let solved = &right / lambda + merge.spread(inner.view());
    let diagonal = match diagnostics {
        true => Some(merge.diagonal(&factor.inverse_diagonal(compute)?, lambda)),
        false => None,
    };
    // Merged points have eigenvalues λ beside those of the factor.
    let condition = if groups.count() == problem.rows() { Some(factor.condition(compute)?) } else { None };
    let method = RidgeMethod::DistinctPoints { points: groups.count() };
    Solution::of_system(problem, lambda, solved.view(), diagonal, condition, method)
}

/// `B`: one entry per row.
struct Merge<'g> {
    groups: &'g Groups,
    /// `√Wᵤ`.
    totals: Array1<f64>,
    /// `sᵢ/√Wᵤ`; 0 for points without weight.
    shares: Array1<f64>,
}

impl<'g> Merge<'g> {
    fn new(problem: &Problem<'_>, groups: &'g Groups) -> Self {
        let mut totals = Array1::<f64>::zeros(groups.count());
        for (root, &group) in problem.roots.iter().zip(&groups.of) {
            totals[group] += root * root;
        }
        totals.mapv_inplace(f64::sqrt);
        let share = |(root, &group): (&f64, &usize)| if totals[group] > 0.0 { root / totals[group] } else { 0.0 };
        Self { shares: problem.roots.iter().zip(&groups.of).map(share).collect(), groups, totals }
    }

    /// `BᵀR`.
    fn transposed(&self, right: ArrayView2<f64>) -> Array2<f64> {
        let mut merged = Array2::zeros((self.groups.count(), right.ncols()));
        for ((row, &share), &group) in right.rows().into_iter().zip(&self.shares).zip(&self.groups.of) {
            merged.row_mut(group).scaled_add(share, &row);
        }
        merged
    }

    /// `BV`.
    fn spread(&self, values: ArrayView2<f64>) -> Array2<f64> {
        let mut rows = values.select(Axis(0), &self.groups.of);
        rows *= &self.shares.view().insert_axis(Axis(1));
        rows
    }

    /// The diagonal of `(SKS + λI)⁻¹` from that of `(M + λI)⁻¹`.
    fn diagonal(&self, of_distinct: &[f64], lambda: f64) -> Array1<f64> {
        let entry = |(share, &group): (&f64, &usize)| {
            let square = share * share;
            square * of_distinct[group] + (1.0 - square) / lambda
        };
        self.shares.iter().zip(&self.groups.of).map(entry).collect()
    }
}
