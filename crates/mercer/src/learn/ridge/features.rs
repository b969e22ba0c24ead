//! Conjugate gradients on explicit features: products `F(Fᵀv)` instead of `K·v`.

use std::borrow::Cow;

use super::head::Head;
use super::iterative;
use super::plan::FeatureSize;
use super::problem::Problem;
use super::solution::{RidgeMethod, Solution};
use crate::gram::Bound;
use crate::operator::{Outer, Shifted, Sparse};
use crate::solve::ConjugateGradientOptions;
use crate::{Compute, Error, Result};

/// Products after which it gives up: a product takes no longer than a pass over the features.
const MAX_ITERATIONS: usize = 10_000;

/// The sizes of the explicit features of a bound kernel, if it has any.
pub(super) fn size(bound: &Bound<'_>) -> Option<FeatureSize> {
    let (rows, _) = bound.features()?;
    Some(FeatureSize { values: rows.columns.len(), width: rows.width })
}

/// Solves `(ZZᵀ + λI)c + Qγ = Sy`, `Qᵀc = 0` with `Z = SF`, preconditioned with `rank` columns.
pub(super) fn solve(problem: &Problem<'_>, lambda: f64, rank: usize, compute: &Compute) -> Result<Solution> {
    if lambda <= 0.0 {
        return Err(Error::parameter("lambda", lambda, "positive for explicit features: use Cholesky for λ = 0"));
    }
    let Some((features, _)) = problem.bound.features() else {
        return Err(Error::unsupported(
            "a ridge regression on explicit features",
            problem.bound.kernel(),
            "only kernels that count parts of objects have them, with their multiples, sums and normalized(…)",
            "use the solver auto",
        ));
    };
    let weighted = problem.roots.iter().any(|root| *root != 1.0);
    let rows = match weighted {
        true => Cow::Owned(features.with_row_factors(&problem.roots.to_vec())),
        false => Cow::Borrowed(features),
    };
    let rows = Sparse::new(rows, compute);
    let head = Head::new(rows.map(), lambda, rank, compute)?;
    let kernel = Outer::new(&rows);
    let system = Shifted::new(&kernel, lambda);
    let options = ConjugateGradientOptions { max_iterations: MAX_ITERATIONS, ..Default::default() };
    let found = iterative::run(problem, &system, &head, options)?;
    let (iterations, residual, rank) = (found.iterations, found.residual, head.rank());
    let method = RidgeMethod::Features { iterations, residual, features: features.width, rank };
    Ok(found.solution(problem, lambda, method))
}
