//! The marginal likelihood of several targets, and its gradient.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayView3};

use crate::error::{MemoryPurpose, Remedy};
use crate::gram::Bound;
use crate::solve::{CholeskyFactor, Factored, factor_any};
use crate::{Compute, Error, Points, Result};

/// Rows of a strip of derivatives. 16 to 256 differ by less than 5 % (1000 rows, 5 columns).
const STRIP: usize = 64;

/// `A = K + diag(σ²)`, factored, with the likelihood of the columns of `Y` as independent draws
/// from `N(0, A)`.
///
/// # Formula
/// `log p(Y) = Σₜ −½yₜᵀA⁻¹yₜ − ½ log det A − (n/2) log 2π`.
///
/// # Cost
/// `n³/3`, and `8n²` bytes.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::gaussian_process::shared::ProcessEvidence};
/// use ndarray::array;
/// // One observation y = 2 with variance 1 + 1.
/// let evidence = ProcessEvidence::new(array![[2.0]], array![[2.0]].view(), &Compute::new())?;
/// assert!((evidence.dual_coefficients()[[0, 0]] - 1.0).abs() < 1e-15);
/// let expected = -0.5 * (2.0 + 2.0_f64.ln() + (2.0 * std::f64::consts::PI).ln());
/// assert!((evidence.log_likelihood() - expected).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProcessEvidence {
    factor: CholeskyFactor,
    alpha: Array2<f64>,
    log_likelihood: f64,
}

/// The gradient of [`ProcessEvidence::log_likelihood`].
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceGradient {
    /// `½ Σₜ tr((αₜαₜᵀ − A⁻¹) ∂K/∂θ)` for every parameter, 0 for those not requested.
    pub parameters: Vec<f64>,
    /// The same for `∂A/∂σ² = I`: the slope by a variance that is added to every row.
    pub noise: f64,
}

/// Bytes that the gradient needs beside the factor: blocks of columns of the inverse, three copies
/// per thread.
pub(super) fn gradient_bytes(n: usize, compute: &Compute) -> u64 {
    3 * 8 * (n * n.min(192) * compute.threads()) as u64
}

impl ProcessEvidence {
    /// Factors `A` in its own memory and solves for the targets, one per column.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Value`] for NaN and infinities, [`Error::Singular`] where `A` is
    /// not positive definite, [`Error::Canceled`].
    pub fn new(a: Array2<f64>, targets: ArrayView2<f64>, compute: &Compute) -> Result<Self> {
        let n = a.nrows();
        if targets.nrows() != n {
            return Err(Error::shape("targets", format!("one per row ({n})"), targets.nrows()));
        }
        Points::Vectors(targets).check_finite("targets")?;
        let Factored::Definite(factor) = factor_any(a, compute)? else {
            return Err(Error::singular(
                "the covariance matrix, which is not positive definite,",
                Remedy::larger("noise"),
            ));
        };
        let alpha = factor.solve(targets, compute)?;
        let constant = factor.log_determinant() + n as f64 * (2.0 * std::f64::consts::PI).ln();
        let fit = |(y, a): (_, ndarray::ArrayView1<'_, f64>)| -0.5 * (a.dot(&y) + constant);
        let log_likelihood = targets.columns().into_iter().zip(alpha.columns()).map(fit).sum();
        Ok(Self { factor, alpha, log_likelihood })
    }

    /// `log p(Y)`, summed over the targets.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// `A⁻¹Y`.
    pub fn dual_coefficients(&self) -> ArrayView2<'_, f64> {
        self.alpha.view()
    }

    /// The Cholesky factor of `A`.
    pub fn factor(&self) -> &CholeskyFactor {
        &self.factor
    }

    /// The gradient for given matrices `∂K/∂θ`: `slopes[[i, j, p]]`, symmetric in `i` and `j`.
    ///
    /// # Cost
    /// `2n³/3` for the columns of `A⁻¹`, which is not stored, and `n²` per parameter.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Memory`], [`Error::Canceled`].
    pub fn gradient(&self, slopes: ArrayView3<f64>, compute: &Compute) -> Result<EvidenceGradient> {
        let (n, count) = (self.alpha.nrows(), slopes.dim().2);
        if slopes.dim() != (n, n, count) {
            return Err(Error::shape(
                "derivatives of the kernel matrix",
                format!("{n} × {n}"),
                format!("{:?}", slopes.dim()),
            ));
        }
        let contract = |tile: &Tile<'_>, sums: &mut [f64]| {
            let pairs = tile.cols.clone().flat_map(|j| tile.rows.clone().map(move |i| (i, j)));
            for ((i, j), w) in pairs.zip(tile.weights) {
                sums.iter_mut().enumerate().for_each(|(p, sum)| *sum += w * slopes[[i, j, p]]);
            }
        };
        self.sweep(count, contract, compute)
    }

    /// The gradient by the parameters of a kernel that are `requested`, with respect to the
    /// parameters themselves.
    ///
    /// # Cost
    /// As [`ProcessEvidence::gradient`], with the derivatives computed block by block and not
    /// stored.
    ///
    /// # Errors
    /// As [`ProcessEvidence::gradient`].
    pub(crate) fn kernel_gradient(
        &self,
        bound: &Bound<'_>,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<EvidenceGradient> {
        // The kernel matrix is symmetric: the columns of a tile are rows of the derivative.
        let contract = |tile: &Tile<'_>, sums: &mut [f64]| {
            bound.contract_tile(tile.cols.clone(), tile.rows.clone(), tile.weights, requested, sums);
        };
        self.sweep(requested.len(), contract, compute)
    }

    /// Contracts `Σₜ αₜαₜᵀ − A⁻¹` with derivatives, strip by strip from the diagonal down; entries
    /// below a diagonal block count twice.
    fn sweep(
        &self,
        count: usize,
        contract: impl Fn(&Tile<'_>, &mut [f64]) + Sync,
        compute: &Compute,
    ) -> Result<EvidenceGradient> {
        let n = self.alpha.nrows();
        let bytes = gradient_bytes(n, compute);
        let advice = "use fewer rows, fewer threads or a higher memory limit";
        compute.reserve(
            MemoryPurpose::Factorization,
            "columns of the inverse in the gradient of the likelihood",
            bytes,
            advice,
        )?;
        let block = |first: usize, inverse: ArrayView2<f64>| {
            let cols = first..first + inverse.ncols();
            let (mut sums, mut noise) = (vec![0.0; count], 0.0);
            for start in (first..n).step_by(STRIP) {
                let rows = start..n.min(start + STRIP);
                let weights = self.weights(&rows, &cols, inverse);
                let tile = Tile { rows, cols: cols.clone(), weights: &weights };
                noise += tile.diagonal_sum();
                contract(&tile, &mut sums);
            }
            Ok((sums, noise))
        };
        let blocks = self.factor.inverse_columns(block, compute)?;
        let total = |p: usize| 0.5 * blocks.iter().map(|(sums, _)| sums[p]).sum::<f64>();
        let noise = 0.5 * blocks.iter().map(|(_, noise)| noise).sum::<f64>();
        Ok(EvidenceGradient { parameters: (0..count).map(total).collect(), noise })
    }

    /// `Σₜ αᵢₜαⱼₜ − m(A⁻¹)ᵢⱼ`, column after column; twice that below the diagonal block, for the
    /// entries above it.
    fn weights(&self, rows: &Range<usize>, cols: &Range<usize>, inverse: ArrayView2<f64>) -> Vec<f64> {
        let targets = self.alpha.ncols() as f64;
        let mut weights = Vec::with_capacity(rows.len() * cols.len());
        for j in cols.clone() {
            let (own, line) = (self.alpha.row(j), inverse.column(j - cols.start));
            weights.extend(rows.clone().map(|i| {
                let products = own.iter().zip(self.alpha.row(i)).map(|(a, b)| a * b).sum::<f64>();
                let times = if i < cols.end { 1.0 } else { 2.0 };
                times * (products - targets * line[i - cols.start])
            }));
        }
        weights
    }
}

/// Weights of a block of the kernel matrix, column after column.
struct Tile<'a> {
    rows: Range<usize>,
    cols: Range<usize>,
    weights: &'a [f64],
}

impl Tile<'_> {
    /// The sum of the weights on the diagonal of the matrix.
    fn diagonal_sum(&self) -> f64 {
        let shared = self.rows.start.max(self.cols.start)..self.rows.end.min(self.cols.end);
        shared.map(|i| self.weights[(i - self.cols.start) * self.rows.len() + (i - self.rows.start)]).sum()
    }
}
