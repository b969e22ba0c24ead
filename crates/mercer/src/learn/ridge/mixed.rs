//! Mixed precision: a matrix in single precision as preconditioner, conjugate gradients in double
//! to the same solution.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::direct;
use super::partial::Partial;
use super::problem::Problem;
use super::solution::{Reduced, RidgeMethod, Solution};
use crate::error::MemoryPurpose;
use crate::solve::products::multiply_single;
use crate::solve::{ConjugateGradientOptions, Product, SingleFactor, conjugate_gradients};
use crate::{Compute, Error, Precision, Result, gram};

/// Maximum number of refinement steps: beyond, a factor in double precision is faster.
const MAX_ITERATIONS: usize = 40;
/// The largest rank of a partial factor, and that of many rows.
pub(super) const MAX_RANK: usize = 512;
const MAX_RANK_OF_MANY: usize = 1536;
/// Rows from which a larger partial factor pays off against a whole one.
const MANY: usize = 8192;
/// How well the system in single precision is solved, as a backward error: about as well as it
/// approximates the one in double precision.
const INNER_TOLERANCE: f64 = 1e-9;
/// Steps of the power method on the residual of a partial factor.
const POWER_STEPS: usize = 3;
/// A product with the stored matrix is bound by the memory: it takes as long as this many
/// operations per entry in a factorization.
const OPERATIONS_PER_ENTRY: f64 = 40.0;

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
    let matrix = single_matrix(problem, lambda, compute)?;
    if definite
        && rounding(matrix.view()) < 0.1 * lambda
        && let Some(solution) = by_partial_factor(problem, lambda, matrix.view(), tolerance, compute)?
    {
        return Ok(Some(solution));
    }
    let Some(factor) = SingleFactor::new(matrix, compute)? else { return Ok(None) };
    outer(problem, (lambda, tolerance), &|v| factor.solve(v, compute), problem.rows(), compute).map(Some)
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

/// About the norm of the rounding errors of a positive definite matrix in single precision.
fn rounding(matrix: ArrayView2<f32>) -> f64 {
    let largest = matrix.diag().iter().fold(0.0_f32, |m, v| m.max(*v));
    f64::from(f32::EPSILON * largest) * (matrix.nrows() as f64).sqrt()
}

/// Without a whole factor: the system in single precision is solved by conjugate gradients too,
/// with a partial factor as preconditioner. `None` where more than that many eigenvalues are far
/// above λ, so that the steps would take longer than the factor.
fn by_partial_factor(
    problem: &Problem<'_>,
    lambda: f64,
    matrix: ArrayView2<f32>,
    tolerance: f64,
    compute: &Compute,
) -> Result<Option<Solution>> {
    let n = problem.rows();
    let partial = Partial::new(problem, lambda, rank(n), compute)?;
    let product = |v: ArrayView2<f64>| multiply_single(matrix, v, compute);
    let Some(steps) = steps(&partial, lambda, &product, n, compute)? else { return Ok(None) };
    let precondition = |v: ArrayView2<f64>| partial.apply(v, compute);
    let options = ConjugateGradientOptions { tolerance: INNER_TOLERANCE, max_iterations: 2 * steps + 10 };
    let inner = |v: ArrayView2<f64>| Ok(conjugate_gradients(&product, &precondition, v, &options)?.solution);
    match outer(problem, (lambda, tolerance), &inner, partial.rank(), compute) {
        Err(Error::NotConverged { .. }) => Ok(None),
        found => found.map(Some),
    }
}

/// Columns of a partial factor, which cost little beside a whole one.
pub(super) fn rank(rows: usize) -> usize {
    if rows < MANY { (rows / 32).clamp(1, MAX_RANK) } else { (rows / 10).min(MAX_RANK_OF_MANY) }
}

/// About how many steps a system takes, from the largest eigenvalue that the partial factor leaves;
/// `None` where a factor is faster.
///
/// # Formula
/// `κ = 1 + ‖SKS − FFᵀ‖/λ`; `½√κ log(2/ε)` steps reduce the error by `ε`, here three times by 10⁻⁵.
fn steps(partial: &Partial, lambda: f64, product: &Product<'_>, n: usize, compute: &Compute) -> Result<Option<usize>> {
    let mut stream = compute.seed().stream("what a partial factor leaves", n as u64);
    let mut v = Array2::from_shape_fn((n, 1), |_| stream.normal());
    let mut largest = 0.0;
    for _ in 0..POWER_STEPS {
        v /= v.iter().map(|v| v * v).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        v = product(v.view())? - partial.image(v.view(), compute)? - &v * lambda;
        largest = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    }
    let steps = 0.5 * (1.0 + largest / lambda).sqrt() * 2e5_f64.ln();
    let worth = 3.0 * steps * OPERATIONS_PER_ENTRY <= n as f64 / 3.0;
    Ok(worth.then_some(steps.ceil() as usize))
}

/// Conjugate gradients in double precision, on products that store nothing.
fn outer(
    problem: &Problem<'_>,
    (lambda, tolerance): (f64, f64),
    precondition: &Product<'_>,
    rank: usize,
    compute: &Compute,
) -> Result<Solution> {
    let roots = problem.roots.view().insert_axis(Axis(1));
    let double = compute.clone().with_precision(Precision::Double);
    let apply = |v: ArrayView2<f64>| {
        let image = gram::multiply(&problem.bound, (&v * &roots).view(), &double)?;
        Ok(image * roots + &v * lambda)
    };
    let right =
        concatenate(Axis(1), &[problem.targets.view(), problem.null_space.q.view()]).expect("one row per point");
    let options = ConjugateGradientOptions { max_iterations: MAX_ITERATIONS, tolerance };
    let found = conjugate_gradients(&apply, precondition, right.view(), &options)?;
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
