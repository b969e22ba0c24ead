//! Weights by centered alignment.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::grams::Grams;
use super::inner::forms;
use super::quadratic;
use crate::{Compute, Error, Result};

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
    let rows = ArrayView1::from(grams.row_weights());
    let mean = rows.dot(&targets) / rows.sum();
    let by_row = rows.insert_axis(Axis(1));
    let (centered, roots) = (&targets - &mean, by_row.mapv(f64::sqrt));
    let weighted = &centered * &by_row;
    let across = Array1::from(forms(&weighted, &grams.images(which, weighted.view(), compute)?));
    let products = grams.inner_products(which, compute)?;
    let size = norm_of_square(&(&centered * &roots));
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
