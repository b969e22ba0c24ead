//! Conjugate gradients on the complement of the unpenalized functions.

use ndarray::Array2;

use super::partial::Partial;
use super::problem::Problem;
use super::solution::{RidgeMethod, Solution};
use crate::operator::{Operator, Shifted, Tiled, Weighted};
use crate::solve::{ConjugateGradientOptions, ConjugateGradients, NullSpace};
use crate::{Compute, Error, Precision, Result};

/// Solves `(SKS + λI)c + Qγ = Sy`, `Qᵀc = 0` by products that never store `K`.
pub(super) fn solve(problem: &Problem<'_>, lambda: f64, rank: usize, compute: &Compute) -> Result<Solution> {
    if lambda <= 0.0 {
        return Err(Error::parameter("lambda", lambda, "positive for conjugate gradients: use Cholesky for λ = 0"));
    }
    let double = compute.clone().with_precision(Precision::Double);
    let preconditioner = Partial::<f64>::new(problem, lambda, rank, &double)?;
    let kernel = Tiled::new(&problem.bound, &double);
    let weighted = Weighted::new(&kernel, problem.roots.view());
    let system = Shifted::new(&weighted, lambda);
    let found = run(problem, &system, &preconditioner, ConjugateGradientOptions::default())?;
    let (iterations, residual, rank) = (found.iterations, found.residual, preconditioner.rank());
    Ok(found.solution(problem, lambda, RidgeMethod::ConjugateGradients { iterations, residual, rank }))
}

/// What conjugate gradients found, and how.
pub(super) struct Found {
    pub(super) dual: Array2<f64>,
    /// `Sy − (SKS + λI)c`, which is `Qγ` and the residual.
    pub(super) left: Array2<f64>,
    pub(super) iterations: usize,
    pub(super) residual: f64,
}

/// Conjugate gradients for the targets.
pub(super) fn run(
    problem: &Problem<'_>,
    system: &dyn Operator,
    preconditioner: &dyn Operator,
    options: ConjugateGradientOptions,
) -> Result<Found> {
    let null_space = NullSpace::new(problem.null_space.q.view(), preconditioner)?;
    let iteration = ConjugateGradients::new(system, preconditioner, options).within(null_space.as_ref());
    let found = iteration.solve(problem.targets.view())?;
    let (iterations, residual) = (found.iterations, found.residual);
    Ok(Found { dual: found.solution, left: found.left, iterations, residual })
}

impl Found {
    /// The solution, without diagnostics.
    pub(super) fn solution(self, problem: &Problem<'_>, lambda: f64, method: RidgeMethod) -> Solution {
        let null_space = &problem.null_space;
        Solution {
            residual: &self.dual * lambda,
            dual: self.dual,
            null: null_space.coefficients(&null_space.q.t().dot(&self.left)),
            influence: None,
            condition: None,
            method,
            negative: None,
            feature_weights: None,
        }
    }
}
