//! Held-out rows: they score the iterates and decide when to stop.

use ndarray::{Array1, Array2, ArrayView2};

use super::EarlyStopping;
use super::basis::CenterBasis;
use crate::gram::{self, Pairs};
use crate::learn::loss::LossTerm;
use crate::solve::newton::{DataTerm, PrimalSolution};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Points and their observations.
pub(super) struct CenterData<'d> {
    pub(super) x: Points<'d>,
    pub(super) term: LossTerm<'d>,
}

/// Some rows of the data, owned.
pub(super) struct Owned {
    x: Sample,
    term: LossTerm<'static>,
}

impl Owned {
    pub(super) fn rows(data: &CenterData<'_>, chosen: &[usize]) -> Self {
        Self { x: Sample::select(data.x, chosen), term: data.term.rows_of(chosen) }
    }

    pub(super) fn data(&self) -> CenterData<'_> {
        CenterData { x: self.x.as_points(), term: self.term.reborrow() }
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
        let term = &self.data.term;
        let scale = term.weights.sum() * term.values_per_row();
        let score = term.loss(&fitted) / scale;
        let at = self.scores.len();
        self.scores.push(score);
        if self.best.as_ref().is_none_or(|(best, ..)| score < self.scores[*best]) {
            self.best = Some((at, w.to_owned(), b.clone()));
        }
        Ok(self.best.as_ref().is_some_and(|(best, ..)| at - best >= self.patience))
    }

    /// Replaces the last iterate by the best one; returns the mean loss of every iterate on the
    /// held-out rows.
    pub(super) fn into_best(self, solution: &mut PrimalSolution) -> Vec<f64> {
        if let Some((_, w, b)) = self.best {
            (solution.state.w, solution.state.b) = (w, b);
        }
        self.scores
    }
}
