//! Mixed precision: a matrix in single precision as preconditioner, conjugate gradients in double
//! to the same solution.

use ndarray::{Array2, ArrayView2, Axis};

use super::direct;
use super::iterative::{self, Found};
use super::partial::Partial;
use super::problem::Problem;
use super::solution::{RidgeMethod, Solution};
use crate::error::MemoryPurpose;
use crate::operator::{ByProduct, HalfMatrix, Operator, Shifted, Tiled, Weighted};
use crate::solve::{
    ConjugateGradientOptions, ConjugateGradients, Ended, NullSpace, ResidualRule, SingleFactor, conjugate_gradients,
};
use crate::{Compute, Error, Precision, Result, gram};

/// Maximum number of refinement steps: beyond, a factor in double precision is faster.
const MAX_ITERATIONS: usize = 40;
/// The largest rank of a partial factor.
const MAX_RANK: usize = 1024;
/// Rows from which a larger partial factor pays off against a whole one.
const MANY: usize = 8192;
/// How well the system in single precision is solved, as a backward error: about as well as it
/// approximates the one in double precision.
const INNER_TOLERANCE: f64 = 1e-9;
/// Steps of the power method on the residual of a partial factor.
const POWER_STEPS: usize = 3;
/// Solutions in single precision to a tolerance.
const MAX_ROUNDS: usize = 8;
/// A product with the stored half is bound by the memory: with its preconditioner it takes as long
/// as this many operations per entry in a factorization. A fit of 4000 rows takes 226 ms, with 10 as
/// long, with 100, by a whole factor, 426 ms.
const OPERATIONS_PER_ENTRY: f64 = 30.0;

/// Solves with an `f32` matrix, and by the `f64` factor where that does not lead to an `f64`
/// residual. A kernel that may be indefinite is factored as a whole, which detects it.
pub(super) fn solve(
    problem: &Problem<'_>,
    lambda: f64,
    definite: bool,
    tolerance: f64,
    compute: &Compute,
) -> Result<Solution> {
    match refine(problem, lambda, definite, tolerance, compute) {
        Ok(Some(solution)) => Ok(solution),
        Ok(None) | Err(Error::NotConverged { .. }) => {
            let n = problem.rows() as u64;
            let advice =
                "the system is too ill-conditioned for single precision: use a larger λ or a higher memory limit";
            compute.reserve(
                MemoryPurpose::Factorization,
                "a Cholesky factor in double precision",
                8 * n * n,
                advice,
            )?;
            direct::solve(problem, lambda, false, compute)
        }
        Err(other) => Err(other),
    }
}

/// `None` when the matrix is not positive definite in single precision.
fn refine(
    problem: &Problem<'_>,
    lambda: f64,
    definite: bool,
    tolerance: f64,
    compute: &Compute,
) -> Result<Option<Solution>> {
    if definite
        && rounding(problem)? < 0.1 * lambda
        && let Some(solution) = by_partial_factor(problem, lambda, tolerance, compute)?
    {
        return Ok(Some(solution));
    }
    let matrix = single_matrix(problem, lambda, compute)?;
    let Some(factor) = SingleFactor::new(matrix, compute)? else { return Ok(None) };
    let inverse = ByProduct::new(problem.rows(), |v| factor.solve(v, compute));
    let options = ConjugateGradientOptions { max_iterations: MAX_ITERATIONS, ..Default::default() };
    let (rule, rank) = (ResidualRule::Penalty { lambda }, problem.rows());
    if tolerance > 0.0 {
        let options = ConjugateGradientOptions { tolerance, rule, ..options };
        return by_whole_factor(problem, lambda, &inverse, options, compute).map(Some);
    }
    outer(problem, lambda, &inverse, rank, compute).map(Some)
}

/// `SKS + λI` in single precision.
fn single_matrix(problem: &Problem<'_>, lambda: f64, compute: &Compute) -> Result<Array2<f32>> {
    let mut matrix = gram::dense_single(&problem.bound, compute)?;
    if problem.roots.iter().any(|s| *s != 1.0) {
        let single = problem.roots.mapv(|s| s as f32);
        matrix *= &single;
        matrix *= &single.view().insert_axis(Axis(1));
    }
    matrix.diag_mut().mapv_inplace(|d| (f64::from(d) + lambda) as f32);
    Ok(matrix)
}

/// About the norm of the rounding errors of the matrix in single precision.
fn rounding(problem: &Problem<'_>) -> Result<f64> {
    let diagonal = gram::Tiles::diagonal(&problem.bound)?;
    let largest = diagonal.iter().zip(&problem.roots).fold(0.0_f64, |m, (v, s)| m.max(v * s * s));
    Ok(f64::from(f32::EPSILON) * largest * (problem.rows() as f64).sqrt())
}

/// Without a whole factor: the system in single precision is solved by conjugate gradients too,
/// with a partial factor as preconditioner. `None` where more than that many eigenvalues are far
/// above λ, so that the steps would take longer than the factor.
fn by_partial_factor(
    problem: &Problem<'_>,
    lambda: f64,
    tolerance: f64,
    compute: &Compute,
) -> Result<Option<Solution>> {
    let n = problem.rows();
    let partial = Partial::<f32>::new(problem, lambda, rank(n), compute)?;
    let solves = if tolerance > 0.0 { 1.5 } else { 3.0 };
    // The largest eigenvalue that is left is at least the mean.
    if !is_worth(step_count(partial.mean_left / lambda), solves, n) {
        return Ok(None);
    }
    let half = HalfMatrix::new(&problem.bound, &problem.roots.to_vec(), compute)?;
    let single = Shifted::new(&half, lambda);
    let Some(steps) = steps(&partial, (lambda, solves), &half, compute)? else { return Ok(None) };
    let max_iterations = 2 * steps + 10;
    let found = if tolerance > 0.0 {
        by_rounds(problem, (lambda, tolerance, max_iterations), &single, &partial, compute)
    } else {
        let options = ConjugateGradientOptions { tolerance: INNER_TOLERANCE, max_iterations, ..Default::default() };
        let inner = ByProduct::new(n, |v| Ok(conjugate_gradients(&single, &partial, v, &options)?.solution));
        outer(problem, lambda, &inner, partial.rank(), compute)
    };
    match found {
        Err(Error::NotConverged { .. }) => Ok(None),
        found => found.map(Some),
    }
}

/// Solves in single precision to half of the tolerance, then for what is left in double precision,
/// until that is within the tolerance.
fn by_rounds(
    problem: &Problem<'_>,
    (lambda, tolerance, max_iterations): (f64, f64, usize),
    single: &dyn Operator,
    partial: &Partial<f32>,
    compute: &Compute,
) -> Result<Solution> {
    let null_space = NullSpace::new(problem.null_space.q.view(), partial)?;
    let rule = ResidualRule::Penalty { lambda };
    let options = ConjugateGradientOptions { tolerance: 0.5 * tolerance, rule, max_iterations, joint: false };
    let iteration = ConjugateGradients::new(single, partial, options).within(null_space.as_ref());
    let mut state = iteration.start(problem.targets.view());
    for round in 1..=MAX_ROUNDS {
        if iteration.run(&mut state, max_iterations, &mut |_| Ok(false))? == Ended::Steps {
            return Err(iteration.not_converged(&state));
        }
        let left = &problem.targets - &double_product(problem, lambda, state.solution(), compute)?;
        state.restart(left, null_space.as_ref());
        if iteration.is_within(&state, tolerance) {
            let residual = state.relative_residual();
            let (dual, left) = state.into_parts();
            let found = Found { dual, left, iterations: round, residual };
            return Ok(mixed(problem, lambda, found, partial.rank()));
        }
    }
    let (solver, iterations, residual) = ("refinement of a solution in single precision", MAX_ROUNDS, f64::NAN);
    Err(Error::NotConverged { solver, iterations, residual, tolerance })
}

/// Conjugate gradients in double precision to a tolerance, with a whole factor.
fn by_whole_factor(
    problem: &Problem<'_>,
    lambda: f64,
    inverse: &dyn Operator,
    options: ConjugateGradientOptions,
    compute: &Compute,
) -> Result<Solution> {
    let system = ByProduct::new(problem.rows(), |v| double_product(problem, lambda, v, compute));
    let null_space = NullSpace::new(problem.null_space.q.view(), inverse)?;
    let iteration = ConjugateGradients::new(&system, inverse, options).within(null_space.as_ref());
    let mut state = iteration.start(problem.targets.view());
    if iteration.run(&mut state, options.max_iterations, &mut |_| Ok(false))? == Ended::Steps {
        return Err(iteration.not_converged(&state));
    }
    let (iterations, residual) = (state.iterations(), state.relative_residual());
    let (dual, left) = state.into_parts();
    Ok(mixed(problem, lambda, Found { dual, left, iterations, residual }, problem.rows()))
}

/// The solution, as it was found.
fn mixed(problem: &Problem<'_>, lambda: f64, found: Found, rank: usize) -> Solution {
    let method = RidgeMethod::Mixed { iterations: found.iterations, residual: found.residual, rank };
    found.solution(problem, lambda, method)
}

/// Columns of a partial factor, which cost little beside a whole one.
pub(super) fn rank(rows: usize) -> usize {
    if rows < MANY { (rows / 32).max(1) } else { (rows / 16).min(MAX_RANK) }
}

/// About how many steps a system takes, from the largest eigenvalue that the partial factor leaves;
/// `None` where a factor is faster.
///
/// # Formula
/// `κ = 1 + ‖SKS − FFᵀ‖/λ`; `½√κ log(2/ε)` steps reduce the error by `ε = 10⁻⁵`, here in so many
/// solutions.
fn steps(
    partial: &Partial<f32>,
    (lambda, solves): (f64, f64),
    matrix: &HalfMatrix,
    compute: &Compute,
) -> Result<Option<usize>> {
    let n = matrix.shape().0;
    let mut stream = compute.seed().stream("what a partial factor leaves", n as u64);
    let mut v = Array2::from_shape_fn((n, 1), |_| stream.normal());
    let mut largest = 0.0;
    for _ in 0..POWER_STEPS {
        v /= v.iter().map(|v| v * v).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        v = matrix.apply(v.view())? - partial.image(v.view())?;
        largest = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    }
    let steps = step_count(largest / lambda);
    Ok(is_worth(steps, solves, n).then_some(steps.ceil() as usize))
}

/// Steps of a solution, from the condition number less 1.
fn step_count(excess: f64) -> f64 {
    0.5 * (1.0 + excess).sqrt() * 2e5_f64.ln()
}

/// Whether so many solutions take no longer than a factor.
fn is_worth(steps: f64, solves: f64, n: usize) -> bool {
    solves * steps * OPERATIONS_PER_ENTRY <= n as f64 / 3.0
}

/// Conjugate gradients in double precision to its rounding error.
fn outer(
    problem: &Problem<'_>,
    lambda: f64,
    preconditioner: &dyn Operator,
    rank: usize,
    compute: &Compute,
) -> Result<Solution> {
    let system = ByProduct::new(problem.rows(), |v| double_product(problem, lambda, v, compute));
    let options = ConjugateGradientOptions { max_iterations: MAX_ITERATIONS, ..Default::default() };
    let found = iterative::run(problem, &system, preconditioner, options)?;
    Ok(mixed(problem, lambda, found, rank))
}

/// `(SKS + λI)v` in double precision, with nothing stored.
fn double_product(problem: &Problem<'_>, lambda: f64, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let kernel = Tiled::new(&problem.bound, &compute.clone().with_precision(Precision::Double));
    Shifted::new(&Weighted::new(&kernel, problem.roots.view()), lambda).apply(v)
}
