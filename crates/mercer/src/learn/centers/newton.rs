//! Newton's method over the coefficients of the centers; one step for the squared loss.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::basis::CenterBasis;
use super::gradients::System;
use super::precondition::Part;
use super::steps::halved;
use super::sweep::Matrix;
use crate::learn::Loss;
use crate::{Compute, Result};

/// The problem `min Σ vᵢℓ(yᵢ, f(xᵢ)) + λ‖w‖²` with `f = K_nmL⁻ᵀw + b`.
pub(super) struct Problem<'p> {
    pub(super) loss: Loss,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) matrix: Matrix<'p>,
    pub(super) basis: &'p CenterBasis,
    pub(super) part: &'p Part,
    /// One column per output.
    pub(super) targets: ArrayView2<'p, f64>,
    pub(super) weights: &'p Array1<f64>,
    pub(super) compute: &'p Compute,
}

/// A point of the iteration.
#[derive(Clone)]
pub(super) struct CenterState {
    pub(super) w: Array2<f64>,
    pub(super) b: Array1<f64>,
    pub(super) fitted: Array2<f64>,
    /// `L⁻¹Kᵀ∂ℓ`, without the penalty.
    pub(super) gradient: Array2<f64>,
    pub(super) objective: f64,
}

/// How the iteration went.
pub(super) struct Solution {
    pub(super) state: CenterState,
    pub(super) newton_steps: usize,
    pub(super) iterations: usize,
    pub(super) residual: f64,
    pub(super) converged: bool,
}

/// Sees the iterates `(w, b)` and may stop the work.
pub(super) type Watch<'w> = dyn FnMut(ArrayView2<f64>, &Array1<f64>) -> Result<bool> + 'w;

/// When to stop.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    pub(super) tolerance: f64,
    pub(super) max_iterations: usize,
    pub(super) newton_steps: usize,
}

impl Problem<'_> {
    pub(super) fn solve(&self, stop: Stop, watch: &mut Watch<'_>) -> Result<Solution> {
        let zero = Array2::zeros((self.basis.count(), self.targets.ncols()));
        let mut state = self.state(zero, Array1::zeros(self.targets.ncols()))?;
        let (mut iterations, mut steps, mut residual, mut converged) = (0, 0, f64::INFINITY, false);
        while steps < stop.newton_steps && !converged {
            self.compute.check_canceled()?;
            let left = Stop { max_iterations: stop.max_iterations.saturating_sub(iterations), ..stop };
            let step = self.direction(&state, left, watch)?;
            iterations += step.iterations;
            residual = step.residual;
            steps += 1;
            let before = state.objective;
            state = self.advance(state, &step)?;
            let settled = before - state.objective <= stop.tolerance * before.abs();
            converged = if self.loss == Loss::Squared { residual <= stop.tolerance } else { settled };
            if step.stopped || self.loss == Loss::Squared || iterations >= stop.max_iterations {
                break;
            }
        }
        Ok(Solution { state, newton_steps: steps, iterations, residual, converged })
    }

    /// Everything at `(w, b)`, in one pass.
    fn state(&self, w: Array2<f64>, b: Array1<f64>) -> Result<CenterState> {
        let alpha = self.basis.coefficients(w.view(), self.compute)?;
        let outputs = self.targets.ncols();
        let slopes = |rows: Range<usize>, values: &[f64], out: &mut [f64]| {
            let lines = values.chunks_exact(outputs).zip(out.chunks_exact_mut(outputs));
            for (i, (values, out)) in rows.zip(lines) {
                for (j, (f, out)) in values.iter().zip(out).enumerate() {
                    *out = self.weights[i] * self.loss.slope(self.targets[[i, j]], f + b[j]);
                }
            }
        };
        let swept = self.matrix.sweep(alpha.view(), &slopes, self.compute)?;
        let gradient = self.basis.features(swept.backward.view(), self.compute)?;
        let fitted = swept.forward + &b;
        let objective = self.objective(&fitted, &w);
        Ok(CenterState { w, b, fitted, gradient, objective })
    }

    fn objective(&self, fitted: &Array2<f64>, w: &Array2<f64>) -> f64 {
        let loss = |(row, &weight): (usize, &f64)| -> f64 {
            let pairs = self.targets.row(row).into_iter().zip(fitted.row(row));
            weight * pairs.map(|(y, f)| self.loss.value(*y, *f)).sum::<f64>()
        };
        self.weights.iter().enumerate().map(loss).sum::<f64>() + self.lambda * w.iter().map(|v| v * v).sum::<f64>()
    }

    /// The Newton step of `w` and `b`.
    fn direction(&self, state: &CenterState, stop: Stop, watch: &mut Watch<'_>) -> Result<CenterStep> {
        // Several outputs come with the squared loss alone, whose curvature is the same for all.
        let curvatures: Array1<f64> = (0..self.weights.len())
            .map(|i| self.weights[i] * self.loss.curvature(self.targets[[i, 0]], state.fitted[[i, 0]]))
            .collect();
        let slopes = Array2::from_shape_fn(self.targets.dim(), |(i, j)| {
            self.weights[i] * self.loss.slope(self.targets[[i, j]], state.fitted[[i, j]])
        });
        let total = curvatures.sum();
        let elimination = InterceptElimination::new(self, &curvatures, total)?;
        let penalty = 2.0 * self.lambda;
        let right = -(&state.gradient + &(&state.w * penalty));
        let slope_sums = slopes.sum_axis(Axis(0));
        let right = elimination.remove(right, &slope_sums);
        let factor = self.part.factor(curvatures.view(), penalty, self.intercept, self.compute)?;
        let apply = |v: ArrayView2<f64>| elimination.apply(v, &curvatures, penalty);
        let precondition = |v: ArrayView2<f64>| factor.solve(v, self.compute);
        let tolerance = if self.loss == Loss::Squared { stop.tolerance } else { 1e-3_f64.min(stop.tolerance.sqrt()) };
        let system = System {
            apply: &apply,
            precondition: &precondition,
            tolerance,
            max_iterations: stop.max_iterations,
            joint: false,
        };
        let mut stopped = false;
        let outcome = system.solve(right.view(), &mut |x| {
            let shift = elimination.shift(&x.to_owned(), &slope_sums);
            stopped = watch((&state.w + &x).view(), &(&state.b + &shift))?;
            Ok(stopped)
        })?;
        let shift = elimination.shift(&outcome.solution, &slope_sums);
        Ok(CenterStep {
            w: outcome.solution,
            b: shift,
            iterations: outcome.iterations,
            residual: outcome.residual,
            stopped,
        })
    }

    /// The step, halved until the objective falls.
    fn advance(&self, state: CenterState, step: &CenterStep) -> Result<CenterState> {
        let after = |s: &CenterState, length: f64| self.state(&s.w + &(&step.w * length), &s.b + &(&step.b * length));
        halved(state, after, |before, next| next.objective <= before.objective || self.loss == Loss::Squared)
    }
}

/// A Newton step.
struct CenterStep {
    w: Array2<f64>,
    b: Array1<f64>,
    iterations: usize,
    residual: f64,
    /// Whether the watcher stopped it.
    stopped: bool,
}

/// The unpenalized constant, eliminated from the system of a step.
struct InterceptElimination<'c, 'p> {
    problem: &'c Problem<'p>,
    /// `c = ZᵀD1`, and `1ᵀD1`; none without an intercept.
    sums: Option<(Array1<f64>, f64)>,
}

impl<'c, 'p> InterceptElimination<'c, 'p> {
    fn new(problem: &'c Problem<'p>, curvatures: &Array1<f64>, total: f64) -> Result<Self> {
        if !problem.intercept || total <= 0.0 {
            return Ok(Self { problem, sums: None });
        }
        let column = curvatures.view().insert_axis(Axis(1));
        let sums = problem.matrix.backward(column, problem.compute)?;
        let features = problem.basis.features(sums.view(), problem.compute)?;
        Ok(Self { problem, sums: Some((features.index_axis_move(Axis(1), 0), total)) })
    }

    /// The right-hand side after elimination: `r − c·r_b/1ᵀD1` with `r_b = −Σ∂ℓ`.
    fn remove(&self, mut right: Array2<f64>, slope_sums: &Array1<f64>) -> Array2<f64> {
        if let Some((c, total)) = &self.sums {
            for (mut column, sum) in right.columns_mut().into_iter().zip(slope_sums) {
                column.scaled_add(sum / total, c);
            }
        }
        right
    }

    /// The step of the constant: `(r_b − cᵀv)/1ᵀD1`.
    fn shift(&self, v: &Array2<f64>, slope_sums: &Array1<f64>) -> Array1<f64> {
        match &self.sums {
            Some((c, total)) => (-slope_sums - &v.t().dot(c)) / *total,
            None => Array1::zeros(v.ncols()),
        }
    }

    /// `(ZᵀDZ + penalty·I − ccᵀ/1ᵀD1)v`.
    fn apply(&self, v: ArrayView2<f64>, curvatures: &Array1<f64>, penalty: f64) -> Result<Array2<f64>> {
        let (problem, count) = (self.problem, v.ncols());
        let alpha = problem.basis.coefficients(v, problem.compute)?;
        let weigh = |rows: Range<usize>, values: &[f64], out: &mut [f64]| {
            for (i, (values, out)) in rows.zip(values.chunks_exact(count).zip(out.chunks_exact_mut(count))) {
                out.iter_mut().zip(values).for_each(|(out, f)| *out = curvatures[i] * f);
            }
        };
        let swept = problem.matrix.sweep(alpha.view(), &weigh, problem.compute)?;
        let mut image = problem.basis.features(swept.backward.view(), problem.compute)?;
        image.scaled_add(penalty, &v);
        if let Some((c, total)) = &self.sums {
            let shares = v.t().dot(c) / *total;
            for (mut column, share) in image.columns_mut().into_iter().zip(&shares) {
                column.scaled_add(-share, c);
            }
        }
        Ok(image)
    }
}
