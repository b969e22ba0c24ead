//! On a grid: the same solution as the dense solve, by Fourier transforms or Kronecker products.

use std::sync::Arc;

use super::problem::Problem;
use super::solution::{RidgeMethod, Solution};
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
    let found = system.solve(problem.right_sides().view(), compute)?;
    let diagonal = if diagnostics { system.inverse_diagonal(compute)? } else { None };
    let method = RidgeMethod::Grid { cells: grid.cells(), iterations: found.iterations, residual: found.residual };
    Solution::of_system(problem, lambda, found.solution.view(), diagonal, None, method)
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
