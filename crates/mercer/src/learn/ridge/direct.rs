//! The dense solve: one Cholesky factor for all outputs.

use ndarray::{Array1, Axis, concatenate};

use super::problem::Problem;
use super::solution::{Influence, Reduced, RidgeMethod, Solution};
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
    let outputs = problem.targets.ncols();
    let right =
        concatenate(Axis(1), &[problem.targets.view(), problem.null_space.q.view()]).expect("one row per point");
    let solved = factor.solve(right.view(), compute)?;
    let (targets, null) = solved.view().split_at(Axis(1), outputs);
    let null = null.to_owned();
    let reduced = Reduced::new(targets.to_owned(), null.clone(), &problem.null_space)?;
    let influence = if diagnostics {
        let mut gain = Array1::from(factor.inverse_diagonal(compute)?);
        gain -= &(&null * &reduced.correction.t()).sum_axis(Axis(1));
        Some(Influence::new(lambda, &reduced.dual, &gain, &problem.roots))
    } else {
        None
    };
    Ok(Solution {
        residual: &reduced.dual * lambda,
        dual: reduced.dual,
        null: reduced.null,
        influence,
        condition: Some(factor.condition(compute)?),
        method: RidgeMethod::Cholesky,
        negative: None,
    })
}
