//! The data term `Σ wᵢℓ(yᵢ, fᵢ)` as a function of the values `f` at the points: one column per
//! function.

use std::borrow::Cow;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, CowArray, Ix1, Ix2};

use super::{Loss, intercepts};
use crate::solve::newton::{Curvature, DataTerm};

/// Weighted observations and what a wrong value costs.
#[derive(Clone, Debug)]
pub(in crate::learn) struct LossTerm<'d> {
    pub(in crate::learn) weights: CowArray<'d, f64, Ix1>,
    pub(in crate::learn) targets: Targets<'d>,
}

#[derive(Clone, Debug)]
pub(in crate::learn) enum Targets<'d> {
    /// One loss per value: several outputs of the squared loss, one of the others.
    Values { loss: Loss, values: CowArray<'d, f64, Ix2> },
    /// A function per class: `ℓ = −log softmax(f)_y`.
    Classes { labels: Cow<'d, [usize]>, count: usize },
}

impl<'d> LossTerm<'d> {
    /// Values, one row per point and one column per output.
    pub(in crate::learn) fn of_values(
        loss: Loss,
        values: impl Into<CowArray<'d, f64, Ix2>>,
        weights: impl Into<CowArray<'d, f64, Ix1>>,
    ) -> Self {
        Self { weights: weights.into(), targets: Targets::Values { loss, values: values.into() } }
    }

    /// Classes `0, 1, …, count − 1`.
    pub(in crate::learn) fn of_classes(
        labels: impl Into<Cow<'d, [usize]>>,
        count: usize,
        weights: impl Into<CowArray<'d, f64, Ix1>>,
    ) -> Self {
        Self { weights: weights.into(), targets: Targets::Classes { labels: labels.into(), count } }
    }

    /// The same term for a shorter time.
    pub(in crate::learn) fn reborrow(&self) -> LossTerm<'_> {
        let targets = match &self.targets {
            Targets::Values { loss, values } => Targets::Values { loss: *loss, values: values.view().into() },
            Targets::Classes { labels, count } => Targets::Classes { labels: Cow::Borrowed(labels), count: *count },
        };
        LossTerm { weights: self.weights.view().into(), targets }
    }

    /// The term of some rows.
    pub(in crate::learn) fn rows_of(&self, chosen: &[usize]) -> LossTerm<'static> {
        let targets = match &self.targets {
            Targets::Values { loss, values } => {
                Targets::Values { loss: *loss, values: values.select(Axis(0), chosen).into() }
            }
            Targets::Classes { labels, count } => {
                Targets::Classes { labels: chosen.iter().map(|&i| labels[i]).collect(), count: *count }
            }
        };
        LossTerm { weights: self.weights.select(Axis(0), chosen).into(), targets }
    }

    pub(in crate::learn) fn rows(&self) -> usize {
        self.weights.len()
    }

    /// The loss and the targets of one function on values.
    pub(in crate::learn) fn single(&self) -> Option<(Loss, ArrayView1<'_, f64>)> {
        match &self.targets {
            Targets::Values { loss, values } if values.ncols() == 1 => Some((*loss, values.column(0))),
            _ => None,
        }
    }

    /// The loss at a row, without its weight.
    pub(in crate::learn) fn value(&self, row: usize, f: ArrayView1<f64>) -> f64 {
        match &self.targets {
            Targets::Values { loss, values } => {
                values.row(row).into_iter().zip(f).map(|(y, f)| loss.value(*y, *f)).sum()
            }
            Targets::Classes { labels, .. } => log_sum_exp(f) - f[labels[row]],
        }
    }

    /// The values that the mean loss of a row is over.
    pub(in crate::learn) fn values_per_row(&self) -> f64 {
        match &self.targets {
            Targets::Values { values, .. } => values.ncols() as f64,
            Targets::Classes { .. } => 1.0,
        }
    }

    /// `Σ wᵢ|ℓ(yᵢ, 0)|`: the scale on which a gap is small.
    pub(in crate::learn) fn scale(&self) -> f64 {
        match &self.targets {
            Targets::Values { loss, values } => {
                let of = |row: ArrayView1<f64>| row.iter().map(|y| loss.value(*y, 0.0).abs()).sum::<f64>();
                values.rows().into_iter().zip(&self.weights).map(|(row, w)| w * of(row)).sum()
            }
            Targets::Classes { count, .. } => self.weights.sum() * (*count as f64).ln(),
        }
    }

    /// `wᵢ∂ℓ/∂fᵢ`, one row per point.
    pub(in crate::learn) fn gradient(&self, f: &Array2<f64>) -> Array2<f64> {
        crate::operator::mapped(f, &|rows, values, out| {
            let count = self.outputs().max(1);
            for (i, (f, out)) in rows.zip(values.chunks_exact(count).zip(out.chunks_exact_mut(count))) {
                self.slopes(i, f, out);
            }
        })
    }

    /// `wᵢ` times a second derivative at every row, for one loss. Several outputs come with the
    /// squared loss alone, whose curvature is the same for all.
    fn bends(
        &self,
        (loss, targets): (Loss, ArrayView2<f64>),
        f: &Array2<f64>,
        bend: fn(Loss, f64, f64) -> f64,
    ) -> Array1<f64> {
        let at = |(i, w): (usize, &f64)| if *w > 0.0 { w * bend(loss, targets[[i, 0]], f[[i, 0]]) } else { 0.0 };
        self.weights.iter().enumerate().map(at).collect()
    }
}

impl DataTerm for LossTerm<'_> {
    fn outputs(&self) -> usize {
        match &self.targets {
            Targets::Values { values, .. } => values.ncols(),
            Targets::Classes { count, .. } => *count,
        }
    }

    fn is_quadratic(&self) -> bool {
        matches!(self.targets, Targets::Values { loss: Loss::Squared, .. })
    }

    /// Points of weight 0 do not count, whatever their loss.
    fn loss(&self, f: &Array2<f64>) -> f64 {
        let weighted = f.rows().into_iter().zip(&self.weights).enumerate().filter(|(_, (_, w))| **w > 0.0);
        weighted.map(|(i, (row, w))| w * self.value(i, row)).sum()
    }

    fn slopes(&self, row: usize, f: &[f64], out: &mut [f64]) {
        let weight = self.weights[row];
        if weight <= 0.0 {
            out.fill(0.0);
            return;
        }
        match &self.targets {
            Targets::Values { loss, values } => {
                let terms = out.iter_mut().zip(f).zip(values.row(row));
                terms.for_each(|((out, f), y)| *out = weight * loss.slope(*y, *f));
            }
            Targets::Classes { labels, .. } => {
                out.copy_from_slice(f);
                softmax_row(ArrayViewMut1::from(&mut *out));
                let y = labels[row];
                // `p_y − 1`, from the other probabilities so that it keeps its digits.
                out[y] = -out.iter().enumerate().filter(|(c, _)| *c != y).map(|(_, p)| p).sum::<f64>();
                out.iter_mut().for_each(|g| *g *= weight);
            }
        }
    }

    /// Where the points curve too little to place an intercept, the curvature of parabolas above
    /// the loss takes its position: a smaller step, but always one downhill.
    fn curvature(&self, f: &Array2<f64>) -> Curvature {
        match &self.targets {
            Targets::Values { loss, values } => {
                let term = (*loss, values.view());
                let (curvature, above) = (self.bends(term, f, Loss::curvature), self.bends(term, f, Loss::majorant));
                let flat = curvature.sum() <= 1e-6 * above.sum();
                Curvature::Diagonal(if flat { above } else { curvature })
            }
            Targets::Classes { .. } => {
                Curvature::Softmax { probabilities: softmax(f), weights: self.weights.to_owned() }
            }
        }
    }

    fn constants(&self) -> Option<Array1<f64>> {
        let (rows, outputs) = (self.rows(), self.outputs());
        intercepts(self, &Array2::zeros((rows, outputs)), Array1::zeros(outputs)).ok()
    }
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
