//! From the statistics of a pass to the next functions.

use ndarray::s;

use super::stream::{Functions, Past};
use super::{LogisticStream, StreamedLogisticFit};
use crate::features::{FeatureMap, RidgeStatistics};
use crate::{Compute, Error, Result};

/// The share of a step that is taken of several functions: with the blocks between classes left
/// out, curvatures are 1 to 2 times those of the step, and 0.7 leaves at most 0.4 of an error.
const DAMPED: f64 = 0.7;
/// An objective may rise by this share through rounding.
const ROUNDING: f64 = 1e-12;

/// What comes after a pass.
#[derive(Clone, Debug)]
pub enum LogisticStep {
    /// Another pass.
    Again(LogisticStream),
    /// The fit.
    Done(StreamedLogisticFit),
}

impl LogisticStream {
    /// Makes the step of the pass, of which no row may be missing.
    ///
    /// # Errors
    /// [`Error::TooFew`] for no rows, [`Error::Mismatch`] unless they are numbered from 0 without a
    /// gap; as [`RidgeStatistics::solve`].
    pub fn next(mut self, compute: &Compute) -> Result<LogisticStep> {
        let rows = self.rows.rows();
        if rows == 0 {
            return Err(Error::too_few("a fit", "rows", 1, 0));
        }
        self.settle(compute)?;
        self.passes += 1;
        let norms: f64 = self.functions.weights.iter().map(|w| w * w).sum();
        let objective = self.loss.values(0).sum::<f64>() + 0.5 * self.spec.lambda * norms;
        let too_far = self.past.as_ref().filter(|past| objective > past.objective * (1.0 + ROUNDING));
        if let Some(past) = too_far.filter(|_| self.passes < self.spec.max_passes) {
            // Half of the step, from where the pass before was.
            let half = Functions {
                weights: (&self.functions.weights + &past.functions.weights) * 0.5,
                constants: (&self.functions.constants + &past.functions.constants) * 0.5,
            };
            let past = self.past.clone();
            return Ok(self.again(half, past));
        }
        let (next, decrease) = self.newton(compute)?;
        let first = self.past.as_ref().map_or(objective, |past| past.first);
        let converged = decrease <= self.spec.tolerance * first;
        if converged || self.passes >= self.spec.max_passes {
            let functions = if converged { next } else { self.functions.clone() };
            return Ok(LogisticStep::Done(self.fit(functions, (objective, decrease, converged), rows)));
        }
        let past = Past { functions: self.functions.clone(), objective, first };
        Ok(self.again(next, Some(past)))
    }

    /// The functions after the step, and how much of the objective the whole step promises.
    fn newton(&mut self, compute: &Compute) -> Result<(Functions, f64)> {
        let share = if self.functions.constants.len() > 1 { DAMPED } else { 1.0 };
        let mut next = self.functions.clone();
        let mut decrease = 0.0;
        for (c, sums) in std::mem::take(&mut self.sums).into_iter().enumerate() {
            compute.check_canceled()?;
            let statistics: RidgeStatistics = sums.statistics();
            drop(sums);
            let target = statistics.solve(self.spec.lambda, self.spec.intercept, compute)?;
            let step = target.weights().column(0).to_owned() - self.functions.weights.column(c);
            let constant = if self.spec.intercept { target.intercept()[0] - self.functions.constants[c] } else { 0.0 };
            decrease += 0.5 * (statistics.squares_of(step.view(), constant) + self.spec.lambda * step.dot(&step));
            next.weights.slice_mut(s![.., c]).scaled_add(share, &step);
            next.constants[c] += share * constant;
        }
        Ok((next, decrease))
    }

    fn again(self, functions: Functions, past: Option<Past>) -> LogisticStep {
        let Self { features, spec, classes, passes, settings, .. } = self;
        LogisticStep::Again(Self::of_pass(features, (spec, classes), functions, past, passes, settings))
    }

    fn fit(
        self,
        mut functions: Functions,
        (objective, decrease, converged): (f64, f64, bool),
        rows: u64,
    ) -> StreamedLogisticFit {
        // The softmax does not see a constant that all functions share.
        if functions.constants.len() > 1 {
            let mean = functions.constants.mean().unwrap_or(0.0);
            functions.constants -= mean;
        }
        debug_assert_eq!(functions.weights.nrows(), self.features.components());
        StreamedLogisticFit {
            features: self.features,
            functions,
            classes: self.classes,
            lambda: self.spec.lambda,
            objective,
            decrease,
            converged,
            passes: self.passes,
            rows,
            settings: self.settings,
        }
    }
}
