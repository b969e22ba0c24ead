//! Cholesky factors of positive definite matrices, and the minimum-norm solution where there is
//! none.

use ndarray::{Array2, ArrayView2, ShapeBuilder};

use super::blocks::{factor_blocks, substitute};
use super::symmetric_eigen;
use crate::{Compute, Error, Points, Result};

/// How a positive semi-definite system was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solved {
    /// By a Cholesky factor: the matrix is positive definite to working precision.
    Cholesky,
    /// By the pseudo-inverse, because the matrix is singular: the solution of minimum norm.
    MinimumNorm {
        /// Eigenvalues that counted as nonzero.
        rank: usize,
        /// The threshold below which they did not.
        threshold: f64,
    },
}

/// A solution with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct PositiveSolution {
    /// `X` with `AX = B`, or the least-squares solution of minimum norm.
    pub solution: Array2<f64>,
    /// How it was found.
    pub solved: Solved,
    /// `‖AX − B‖_∞`.
    pub residual: f64,
}

/// Solves `AX = B` for a symmetric positive semi-definite `A`, of which the lower triangle is read.
///
/// A matrix that is singular to working precision is not perturbed: the pseudo-inverse gives the
/// solution of minimum norm, which the result reports.
///
/// # Cost
/// `n³/3` by Cholesky; at most `5n³` where the matrix is singular.
///
/// # Errors
/// [`Error::Shape`] when the sizes do not fit, [`Error::Value`] for NaN and infinities,
/// [`Error::Undefined`] when the eigenvalues of a singular matrix do not converge.
///
/// # Example
/// ```
/// use mercer::solve::{Solved, solve_positive};
/// use ndarray::array;
/// let found = solve_positive(array![[2.0, 0.0], [0.0, 4.0]].view(), array![[2.0], [2.0]].view())?;
/// mercer::assert_close!(found.solution[[0, 0]], 1.0, abs = 1e-15);
/// mercer::assert_close!(found.solution[[1, 0]], 0.5, abs = 1e-15);
/// assert_eq!(found.solved, Solved::Cholesky);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn solve_positive(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Result<PositiveSolution> {
    let n = a.nrows();
    if a.ncols() != n || b.nrows() != n {
        return Err(Error::shape(
            "rows of the right-hand side",
            format!("{n} × {n} and {n}"),
            format!("{:?} and {}", a.dim(), b.nrows()),
        ));
    }
    Points::Vectors(a).check_finite("matrix of a linear system")?;
    Points::Vectors(b).check_finite("right-hand side")?;
    let (solution, solved) = match by_cholesky(a, b) {
        Some(solution) => (solution, Solved::Cholesky),
        None => minimum_norm(a, b)?,
    };
    let residual = (&a.dot(&solution) - &b).iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    Ok(PositiveSolution { solution, solved, residual })
}

/// The solution by a Cholesky factor, unless a pivot shows that the matrix is singular to working
/// precision.
fn by_cholesky(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Option<Array2<f64>> {
    let (n, compute) = (a.nrows(), Compute::unlimited());
    let mut factor = Array2::from_shape_fn((n, n).f(), |(i, j)| a[[i.max(j), i.min(j)]]);
    if !compute.install(|| factor_blocks(factor.view_mut(), &compute)).ok()? {
        return None;
    }
    let pivots: Vec<f64> = (0..n).map(|i| factor[[i, i]].powi(2)).collect();
    let largest = pivots.iter().copied().fold(0.0, f64::max);
    let smallest = pivots.iter().copied().fold(f64::INFINITY, f64::min);
    if n > 0 && smallest <= n as f64 * f64::EPSILON * largest {
        return None;
    }
    let mut x = b.as_standard_layout().into_owned();
    substitute(factor.view(), x.view_mut(), true, &compute);
    Some(x)
}

fn minimum_norm(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Result<(Array2<f64>, Solved)> {
    let eigen = symmetric_eigen(a, &Compute::unlimited())?;
    let largest = eigen.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let threshold = a.nrows() as f64 * f64::EPSILON * largest;
    let rank = eigen.values.iter().filter(|v| **v > threshold).count();
    let inverse = ndarray::Array1::from_iter(eigen.values.iter().map(|&v| if v > threshold { 1.0 / v } else { 0.0 }));
    let coordinates = eigen.vectors.t().dot(&b) * &inverse.insert_axis(ndarray::Axis(1));
    Ok((eigen.vectors.dot(&coordinates), Solved::MinimumNorm { rank, threshold }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn singular_systems_get_the_minimum_norm_solution() {
        let ones = Array2::from_elem((3, 3), 1.0);
        let found = solve_positive(ones.view(), array![[3.0], [3.0], [3.0]].view()).unwrap();
        assert!(matches!(found.solved, Solved::MinimumNorm { rank: 1, .. }));
        assert!(found.solution.iter().all(|v| (v - 1.0).abs() < 1e-14), "{}", found.solution);
        assert!(found.residual < 1e-14);
    }

    #[test]
    fn several_right_hand_sides_and_empty_systems() {
        let a = array![[4.0, 1.0], [1.0, 3.0]];
        let found = solve_positive(a.view(), Array2::eye(2).view()).unwrap();
        let unit = a.dot(&found.solution);
        assert_close!(&unit, &Array2::<f64>::eye(2), each = 1e-15);
        assert_eq!(
            solve_positive(Array2::zeros((0, 0)).view(), Array2::zeros((0, 1)).view()).unwrap().solution.len(),
            0
        );
        assert!(solve_positive(a.view(), Array2::zeros((3, 1)).view()).is_err());
        assert!(solve_positive(array![[f64::NAN]].view(), array![[1.0]].view()).is_err());
    }
}
