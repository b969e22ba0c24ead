//! The problem for fixed weights of the kernels, as the search for the weights sees it.

use ndarray::Array2;

use super::grams::Grams;
use crate::{Compute, Result};

/// A learner for fixed weights `β` of the kernels.
///
/// # Formula
/// Its value is `J(β) = max_α ℓ(α) − κ Σ βₘqₘ(α)` with `qₘ = Σ αᵀKₘα` over the columns of `α`: convex
/// in `β`, with the gradient `−κq` at the best `α`. For any `α`, `ℓ(α) − κ max_β Σ βₘqₘ` is a lower
/// bound on the least value.
pub(super) trait Inner {
    /// Solves the problem for weights of some kernels.
    fn solve(&mut self, grams: &Grams<'_>, which: &[usize], beta: &[f64], compute: &Compute) -> Result<Solved>;

    /// `κ`.
    fn factor(&self) -> f64;

    /// An `α` from the targets alone: where its `qₘ` are large are the kernels to begin with.
    fn guess(&self) -> Array2<f64>;

    /// Makes later solutions more exact; `false` if they are as exact as they can be.
    fn refine(&mut self) -> bool {
        false
    }

    /// Whether the curvature needs `Kₘα` only where `α` is not 0.
    fn is_sparse(&self) -> bool {
        false
    }

    /// `R` with the Hessian `RᵀR` of `J` at the last solution, from `Kₘα` of some kernels: a column
    /// for each.
    fn curvature(&self, images: &[Array2<f64>], compute: &Compute) -> Result<Array2<f64>>;
}

/// The solution for some weights.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    /// `J(β)` from below: the dual value that was reached.
    pub(super) value: f64,
    /// By how much `J(β)` may lie above.
    pub(super) gap: f64,
    /// `ℓ(α)`.
    pub(super) linear: f64,
    /// `α`, one column per function.
    pub(super) alpha: Array2<f64>,
}

/// `qₘ` from `α` and `Kₘα`.
pub(super) fn forms(alpha: &Array2<f64>, images: &[Array2<f64>]) -> Vec<f64> {
    images.iter().map(|image| (alpha * image).sum().max(0.0)).collect()
}

/// `L⁻¹G` without its part along `L⁻¹o`: the half of `GᵀBG` for the inverse `B` of `LLᵀ` on the
/// vectors orthogonal to `o`.
pub(super) fn without(mut half: Array2<f64>, direction: &Array2<f64>) -> Array2<f64> {
    let length = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 0.0 {
        let unit = direction.column(0).mapv(|v| v / length);
        let along = unit.dot(&half);
        for (mut row, u) in half.rows_mut().into_iter().zip(&unit) {
            row.scaled_add(-u, &along);
        }
    }
    half
}
