//! The result of a streamed fit.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::RidgeStream;
use crate::features::{DrawnFeatures, FeatureFunction, FeatureMap, RidgeStatistics};
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Result};

/// Rows whose features are held at a time while predictions are made. Any few thousand would do.
const ROWS: usize = 4096;

/// One λ with its cross-validated error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LambdaScore {
    /// λ.
    pub lambda: f64,
    /// The mean square of the errors on the folds left out, over all rows and outputs.
    pub score: f64,
}

/// How a fit by several passes ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passes {
    /// Passes over the rows.
    pub passes: usize,
    /// The largest residual over the outputs, relative to the right-hand side, in the norm of the
    /// preconditioner.
    pub residual: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// A fitted [`StreamedRidge`](super::StreamedRidge): `f(x) = wᵀz(x) + b`.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedRidgeFit {
    pub(super) features: DrawnFeatures,
    pub(super) function: FeatureFunction,
    pub(super) intercept: bool,
    pub(super) lambda: f64,
    pub(super) scores: Vec<LambdaScore>,
    pub(super) rows: u64,
    pub(super) total_weight: f64,
    pub(super) total_squares: Array1<f64>,
    pub(super) passes: Option<Passes>,
    pub(crate) settings: Settings,
}

impl RidgeStream {
    /// The function of all rows so far; more may follow.
    ///
    /// # Errors
    /// [`Error::TooFew`] or [`Error::Undetermined`] before the first row, or when a fold has none;
    /// [`Error::Mismatch`] unless the rows are numbered from 0 without a gap; [`Error::Memory`]; as
    /// [`RidgeStatistics::solve`].
    pub fn finish(&self, compute: &Compute) -> Result<StreamedRidgeFit> {
        self.clone().into_fit(compute)
    }

    /// The same without a copy of the statistics.
    ///
    /// # Errors
    /// As [`RidgeStream::finish`].
    pub fn into_fit(mut self, compute: &Compute) -> Result<StreamedRidgeFit> {
        let rows = self.rows();
        self.settle(compute)?;
        // Every fold is rounded, and its exact sums are dropped, before the next one.
        let folds: Vec<RidgeStatistics> =
            std::mem::take(&mut self.folds).into_iter().map(|fold| fold.statistics()).collect();
        let mut all = folds[0].clone();
        folds[1..].iter().try_for_each(|fold| all.merge(fold))?;
        let scores = if folds.len() > 1 { self.scores(rows, &folds, &all, compute)? } else { Vec::new() };
        let best = scores.iter().filter(|s| !s.score.is_nan()).min_by(|a, b| a.score.total_cmp(&b.score));
        let lambda = best.map_or(self.lambdas[0], |best| best.lambda);
        drop(folds);
        Ok(StreamedRidgeFit {
            function: all.solve(lambda, self.intercept, compute)?,
            intercept: self.intercept,
            lambda,
            scores,
            rows,
            total_weight: all.count(),
            total_squares: all.total_squares(),
            passes: None,
            features: self.features,
            settings: self.settings,
        })
    }

    /// The squared error of every λ on the folds left out.
    fn scores(
        &self,
        rows: u64,
        folds: &[RidgeStatistics],
        all: &RidgeStatistics,
        compute: &Compute,
    ) -> Result<Vec<LambdaScore>> {
        let count = folds.len();
        if rows < count as u64 {
            return Err(Error::undetermined(
                "lambda",
                format!("{count} folds of {rows} rows are too small"),
                "give one λ, or fewer folds",
            ));
        }
        let mut errors = vec![0.0; self.lambdas.len()];
        for (done, fold) in folds.iter().enumerate() {
            let mut others = all.clone();
            others.remove(fold)?;
            for (error, &lambda) in errors.iter_mut().zip(&self.lambdas) {
                compute.check_canceled()?;
                *error += fold.error_of(&others.solve(lambda, self.intercept, compute)?)?.sum();
            }
            compute.report("choosing λ", done as u64 + 1, count as u64);
        }
        let scale = all.count() * all.outputs() as f64;
        let score = |(&lambda, error): (&f64, f64)| LambdaScore { lambda, score: error / scale };
        Ok(self.lambdas.iter().zip(errors).map(score).collect())
    }
}

impl StreamedRidgeFit {
    /// The settings of the fit; empty for a fit from a file that does not store them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// `f(x)` for every row of `x`, one column per output.
    ///
    /// # Errors
    /// As [`FeatureMap::transform`].
    pub fn predict(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let mut values = Array2::zeros((x.nrows(), self.function.weights().ncols()));
        for start in (0..x.nrows()).step_by(ROWS) {
            let rows = ndarray::s![start..x.nrows().min(start + ROWS), ..];
            values.slice_mut(rows).assign(&self.function.predict(&self.features, x.slice(rows), compute)?);
        }
        // No rows: the columns are checked all the same.
        if x.nrows() == 0 {
            self.features.transform(x, compute)?;
        }
        Ok(values)
    }

    /// The kernel, with medians resolved.
    pub fn kernel(&self) -> &Kernel {
        self.features.kernel()
    }

    /// The features.
    pub fn features(&self) -> &DrawnFeatures {
        &self.features
    }

    /// `w`, one row per feature, one column per output.
    pub fn weights(&self) -> ArrayView2<'_, f64> {
        self.function.weights()
    }

    /// `b` of every output, where one was fitted.
    pub fn intercept(&self) -> Option<ArrayView1<'_, f64>> {
        self.intercept.then(|| self.function.intercept())
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The cross-validated error of every λ; empty if λ was fixed.
    pub fn scores(&self) -> &[LambdaScore] {
        &self.scores
    }

    /// How several passes ended; nothing for a fit in one pass.
    pub fn passes(&self) -> Option<Passes> {
        self.passes
    }

    /// The rows that were seen.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The sum of their weights: the number of rows where there are none.
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// `Σ v(y − f)²` on the data of the fit, for every output.
    pub fn residual_squares(&self) -> ArrayView1<'_, f64> {
        self.function.residual_squares()
    }

    /// `Σ v(y − ȳ)²` on the data of the fit, for every output.
    pub fn total_squares(&self) -> ArrayView1<'_, f64> {
        self.total_squares.view()
    }
}
