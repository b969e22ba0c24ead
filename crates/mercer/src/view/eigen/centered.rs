//! Eigenpairs of the centered matrix of all points.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, s};

use super::{EigenEvidence, EigenPlan, EigenRequest, EigenSolver};
use crate::error::PrecomputedNeed;
use crate::gram::simd::matmul::{Target, matmul};
use crate::gram::{self, Tiles};
use crate::operator::{ByProduct, Centered, Operator, Tiled, without_means};
use crate::solve::{leading_eigen, symmetric_eigen};
use crate::view::centering::{Means, center};
use crate::{Compute, Error, Result};

/// Rows of a block of a product with the stored matrix. 192 rows of 5000 numbers take 7 MB; not
/// tuned.
const ROWS: usize = 192;
/// Entries across the diagonal of a centered matrix that differ by more than this part of the
/// largest are not rounding.
const ASYMMETRY: f64 = 1e-10;
/// Entries of an eigenvector that differ in size by less than this part count as equal for its
/// sign.
const TIE: f64 = 1e-8;

/// Eigenpairs of `HKH`, with what centers the values of new points.
#[derive(Clone, Debug)]
pub(crate) struct CenteredEigen {
    /// The largest eigenvalues, descending, as they were found.
    pub(crate) values: Vec<f64>,
    /// Orthonormal eigenvectors, a column each; of every one the entry that is the largest in size
    /// is positive, the first of equals.
    pub(crate) vectors: Array2<f64>,
    pub(crate) means: Means,
    /// `tr HKH`.
    pub(crate) trace: f64,
    /// Eigenvalues up to this size are rounding errors: `nε` times the largest value or mean.
    pub(crate) rounding: f64,
    /// All eigenvalues, ascending, where they were computed.
    pub(crate) spectrum: Option<Vec<f64>>,
    pub(crate) evidence: EigenEvidence,
}

impl EigenRequest {
    /// The eigenpairs by an exact solver, and the plan that was run.
    ///
    /// # Errors
    /// [`Error::Precomputed`] for a matrix that is not symmetric when it is centered,
    /// [`Error::NotConverged`], [`Error::Overflow`], [`Error::Canceled`], [`Error::Memory`].
    pub(crate) fn solve(
        &self,
        tiles: &dyn Tiles,
        plan: EigenPlan,
        compute: &Compute,
    ) -> Result<(CenteredEigen, EigenPlan)> {
        let count = self.components.unwrap_or(self.size.rows).min(self.size.rows);
        if plan.solver != EigenSolver::Leading {
            return Ok((dense(tiles, count, compute)?, plan));
        }
        // Only a stored matrix can be checked for symmetry.
        let found = if plan.stored || !tiles.symmetric() {
            stored(tiles, count, compute)
        } else {
            by_tiles(tiles, count, compute)
        };
        match (found, self.instead(compute)) {
            (Err(Error::NotConverged { .. }), Some(plan)) => Ok((dense(tiles, count, compute)?, plan)),
            (found, _) => Ok((found?, plan)),
        }
    }
}

/// All eigenpairs of the stored matrix.
fn dense(tiles: &dyn Tiles, count: usize, compute: &Compute) -> Result<CenteredEigen> {
    let matrix = CenteredMatrix::new(tiles, compute)?;
    let eigen = symmetric_eigen(matrix.values.view(), compute)?;
    let n = eigen.values.len();
    let order: Vec<usize> = (n - count..n).rev().collect();
    let values = order.iter().map(|&j| eigen.values[j]).collect();
    let vectors = eigen.vectors.select(Axis(1), &order);
    let smallest = eigen.values.first().copied();
    let evidence = EigenEvidence { residual: 0.0, products: 0, landmarks: 0, trace_missed: 0.0, smallest };
    Ok(matrix.pairs(values, vectors, Some(eigen.values), evidence))
}

/// The leading eigenpairs of the stored matrix, which is centered only if it is not symmetric
/// before: for 5000 rows the pass over it would take as long as two products.
fn stored(tiles: &dyn Tiles, count: usize, compute: &Compute) -> Result<CenteredEigen> {
    if !tiles.symmetric() {
        let matrix = CenteredMatrix::new(tiles, compute)?;
        let product = ByProduct::new(matrix.values.nrows(), |v| multiply(matrix.values.view(), v, compute));
        let found = leading_eigen(&product, count, compute)?;
        let evidence = iterated(found.residual, found.products);
        return Ok(matrix.pairs(found.values, found.vectors, None, evidence));
    }
    let matrix = gram::dense(tiles, compute)?;
    let means = Means::of_stored(matrix.view(), compute)?;
    let product = ByProduct::new(matrix.nrows(), |v| multiply(matrix.view(), v, compute));
    by_products(&product, means, matrix.diag().to_vec(), count, compute)
}

/// The leading eigenpairs by products with tiles.
fn by_tiles(tiles: &dyn Tiles, count: usize, compute: &Compute) -> Result<CenteredEigen> {
    let quiet = compute.silent();
    let means = Means::of(tiles, &quiet)?;
    by_products(&Tiled::new(tiles, &quiet), means, tiles.diagonal()?, count, compute)
}

/// The leading eigenpairs of `v ↦ H(K(Hv))`.
fn by_products(
    product: &dyn Operator,
    means: Means,
    diagonal: Vec<f64>,
    count: usize,
    compute: &Compute,
) -> Result<CenteredEigen> {
    let found = leading_eigen(&Centered::new(product), count, compute)?;
    let evidence = iterated(found.residual, found.products);
    let trace = means.diagonal(&diagonal).sum();
    Ok(assemble((found.values, found.vectors), means, &diagonal, trace, (None, evidence)))
}

fn iterated(residual: f64, products: usize) -> EigenEvidence {
    EigenEvidence { residual, products, landmarks: 0, trace_missed: 0.0, smallest: None }
}

/// `HKH`, stored.
struct CenteredMatrix {
    values: Array2<f64>,
    means: Means,
    /// Of `K`.
    diagonal: Vec<f64>,
}

impl CenteredMatrix {
    fn new(tiles: &dyn Tiles, compute: &Compute) -> Result<Self> {
        let mut values = gram::dense(tiles, compute)?;
        let diagonal = values.diag().to_vec();
        let means = center(&mut values, tiles.symmetric(), compute)?;
        if !tiles.symmetric() {
            make_symmetric(&mut values)?;
        }
        Ok(Self { values, means, diagonal })
    }

    fn pairs(
        self,
        values: Vec<f64>,
        vectors: Array2<f64>,
        spectrum: Option<Vec<f64>>,
        evidence: EigenEvidence,
    ) -> CenteredEigen {
        let trace = self.values.diag().sum();
        assemble((values, vectors), self.means, &self.diagonal, trace, (spectrum, evidence))
    }
}

pub(super) fn assemble(
    (values, mut vectors): (Vec<f64>, Array2<f64>),
    means: Means,
    diagonal: &[f64],
    trace: f64,
    (spectrum, evidence): (Option<Vec<f64>>, EigenEvidence),
) -> CenteredEigen {
    for mut column in vectors.columns_mut() {
        if is_negative(column.iter().copied()) {
            column.mapv_inplace(|v| -v);
        }
    }
    let rounding = rounding(diagonal.len(), diagonal.iter().copied().chain([means.scale()]));
    CenteredEigen { values, vectors, means, trace, rounding, spectrum, evidence }
}

/// `nε` times the largest size of some values.
pub(super) fn rounding(n: usize, values: impl Iterator<Item = f64>) -> f64 {
    n as f64 * f64::EPSILON * values.fold(0.0_f64, |m, v| m.max(v.abs()))
}

/// Whether the entry that is the largest in size is negative, the first of equals.
pub(super) fn is_negative(entries: impl Iterator<Item = f64> + Clone) -> bool {
    let largest = entries.clone().fold(0.0_f64, |m, v| m.max(v.abs()));
    entries.into_iter().find(|v| v.abs() >= (1.0 - TIE) * largest).is_some_and(|v| v < 0.0)
}

/// The mean of a centered matrix and its transpose, if they differ by rounding alone.
fn make_symmetric(matrix: &mut Array2<f64>) -> Result<()> {
    let largest = matrix.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for i in 0..matrix.nrows() {
        for j in 0..i {
            let (below, above) = (matrix[[i, j]], matrix[[j, i]]);
            if (below - above).abs() > ASYMMETRY * largest {
                return Err(Error::precomputed("a fit on precomputed kernel values", PrecomputedNeed::Symmetric));
            }
            let mean = 0.5 * (below + above);
            (matrix[[i, j]], matrix[[j, i]]) = (mean, mean);
        }
    }
    Ok(())
}

/// `AV` for a stored matrix, in blocks of rows.
fn multiply(a: ArrayView2<f64>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let columns = v.ncols();
    let mut out = Array2::zeros((a.nrows(), columns));
    if let Some(values) = out.as_slice_mut().filter(|_| columns > 0) {
        compute.try_each_chunk(values, ROWS * columns, |at, part| {
            compute.check_canceled()?;
            let rows = part.len() / columns;
            let block = ArrayViewMut2::from_shape((rows, columns), part).expect("blocks are whole rows");
            matmul(block, Target::Replace, a.slice(s![at * ROWS..at * ROWS + rows, ..]), v, 1.0);
            Ok(())
        })?;
    }
    Ok(out)
}

impl CenteredEigen {
    /// `A` and `b` of `fⱼ(x) = Σᵢ A_ij k(x, xᵢ) + bⱼ`, the projection of a centered point on the
    /// unit vector of component `j`: `A = V/√μ` (0 where `μ ≤ 0`) and `b = −Aᵀc`.
    pub(crate) fn functions(&self, values: &[f64]) -> (Array2<f64>, Array1<f64>) {
        let scales = Array1::from_iter(values.iter().map(|&mu| if mu > 0.0 { 1.0 / mu.sqrt() } else { 0.0 }));
        // Eigenvectors of positive eigenvalues have mean 0 up to rounding, which large kernel
        // values would magnify.
        let coefficients = without_means(&self.vectors * &scales);
        let offset = -coefficients.t().dot(&self.means.columns);
        (coefficients, offset)
    }
}
