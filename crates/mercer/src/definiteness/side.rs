//! The two sides: `cᵀKc ≥ 0` for all `c`, and `cᵀKc ≤ 0` for `Σ cᵢ = 0`.

use ndarray::{Array2, Axis};

/// The claim that is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// Positive semi-definite.
    Positive,
    /// Negative semi-definite.
    Negative,
}

impl Claim {
    /// The matrix that is PSD by the claim: `K`, or `−JKJ` with `J = I − 11ᵀ/n`.
    pub(super) fn matrix(self, gram: &Array2<f64>) -> Array2<f64> {
        match self {
            Self::Positive => gram.clone(),
            Self::Negative => -centered(gram),
        }
    }

    /// The sign with which `cᵀKc` must be non-negative.
    pub(super) fn sign(self) -> f64 {
        match self {
            Self::Positive => 1.0,
            Self::Negative => -1.0,
        }
    }
}

/// `JKJ`, symmetric to the last bit for symmetric `K`.
fn centered(gram: &Array2<f64>) -> Array2<f64> {
    let n = gram.nrows().max(1) as f64;
    let means = gram.sum_axis(Axis(1)) / n;
    let total = means.sum() / n;
    Array2::from_shape_fn(gram.dim(), |(i, j)| gram[[i, j]] - (means[i] + means[j]) + total)
}

/// `n·ε·max(Σ|Aᵢᵢ|, ‖A‖_F)`, which is `n·ε·trace` for a PSD matrix: eigenvalues below this in size
/// are rounding.
pub(super) fn rounding(a: &Array2<f64>) -> f64 {
    let trace: f64 = a.diag().iter().map(|v| v.abs()).sum();
    let frobenius = a.iter().map(|v| v * v).sum::<f64>().sqrt();
    a.nrows() as f64 * f64::EPSILON * trace.max(frobenius)
}
