//! Partial Cholesky factors with the largest pivot first: the best greedy low-rank form of a matrix
//! that is never stored.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, s};
use rayon::prelude::*;

use crate::error::MemoryPurpose;
use crate::gram::Tiles;
use crate::{Compute, Error, Result};

/// Columns of `K` that one task looks at. It never depends on the number of threads, so that the
/// bytes do not either. 256 to 4096 differ by less than the noise of 21 % (10 000 points, rank
/// 200).
const CHUNK: usize = 1024;

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

/// The pivoted Cholesky factor of rank at most `rank`; it stops early when
/// `tr(K − FFᵀ) ≤ tolerance·tr K`.
///
/// # Formula
/// Step `j` takes `p = argmax dᵢ`, `fⱼ = (K_p − F F_pᵀ)/√d_p`, `d ← d − fⱼ²`, from `d = diag K`.
///
/// # Cost
/// `rank` rows of `K` and `O(n·rank²)`; `8n·rank` bytes.
///
/// # Errors
/// [`Error::Shape`] unless `K` is square, [`Error::Memory`] over the limit, [`Error::Canceled`].
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
    compute.reserve(
        MemoryPurpose::Factorization,
        "a partial Cholesky factor",
        8 * n as u64 * rank as u64,
        "ask for a smaller rank",
    )?;
    let mut left = Array1::from(tiles.diagonal()?);
    let enough = tolerance * left.sum();
    // One row per pivot, so that every pass goes along the memory.
    let (mut factor, mut pivots) = (Array2::zeros((rank, n)), Vec::with_capacity(rank));
    while pivots.len() < rank && left.sum() > enough {
        compute.check_canceled()?;
        let pivot = choose(left.view());
        if left[pivot] <= 0.0 {
            break;
        }
        let (known, mut rest) = factor.view_mut().split_at(Axis(0), pivots.len());
        compute.install(|| step(tiles, pivot, known.view(), rest.row_mut(0), left.view_mut()));
        left[pivot] = 0.0;
        pivots.push(pivot);
    }
    let factor = factor.slice_move(s![..pivots.len(), ..]).reversed_axes();
    Ok(PivotedCholesky { factor, pivots, trace_left: left.sum() })
}

/// The next column of the factor, and what it takes from the diagonal; chunks in parallel.
fn step(
    tiles: &dyn Tiles,
    pivot: usize,
    known: ArrayView2<f64>,
    mut next: ArrayViewMut1<f64>,
    mut left: ArrayViewMut1<f64>,
) {
    let (shares, root) = (known.column(pivot).to_vec(), left[pivot].sqrt());
    let next = next.as_slice_mut().expect("a row of a matrix in standard layout");
    let left = left.as_slice_mut().expect("a vector of its own");
    let chunk = |(index, (next, left)): (usize, (&mut [f64], &mut [f64]))| {
        let cols = index * CHUNK..index * CHUNK + next.len();
        tiles.fill(pivot..pivot + 1, cols.clone(), next);
        let mut next = ArrayViewMut1::from(next);
        for (row, &share) in known.slice(s![.., cols]).rows().into_iter().zip(&shares) {
            next.scaled_add(-share, &row);
        }
        next /= root;
        left.iter_mut().zip(&next).for_each(|(d, f)| *d = (*d - f * f).max(0.0));
    };
    next.par_chunks_mut(CHUNK).zip(left.par_chunks_mut(CHUNK)).enumerate().for_each(chunk);
}

/// Where the largest value stands, the first of equals.
fn largest(values: ArrayView1<f64>) -> usize {
    values.iter().enumerate().fold((0, f64::NEG_INFINITY), |m, (i, &v)| if v > m.1 { (i, v) } else { m }).0
}
