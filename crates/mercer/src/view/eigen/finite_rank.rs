//! Eigenpairs in the features of a kernel with finitely many: the same as those of the matrix, in
//! time linear in the rows.

use ndarray::{Array1, ArrayView2, Axis};

use super::EigenEvidence;
use super::centered::{CenteredEigen, assemble};
use crate::features::{ExplicitFeatures, FeatureMap};
use crate::operator::products::{multiply, multiply_transposed};
use crate::solve::{orthonormal, symmetric_eigen};
use crate::view::centering::Means;
use crate::{Compute, Result};

/// The smallest eigenvalue beside the largest whose vector is found by `Zv/√μ`: the error of a unit
/// vector before it is made orthonormal is `ε` times the inverse of this.
const LEAST: f64 = 1e-10;

/// The `count` largest eigenvalues of `HKH = ZZᵀ` with their vectors, for the centered features `Z`.
/// `None` where so many are not clearly above 0.
///
/// # Formula
/// `ZᵀZ = VMVᵀ` gives `U = ZVM^{−½}`. Its columns are made orthonormal, and the eigenpairs of
/// `UᵀZZᵀU` remove what rounding left: eigenvalues have the errors of a decomposition of the matrix.
///
/// # Errors
/// As [`FeatureMap::transform`] and [`symmetric_eigen`].
pub(crate) fn in_features(
    map: &ExplicitFeatures,
    x: ArrayView2<f64>,
    count: usize,
    compute: &Compute,
) -> Result<Option<CenteredEigen>> {
    let mut features = map.transform(x, compute)?;
    let diagonal: Vec<f64> = features.rows().into_iter().map(|z| z.dot(&z)).collect();
    let mean = features.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(features.ncols()));
    let means =
        Means::of_columns(multiply(features.view(), mean.view().insert_axis(Axis(1)), compute)?.column(0).to_owned())?;
    features -= &mean;
    let trace = features.iter().map(|z| z * z).sum();
    let inner = symmetric_eigen(multiply_transposed(features.view(), features.view(), compute)?.view(), compute)?;
    let largest = inner.values.last().copied().unwrap_or(0.0);
    let order: Vec<usize> = (0..inner.values.len()).rev().take(count).collect();
    if order.len() < count || order.iter().any(|&j| inner.values[j] <= LEAST * largest) {
        return Ok(None);
    }
    let roots = Array1::from_iter(order.iter().map(|&j| inner.values[j].sqrt()));
    let map = inner.vectors.select(Axis(1), &order) / &roots;
    let basis = orthonormal(multiply(features.view(), map.view(), compute)?, compute)?;
    let images = multiply_transposed(features.view(), basis.view(), compute)?;
    let ritz = symmetric_eigen(multiply_transposed(images.view(), images.view(), compute)?.view(), compute)?;
    if ritz.values.len() < count {
        return Ok(None);
    }
    let order: Vec<usize> = (0..count).rev().collect();
    let values = order.iter().map(|&j| ritz.values[j]).collect();
    let vectors = multiply(basis.view(), ritz.vectors.select(Axis(1), &order).view(), compute)?;
    let evidence = EigenEvidence { residual: 0.0, products: 0, landmarks: 0, trace_missed: 0.0, smallest: None };
    Ok(Some(assemble((values, vectors), means, &diagonal, trace, (None, evidence))))
}
