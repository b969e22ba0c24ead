//! The centered Gaussian kernel matrix of one source, in low rank.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use crate::gram::{Bound, Pairs, Tiles};
use crate::solve::{pivoted_cholesky, symmetric_eigen};
use crate::{Compute, Kernel, Result};

/// Ranks that room is made for at first; a larger rank begins again with four times as much. On
/// components of variance 1 with the usual lengthscales some 20 to 50 are needed.
const FIRST: usize = 64;
/// Eigenvalues below this share of the trace are rounding.
const ROUNDING: f64 = 1e-15;

/// `HKH ≈ FᵀF` of one source, with the eigenvectors of it.
pub(super) struct Source {
    /// The values of the source.
    pub(super) values: Array1<f64>,
    /// The pivoted Cholesky factor of `K`, a row per pivot.
    pub(super) raw: Array2<f64>,
    /// The same with centered rows: `F`.
    pub(super) centered: Array2<f64>,
}

/// Eigenvectors of a source: `HKH = U diag(λ) Uᵀ` with `Uᵀ = BᵀF`.
pub(super) struct Basis {
    /// `B`.
    pub(super) map: Array2<f64>,
    /// `λ`, descending.
    pub(super) eigenvalues: Array1<f64>,
}

impl Source {
    /// The factor of which `tolerance` of the trace is missing at most.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled), [`Error::Memory`](crate::Error::Memory).
    pub(super) fn new(values: ArrayView1<f64>, kernel: &Kernel, tolerance: f64, compute: &Compute) -> Result<Self> {
        let column = values.insert_axis(Axis(1));
        let bound = kernel.bind(Pairs::within(column), compute)?;
        let raw = factor(&bound, tolerance, compute)?;
        let means = raw.sum_axis(Axis(1)) / column.nrows().max(1) as f64;
        let centered = &raw - &means.insert_axis(Axis(1));
        Ok(Self { values: values.to_owned(), raw, centered })
    }

    /// The eigenvectors, without those of rounding.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub(super) fn basis(&self, compute: &Compute) -> Result<Basis> {
        let eigen = symmetric_eigen(self.centered.dot(&self.centered.t()).view(), compute)?;
        let threshold = ROUNDING * self.values.len() as f64;
        let kept: Vec<usize> = (0..eigen.values.len()).rev().filter(|&j| eigen.values[j] > threshold).collect();
        let eigenvalues: Array1<f64> = kept.iter().map(|&j| eigen.values[j]).collect();
        let map = eigen.vectors.select(Axis(1), &kept) / &eigenvalues.mapv(f64::sqrt);
        Ok(Basis { map, eigenvalues })
    }
}

/// The pivoted Cholesky factor, a row per pivot.
fn factor(bound: &Bound<'_>, tolerance: f64, compute: &Compute) -> Result<Array2<f64>> {
    let n = bound.shape().0;
    let mut room = FIRST.min(n);
    loop {
        let found = pivoted_cholesky(bound, room, tolerance, compute)?;
        // Every diagonal entry is 1.
        if room == n || found.pivots.len() < room || found.trace_left <= tolerance * n as f64 {
            return Ok(found.factor.reversed_axes());
        }
        room = (4 * room).min(n);
    }
}
