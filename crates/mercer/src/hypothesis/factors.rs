//! HSIC of smooth kernels: low-rank factors instead of matrices.

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use super::engine::{Relabelled, Relabelling};
use super::groups::Orders;
use crate::gram::{Bound, Tiles};
use crate::kernel::Property;
use crate::solve::pivoted_cholesky;
use crate::{Compute, Error, Result};

/// Points from which factors are tried.
const FROM: usize = 256;
/// The share of the trace that a factor may leave out.
const TOLERANCE: f64 = 1e-11;
/// Columns of the permuted factors in one product.
const COLUMNS: usize = 256;

/// `Σᵢⱼ (HKH)ᵢⱼ(HLH)_{π(i)π(j)} = ‖(HF)ᵀ(HG)_π‖²` for `K = FFᵀ`, `L = GGᵀ`.
pub(super) struct FactorProducts {
    /// `HF` and `HG`.
    fixed: Array2<f64>,
    moved: Array2<f64>,
    orders: Orders,
    rounding: f64,
}

impl FactorProducts {
    /// The factors, when both matrices are positive semi-definite by proof and their ranks are small enough to gain by it.
    ///
    /// # Errors
    /// As [`pivoted_cholesky`].
    pub(super) fn new(k: &Bound<'_>, l: &Bound<'_>, orders: Orders, compute: &Compute) -> Result<Option<Self>> {
        let (Some((fixed, k_left)), Some((moved, l_left))) = (centred_factor(k, compute)?, centred_factor(l, compute)?)
        else {
            return Ok(None);
        };
        let norm = |f: &Array2<f64>| f.t().dot(f).iter().map(|v| v * v).sum::<f64>().sqrt();
        let (k_norm, l_norm) = (norm(&fixed), norm(&moved));
        // The Frobenius norm of what is left out is at most its trace.
        let left_out = k_left * l_norm + l_left * k_norm + k_left * l_left;
        let n = fixed.nrows() as f64;
        let rounding = (left_out + 1e-13 * k_norm * l_norm) / (n * n);
        Ok(Some(Self { fixed, moved, orders, rounding }))
    }

    /// The statistics of a few orders: one product for all of them.
    fn chunk(&self, orders: &[Vec<u32>]) -> Vec<f64> {
        let (n, rank) = self.moved.dim();
        let mut gathered = Array2::zeros((n, rank * orders.len()));
        for (i, mut line) in gathered.rows_mut().into_iter().enumerate() {
            for (order, mut part) in orders.iter().zip(line.axis_chunks_iter_mut(Axis(0), rank)) {
                part.assign(&self.moved.row(order[i] as usize));
            }
        }
        let products = self.fixed.t().dot(&gathered);
        let squares = |part: ndarray::ArrayView2<'_, f64>| part.iter().map(|v| v * v).sum::<f64>() / (n * n) as f64;
        products.axis_chunks_iter(Axis(1), rank).map(squares).collect()
    }
}

/// `HF` and `tr(K − FFᵀ)`, unless the matrix is not known to be positive semi-definite, small, or of a rank above `2√n`.
fn centred_factor(bound: &Bound<'_>, compute: &Compute) -> Result<Option<(Array2<f64>, f64)>> {
    let n = bound.shape().0;
    if n < FROM || !bound.kernel().property(Property::PositiveSemidefinite).is_proven() {
        return Ok(None);
    }
    let most = 2 * (n as f64).sqrt() as usize;
    let total: f64 = bound.diagonal()?.iter().sum();
    let found = pivoted_cholesky(bound, most, TOLERANCE, compute)?;
    if found.trace_left > TOLERANCE * total || found.pivots.is_empty() {
        return Ok(None);
    }
    let means = found.factor.sum_axis(Axis(0)) / n as f64;
    Ok(Some((found.factor - &means, found.trace_left)))
}

impl Relabelled for FactorProducts {
    type Group = Orders;

    fn group(&self) -> &Orders {
        &self.orders
    }

    fn evaluate(&self, labels: &[Vec<u32>], compute: &Compute) -> Result<Relabelling> {
        compute.check_cancelled()?;
        let orders = (COLUMNS / self.moved.ncols()).max(1);
        let chunks: Vec<Vec<f64>> = compute.install(|| labels.par_chunks(orders).map(|c| self.chunk(c)).collect());
        let values = Array2::from_shape_vec((labels.len(), 1), chunks.concat());
        Ok(Relabelling { values: values.map_err(|e| Error::request(e.to_string()))?, rounding: vec![self.rounding] })
    }
}
