//! The choice of parameters by the marginal likelihood: in logarithms, from several starts.

use std::sync::Arc;

use ndarray::{Array2, ArrayView1};

use super::GaussianProcess;
use super::decomposition::Route;
use super::features::FeatureRows;
use super::likelihood::Posterior;
use crate::error::Remedy;
use crate::gram::{Bound, Pairs};
use crate::learn::parameter_space::{ParameterSpace, Search, SearchOptions, Target, search};
use crate::solve::CurvedObjective;
use crate::{Compute, Error, Kernel, Points, Result};

/// Lengthscales of single columns that are this many times the shortest, as logarithms: from the
/// first on a column may be of no relevance, from the second on it takes no part any more.
const LONG: (f64, f64) = (2.3, 6.9);
/// A search goes on without a column where the log likelihood is lower by at most this. Most columns
/// of little relevance cost ten times that or nothing (`bench/gaussian_process.py`, lengthscales per
/// column: one case of 36 gains, 0.02; one to six evaluations more in eight others).
const NEARLY: f64 = 0.1;

/// How the parameters were chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimization {
    /// Whether the gradient was small at the end.
    pub converged: bool,
    /// Steps of the best run.
    pub iterations: usize,
    /// The log marginal likelihood that each start led to; negative infinity for a start at which
    /// it is not defined.
    pub likelihoods: Vec<f64>,
    /// Times that the likelihood was evaluated.
    pub evaluations: usize,
    /// Whether a time limit ended the search: the parameters are the best until then.
    pub interrupted: bool,
}

/// The kernel and the noise of the largest marginal likelihood that was found.
pub(super) fn optimize(
    process: &GaussianProcess,
    kernel: &Kernel,
    x: Points<'_>,
    y: ArrayView1<f64>,
    compute: &Compute,
) -> Result<(Kernel, f64, Optimization)> {
    let space = ParameterSpace::new(kernel, ("noise", process.noise), &process.fixed, &process.free);
    let start = space.start();
    let silent = compute.silent();
    let mut objective =
        NegativeLikelihood { space: &space, x: x.reborrow(), y: y.view(), compute: &silent, last: None, rows: None };
    let options = SearchOptions {
        restarts: process.restarts,
        parameters: start.len(),
        tolerance: 1e-6,
        scale: x.len() as f64,
        work: &format!("parameters of {} on {} rows", process.kernel, x.len()),
        describe: |value| format!("log likelihood {:.4}", -value),
    };
    let has_curvature = objective.has_curvature(kernel, process.noise)?;
    let mut found = objective.search(has_curvature, &start, &options, compute)?;
    let again = SearchOptions { restarts: 0, ..options };
    objective
        .leave_out_columns(&mut found, |objective, from| objective.search(has_curvature, from, &again, &silent))?;
    let Some(best) = found.best else {
        // The first start says what is wrong.
        Posterior::new(kernel, process.noise, x, y, compute)?;
        return Err(Error::undefined("the marginal likelihood at every start", Remedy::larger("noise")));
    };
    let (kernel, noise) = space.at(&best.point)?;
    let likelihoods = found.values.iter().map(|v| -v).collect();
    let (converged, iterations, evaluations) = (best.converged, best.iterations, found.evaluations);
    let interrupted = found.interrupted;
    Ok((kernel, noise, Optimization { converged, iterations, likelihoods, evaluations, interrupted }))
}

/// `−log p(y)` as a function of the free parameters.
struct NegativeLikelihood<'a> {
    space: &'a ParameterSpace<'a>,
    x: Points<'a>,
    y: ArrayView1<'a, f64>,
    compute: &'a Compute,
    /// At the point that was evaluated last, with the bound kernel where there is one.
    last: Option<(Posterior, Option<Bound<'a>>)>,
    /// The features of the data, where the likelihood is computed in them.
    rows: Option<Arc<FeatureRows>>,
}

impl<'a> NegativeLikelihood<'a> {
    fn last(&self) -> Result<&(Posterior, Option<Bound<'a>>)> {
        self.last.as_ref().ok_or_else(|| Error::undefined("a slope where there is no value", Remedy::larger("noise")))
    }

    fn gradient(&self) -> Result<Vec<f64>> {
        let ((posterior, bound), requested) = (self.last()?, self.space.requested());
        let gradient = posterior.gradient(self.x, self.y, &requested, bound.as_ref(), self.compute)?;
        let mut gradient = self.space.restrict(&gradient);
        if gradient.iter().any(|g| g.is_nan()) {
            gradient = self.space.restrict(&posterior.dense_gradient(self.x, &requested, self.compute)?);
        }
        Ok(gradient.iter().map(|g| -g).collect())
    }

    /// The value and the gradient; infinity and zeros where there are none.
    fn evaluate(&mut self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        let value = self.value(point)?;
        Ok((value, if value.is_finite() { self.gradient()? } else { vec![0.0; point.len()] }))
    }

    /// The search from `start`, with the curvature if it is cheap.
    fn search(
        &mut self,
        has_curvature: bool,
        start: &[f64],
        options: &SearchOptions<'_>,
        compute: &Compute,
    ) -> Result<Search> {
        if has_curvature {
            return search(Target::Curved(self), start, options, compute);
        }
        search(Target::Smooth(&mut |point: &[f64]| self.evaluate(point)), start, options, compute)
    }

    /// Goes on from the best point without a column whose lengthscale is long, where that is nearly as
    /// likely: a column of little relevance often has a local maximum at a long lengthscale beside a
    /// higher one at infinity.
    fn leave_out_columns(
        &mut self,
        found: &mut Search,
        mut search: impl FnMut(&mut Self, &[f64]) -> Result<Search>,
    ) -> Result<()> {
        let lengths = self.space.column_lengths();
        for &column in &lengths {
            let Some(best) = found.best.as_ref().filter(|_| !found.interrupted) else { return Ok(()) };
            let shortest = lengths.iter().map(|&c| best.point[c]).fold(f64::INFINITY, f64::min);
            let length = best.point[column] - shortest;
            if !(LONG.0..LONG.1).contains(&length) {
                continue;
            }
            let mut without = best.point.clone();
            without[column] = shortest + LONG.1 + LONG.0;
            found.evaluations += 1;
            let next = match self.value(&without) {
                Ok(value) if value > best.value + NEARLY => continue,
                Ok(_) => search(self, &without),
                Err(error) => Err(error),
            };
            match next {
                Ok(next) => found.take_over(next),
                Err(Error::Canceled) => {
                    self.compute.after_part()?;
                    found.interrupted = true;
                }
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// Whether the curvature costs no more than an evaluation: not along a line or on a grid, where
    /// evaluations are linear in the rows, nor for kernels whose slopes are computed pair by pair.
    fn has_curvature(&self, kernel: &Kernel, noise: f64) -> Result<bool> {
        match Route::new(kernel, noise, self.x, self.compute)? {
            Route::Line(_) | Route::Grid(_) => Ok(false),
            Route::Features(_) => Ok(true),
            Route::Dense => {
                let bound = kernel.bind(Pairs::Within(self.x.reborrow()), self.compute)?;
                Ok(bound.has_row_slopes(&self.space.requested()))
            }
        }
    }
}

impl CurvedObjective for NegativeLikelihood<'_> {
    /// Infinity where the matrix is singular or a parameter leaves its range.
    fn value(&mut self, point: &[f64]) -> Result<f64> {
        self.last = None;
        let Ok((kernel, noise)) = self.space.at(point) else { return Ok(f64::INFINITY) };
        match Posterior::bound(&kernel, noise, self.x, self.y, self.rows.as_ref(), self.compute) {
            Ok(found) => {
                self.rows = found.0.feature_rows().cloned();
                Ok(-self.last.insert(found).0.log_likelihood)
            }
            Err(Error::Singular { .. } | Error::Undefined { .. } | Error::Value { .. }) => Ok(f64::INFINITY),
            Err(other) => Err(other),
        }
    }

    fn slopes(&mut self) -> Result<(Vec<f64>, Array2<f64>)> {
        let (posterior, bound) = self.last()?;
        let curvature = posterior.information(self.x, &self.space.requested(), bound.as_ref(), self.compute)?;
        Ok((self.gradient()?, curvature))
    }
}
