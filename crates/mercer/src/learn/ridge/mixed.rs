//! Mixed precision: a matrix in single precision as preconditioner, conjugate gradients in double
//! to the same solution.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};

use super::direct;
use super::partial::Partial;
use super::problem::Problem;
use super::projected::{Goal, Projected, norms};
use super::solution::{Reduced, RidgeMethod, Solution};
use crate::error::MemoryPurpose;
use crate::solve::{ConjugateGradientOptions, HalfMatrix, Product, SingleFactor, conjugate_gradients};
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
    let precondition = |v: ArrayView2<f64>| factor.solve(v, compute);
    if tolerance > 0.0 {
        return by_whole_factor(problem, (lambda, tolerance), &precondition, compute).map(Some);
    }
    outer(problem, lambda, &precondition, problem.rows(), compute).map(Some)
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
    let product = |v: ArrayView2<f64>| Ok(half.multiply(v, compute)? + &v * lambda);
    let Some(steps) = steps(&partial, (lambda, solves), &product, n, compute)? else { return Ok(None) };
    let precondition = |v: ArrayView2<f64>| partial.apply(v, compute);
    let found = if tolerance > 0.0 {
        let goal = Goal { tolerance, lambda, max_iterations: 2 * steps + 10 };
        by_rounds(problem, &product, &precondition, (goal, partial.rank()), compute)
    } else {
        let options = ConjugateGradientOptions { tolerance: INNER_TOLERANCE, max_iterations: 2 * steps + 10 };
        let inner = |v: ArrayView2<f64>| Ok(conjugate_gradients(&product, &precondition, v, &options)?.solution);
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
    single: &Product<'_>,
    precondition: &Product<'_>,
    (goal, rank): (Goal, usize),
    compute: &Compute,
) -> Result<Solution> {
    let projected = Projected::new(&problem.null_space, precondition)?;
    let double = double_product(problem, goal.lambda, compute);
    let inner = Goal { tolerance: 0.5 * goal.tolerance, ..goal };
    let mut c = Array2::zeros(problem.targets.dim());
    let mut left = problem.targets.clone();
    for round in 1..=MAX_ROUNDS {
        projected.improve(single, &mut left, &mut c, &inner)?;
        left = &problem.targets - &double(c.view())?;
        let residual = projected.remove(left.clone());
        if goal.is_reached(&residual, &c) {
            return Ok(solution(problem, c, &left, (goal.lambda, rank, round), &residual));
        }
    }
    let (solver, iterations, residual) = ("refinement of a solution in single precision", MAX_ROUNDS, f64::NAN);
    Err(Error::NotConverged { solver, iterations, residual, tolerance: goal.tolerance })
}

/// Conjugate gradients in double precision to a tolerance, with a whole factor.
fn by_whole_factor(
    problem: &Problem<'_>,
    (lambda, tolerance): (f64, f64),
    precondition: &Product<'_>,
    compute: &Compute,
) -> Result<Solution> {
    let projected = Projected::new(&problem.null_space, precondition)?;
    let goal = Goal { tolerance, lambda, max_iterations: MAX_ITERATIONS };
    let mut c = Array2::zeros(problem.targets.dim());
    let mut left = problem.targets.clone();
    let steps = projected.improve(&double_product(problem, lambda, compute), &mut left, &mut c, &goal)?;
    let residual = projected.remove(left.clone());
    Ok(solution(problem, c, &left, (lambda, problem.rows(), steps), &residual))
}

/// The solution with `Qγ = b − Ac` beside `c`.
fn solution(
    problem: &Problem<'_>,
    c: Array2<f64>,
    left: &Array2<f64>,
    (lambda, rank, iterations): (f64, usize, usize),
    residual: &Array2<f64>,
) -> Solution {
    let null_space = &problem.null_space;
    let sizes: Array1<f64> = norms(&problem.targets).into();
    let share = |(r, b): (f64, &f64)| if *b > 0.0 { r / b } else { 0.0 };
    let residual = norms(residual).into_iter().zip(&sizes).map(share).fold(0.0, f64::max);
    Solution {
        residual: &c * lambda,
        dual: c,
        null: null_space.coefficients(&null_space.q.t().dot(left)),
        influence: None,
        condition: None,
        method: RidgeMethod::Mixed { iterations, residual, rank },
        negative: None,
    }
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
    product: &Product<'_>,
    n: usize,
    compute: &Compute,
) -> Result<Option<usize>> {
    let mut stream = compute.seed().stream("what a partial factor leaves", n as u64);
    let mut v = Array2::from_shape_fn((n, 1), |_| stream.normal());
    let mut largest = 0.0;
    for _ in 0..POWER_STEPS {
        v /= v.iter().map(|v| v * v).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        v = product(v.view())? - partial.image(v.view(), compute)? - &v * lambda;
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
    precondition: &Product<'_>,
    rank: usize,
    compute: &Compute,
) -> Result<Solution> {
    let right =
        concatenate(Axis(1), &[problem.targets.view(), problem.null_space.q.view()]).expect("one row per point");
    let options = ConjugateGradientOptions { max_iterations: MAX_ITERATIONS, ..Default::default() };
    let found = conjugate_gradients(&double_product(problem, lambda, compute), precondition, right.view(), &options)?;
    let (targets, null) = found.solution.view().split_at(Axis(1), problem.targets.ncols());
    let reduced = Reduced::new(targets.to_owned(), null.to_owned(), &problem.null_space)?;
    Ok(Solution {
        residual: &reduced.dual * lambda,
        dual: reduced.dual,
        null: reduced.null,
        influence: None,
        condition: None,
        method: RidgeMethod::Mixed { iterations: found.iterations, residual: found.residual, rank },
        negative: None,
    })
}

/// Products with `SKS + λI` in double precision that store nothing.
fn double_product<'a>(
    problem: &'a Problem<'_>,
    lambda: f64,
    compute: &Compute,
) -> impl Fn(ArrayView2<f64>) -> Result<Array2<f64>> + 'a {
    let double = compute.clone().with_precision(Precision::Double);
    move |v: ArrayView2<f64>| {
        let roots = problem.roots.view().insert_axis(Axis(1));
        let image = gram::multiply(&problem.bound, (&v * &roots).view(), &double)?;
        Ok(image * roots + &v * lambda)
    }
}
