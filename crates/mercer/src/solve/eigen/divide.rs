//! The symmetric tridiagonal eigenproblem by divide and conquer.

use super::merge::merge;
use super::parallel::{PARALLEL, both, each_chunk};
use super::ql;
use crate::{Compute, Result};

/// Rows of a problem that is solved by the QL iteration. With 16 the eigenvectors of 300 rows take 3.0
/// instead of 2.5 ms, with 48 as long.
const LEAF: usize = 32;
/// Columns that are copied together. 8 to 128 differ by less than 2 % of a decomposition of 500
/// rows.
const STRIP: usize = 32;

/// A problem: the rows and columns of the eigenvectors begin in row `first` of `vectors`, whose
/// columns are `stride` apart. `spare` is as large.
pub(super) struct Problem<'a> {
    pub(super) diagonal: &'a mut [f64],
    pub(super) vectors: &'a mut [f64],
    pub(super) spare: &'a mut [f64],
    pub(super) first: usize,
    pub(super) stride: usize,
}

/// Eigenvalues, ascending, and eigenvectors, column after column, of a matrix whose largest entry is
/// about 1.
///
/// # Formula
/// `T = diag(T₁, T₂) + ρzzᵀ`: the matrix is cut in two halves and a change of rank one (Cuppen). With
/// `Tₖ = QₖDₖQₖᵀ` the eigenvalues are those of `D + ρuuᵀ`, `u = diag(Q₁, Q₂)ᵀz`, which are the roots of
/// a secular equation.
///
/// # Cost
/// At most `4n³/3` operations, in matrix products; far fewer where eigenvalues of the halves are
/// eigenvalues of the whole (deflation).
pub(super) fn solve(mut diagonal: Vec<f64>, off_diagonal: &[f64], compute: &Compute) -> Result<(Vec<f64>, Vec<f64>)> {
    let n = diagonal.len();
    let (mut vectors, mut spare) = (vec![0.0; n * n], vec![0.0; n * n]);
    let whole = Problem { diagonal: &mut diagonal, vectors: &mut vectors, spare: &mut spare, first: 0, stride: n };
    conquer(whole, off_diagonal, compute)?;
    let order = ascending(&diagonal);
    each_chunk(n >= PARALLEL, &mut spare, STRIP * n.max(1), compute, |strip, targets| {
        for (target, &column) in targets.chunks_exact_mut(n).zip(&order[strip * STRIP..]) {
            target.copy_from_slice(&vectors[column * n..(column + 1) * n]);
        }
        Ok(())
    })?;
    Ok((order.iter().map(|&k| diagonal[k]).collect(), spare))
}

/// Solves a problem; the eigenvalues replace the diagonal, in no particular order.
fn conquer(problem: Problem, off_diagonal: &[f64], compute: &Compute) -> Result<()> {
    let n = problem.diagonal.len();
    if n <= LEAF {
        return solve_leaf(problem, off_diagonal);
    }
    let Problem { diagonal, vectors, spare, first, stride } = problem;
    let half = n / 2;
    let entry = off_diagonal[half - 1];
    diagonal[half - 1] -= entry.abs();
    diagonal[half] -= entry.abs();
    let (d1, d2) = diagonal.split_at_mut(half);
    let (v1, v2) = vectors.split_at_mut(half * stride);
    let (s1, s2) = spare.split_at_mut(half * stride);
    let upper = Problem { diagonal: d1, vectors: v1, spare: s1, first, stride };
    let lower = Problem { diagonal: d2, vectors: v2, spare: s2, first: first + half, stride };
    let (upper, lower) = both(
        n >= PARALLEL,
        || conquer(upper, &off_diagonal[..half - 1], compute),
        || conquer(lower, &off_diagonal[half..], compute),
    );
    upper.and(lower)?;
    compute.check_canceled()?;
    merge(Problem { diagonal, vectors, spare, first, stride }, half, entry, compute)
}

fn solve_leaf(problem: Problem, off_diagonal: &[f64]) -> Result<()> {
    let Problem { diagonal, vectors, first, stride, .. } = problem;
    for j in 0..diagonal.len() {
        vectors[j * stride + first + j] = 1.0;
    }
    let own = vectors.get_mut(first..).unwrap_or(&mut []);
    ql::eigen(diagonal, &mut off_diagonal.to_vec(), own, stride)
}

/// The positions of values in ascending order.
pub(super) fn ascending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    order
}
