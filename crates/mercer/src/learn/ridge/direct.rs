//! The dense solve: one Cholesky factor for all outputs.

use ndarray::Array1;

use super::problem::Problem;
use super::solution::{RidgeMethod, Solution};
use super::spectrum::RidgeSpectrum;
use crate::error::MemoryPurpose;
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::{Compute, Result};

/// Solves by Cholesky, and by the eigenvalues where the matrix is singular to working precision.
pub(super) fn solve(problem: &Problem<'_>, lambda: f64, diagnostics: bool, compute: &Compute) -> Result<Solution> {
    let mut matrix = problem.matrix(compute)?;
    matrix.diag_mut().mapv_inplace(|d| d + lambda);
    match factor(matrix, compute)? {
        Factored::Definite(factor) => by_factor(problem, &factor, lambda, diagnostics, compute),
        Factored::Singular(mut matrix) => {
            let n = problem.rows() as u64;
            let advice = "use a larger λ, fewer rows, or a higher memory limit";
            compute.reserve(
                MemoryPurpose::Factorization,
                "the eigendecomposition of a singular system",
                5 * 8 * n * n,
                advice,
            )?;
            matrix.diag_mut().mapv_inplace(|d| d - lambda);
            RidgeSpectrum::new(matrix, problem, compute)?.solution(lambda, problem, diagnostics)
        }
    }
}

fn by_factor(
    problem: &Problem<'_>,
    factor: &CholeskyFactor,
    lambda: f64,
    diagnostics: bool,
    compute: &Compute,
) -> Result<Solution> {
    let solved = factor.solve(problem.right_sides().view(), compute)?;
    let diagonal = if diagnostics { Some(Array1::from(factor.inverse_diagonal(compute)?)) } else { None };
    let condition = Some(factor.condition(compute)?);
    Solution::of_system(problem, lambda, solved.view(), diagonal, condition, RidgeMethod::Cholesky)
}
