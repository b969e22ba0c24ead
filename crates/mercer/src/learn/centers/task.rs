//! The loss at every point as a function of the values.

use ndarray::{ArrayView2, Axis};

use crate::learn::Loss;
use crate::learn::loss::newton::softmax_in_place;

/// The observations and what a wrong value costs.
#[derive(Clone, Copy)]
pub(super) enum Task<'t> {
    /// One loss per value: several outputs of the squared loss, one of the others.
    Values { loss: Loss, targets: ArrayView2<'t, f64> },
    /// A function per class: `−log softmax(f)_y`.
    Classes { labels: &'t [usize], count: usize },
}

impl Task<'_> {
    /// The number of functions.
    pub(super) fn outputs(&self) -> usize {
        match self {
            Self::Values { targets, .. } => targets.ncols(),
            Self::Classes { count, .. } => *count,
        }
    }

    /// Whether one Newton step is the solution.
    pub(super) fn is_quadratic(&self) -> bool {
        matches!(self, Self::Values { loss: Loss::Squared, .. })
    }

    /// The loss at a row.
    pub(super) fn value(&self, row: usize, f: &[f64]) -> f64 {
        match self {
            Self::Values { loss, targets } => {
                f.iter().zip(targets.index_axis(Axis(0), row)).map(|(f, y)| loss.value(*y, *f)).sum()
            }
            Self::Classes { labels, .. } => {
                let top = f.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
                top + f.iter().map(|v| (v - top).exp()).sum::<f64>().ln() - f[labels[row]]
            }
        }
    }

    /// `∂ℓ/∂f` at a row.
    pub(super) fn slopes(&self, row: usize, f: &[f64], out: &mut [f64]) {
        match self {
            Self::Values { loss, targets } => {
                let targets = targets.index_axis(Axis(0), row);
                out.iter_mut().zip(f).zip(targets).for_each(|((out, f), y)| *out = loss.slope(*y, *f));
            }
            Self::Classes { labels, .. } => {
                out.copy_from_slice(f);
                softmax_in_place(out);
                out[labels[row]] -= 1.0;
            }
        }
    }
}
