//! Newton's method: steps until the duality gap is small.

use ndarray::{Array1, Array2, ArrayView2};

use super::direction::{Inner, gains, lost_penalty};
use super::iterative::Preconditioner;
use super::plan::{LossPlan, LossSolver};
use super::state::{NewtonState, Setting, dot};
use crate::gram::Bound;
use crate::learn::loss::LossTerm;
use crate::operator::{Operator, Tiled};
use crate::solve::Stopped;
use crate::solve::newton::DataTerm;
use crate::{Compute, Error, Kernel, Precision, Result};

/// Digits of the functions beyond which a last step is of no use.
const ALL_DIGITS: f64 = 1e-12;

/// What the caller may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::learn) struct Options {
    /// Stop when `gap ≤ tolerance·max(|objective|, Σ wᵢ|ℓ(yᵢ, 0)|)`, after one more step.
    pub(in crate::learn) tolerance: f64,
    pub(in crate::learn) max_iterations: usize,
}

/// The problem, ready for any penalty.
pub(in crate::learn) struct Problem<'a> {
    pub(in crate::learn) model: LossTerm<'static>,
    matrix: Tiled<'a>,
    kernel: &'a Kernel,
    inner: Inner,
    intercept: bool,
    compute: Compute,
}

/// Where to begin.
#[derive(Clone, Copy)]
struct Start<'s> {
    alpha: ArrayView2<'s, f64>,
    intercept: &'s Array1<f64>,
}

/// The last state, and how it was reached.
pub(in crate::learn) struct Solution {
    pub(in crate::learn) state: NewtonState,
    pub(in crate::learn) iterations: usize,
    pub(in crate::learn) stopped: Stopped,
}

impl<'a> Problem<'a> {
    /// `mu` is the smallest penalty of the path.
    pub(in crate::learn) fn new(
        model: LossTerm<'static>,
        bound: &'a Bound<'_>,
        intercept: bool,
        mu: f64,
        plan: &LossPlan,
        compute: &Compute,
    ) -> Result<Self> {
        // Newton steps to the last digit need every digit of the products.
        let double = compute.clone().with_precision(Precision::Double);
        let matrix = if plan.stored { Tiled::stored(bound, &double)? } else { Tiled::new(bound, &double) };
        let inner = if plan.solver == LossSolver::Newton {
            Inner::Dense
        } else {
            let bend = mu / model.weights.fold(0.0_f64, |m, w| m.max(*w));
            Inner::Iterative(Preconditioner::new(matrix.tiles(), plan.rank, bend, compute)?)
        };
        Ok(Self { model, matrix, kernel: bound.kernel(), inner, intercept, compute: compute.clone() })
    }

    fn at(&self, mu: f64) -> Setting<'_> {
        Setting { model: &self.model, matrix: &self.matrix, kernel: self.kernel, mu, intercept: self.intercept }
    }

    /// The minimum for the penalty `(μ/2)‖h‖²`.
    fn minimize(&self, mu: f64, start: Option<Start<'_>>, options: &Options) -> Result<Solution> {
        let at = self.at(mu);
        let mut run = Run { state: self.begin(start, at)?, iterations: 0, first: None, options, problem: self, at };
        let stopped = run.finish()?;
        Ok(Solution { state: run.state, iterations: run.iterations, stopped })
    }

    /// The minimum for every penalty, each begun where the last one ended.
    pub(in crate::learn) fn path(&self, penalties: &[f64], options: &Options) -> Result<Vec<Solution>> {
        let mut found: Vec<Solution> = Vec::with_capacity(penalties.len());
        for &mu in penalties {
            let last = found.last().map(|s| Start { alpha: s.state.alpha.view(), intercept: &s.state.intercept });
            found.push(self.minimize(mu, last, options)?);
        }
        Ok(found)
    }

    /// `f₋ᵢ(xᵢ)`, what the function of a state would be at each point without it, by one Newton
    /// step: `fᵢ − (αᵢ/Wᵢ)(1/Gᵢᵢ − μ)`. `None` unless the matrix is stored and there is one
    /// function.
    pub(in crate::learn) fn leave_one_out(&self, state: &NewtonState, mu: f64) -> Result<Option<Array1<f64>>> {
        let (Inner::Dense, Some(k), 1) = (&self.inner, self.matrix.values(), self.model.outputs()) else {
            return Ok(None);
        };
        let at = self.at(mu);
        let (root, gain) = gains(state, k, at, &self.compute)?;
        let (bend, f) = (root.block(0, 0), state.values());
        let without = |i: usize| {
            let change = state.alpha[[i, 0]] / bend[i] * (1.0 / gain[i] - mu);
            f[[i, 0]] - if bend[i] > 0.0 { change } else { 0.0 }
        };
        Ok(Some((0..f.nrows()).map(without).collect()))
    }

    fn begin(&self, start: Option<Start<'_>>, at: Setting<'_>) -> Result<NewtonState> {
        let shape = (self.model.rows(), self.model.outputs());
        match start {
            None => NewtonState::new(Array2::zeros(shape), Array2::zeros(shape), Array1::zeros(shape.1), at),
            Some(start) => {
                let alpha = start.alpha.to_owned();
                let image = self.matrix.apply(alpha.view())?;
                NewtonState::new(alpha, image, start.intercept.clone(), at)
            }
        }
    }
}

struct Run<'r> {
    state: NewtonState,
    iterations: usize,
    /// The first relative gap.
    first: Option<f64>,
    options: &'r Options,
    problem: &'r Problem<'r>,
    at: Setting<'r>,
}

impl Run<'_> {
    fn finish(&mut self) -> Result<Stopped> {
        loop {
            self.report();
            self.check_definite()?;
            if self.relative_gap() <= self.options.tolerance {
                self.polish();
                return Ok(Stopped::Converged);
            }
            if self.iterations >= self.options.max_iterations {
                return Ok(Stopped::StepLimit);
            }
            match self.advance() {
                Ok(true) => self.iterations += 1,
                Ok(false) => return Ok(Stopped::Stalled),
                Err(Error::Canceled) => {
                    self.problem.compute.check_aborted()?;
                    return Ok(Stopped::Canceled);
                }
                Err(Error::NotConverged { .. }) => return Ok(Stopped::Stalled),
                Err(other) => return Err(other),
            }
        }
    }

    /// One more step after the tolerance is met. The gap is the square of an error: at a gap of
    /// `1e-12` six digits of the functions are right, after another step, which squares the error,
    /// twice as many. The solution has converged without it, so that a step that fails does no
    /// harm.
    fn polish(&mut self) {
        let error = self.relative_gap().sqrt();
        let fine = error <= self.options.tolerance.max(ALL_DIGITS);
        if !fine && self.iterations < self.options.max_iterations && matches!(self.advance(), Ok(true)) {
            self.iterations += 1;
        }
    }

    /// One step; false when it is lost in rounding.
    fn advance(&mut self) -> Result<bool> {
        self.problem.compute.check_canceled()?;
        let step = self.problem.inner.step(&self.state, self.at, &self.problem.compute)?;
        let Some(next) = self.state.after(&step, self.at)? else { return Ok(false) };
        let rounding = 1e-13 * self.scale();
        let better = next.gap < self.state.gap || next.objective < self.state.objective - rounding;
        if better {
            self.state = next;
        }
        Ok(better)
    }

    fn scale(&self) -> f64 {
        self.at.model.scale().max(self.state.objective.abs())
    }

    fn relative_gap(&self) -> f64 {
        if self.state.gap <= 0.0 { 0.0 } else { self.state.gap / self.scale() }
    }

    /// The gap is a squared norm: below 0 there is no such norm, unless `μ` is so small that the
    /// terms of `ρᵀKρ` overflow or cancel.
    fn check_definite(&self) -> Result<()> {
        if self.state.gap >= -1e-10 * self.scale() {
            return Ok(());
        }
        let (value, missing) = (self.state.gap * 2.0 / self.at.mu, &self.state.missing);
        let trace: f64 = self.at.matrix.diagonal()?.sum();
        let rounding = missing.nrows() as f64 * f64::EPSILON * trace * dot(missing, missing);
        if !value.is_finite() || !rounding.is_finite() || value >= -rounding {
            return Err(lost_penalty());
        }
        let reason = format!("on this data a vector ρ of the iteration has ρᵀKρ = {value:e}");
        Err(Error::NotPositiveDefinite { kernel: self.problem.kernel.short(), reason, counterexample: None })
    }

    /// Progress on the scale of the logarithm of the gap.
    fn report(&mut self) {
        let now = self.relative_gap();
        let first = *self.first.get_or_insert(now);
        let decades = |from: f64, to: f64| (1000.0 * (from / to).log10().max(0.0)) as u64;
        let goal = self.options.tolerance;
        let total = decades(first, goal).max(1);
        let left = if now <= goal { 0 } else { decades(now, goal).max(1) };
        self.problem.compute.report("Newton steps", total.saturating_sub(left), total);
    }
}
