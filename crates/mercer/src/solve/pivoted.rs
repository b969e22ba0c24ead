//! Partial Cholesky factors with the largest pivot first: the best greedy low-rank form of a matrix that is never stored.

use ndarray::{Array2, ArrayView1, Axis, s};

use crate::gram::Tiles;
use crate::{Compute, Error, Result};

/// `K ≈ FFᵀ`, exact in the rows and columns of the pivots.
#[derive(Clone, Debug, PartialEq)]
pub struct PivotedCholesky {
    /// `F`, one column per pivot.
    pub factor: Array2<f64>,
    /// The pivots, in the order in which they were taken.
    pub pivots: Vec<usize>,
    /// `tr(K − FFᵀ)`, which bounds every eigenvalue of the difference.
    pub trace_left: f64,
}

/// The pivoted Cholesky factor of rank at most `rank`; it stops early when `tr(K − FFᵀ) ≤ tolerance·tr K`.
///
/// # Formula
/// Step `j` takes `p = argmax dᵢ`, `fⱼ = (K_p − F F_pᵀ)/√d_p`, `d ← d − fⱼ²`, from `d = diag K`.
///
/// # Cost
/// `rank` rows of `K` and `O(n·rank²)`; `8n·rank` bytes.
///
/// # Errors
/// [`Error::Shape`] unless `K` is square, [`Error::Memory`] over the limit, [`Error::Cancelled`].
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram::Pairs, solve::pivoted_cholesky};
/// use ndarray::array;
/// let (compute, x) = (Compute::new(), array![[1.0], [2.0], [-3.0]]);
/// let k: Kernel = "linear()".parse()?;
/// // A matrix of rank one needs one pivot: the point of the largest norm.
/// let found = pivoted_cholesky(&k.bind(Pairs::within(x.view()), &compute)?, 3, 1e-14, &compute)?;
/// assert_eq!(found.pivots, [2]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn pivoted_cholesky(tiles: &dyn Tiles, rank: usize, tolerance: f64, compute: &Compute) -> Result<PivotedCholesky> {
    partial_cholesky(tiles, rank, tolerance, &mut largest, compute)
}

/// Chooses a pivot by what is left of the diagonal, which has a positive sum.
pub(super) type Choose<'a> = dyn FnMut(ArrayView1<f64>) -> usize + 'a;

/// The partial Cholesky factor with the pivots that `choose` takes.
pub(super) fn partial_cholesky(
    tiles: &dyn Tiles,
    rank: usize,
    tolerance: f64,
    choose: &mut Choose<'_>,
    compute: &Compute,
) -> Result<PivotedCholesky> {
    let (n, m) = tiles.shape();
    if n != m {
        return Err(Error::shape("columns of a symmetric matrix", n, m));
    }
    let rank = rank.min(n);
    compute.reserve("a partial Cholesky factor", 8 * n as u64 * rank as u64, "ask for a smaller rank")?;
    let mut left = ndarray::Array1::from(tiles.diagonal()?);
    let enough = tolerance * left.sum();
    let (mut factor, mut pivots, mut line) = (Array2::zeros((n, rank)), Vec::with_capacity(rank), vec![0.0; n]);
    while pivots.len() < rank && left.sum() > enough {
        compute.check_cancelled()?;
        let pivot = choose(left.view());
        let value = left[pivot];
        if value <= 0.0 {
            break;
        }
        let j = pivots.len();
        tiles.fill(pivot..pivot + 1, 0..n, &mut line);
        let known = factor.slice(s![.., ..j]).dot(&factor.slice(s![pivot, ..j]));
        let column = (ndarray::Array1::from(line.clone()) - known) / value.sqrt();
        left.zip_mut_with(&column, |d, f| *d = (*d - f * f).max(0.0));
        left[pivot] = 0.0;
        factor.column_mut(j).assign(&column);
        pivots.push(pivot);
    }
    let factor = factor.select(Axis(1), &(0..pivots.len()).collect::<Vec<_>>());
    Ok(PivotedCholesky { factor, pivots, trace_left: left.sum() })
}

/// Where the largest value stands, the first of equals.
fn largest(values: ArrayView1<f64>) -> usize {
    values.iter().enumerate().fold((0, f64::NEG_INFINITY), |m, (i, &v)| if v > m.1 { (i, v) } else { m }).0
}
