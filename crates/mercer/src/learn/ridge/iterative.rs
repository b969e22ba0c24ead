//! Conjugate gradients on products `K·v` that never store `K`.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::partial::Partial;
use super::problem::Problem;
use super::solution::{Reduced, RidgeMethod, Solution};
use crate::solve::{ConjugateGradientOptions, Product, conjugate_gradients};
use crate::{Compute, Error, Precision, Result, gram};

/// Solves `(SKS + λI)[c₁ … | …] = [Sy | Q]`.
pub(super) fn solve(problem: &Problem<'_>, lambda: f64, rank: usize, compute: &Compute) -> Result<Solution> {
    if lambda <= 0.0 {
        return Err(Error::parameter("lambda", lambda, "positive for conjugate gradients: use Cholesky for λ = 0"));
    }
    let compute = compute.clone().with_precision(Precision::Double);
    let preconditioner = Partial::<f64>::new(problem, lambda, rank, &compute)?;
    let roots = problem.roots.view().insert_axis(Axis(1));
    let apply = |v: ArrayView2<f64>| {
        let image = gram::multiply(&problem.bound, (&v * &roots).view(), &compute)?;
        Ok(image * roots + &v * lambda)
    };
    let precondition = |v: ArrayView2<f64>| preconditioner.apply(v, &compute);
    let found = run(problem, lambda, &apply, &precondition, &ConjugateGradientOptions::default())?;
    let (iterations, residual, rank) = (found.iterations, found.residual, preconditioner.rank());
    Ok(found.solution(RidgeMethod::ConjugateGradients { iterations, residual, rank }))
}

/// What conjugate gradients found, and how.
pub(super) struct Found {
    dual: Array2<f64>,
    null: Array2<f64>,
    lambda: f64,
    pub(super) iterations: usize,
    pub(super) residual: f64,
}

/// Conjugate gradients for the targets and the unpenalized functions together.
pub(super) fn run(
    problem: &Problem<'_>,
    lambda: f64,
    apply: &Product<'_>,
    precondition: &Product<'_>,
    options: &ConjugateGradientOptions,
) -> Result<Found> {
    let right =
        concatenate(Axis(1), &[problem.targets.view(), problem.null_space.q.view()]).expect("one row per point");
    let found = conjugate_gradients(apply, precondition, right.view(), options)?;
    let (targets, null) = found.solution.view().split_at(Axis(1), problem.targets.ncols());
    let reduced = Reduced::new(targets.to_owned(), null.to_owned(), &problem.null_space)?;
    let (iterations, residual) = (found.iterations, found.residual);
    Ok(Found { dual: reduced.dual, null: reduced.null, lambda, iterations, residual })
}

impl Found {
    /// The solution, without diagnostics.
    pub(super) fn solution(self, method: RidgeMethod) -> Solution {
        Solution {
            residual: &self.dual * self.lambda,
            dual: self.dual,
            null: self.null,
            influence: None,
            condition: None,
            method,
            negative: None,
        }
    }
}
