//! Conjugate gradients on products `K·v` that never store `K`.

use ndarray::{ArrayView2, Axis, concatenate};

use super::partial::Partial;
use super::problem::Problem;
use super::solution::{Reduced, RidgeMethod, Solution};
use crate::solve::{ConjugateGradientOptions, conjugate_gradients};
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
    let right =
        concatenate(Axis(1), &[problem.targets.view(), problem.null_space.q.view()]).expect("one row per point");
    let found = conjugate_gradients(&apply, &precondition, right.view(), &ConjugateGradientOptions::default())?;
    let (targets, null) = found.solution.view().split_at(Axis(1), problem.targets.ncols());
    let reduced = Reduced::new(targets.to_owned(), null.to_owned(), &problem.null_space)?;
    let rank = preconditioner.rank();
    Ok(Solution {
        residual: &reduced.dual * lambda,
        dual: reduced.dual,
        null: reduced.null,
        influence: None,
        condition: None,
        method: RidgeMethod::ConjugateGradients { iterations: found.iterations, residual: found.residual, rank },
        negative: None,
    })
}
