//! Randomly pivoted Cholesky in blocks: the same distribution of pivots, in products of matrices.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::pivoted::PivotedCholesky;
use super::random_pivots::Cumulative;
use super::triangular::solve_lower;
use crate::error::MemoryPurpose;
use crate::gram::Tiles;
use crate::gram::simd::matmul::{Target, matmul};
use crate::seed::Stream;
use crate::{Compute, Error, Precision, Result};

/// Rows that one task updates. It never depends on the number of threads, so that the bytes do not
/// either. A rank of 300 of 10 000 rows takes 89 ms, with 128 107 ms, with 512 290 ms: the columns of
/// a block then lie whole pages apart, and compete for the same lines of the cache.
const ROWS: usize = 64;
/// Columns of `K` whose values one task computes: the coordinates of the pivots are gathered for
/// every task anew, which counts where points have many coordinates. Not tuned.
const STRIP: usize = 4 * ROWS;

/// The partial Cholesky factor of [`randomly_pivoted_cholesky`](super::randomly_pivoted_cholesky),
/// with `block` proposals at a time.
///
/// # Theory
/// Proposals are drawn from what was left of the diagonal when the block began, and each is
/// accepted with the share of it that is still left (Epperly, Tropp and Webber 2024): the pivots
/// have the same distribution as one after the other, and nearly all work is in products of
/// matrices.
///
/// # Cost
/// As [`pivoted_cholesky`](super::pivoted_cholesky); several times faster from a rank of about 100.
///
/// # Errors
/// As [`pivoted_cholesky`](super::pivoted_cholesky).
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram::Pairs, solve::block_randomly_pivoted_cholesky};
/// use ndarray::array;
/// let (compute, x) = (Compute::new(), array![[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]]);
/// let k: Kernel = "linear()".parse()?;
/// let found = block_randomly_pivoted_cholesky(&k.bind(Pairs::within(x.view()), &compute)?, 3, 1e-14, 8, &compute)?;
/// assert!(found.pivots.len() == 2 && found.trace_left < 1e-13);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn block_randomly_pivoted_cholesky(
    tiles: &dyn Tiles,
    rank: usize,
    tolerance: f64,
    block: usize,
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
    let mut state = PivotState {
        factor: Array2::zeros((n, rank)),
        pivots: Vec::with_capacity(rank),
        left: Array1::from(tiles.diagonal()?),
        stream: compute.seed().stream("random pivots", 1),
    };
    let enough = tolerance * state.left.sum();
    tiles.prepare(Precision::Double, compute);
    while state.pivots.len() < rank && state.left.sum() > enough {
        compute.check_canceled()?;
        let proposals = state.propose(block.clamp(1, rank - state.pivots.len()));
        let (accepted, lower) = state.accept(tiles, &proposals);
        compute.install(|| state.take(tiles, &accepted, lower.view()));
    }
    Ok(state.finish(enough))
}

struct PivotState {
    factor: Array2<f64>,
    pivots: Vec<usize>,
    /// What is left of the diagonal.
    left: Array1<f64>,
    stream: Stream,
}

impl PivotState {
    /// The factor without the last pivots of the last block, where those before them were enough.
    fn finish(mut self, enough: f64) -> PivotedCholesky {
        let mut trace_left = self.left.sum();
        while let Some(last) = self.pivots.len().checked_sub(1) {
            let column = self.factor.column(last);
            let before = trace_left + column.dot(&column);
            if before > enough {
                break;
            }
            trace_left = before;
            self.pivots.truncate(last);
        }
        let factor = self.factor.slice_move(s![.., ..self.pivots.len()]);
        PivotedCholesky { factor, pivots: self.pivots, trace_left }
    }

    fn propose(&mut self, count: usize) -> Vec<usize> {
        let shares = Cumulative::of(self.left.view());
        (0..count).map(|_| shares.draw(&mut self.stream)).collect()
    }

    /// The proposals that are accepted and the Cholesky factor of what is left of `K` between them.
    /// The first one always is.
    fn accept(&mut self, tiles: &dyn Tiles, proposals: &[usize]) -> (Vec<usize>, Array2<f64>) {
        let b = proposals.len();
        let rows = self.factor.slice(s![.., ..self.pivots.len()]).select(Axis(0), proposals);
        let h = between(tiles, proposals) - rows.dot(&rows.t());
        let (mut kept, mut lower) = (Vec::new(), Array2::<f64>::zeros((b, b)));
        for i in 0..b {
            // Row i of the factor against the accepted ones, and what is left of its diagonal.
            for (position, &j) in kept.iter().enumerate() {
                let known: f64 = (0..position).map(|p| lower[[i, p]] * lower[[j, p]]).sum();
                lower[[i, position]] = (h[[i, j]] - known) / lower[[j, position]];
            }
            let here = h[[i, i]] - lower.row(i).dot(&lower.row(i));
            let start = self.left[proposals[i]];
            if here > 0.0 && here > 1e-14 * start && self.stream.uniform() * start < here {
                lower[[i, kept.len()]] = here.sqrt();
                kept.push(i);
            }
        }
        let accepted: Vec<usize> = kept.iter().map(|&i| proposals[i]).collect();
        let lower = lower.select(Axis(0), &kept).slice_move(s![.., ..kept.len()]);
        if accepted.is_empty() {
            // The proposals are rounding: nothing is left at them.
            proposals.iter().for_each(|&p| self.left[p] = 0.0);
        }
        (accepted, lower)
    }

    /// `G = (K_T − FF_Tᵀ)L⁻ᵀ` becomes the next columns of the factor; rows in parallel.
    fn take(&mut self, tiles: &dyn Tiles, accepted: &[usize], lower: ArrayView2<f64>) {
        let (done, b) = (self.pivots.len(), accepted.len());
        if b == 0 {
            return;
        }
        let known = self.factor.slice(s![.., ..done]).select(Axis(0), accepted);
        let task = |(index, (mut rows, left)): (usize, (ArrayViewMut2<f64>, &mut [f64]))| {
            let mut strip = Array2::zeros((b, left.len()));
            if let Some(values) = strip.as_slice_mut() {
                tiles.fill_rows(accepted, index * STRIP..index * STRIP + left.len(), values);
            }
            let parts = rows.axis_chunks_iter_mut(Axis(0), ROWS).zip(left.chunks_mut(ROWS));
            for ((mut rows, left), values) in parts.zip(strip.axis_chunks_iter(Axis(1), ROWS)) {
                // A row per pivot, so that the vectors of a substitution stand along the points.
                let mut next = values.as_standard_layout().into_owned();
                matmul(next.view_mut(), Target::Add, known.view(), rows.slice(s![.., ..done]).reversed_axes(), -1.0);
                solve_lower(lower, next.view_mut());
                let mut taken = vec![0.0; left.len()];
                for row in next.rows() {
                    taken.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
                }
                left.iter_mut().zip(&taken).for_each(|(left, taken)| *left = (*left - taken).max(0.0));
                rows.slice_mut(s![.., done..done + b]).assign(&next.t());
            }
        };
        let left = self.left.as_slice_mut().expect("a vector of its own");
        let rows: Vec<_> = self.factor.axis_chunks_iter_mut(Axis(0), STRIP).zip(left.chunks_mut(STRIP)).collect();
        rows.into_par_iter().enumerate().for_each(task);
        accepted.iter().for_each(|&p| self.left[p] = 0.0);
        self.pivots.extend_from_slice(accepted);
    }
}

/// `K` between some points, at least on and below the diagonal.
fn between(tiles: &dyn Tiles, points: &[usize]) -> Array2<f64> {
    let b = points.len();
    let mut values = vec![0.0; b * b];
    match tiles.submatrix(points) {
        Some(some) => some.fill(0..b, 0..b, &mut values),
        None => {
            for (i, row) in values.chunks_exact_mut(b.max(1)).enumerate() {
                for (j, value) in row[..=i].iter_mut().enumerate() {
                    tiles.fill_rows(&points[i..=i], points[j]..points[j] + 1, std::slice::from_mut(value));
                }
            }
        }
    }
    Array2::from_shape_vec((b, b), values).expect("a square of as many values")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{Pairs, dense};
    use crate::{Kernel, Seed};

    #[test]
    fn the_factor_is_exact_at_its_pivots_and_honest_about_the_trace() {
        let x = Array2::from_shape_fn((700, 2), |(i, j)| ((i * 2 + j) as f64).sin() * 2.0);
        let kernel: Kernel = "laplacian(lengthscale=0.5)".parse().unwrap();
        let with = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap().with_seed(Seed(3));
            let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
            let found = block_randomly_pivoted_cholesky(&bound, 60, 0.0, 16, &compute).unwrap();
            (found, dense(&bound, &compute).unwrap())
        };
        let (found, exact) = with(1);
        assert_eq!((found.pivots.len(), found.factor.dim()), (60, (700, 60)));
        let rest = &exact - &found.factor.dot(&found.factor.t());
        assert_close!(rest.diag().sum(), found.trace_left, abs = 1e-10 * exact.diag().sum());
        for &p in &found.pivots {
            assert!(rest.column(p).iter().all(|v| v.abs() < 1e-12));
        }
        assert_eq!(found, with(2).0);
    }

    #[test]
    fn repeated_points_are_taken_once() {
        let x = Array2::from_shape_fn((60, 1), |(i, _)| (i % 5) as f64);
        let compute = Compute::new();
        let kernel: Kernel = "gaussian()".parse().unwrap();
        let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
        let found = block_randomly_pivoted_cholesky(&bound, 60, 1e-13, 20, &compute).unwrap();
        let mut positions: Vec<usize> = found.pivots.iter().map(|p| p % 5).collect();
        positions.sort_unstable();
        assert_eq!(positions, [0, 1, 2, 3, 4]);
    }
}
