//! On a grid: the same solution as the dense solve, by Fourier transforms or Kronecker products.

use std::sync::Arc;

use ndarray::{Axis, concatenate};

use super::problem::Problem;
use super::solution::{Influence, Reduced, RidgeMethod, Solution};
use crate::solve::grid::{Grid, GridSystem, Structure};
use crate::{Compute, Error, Kernel, Result};

/// Solves `(SKS + λI)[c₁ … | …] = [Sy | Q]` on the cells of a grid.
pub(super) fn solve(
    problem: &Problem<'_>,
    grid: Option<&Arc<Grid>>,
    lambda: f64,
    diagnostics: bool,
    compute: &Compute,
) -> Result<Solution> {
    let kernel = problem.bound.kernel();
    let grid = grid.ok_or_else(|| not_a_grid(kernel))?;
    let system = GridSystem::new(kernel, grid.clone(), Some(problem.roots.view()), lambda, compute)?;
    let right =
        concatenate(Axis(1), &[problem.targets.view(), problem.null_space.q.view()]).expect("one row per point");
    let found = system.solve(right.view(), compute)?;
    let (targets, null) = found.solution.view().split_at(Axis(1), problem.targets.ncols());
    let reduced = Reduced::new(targets.to_owned(), null.to_owned(), &problem.null_space)?;
    let gain = if diagnostics { system.inverse_diagonal(compute)? } else { None };
    let influence = gain.map(|mut gain| {
        gain -= &(&null * &reduced.correction.t()).sum_axis(Axis(1));
        Influence::new(lambda, &reduced.dual, &gain, &problem.roots)
    });
    Ok(Solution {
        residual: &reduced.dual * lambda,
        dual: reduced.dual,
        null: reduced.null,
        influence,
        condition: None,
        method: RidgeMethod::Grid { cells: grid.cells(), iterations: found.iterations, residual: found.residual },
        negative: None,
    })
}

fn not_a_grid(kernel: &Kernel) -> Error {
    Error::unsupported(
        "solver on a grid",
        format!("{kernel} on these points"),
        "it needs a grid with one row per cell, and a stationary kernel on equal steps or a product over the columns",
        "use the solver auto",
    )
}

/// Why the grid is used.
pub(super) fn reason(grid: &Grid) -> String {
    let how = match (grid.structure(), grid.is_complete()) {
        (Structure::Kronecker, true) => "the matrix is a Kronecker product, solved by the eigenvectors of its factors",
        (Structure::Kronecker, false) => "the matrix is a part of a Kronecker product",
        (Structure::Toeplitz, _) => "the matrix is Toeplitz, multiplied by Fourier transforms",
    };
    format!("the points are a grid of {grid}: {how}")
}
