//! Newton's method for several classes: a function each, coupled by softmax.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::basis::CenterBasis;
use super::gradients::System;
use super::newton::{CenterState, Solution, Stop, Watch};
use super::precondition::Part;
use super::steps::{halved, joined, parted};
use super::sweep::Matrix;
use super::task::Task;
use crate::learn::loss::newton::softmax;
use crate::solve::CholeskyFactor;
use crate::{Compute, Result};

/// The residual of a step, as a part of its right-hand side: Newton's method corrects the rest.
const STEP_TOLERANCE: f64 = 1e-2;

/// The problem `min −Σ vᵢ log softmax(f(xᵢ))_{yᵢ} + λ‖w‖²` with `f = K_nmL⁻ᵀw + b`, one column per
/// class.
pub(super) struct ClassProblem<'p> {
    pub(super) task: Task<'p>,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) matrix: Matrix<'p>,
    pub(super) basis: &'p CenterBasis,
    pub(super) part: &'p Part,
    pub(super) weights: &'p Array1<f64>,
    pub(super) compute: &'p Compute,
}

impl ClassProblem<'_> {
    pub(super) fn solve(&self, stop: Stop, watch: &mut Watch<'_>) -> Result<Solution> {
        let classes = self.task.outputs();
        let mut state = self.state(Array2::zeros((self.basis.count(), classes)), Array1::zeros(classes))?;
        let (mut iterations, mut steps, mut residual, mut converged, mut stopped) = (0, 0, f64::INFINITY, false, false);
        while steps < stop.newton_steps && !converged && !stopped && iterations < stop.max_iterations {
            self.compute.check_canceled()?;
            let before = state.objective;
            let step = self.direction(&state, stop.max_iterations - iterations, watch, &mut stopped)?;
            (iterations, residual, steps) = (iterations + step.iterations, step.residual, steps + 1);
            state = self.advance(state, &step.solution)?;
            converged = before - state.objective <= stop.tolerance * before.abs();
        }
        Ok(Solution { state, newton_steps: steps, iterations, residual, converged })
    }

    /// Everything at `(w, b)`, in one pass.
    fn state(&self, w: Array2<f64>, b: Array1<f64>) -> Result<CenterState> {
        let alpha = self.basis.coefficients(w.view(), self.compute)?;
        let count = b.len();
        let slopes = |rows: Range<usize>, values: &[f64], out: &mut [f64]| {
            let mut f = vec![0.0; count];
            for (i, (values, out)) in rows.zip(values.chunks_exact(count).zip(out.chunks_exact_mut(count))) {
                f.iter_mut().zip(values).zip(&b).for_each(|((f, v), b)| *f = v + b);
                self.task.slopes(i, &f, out);
                out.iter_mut().for_each(|g| *g *= self.weights[i]);
            }
        };
        let swept = self.matrix.sweep(alpha.view(), &slopes, self.compute)?;
        let gradient = self.basis.features(swept.backward.view(), self.compute)?;
        let fitted = swept.forward + &b;
        let loss: f64 = fitted
            .rows()
            .into_iter()
            .enumerate()
            .map(|(i, f)| self.weights[i] * self.task.value(i, f.as_slice().unwrap_or_default()))
            .sum();
        let objective = loss + self.lambda * w.iter().map(|v| v * v).sum::<f64>();
        Ok(CenterState { w, b, fitted, gradient, objective })
    }

    /// The Newton step, with the constants in the last row where there are some.
    fn direction(
        &self,
        state: &CenterState,
        max_iterations: usize,
        watch: &mut Watch<'_>,
        stopped: &mut bool,
    ) -> Result<super::gradients::Outcome> {
        let probabilities = softmax(&state.fitted);
        let factor = self.factor(&probabilities)?;
        let penalty = 2.0 * self.lambda;
        let gradient = -(&state.gradient + &(&state.w * penalty));
        let right = joined(gradient, self.constant_slopes(&probabilities), self.intercept);
        let apply = |v: ArrayView2<f64>| self.curved(v, &probabilities);
        let precondition = |v: ArrayView2<f64>| factor.solve(v, self.compute);
        let system = System {
            apply: &apply,
            precondition: &precondition,
            tolerance: STEP_TOLERANCE,
            max_iterations,
            joint: true,
        };
        system.solve(right.view(), &mut |x| {
            let (w, b) = parted(x, self.intercept);
            *stopped = watch((&state.w + &w).view(), &(&state.b + &b))?;
            Ok(*stopped)
        })
    }

    /// The same system on a part of the sample, with the mean curvature of the classes for all.
    fn factor(&self, probabilities: &Array2<f64>) -> Result<CholeskyFactor> {
        let count = probabilities.ncols() as f64;
        let mean = |row: ndarray::ArrayView1<f64>| row.iter().map(|p| p * (1.0 - p)).sum::<f64>() / count;
        let bends: Array1<f64> = probabilities.rows().into_iter().map(mean).collect();
        let bends = bends * self.weights;
        if self.intercept {
            self.part.bordered_factor(bends.view(), 2.0 * self.lambda, self.compute)
        } else {
            self.part.factor(bends.view(), 2.0 * self.lambda, false, self.compute)
        }
    }

    /// `−Σ vᵢ∂ℓ/∂f`, the right-hand side of the constants.
    fn constant_slopes(&self, probabilities: &Array2<f64>) -> Array1<f64> {
        let mut sums = -(self.weights.view().insert_axis(Axis(1)).t().dot(probabilities)).remove_axis(Axis(0));
        if let Task::Classes { labels, .. } = self.task {
            labels.iter().zip(self.weights).for_each(|(&y, w)| sums[y] += w);
        }
        sums
    }

    /// The second derivative times `v`.
    fn curved(&self, v: ArrayView2<f64>, probabilities: &Array2<f64>) -> Result<Array2<f64>> {
        let (w, b) = parted(v, self.intercept);
        let (alpha, count) = (self.basis.coefficients(w, self.compute)?, b.len());
        let bend = |rows: Range<usize>, values: &[f64], out: &mut [f64]| {
            for (i, (values, out)) in rows.zip(values.chunks_exact(count).zip(out.chunks_exact_mut(count))) {
                let p = probabilities.row(i);
                let mean: f64 = p.iter().zip(values).zip(&b).map(|((p, v), b)| p * (v + b)).sum();
                let terms = out.iter_mut().zip(values).zip(&b).zip(p);
                terms.for_each(|(((out, v), b), p)| *out = self.weights[i] * p * (v + b - mean));
            }
        };
        let swept = self.matrix.sweep(alpha.view(), &bend, self.compute)?;
        let mut image = self.basis.features(swept.backward.view(), self.compute)?;
        image.scaled_add(2.0 * self.lambda, &w);
        let mut sums = Array1::zeros(count);
        let mut line = vec![0.0; count];
        for (i, u) in swept.forward.rows().into_iter().enumerate() {
            bend(i..i + 1, u.as_slice().unwrap_or_default(), &mut line);
            sums.iter_mut().zip(&line).for_each(|(sum, h)| *sum += h);
        }
        Ok(joined(image, sums, self.intercept))
    }

    /// The step, halved until the objective falls.
    fn advance(&self, state: CenterState, step: &Array2<f64>) -> Result<CenterState> {
        let (w, b) = parted(step.view(), self.intercept);
        let after = |s: &CenterState, length: f64| self.state(&s.w + &(&w * length), &s.b + &(&b * length));
        halved(state, after, |before, next| next.objective <= before.objective)
    }
}
