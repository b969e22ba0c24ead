//! The data term `Σ wᵢℓ(yᵢ, fᵢ)` as a function of the values `f` at the points: one column per
//! function.

use ndarray::{Array1, Array2, ArrayView1, ArrayViewMut1, Axis};

use super::root::Root;
use crate::learn::loss::Loss;

/// The observations and what a wrong value costs.
#[derive(Clone, Debug)]
pub(in crate::learn) struct Model {
    pub(in crate::learn) weights: Array1<f64>,
    pub(in crate::learn) kind: Kind,
}

#[derive(Clone, Debug)]
pub(in crate::learn) enum Kind {
    /// One function, one loss per point.
    Pointwise { loss: Loss, targets: Vec<f64> },
    /// A function per class: `ℓ = −log softmax(f)_y`.
    Softmax { labels: Vec<usize>, classes: usize },
}

impl Model {
    pub(super) fn rows(&self) -> usize {
        self.weights.len()
    }

    /// The number of functions.
    pub(super) fn functions(&self) -> usize {
        match &self.kind {
            Kind::Pointwise { .. } => 1,
            Kind::Softmax { classes, .. } => *classes,
        }
    }

    /// `Σ wᵢℓ(yᵢ, fᵢ)`; points of weight 0 do not count, whatever their loss.
    pub(super) fn loss(&self, f: &Array2<f64>) -> f64 {
        let weighted = f.rows().into_iter().zip(&self.weights).enumerate().filter(|(_, (_, w))| **w > 0.0);
        match &self.kind {
            Kind::Pointwise { loss, targets } => weighted.map(|(i, (row, w))| w * loss.value(targets[i], row[0])).sum(),
            Kind::Softmax { labels, .. } => weighted.map(|(i, (row, w))| w * (log_sum_exp(row) - row[labels[i]])).sum(),
        }
    }

    /// `Σ wᵢ|ℓ(yᵢ, 0)|`: the scale on which a gap is small.
    pub(super) fn scale(&self) -> f64 {
        match &self.kind {
            Kind::Pointwise { loss, targets } => {
                targets.iter().zip(&self.weights).map(|(y, w)| w * loss.value(*y, 0.0).abs()).sum()
            }
            Kind::Softmax { classes, .. } => self.weights.sum() * (*classes as f64).ln(),
        }
    }

    /// `wᵢ∂ℓ/∂fᵢ`, one row per point.
    pub(super) fn gradient(&self, f: &Array2<f64>) -> Array2<f64> {
        let mut gradient = match &self.kind {
            Kind::Pointwise { loss, targets } => {
                Array2::from_shape_fn(f.dim(), |(i, _)| loss.slope(targets[i], f[[i, 0]]))
            }
            Kind::Softmax { labels, .. } => {
                let mut p = softmax(f);
                labels.iter().enumerate().for_each(|(i, &y)| p[[i, y]] = label_slope(p.row(i), y));
                p
            }
        };
        for (mut row, &w) in gradient.rows_mut().into_iter().zip(&self.weights) {
            row.mapv_inplace(|g| if w > 0.0 { w * g } else { 0.0 });
        }
        gradient
    }

    /// `B` with `BBᵀ = wᵢ∂²ℓ/∂f²` at every point. Where the points curve too little to place an
    /// intercept, the curvature of parabolas above the loss takes its position: a smaller step, but
    /// always one downhill.
    pub(super) fn root(&self, f: &Array2<f64>) -> Root {
        match &self.kind {
            Kind::Pointwise { loss, targets } => {
                let of = |bend: fn(Loss, f64, f64) -> f64| -> Array1<f64> {
                    let at = |i: usize| if self.weights[i] > 0.0 { bend(*loss, targets[i], f[[i, 0]]) } else { 0.0 };
                    (0..f.nrows()).map(|i| self.weights[i] * at(i)).collect()
                };
                let (curvature, above) = (of(Loss::curvature), of(Loss::majorant));
                let flat = curvature.sum() <= 1e-6 * above.sum();
                Root::Diagonal(if flat { above } else { curvature }.mapv(f64::sqrt))
            }
            Kind::Softmax { .. } => {
                Root::Softmax { roots: softmax(f).mapv(f64::sqrt), weights: self.weights.mapv(f64::sqrt) }
            }
        }
    }
}

/// `p_y − 1`, from the other probabilities so that it keeps its digits.
fn label_slope(p: ArrayView1<f64>, y: usize) -> f64 {
    -p.iter().enumerate().filter(|(c, _)| *c != y).map(|(_, p)| p).sum::<f64>()
}

/// `log Σ exp f_c`.
fn log_sum_exp(f: ArrayView1<f64>) -> f64 {
    let top = f.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    top + f.iter().map(|v| (v - top).exp()).sum::<f64>().ln()
}

/// `exp f_c / Σ exp f_d`, row by row.
pub(in crate::learn) fn softmax(f: &Array2<f64>) -> Array2<f64> {
    let mut p = f.clone();
    p.axis_iter_mut(Axis(0)).for_each(softmax_row);
    p
}

fn softmax_row(mut row: ArrayViewMut1<f64>) {
    let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    row.mapv_inplace(|v| (v - top).exp());
    let sum = row.sum();
    row.mapv_inplace(|v| v / sum);
}

/// The same for one row in a slice.
pub(in crate::learn) fn softmax_in_place(row: &mut [f64]) {
    softmax_row(ArrayViewMut1::from(row));
}
