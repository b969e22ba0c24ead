//! Along a line, for kernels of Markov processes: the same solution as the dense solve, in linear
//! time.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::problem::Problem;
use super::solution::{RidgeMethod, Solution};
use crate::solve::state_space::{MarkovSystem, ProcessSum, system};
use crate::{Compute, Error, Result};

/// Solves `(SKS + λI)[c₁ … | …] = [Sy | Q]` by the filter and its adjoint.
pub(super) fn solve(
    problem: &Problem<'_>,
    x: ArrayView2<f64>,
    lambda: f64,
    diagnostics: bool,
    compute: &Compute,
) -> Result<Solution> {
    let process_sum = process_sum(problem, x.ncols())?;
    if lambda <= 0.0 {
        return Err(Error::parameter("lambda", lambda, "positive for the state space: use Cholesky for λ = 0"));
    }
    let scales = problem.roots.iter().any(|s| *s != 1.0).then(|| problem.roots.view());
    let system = system(&process_sum, x.column(process_sum.column()), scales, lambda);
    compute.check_canceled()?;
    let solved = solve_columns(&*system, problem.right_sides().view(), compute);
    let diagonal = diagnostics.then(|| Array1::from(system.inverse_diagonal()));
    let method = RidgeMethod::StateSpace { states: process_sum.dimension() };
    Solution::of_system(problem, lambda, solved.view(), diagonal, None, method)
}

fn process_sum(problem: &Problem<'_>, columns: usize) -> Result<ProcessSum> {
    let kernel = problem.bound.kernel();
    ProcessSum::of(kernel, columns).ok_or_else(|| {
        Error::unsupported(
            "state-space solver",
            format!("{kernel} on {columns} columns"),
            "it is not a sum of Markov processes along one of them",
            "use the solver auto or Cholesky",
        )
    })
}

/// One column after the other, or side by side: each takes the same steps.
fn solve_columns(system: &dyn MarkovSystem, right: ArrayView2<f64>, compute: &Compute) -> Array2<f64> {
    let found = compute.map_tasks(right.ncols(), |at| system.solve(right.column(at)));
    let mut solved = Array2::zeros(right.dim());
    for (mut column, values) in solved.columns_mut().into_iter().zip(&found) {
        column.assign(&ArrayView1::from(values));
    }
    solved
}
