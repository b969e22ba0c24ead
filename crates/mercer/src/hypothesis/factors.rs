//! HSIC of smooth kernels: low-rank factors instead of matrices.

use ndarray::{Array2, ArrayView2, Axis, LinalgScalar, s};

use super::engine::{Group, Relabeled, Relabeling};
use super::groups::Orders;
use crate::gram::simd::Element;
use crate::gram::{Bound, Tiles};
use crate::solve::pivoted_cholesky;
use crate::{Compute, Error, Result};

/// Points from which factors are tried. A test of 128 points takes 2.6 instead of 3.9 ms where the rank
/// is low, and 4.5 instead of 3.9 ms where the attempt fails; of 64 points 1.5 and 1.9 instead of
/// 1.5 ms.
const FROM: usize = 128;
/// The share of the trace that a factor may leave out.
const TOLERANCE: f64 = 1e-11;
/// Ranks from which a factor is begun with a few of its columns, an eighth and a quarter: together they
/// take a twelfth of the time of all.
const BEGUN_FROM: usize = 64;
/// How much faster than so far the trace may have to fall for a factor that is gone on with. That of a
/// Gaussian kernel on a line falls faster with every column, that on a plane slower.
const FASTER: f64 = 3.0;
/// Columns of the permuted factors in one product. 64 to 512 differ by less than the noise of 20 %
/// (2000 points, 500 permutations).
const COLUMNS: usize = 256;
/// Rows in one product; never a function of the number of threads. 128 to 1024 differ by less than
/// the noise of 13 %, 2048 is 8 to 20 % slower (2000 points).
const ROWS: usize = 512;

/// `Σᵢⱼ (HKH)ᵢⱼ(HLH)_{π(i)π(j)} = ‖(HF)ᵀ(HG)_π‖²` for `K = FFᵀ`, `L = GGᵀ`.
pub(super) struct FactorProducts<T> {
    /// `HF` and `HG`.
    fixed: Array2<T>,
    moved: Array2<T>,
    orders: Orders,
    /// The size of rounding, and its share of the values.
    rounding: (f64, f64),
}

impl FactorProducts<f64> {
    /// The factors, when both matrices are positive semi-definite by proof and their ranks are
    /// small enough to gain by it.
    ///
    /// # Errors
    /// As [`pivoted_cholesky`].
    pub(super) fn new(k: &Bound<'_>, l: &Bound<'_>, orders: Orders, compute: &Compute) -> Result<Option<Self>> {
        let (Some((fixed, k_left)), Some((moved, l_left))) =
            (centered_factor(k, compute)?, centered_factor(l, compute)?)
        else {
            return Ok(None);
        };
        let norm = |f: &Array2<f64>| f.t().dot(f).iter().map(|v| v * v).sum::<f64>().sqrt();
        let (k_norm, l_norm) = (norm(&fixed), norm(&moved));
        // The Frobenius norm of what is left out is at most its trace.
        let left_out = k_left * l_norm + l_left * k_norm + k_left * l_left;
        let n = fixed.nrows() as f64;
        let rounding = (left_out + 1e-13 * k_norm * l_norm) / (n * n);
        Ok(Some(Self { fixed, moved, orders, rounding: (rounding, 0.0) }))
    }
}

impl FactorProducts<f32> {
    /// Explicit features as factors, centered. Sums over all rows are accurate to the last digits
    /// of single precision, relative to their size.
    pub(super) fn of_features(fixed: Array2<f32>, moved: Array2<f32>, orders: Orders) -> Self {
        Self { fixed, moved, orders, rounding: (0.0, 1e-6) }
    }

    /// A value as a share of the largest that it could be, `‖FᵀF‖‖GᵀG‖/n²`.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn share(&self, value: f64, compute: &Compute) -> Result<f64> {
        let order = [self.orders.identity()];
        let own = |factor: &Array2<f32>| squared_products(factor, factor, &order, compute).map(|values| values[0]);
        let largest = (own(&self.fixed)? * own(&self.moved)?).sqrt();
        Ok(if largest > 0.0 { value / largest } else { 0.0 })
    }
}

/// `‖FᵀG_π‖²/n²` for a few orders π: one product for all of them, block of rows after block, summed
/// in `f64`.
fn squared_products<T: Element + LinalgScalar>(
    fixed: &Array2<T>,
    moved: &Array2<T>,
    orders: &[Vec<u32>],
    compute: &Compute,
) -> Result<Vec<f64>> {
    let (n, rank) = moved.dim();
    let width = rank * orders.len();
    let mut sums = Array2::<f64>::zeros((fixed.ncols(), width));
    let moved = moved.as_standard_layout();
    let lines = moved.as_slice().expect("the standard layout is one slice");
    let mut gathered = vec![T::default(); ROWS.min(n) * width];
    for start in (0..n).step_by(ROWS) {
        compute.check_canceled()?;
        let rows = start..n.min(start + ROWS);
        for (i, line) in rows.clone().zip(gathered.chunks_exact_mut(width.max(1))) {
            for (order, part) in orders.iter().zip(line.chunks_exact_mut(rank.max(1))) {
                part.copy_from_slice(&lines[order[i] as usize * rank..][..rank]);
            }
        }
        let gathered = ArrayView2::from_shape((rows.len(), width), &gathered[..rows.len() * width]);
        let gathered = gathered.expect("the buffer has a value for every row and column");
        let product = fixed.slice(s![rows, ..]).t().dot(&gathered);
        sums.zip_mut_with(&product, |sum, value| *sum += value.to_f64());
    }
    let squares = |part: ArrayView2<'_, f64>| part.iter().map(|v| v * v).sum::<f64>() / (n as f64 * n as f64);
    Ok(sums.axis_chunks_iter(Axis(1), rank).map(squares).collect())
}

/// `HF` and `tr(K − FFᵀ)`, unless the matrix is not known to be positive semi-definite, small, or
/// of a rank above `2√n`.
fn centered_factor(bound: &Bound<'_>, compute: &Compute) -> Result<Option<(Array2<f64>, f64)>> {
    let n = bound.shape().0;
    if n < FROM || !bound.is_proven_psd() {
        return Ok(None);
    }
    let most = 2 * (n as f64).sqrt() as usize;
    let total: f64 = bound.diagonal()?.iter().sum();
    if most >= BEGUN_FROM && !is_reachable(bound, most, total, compute)? {
        return Ok(None);
    }
    let found = pivoted_cholesky(bound, most, TOLERANCE, compute)?;
    if found.trace_left > TOLERANCE * total || found.pivots.is_empty() {
        return Ok(None);
    }
    let means = found.factor.sum_axis(Axis(0)) / n as f64;
    Ok(Some(((found.factor - &means).as_standard_layout().into_owned(), found.trace_left)))
}

/// Whether the tolerance may be reached by a factor of this rank: not where the trace falls much too
/// slowly in its first columns.
fn is_reachable(bound: &Bound<'_>, most: usize, total: f64, compute: &Compute) -> Result<bool> {
    let left = |rank: usize| {
        let found = pivoted_cholesky(bound, rank, TOLERANCE, compute)?;
        Ok::<_, Error>((found.trace_left / total).ln())
    };
    let (early, late) = (left(most / 8)?, left(most / 4)?);
    let per_column = (late - early) / (most / 4 - most / 8) as f64;
    Ok(late <= TOLERANCE.ln() || late + FASTER * per_column * (most - most / 4) as f64 <= TOLERANCE.ln())
}

impl<T: Element + LinalgScalar> Relabeled for FactorProducts<T> {
    type Group = Orders;

    fn group(&self) -> &Orders {
        &self.orders
    }

    fn evaluate(&self, labels: &[Vec<u32>], compute: &Compute) -> Result<Relabeling> {
        let orders = (COLUMNS / self.moved.ncols()).max(1);
        let chunks: Vec<&[Vec<u32>]> = labels.chunks(orders).collect();
        let products = |at: usize| squared_products(&self.fixed, &self.moved, chunks[at], compute);
        let values = compute.try_map_tasks(chunks.len(), products)?.concat();
        let largest = values.iter().copied().fold(0.0, f64::max);
        let values = Array2::from_shape_vec((labels.len(), 1), values)
            .map_err(|e| Error::shape("values of the statistic", labels.len(), e))?;
        Ok(Relabeling { values, rounding: vec![self.rounding.0 + self.rounding.1 * largest] })
    }
}
