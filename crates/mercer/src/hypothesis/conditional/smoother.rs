//! Ridge regression on `z` for any ridge, in the eigenvectors of its centered kernel matrix.

use ndarray::{Array1, Array2, Axis};

use crate::gram::{Bound, Tiles};
use crate::hypothesis::precomputed::check_symmetric;
use crate::operator::products::multiply;
use crate::solve::{block_randomly_pivoted_cholesky, symmetric_eigen};
use crate::{Compute, Kernel, Result};

use super::regression::centered;

/// Rows up to which all eigenvectors are computed, and the largest rank of factors of more of them.
/// 500 rows with 49 columns take 0.5 s, and the work grows with the cube. Not tuned.
pub(super) const RANK: usize = 512;
/// The share of the trace that factors may leave out, at least.
const TOLERANCE: f64 = 1e-11;
/// Proposals of pivots at a time. Not tuned.
const PIVOTS: usize = 64;
/// Eigenvalues of factors, relative to the largest, below which they are rounding.
const ROUNDING: f64 = 1e-12;
/// The share of the smallest ridge that factors may leave out of the trace: `‖R − R_F‖` is at most
/// as large. Not tuned. In a model of the test in numpy, factors of rank 512 that left out 3 % of the
/// trace rejected all of eight true hypotheses of 1000 rows with 49 columns, all eigenvectors two.
const OF_RIDGE: f64 = 1e-3;
/// The same for a ridge that is given.
const OF_GIVEN_RIDGE: f64 = 1e-9;
/// The smallest given ridge, as a share of the trace, for which factors are tried: the eigenvectors
/// of the smallest eigenvalues are not accurate enough for a smaller one.
const LEAST_RIDGE: f64 = 1e-7;

/// `HMH = UΛUᵀ`, or the leading part of it.
pub(super) struct Smoother {
    /// The kernel of `z`.
    pub(super) kernel: Kernel,
    /// The eigenvalues, ascending, none of them negative.
    pub(super) values: Vec<f64>,
    /// `U`.
    pub(super) vectors: Array2<f64>,
    /// Whether these are all eigenvectors.
    pub(super) complete: bool,
    /// `tr(M − FFᵀ)/tr M` of the factors.
    pub(super) left_out: f64,
    /// `1 − 1/n − Σₐ U²ᵢₐ`; `−1/n` where these are all eigenvectors, with the constant one.
    outside: Array1<f64>,
}

impl Smoother {
    /// By low-rank factors that leave out so little that they serve every ridge from `share` of the
    /// largest eigenvalue on; `None` where there are none, and of few rows.
    ///
    /// # Errors
    /// As the factorizations.
    pub(super) fn for_ridges(bound: &Bound<'_>, share: f64, compute: &Compute) -> Result<Option<Self>> {
        if bound.shape().0 <= RANK || !bound.is_proven_psd() {
            return Ok(None);
        }
        let trace: f64 = bound.diagonal()?.iter().sum();
        let found = Self::of_factors(bound, RANK, TOLERANCE, compute)?;
        let enough = found.left_out * trace <= OF_RIDGE * share * found.largest();
        Ok(enough.then_some(found))
    }

    /// The same for one ridge, with a rank of up to `n/4`: `R` is the same up to rounding.
    ///
    /// # Errors
    /// As the factorizations.
    pub(super) fn for_ridge(bound: &Bound<'_>, ridge: f64, compute: &Compute) -> Result<Option<Self>> {
        let (n, trace) = (bound.shape().0, bound.diagonal()?.iter().sum::<f64>());
        if n <= RANK || !bound.is_proven_psd() || ridge < LEAST_RIDGE * trace {
            return Ok(None);
        }
        let found = Self::of_factors(bound, n / 4, OF_GIVEN_RIDGE * ridge / trace, compute)?;
        let enough = found.left_out * trace <= OF_GIVEN_RIDGE * ridge;
        Ok(enough.then_some(found))
    }

    /// All eigenvectors.
    ///
    /// # Errors
    /// As the eigendecomposition.
    pub(super) fn whole(bound: &Bound<'_>, compute: &Compute) -> Result<Self> {
        check_symmetric(bound)?;
        let eigen = symmetric_eigen(centered(bound, compute)?.view(), compute)?;
        let n = eigen.values.len();
        Ok(Self {
            kernel: bound.kernel().clone(),
            values: eigen.values.iter().map(|v| v.max(0.0)).collect(),
            vectors: eigen.vectors,
            complete: true,
            left_out: 0.0,
            outside: Array1::from_elem(n, -1.0 / n as f64),
        })
    }

    /// From `M ≈ FFᵀ`: with `(HF)ᵀHF = WΛWᵀ`, `U = HFWΛ^{−½}`.
    pub(super) fn of_factors(bound: &Bound<'_>, rank: usize, tolerance: f64, compute: &Compute) -> Result<Self> {
        let n = bound.shape().0 as f64;
        let trace: f64 = bound.diagonal()?.iter().sum();
        let found = block_randomly_pivoted_cholesky(bound, rank, tolerance, PIVOTS, compute)?;
        let factor = &found.factor - &(found.factor.sum_axis(Axis(0)) / n);
        let eigen = symmetric_eigen(multiply(factor.t(), factor.view(), compute)?.view(), compute)?;
        let least = ROUNDING * eigen.values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..eigen.values.len()).filter(|&a| eigen.values[a] > least).collect();
        let values: Vec<f64> = kept.iter().map(|&a| eigen.values[a]).collect();
        let roots = Array1::from_iter(values.iter().map(|v| v.sqrt()));
        let vectors = multiply(factor.view(), (eigen.vectors.select(Axis(1), &kept) / &roots).view(), compute)?;
        let outside = vectors.map_axis(Axis(1), |row| (1.0 - 1.0 / n - row.dot(&row)).max(0.0));
        let left_out = if trace > 0.0 { found.trace_left / trace } else { 0.0 };
        Ok(Self { kernel: bound.kernel().clone(), values, vectors, complete: false, left_out, outside })
    }

    /// The largest eigenvalue.
    pub(super) fn largest(&self) -> f64 {
        self.values.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE)
    }

    /// `ε/(λ + ε)` for every eigenvalue.
    pub(super) fn shrinkage(&self, ridge: f64) -> Array1<f64> {
        self.values.iter().map(|v| ridge / (v + ridge)).collect()
    }

    /// The diagonal of `U diag(f) Uᵀ`, with `f = 1` beside these eigenvectors, less `1/n` for the
    /// constant one.
    pub(super) fn diagonal(&self, factors: &Array1<f64>) -> Array1<f64> {
        let squares = self.vectors.mapv(|v| v * v);
        squares.dot(factors) + &self.outside
    }

    /// What leave-one-out errors at a ridge are made from, the same for every variable that is
    /// regressed.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub(super) fn weighted(&self, ridge: f64, compute: &Compute) -> Result<Weighted> {
        let shrinkage = self.shrinkage(ridge);
        let weights = self.diagonal(&shrinkage).mapv(|own| 1.0 / (own * own));
        let scaled = &self.vectors * &weights.view().insert_axis(Axis(1));
        let products = multiply(scaled.t(), self.vectors.view(), compute)?;
        Ok(Weighted { shrinkage, weights, products })
    }
}

/// Weights `wᵢ` of the squared residuals of one ridge.
pub(super) struct Weighted {
    /// `ε/(λ + ε)`.
    pub(super) shrinkage: Array1<f64>,
    /// `1/(Rᵢᵢ − 1/n)²`.
    pub(super) weights: Array1<f64>,
    /// `Uᵀ diag(w) U`.
    pub(super) products: Array2<f64>,
}
