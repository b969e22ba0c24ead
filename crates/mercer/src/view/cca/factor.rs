//! The centered kernel matrix of a view by its eigenvectors, of all points or of a low-rank factor.

use ndarray::{Array1, Array2, Axis};

use super::choices::Rank;
use crate::definiteness::require_psd_for;
use crate::error::{MemoryPurpose, PrecomputedNeed};
use crate::gram::{self, Bound, Pairs, Tiles};
use crate::operator::products::multiply;
use crate::solve::{pivoted_cholesky, symmetric_eigen};
use crate::{Compute, Error, Kernel, Points, Result};

/// Rows up to which [`Rank::Auto`] decomposes the whole matrix: below, it takes milliseconds in
/// either way. Not tuned.
pub(super) const SMALL: usize = 256;
/// The share of the rows up to which a low-rank factor is tried: a factor of rank `r` takes `3nr²`
/// operations, the whole decomposition `14n³/3`. Not tuned.
const LARGEST_SHARE: f64 = 0.5;
/// Eigenvalues below this share of the largest are rounding.
const ROUNDING: f64 = 1e-14;
/// How far below 0 an eigenvalue may be by rounding, relative to the largest.
const NEGATIVE: f64 = 1e-10;

/// `HKH ≈ U diag(λ) Uᵀ` of a view, without the directions in which it is 0.
pub(super) struct ViewFactor {
    /// `U`, one row per point.
    pub(super) vectors: Array2<f64>,
    /// `λ > 0`, descending.
    pub(super) values: Array1<f64>,
    /// `tr K`.
    pub(super) trace: f64,
    /// `tr(K − FFᵀ)` of the low-rank factor; 0 for the whole matrix.
    pub(super) trace_left: f64,
    /// Whether the whole matrix was decomposed.
    pub(super) exact: bool,
}

/// A kernel on the points of a view.
///
/// # Errors
/// As [`Kernel::bind`], [`Error::NotPositiveDefinite`], [`Error::Precomputed`].
pub(super) fn bind_view<'a>(kernel: &Kernel, points: Points<'a>, compute: &Compute) -> Result<Bound<'a>> {
    require_psd_for(kernel, points, compute)?;
    let bound = kernel.bind(Pairs::Within(points), compute)?;
    if bound.shape() != (points.len(), points.len()) || !bound.symmetric() {
        return Err(Error::precomputed("a fit on precomputed kernel values", PrecomputedNeed::Symmetric));
    }
    Ok(bound)
}

impl ViewFactor {
    /// The factor of a view, whose low-rank form may leave out `allowed` of the trace.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Canceled`], [`Error::NotPositiveDefinite`].
    pub(super) fn new(bound: &Bound<'_>, rank: Rank, allowed: f64, compute: &Compute) -> Result<Self> {
        let n = bound.shape().0;
        let trace = bound.diagonal()?.sum();
        // A pivot of an indefinite matrix means nothing: such a matrix is decomposed, which detects it.
        let whole = rank == Rank::Exact || !bound.is_proven_psd() || (rank == Rank::Auto && n <= SMALL);
        if whole || trace <= 0.0 {
            return Self::whole(bound, trace, compute);
        }
        let tolerance = match rank {
            Rank::Tolerance(tolerance) => tolerance,
            _ => allowed / trace,
        };
        let largest = largest_rank(n, rank, compute);
        let found = pivoted_cholesky(bound, largest, tolerance, compute)?;
        if found.trace_left <= tolerance * trace || found.pivots.len() < largest {
            return Self::low_rank(found.factor, trace, found.trace_left, compute);
        }
        drop(found);
        Self::whole(bound, trace, compute)
    }

    /// The eigenvectors of the centered matrix.
    fn whole(bound: &Bound<'_>, trace: f64, compute: &Compute) -> Result<Self> {
        let n = bound.shape().0;
        whole_bytes(n, compute)?;
        let mut matrix = gram::dense(bound, compute)?;
        center_matrix(&mut matrix);
        let eigen = symmetric_eigen(matrix.view(), compute)?;
        drop(matrix);
        let (least, most) = (eigen.values.first().copied(), eigen.values.last().copied());
        let (least, most) = (least.unwrap_or(0.0), most.unwrap_or(0.0));
        if least < -NEGATIVE * most.max(-least).max(trace / n.max(1) as f64) {
            let reason = format!("the centered matrix of its values has the eigenvalue {least:e}");
            return Err(Error::NotPositiveDefinite { kernel: bound.kernel().short(), reason, counterexample: None });
        }
        let kept = kept_values(&eigen.values, trace);
        let order: Vec<usize> = (eigen.values.len() - kept..eigen.values.len()).rev().collect();
        let values = order.iter().map(|&j| eigen.values[j]).collect();
        let vectors = eigen.vectors.select(Axis(1), &order);
        Ok(Self { vectors, values, trace, trace_left: 0.0, exact: true })
    }

    /// The eigenvectors of `HFFᵀH` from those of `FᵀHF`.
    fn low_rank(factor: Array2<f64>, trace: f64, trace_left: f64, compute: &Compute) -> Result<Self> {
        let n = factor.nrows();
        let means = factor.sum_axis(Axis(0)) / n as f64;
        let centered = (factor - &means).reversed_axes();
        let products = multiply(centered.view(), centered.t(), compute)?;
        let eigen = symmetric_eigen(products.view(), compute)?;
        let kept = kept_values(&eigen.values, trace);
        let order: Vec<usize> = (eigen.values.len() - kept..eigen.values.len()).rev().collect();
        let values: Array1<f64> = order.iter().map(|&j| eigen.values[j]).collect();
        let directions = eigen.vectors.select(Axis(1), &order) / &values.mapv(f64::sqrt);
        let vectors = multiply(centered.t(), directions.view(), compute)?;
        Ok(Self { vectors, values, trace, trace_left, exact: false })
    }

    /// `r`.
    pub(super) fn rank(&self) -> usize {
        self.values.len()
    }

    /// `U diag(scale(λ))`.
    pub(super) fn scaled(&self, scale: impl Fn(f64) -> f64) -> Array2<f64> {
        &self.vectors * &self.values.mapv(scale)
    }
}

/// The bytes of the eigenvectors of a whole matrix.
///
/// # Errors
/// [`Error::Memory`] when they are above the limit.
pub(super) fn whole_bytes(rows: usize, compute: &Compute) -> Result<u64> {
    let bytes = 32 * (rows as u64).pow(2);
    let what = format!("the eigenvectors of a centered kernel matrix of {rows} rows");
    let remedy = "use fewer rows, a smoother kernel with a tolerance for its rank, or a higher memory limit";
    compute.reserve(MemoryPurpose::Factorization, &what, bytes, remedy)?;
    Ok(bytes)
}

/// How many of the ascending eigenvalues are not rounding. A matrix whose centered part is rounding
/// beside what centering removed has none: a constant view.
fn kept_values(ascending: &[f64], trace: f64) -> usize {
    let largest = ascending.last().copied().unwrap_or(0.0);
    let threshold = ROUNDING * ascending.len() as f64 * largest.max(trace / ascending.len().max(1) as f64);
    ascending.iter().filter(|v| **v > threshold).count()
}

/// The largest rank of a factor that is tried: what the memory limit has room for, twice.
pub(super) fn largest_rank(n: usize, rank: Rank, compute: &Compute) -> usize {
    let share = if rank == Rank::Auto { LARGEST_SHARE } else { 1.0 };
    let room = usize::try_from(compute.memory() / (32 * n as u64)).unwrap_or(usize::MAX);
    ((share * n as f64) as usize).min(room).clamp(1, n)
}

/// `K ← HKH`, of which the lower triangle is read.
fn center_matrix(matrix: &mut Array2<f64>) {
    let n = matrix.nrows().max(1) as f64;
    let means = matrix.sum_axis(Axis(1)) / n;
    let mean = means.sum() / n;
    for (i, mut row) in matrix.rows_mut().into_iter().enumerate() {
        let own = means[i] - mean;
        row.zip_mut_with(&means, |value, other| *value -= own + other);
    }
}
