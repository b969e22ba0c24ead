//! The second derivative of a data term, point by point.

use ndarray::{Array1, Array2};

/// `W = ∂²/∂f²` of a data term: at every point a square matrix of the size of the number of
/// functions.
#[derive(Clone, Debug)]
pub(crate) enum Curvature {
    /// A number for every point, the same for all functions.
    Diagonal(Array1<f64>),
    /// `wᵢ(diag p − ppᵀ)` with the probabilities of the classes.
    Softmax { probabilities: Array2<f64>, weights: Array1<f64> },
}

impl Curvature {
    /// `Wᵢv` at a point.
    pub(crate) fn apply(&self, row: usize, v: &[f64], out: &mut [f64]) {
        match self {
            Self::Diagonal(bends) => out.iter_mut().zip(v).for_each(|(out, v)| *out = bends[row] * v),
            Self::Softmax { probabilities, weights } => {
                let p = probabilities.row(row);
                let mean: f64 = p.iter().zip(v).map(|(p, v)| p * v).sum();
                out.iter_mut().zip(v).zip(p).for_each(|((out, v), p)| *out = weights[row] * p * (v - mean));
            }
        }
    }

    /// Whether the functions are coupled.
    pub(super) fn is_joint(&self) -> bool {
        matches!(self, Self::Softmax { .. })
    }

    /// `tr Wᵢ` over the number of functions.
    pub(super) fn means(&self) -> Array1<f64> {
        match self {
            Self::Diagonal(bends) => bends.clone(),
            Self::Softmax { probabilities, weights } => {
                let count = probabilities.ncols() as f64;
                let mean = |row: ndarray::ArrayView1<f64>| row.iter().map(|p| p * (1.0 - p)).sum::<f64>() / count;
                probabilities.rows().into_iter().map(mean).collect::<Array1<f64>>() * weights
            }
        }
    }
}
