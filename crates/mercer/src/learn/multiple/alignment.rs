//! Weights by centered alignment.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::grams::Grams;
use super::quadratic;
use crate::{Compute, Error, Result};

/// The targets centered, and multiplied by the weights of their rows.
pub(super) fn columns(targets: ArrayView2<f64>, rows: &[f64]) -> Array2<f64> {
    centered(targets, rows) * ArrayView1::from(rows).insert_axis(Axis(1))
}

fn centered(targets: ArrayView2<f64>, rows: &[f64]) -> Array2<f64> {
    let rows = ArrayView1::from(rows);
    let mean = rows.dot(&targets) / rows.sum();
    &targets - &mean
}

/// The weights of largest alignment `⟨Σ βₘKₘ, YYᵀ⟩/‖Σ βₘKₘ‖` of centered matrices, and that
/// alignment divided by `‖YYᵀ‖`.
///
/// # Formula
/// The direction of `argmin vᵀMv − 2vᵀa` over `v ≥ 0`, `Mₘₗ = ⟨Kₘ, Kₗ⟩` and `aₘ = ⟨Kₘ, YYᵀ⟩` (Cortes,
/// Mohri and Rostamizadeh 2012, proposition 9); sums over rows with their weights.
pub(super) fn weights(
    grams: &Grams<'_>,
    which: &[usize],
    targets: ArrayView2<f64>,
    compute: &Compute,
) -> Result<(Vec<f64>, f64)> {
    let rows = grams.row_weights();
    let roots = ArrayView1::from(rows).insert_axis(Axis(1)).mapv(f64::sqrt);
    let Some((products, across)) = grams.products(which) else {
        return Err(Error::undetermined("the alignment weights", "there are no targets", "use the method `mean`"));
    };
    let across = Array1::from(across);
    let size = norm_of_square(&(&centered(targets, rows) * &roots));
    // Values of the size 1, whatever the scale of the targets.
    let unit = across.mapv(|v| v / size.max(f64::MIN_POSITIVE));
    if unit.iter().all(|v| *v <= f64::EPSILON) {
        let because = "no kernel varies with the targets";
        return Err(Error::undetermined("the alignment weights", because, "use other kernels, or the method `mean`"));
    }
    let start = vec![0.0; which.len()];
    let weights = quadratic::minimize(&products, unit.mapv(|v| -v).view(), &start, None, compute)?;
    let v = Array1::from(weights);
    let alignment = v.dot(&unit) / v.dot(&products.dot(&v)).sqrt();
    Ok((v.to_vec(), alignment))
}

/// `‖YYᵀ‖ = ‖YᵀY‖`.
fn norm_of_square(y: &Array2<f64>) -> f64 {
    y.t().dot(y).iter().map(|v| v * v).sum::<f64>().sqrt()
}
