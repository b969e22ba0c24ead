//! Held-out rows: they score the iterates and decide when to stop.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::EarlyStopping;
use super::basis::CenterBasis;
use super::newton::Solution;
use super::task::Task;
use crate::gram::{self, Pairs};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Points, their task, and weights.
#[derive(Clone, Copy)]
pub(super) struct CenterData<'d> {
    pub(super) x: Points<'d>,
    pub(super) task: Task<'d>,
    pub(super) weights: &'d Array1<f64>,
}

impl CenterData<'_> {
    /// The same data for a shorter time.
    pub(super) fn again(&self) -> CenterData<'_> {
        let task = match &self.task {
            Task::Values { loss, targets } => Task::Values { loss: *loss, targets: targets.view() },
            Task::Classes { labels, count } => Task::Classes { labels, count: *count },
        };
        CenterData { x: self.x.reborrow(), task, weights: self.weights }
    }
}

/// Some rows of the data, owned.
pub(super) struct Owned<'d> {
    x: Sample,
    targets: Array2<f64>,
    labels: Vec<usize>,
    weights: Array1<f64>,
    task: Task<'d>,
}

impl<'d> Owned<'d> {
    pub(super) fn rows(data: CenterData<'d>, chosen: &[usize]) -> Self {
        let (targets, labels) = match data.task {
            Task::Values { targets, .. } => (targets.select(Axis(0), chosen), Vec::new()),
            Task::Classes { labels, .. } => (Array2::zeros((0, 0)), chosen.iter().map(|&i| labels[i]).collect()),
        };
        let weights = data.weights.select(Axis(0), chosen);
        Self { x: Sample::select(data.x, chosen), targets, labels, weights, task: data.task }
    }

    pub(super) fn data(&self) -> CenterData<'_> {
        let task = match self.task {
            Task::Values { loss, .. } => Task::Values { loss, targets: self.targets.view() },
            Task::Classes { count, .. } => Task::Classes { labels: &self.labels, count },
        };
        CenterData { x: self.x.as_points(), task, weights: &self.weights }
    }
}

impl EarlyStopping {
    /// Training rows and validation rows, both ascending.
    pub(super) fn split(&self, n: usize, compute: &Compute) -> Result<(Vec<usize>, Vec<usize>)> {
        let apart = (self.share * n as f64).round() as usize;
        if !(self.share > 0.0 && self.share < 1.0) || apart == 0 || apart >= n {
            return Err(Error::parameter(
                "held_out",
                self.share,
                "a share between 0 and 1 that leaves rows on both sides",
            ));
        }
        let mut order = compute.seed().stream("held out", 0).permutation(n);
        let mut kept = order.split_off(apart);
        order.sort_unstable();
        kept.sort_unstable();
        Ok((kept, order))
    }
}

/// Scores the iterates on rows that were held out, and remembers the best.
pub(super) struct Validation<'j, 'd> {
    pub(super) patience: usize,
    pub(super) data: CenterData<'d>,
    pub(super) kernel: &'j Kernel,
    pub(super) basis: &'j CenterBasis,
    pub(super) compute: &'j Compute,
    pub(super) scores: Vec<f64>,
    pub(super) best: Option<(usize, Array2<f64>, Array1<f64>)>,
}

impl Validation<'_, '_> {
    /// Whether the scores have stopped to improve.
    pub(super) fn see(&mut self, w: ArrayView2<f64>, b: &Array1<f64>) -> Result<bool> {
        let alpha = self.basis.coefficients(w, self.compute)?;
        let bound =
            self.kernel.bind(Pairs::Between(self.data.x.reborrow(), self.basis.points.as_points()), self.compute)?;
        let fitted = gram::multiply(&bound, alpha.view(), self.compute)? + b;
        let loss =
            |(i, f): (usize, ndarray::ArrayView1<f64>)| self.data.weights[i] * self.data.task.value(i, &f.to_vec());
        let score = fitted.rows().into_iter().enumerate().map(loss).sum::<f64>() / self.scale();
        let at = self.scores.len();
        self.scores.push(score);
        if self.best.as_ref().is_none_or(|(best, ..)| score < self.scores[*best]) {
            self.best = Some((at, w.to_owned(), b.clone()));
        }
        Ok(self.best.as_ref().is_some_and(|(best, ..)| at - best >= self.patience))
    }

    /// The values that a mean is over.
    fn scale(&self) -> f64 {
        let values = match self.data.task {
            Task::Values { targets, .. } => targets.ncols() as f64,
            Task::Classes { .. } => 1.0,
        };
        self.data.weights.sum() * values
    }

    /// Replaces the last iterate by the best one; returns the mean loss of every iterate on the
    /// held-out rows.
    pub(super) fn into_best(self, solution: &mut Solution) -> Vec<f64> {
        if let Some((_, w, b)) = self.best {
            (solution.state.w, solution.state.b) = (w, b);
        }
        self.scores
    }
}
