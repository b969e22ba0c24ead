//! Gradient steps on the orthogonal group.

use ndarray::{Array2, ArrayView2};

use super::contrast::Measure;
use crate::solve::{MinimizeOptions, inverse, minimize};
use crate::{Compute, Result};

/// What the steps ended with.
pub(super) struct Polished {
    pub(super) rotation: Array2<f64>,
    pub(super) contrast: f64,
    pub(super) steps: usize,
    pub(super) converged: bool,
}

/// A local minimum of the contrast of `Rz` near a rotation.
///
/// # Formula
/// `R = (I − B)⁻¹(I + B)R₀` with a skew-symmetric `B` (Cayley's map) is orthogonal for every `B`, so
/// that L-BFGS runs on the `m(m − 1)/2` entries of `B` without constraints; from
/// `dR R₀ᵀ = (I − B)⁻¹dB(I + RR₀ᵀ)` the gradient by `B` is the skew-symmetric part of
/// `(I − B)⁻ᵀ(∂J/∂R)R₀ᵀ(I + RR₀ᵀ)ᵀ`, doubled.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(super) fn polish(
    z: ArrayView2<f64>,
    start: &Array2<f64>,
    measure: &Measure,
    tolerance: f64,
    compute: &Compute,
) -> Result<Polished> {
    let m = z.ncols();
    let pairs: Vec<(usize, usize)> = (0..m).flat_map(|i| (i + 1..m).map(move |j| (i, j))).collect();
    let initial = measure.with_gradient(z.dot(&start.t()).view(), compute)?.0;
    // Contrasts near 0 have small gradients: both relative to the contrast at the start.
    let scale = 1.0 / initial.abs().max(f64::MIN_POSITIVE.sqrt());
    let mut objective = |at: &[f64]| {
        compute.check_canceled()?;
        let (left, turn) = cayley(at, &pairs, m);
        let rotation = turn.dot(start);
        let (value, slopes) = measure.with_gradient(z.dot(&rotation.t()).view(), compute)?;
        let by_turn = slopes.t().dot(&z).dot(&start.t());
        let by_skew = left.t().dot(&by_turn).dot(&(Array2::<f64>::eye(m) + &turn).t());
        let gradient = pairs.iter().map(|&(i, j)| scale * (by_skew[[i, j]] - by_skew[[j, i]])).collect();
        Ok((scale * value, gradient))
    };
    let options = MinimizeOptions { tolerance, decrease: 1e-12, max_iterations: 100, ..MinimizeOptions::default() };
    let found = minimize(&mut objective, &vec![0.0; pairs.len()], &options)?;
    let rotation = cayley(&found.point, &pairs, m).1.dot(start);
    Ok(Polished { rotation, contrast: found.value / scale, steps: found.iterations, converged: found.converged })
}

/// `(I − B)⁻¹` and `(I − B)⁻¹(I + B)`; the first exists for every skew-symmetric `B`.
fn cayley(at: &[f64], pairs: &[(usize, usize)], m: usize) -> (Array2<f64>, Array2<f64>) {
    let mut skew = Array2::<f64>::zeros((m, m));
    for (&(i, j), &value) in pairs.iter().zip(at) {
        (skew[[i, j]], skew[[j, i]]) = (value, -value);
    }
    let left = inverse(Array2::eye(m) - &skew);
    let turn = left.dot(&(Array2::eye(m) + &skew));
    (left, turn)
}
