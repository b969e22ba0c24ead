//! Mixed precision: a factor in single precision as preconditioner, conjugate gradients in double to the same answer.

use ndarray::{ArrayView2, Axis, concatenate};

use super::direct;
use super::problem::Problem;
use super::solution::{Method, Reduced, Solution};
use crate::solve::{ConjugateGradientOptions, SingleFactor, conjugate_gradients};
use crate::{Compute, Error, Precision, Result, gram};

/// Steps after which double precision throughout is the faster way.
const MAX_ITERATIONS: usize = 40;

/// Solves with an `f32` factor, and by the `f64` factor where that does not lead to an `f64` residual.
pub(super) fn solve(problem: &Problem<'_>, lambda: f64, compute: &Compute) -> Result<Solution> {
    match refine(problem, lambda, compute) {
        Ok(Some(solution)) => Ok(solution),
        Ok(None) | Err(Error::NotConverged { .. }) => {
            let n = problem.rows() as u64;
            let advice =
                "the system is too ill-conditioned for single precision: use a larger λ or a higher memory limit";
            compute.reserve("a Cholesky factor in double precision", 8 * n * n, advice)?;
            direct::solve(problem, lambda, false, compute)
        }
        Err(other) => Err(other),
    }
}

/// `None` when the matrix is not positive definite in single precision.
fn refine(problem: &Problem<'_>, lambda: f64, compute: &Compute) -> Result<Option<Solution>> {
    let mut matrix = gram::dense_single(&problem.bound, compute)?;
    let roots = problem.roots.view().insert_axis(Axis(1));
    if problem.roots.iter().any(|s| *s != 1.0) {
        let single = problem.roots.mapv(|s| s as f32);
        matrix *= &single;
        matrix *= &single.view().insert_axis(Axis(1));
    }
    matrix.diag_mut().mapv_inplace(|d| (f64::from(d) + lambda) as f32);
    let Some(factor) = SingleFactor::new(matrix, compute)? else { return Ok(None) };
    let double = compute.clone().with_precision(Precision::Double);
    let apply = |v: ArrayView2<f64>| {
        let image = gram::multiply(&problem.bound, (&v * &roots).view(), &double)?;
        Ok(image * roots + &v * lambda)
    };
    let precondition = |v: ArrayView2<f64>| factor.solve(v, compute);
    let right =
        concatenate(Axis(1), &[problem.targets.view(), problem.null_space.q.view()]).expect("one row per point");
    let options = ConjugateGradientOptions { max_iterations: MAX_ITERATIONS, ..Default::default() };
    let found = conjugate_gradients(&apply, &precondition, right.view(), &options)?;
    let (targets, null) = found.solution.view().split_at(Axis(1), problem.targets.ncols());
    let reduced = Reduced::new(targets.to_owned(), null.to_owned(), &problem.null_space)?;
    Ok(Some(Solution {
        residual: &reduced.dual * lambda,
        dual: reduced.dual,
        null: reduced.null,
        influence: None,
        condition: None,
        method: Method::Mixed { iterations: found.iterations, residual: found.residual },
        negative: None,
    }))
}
