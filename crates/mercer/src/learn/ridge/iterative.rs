//! Conjugate gradients on products `K·v` that never store `K`.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::problem::Problem;
use super::solution::{Method, Reduced, Solution};
use crate::solve::{ConjugateGradientOptions, Factor, Factored, conjugate_gradients, factor, pivoted_cholesky};
use crate::{Compute, Error, Precision, Result, gram};

/// Solves `(SKS + λI)[c₁ … | …] = [Sy | Q]`.
pub(super) fn solve(problem: &Problem<'_>, lambda: f64, rank: usize, compute: &Compute) -> Result<Solution> {
    if lambda <= 0.0 {
        return Err(Error::parameter("lambda", lambda, "positive for conjugate gradients: use Cholesky for λ = 0"));
    }
    let compute = compute.clone().with_precision(Precision::Double);
    let preconditioner = Preconditioner::new(problem, lambda, rank, &compute)?;
    let roots = problem.roots.view().insert_axis(Axis(1));
    let apply = |v: ArrayView2<f64>| {
        let image = gram::multiply(&problem.bound, (&v * &roots).view(), &compute)?;
        Ok(image * roots + &v * lambda)
    };
    let precondition = |v: ArrayView2<f64>| preconditioner.apply(v, &compute);
    let right =
        concatenate(Axis(1), &[problem.targets.view(), problem.null_space.q.view()]).expect("one row per point");
    let found = conjugate_gradients(&apply, &precondition, right.view(), &ConjugateGradientOptions::default())?;
    let (targets, null) = found.solution.view().split_at(Axis(1), problem.targets.ncols());
    let reduced = Reduced::new(targets.to_owned(), null.to_owned(), &problem.null_space)?;
    let rank = preconditioner.factor.ncols();
    Ok(Solution {
        residual: &reduced.dual * lambda,
        dual: reduced.dual,
        null: reduced.null,
        influence: None,
        condition: None,
        method: Method::ConjugateGradients { iterations: found.iterations, residual: found.residual, rank },
        negative: None,
    })
}

/// `(FFᵀ + λI)⁻¹ = (I − F(FᵀF + λI)⁻¹Fᵀ)/λ`.
struct Preconditioner {
    factor: Array2<f64>,
    inner: Factor,
    lambda: f64,
}

impl Preconditioner {
    fn new(problem: &Problem<'_>, lambda: f64, rank: usize, compute: &Compute) -> Result<Self> {
        let found = pivoted_cholesky(&problem.bound, rank, f64::EPSILON, compute)?;
        let mut factor_of = found.factor * problem.roots.view().insert_axis(Axis(1));
        loop {
            let mut inner = factor_of.t().dot(&factor_of);
            inner.diag_mut().mapv_inplace(|d| d + lambda);
            match factor(inner, compute)? {
                Factored::Definite(inner) => return Ok(Self { factor: factor_of, inner, lambda }),
                // The last pivots are rounding: half of them say as much.
                Factored::Singular(_) => {
                    let half: Vec<usize> = (0..factor_of.ncols() / 2).collect();
                    factor_of = factor_of.select(Axis(1), &half);
                }
            }
        }
    }

    fn apply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let inner = self.inner.solve(self.factor.t().dot(&v).view(), compute)?;
        Ok((&v - &self.factor.dot(&inner)) / self.lambda)
    }
}
