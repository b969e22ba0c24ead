//! Newton's method over the coefficients of the cells; one step for the squared loss.

use ndarray::{Array1, Array2, ArrayView2, Axis, Zip};

use super::BinnedMachine;
use crate::features::CellMatrix;
use crate::learn::Loss;
use crate::learn::centers::gradients::{Outcome, System};
use crate::learn::centers::steps::{halved, joined, parted};
use crate::{Compute, Error, Result};

/// Newton steps of a loss that is not quadratic.
/// A safety limit: any value between 30 and 1000 would do.
const STEPS: usize = 50;
/// The residual of such a step, as a part of its right-hand side, at most; a tolerance that
/// requires for more digits makes it smaller.
const STEP_TOLERANCE: f64 = 1e-2;

/// What is minimized, and on what.
pub(super) struct Problem<'p> {
    pub(super) machine: &'p BinnedMachine,
    pub(super) cells: &'p CellMatrix,
    pub(super) targets: ArrayView2<'p, f64>,
    pub(super) weights: &'p Array1<f64>,
    pub(super) compute: &'p Compute,
}

/// Where it ended.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) w: Array2<f64>,
    pub(super) b: Array1<f64>,
    pub(super) fitted: Array2<f64>,
    pub(super) objective: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

impl Solution {
    /// The same answer on this many columns, of which these were looked at; the coefficients of the
    /// others are 0.
    pub(super) fn spread(mut self, positions: &[Option<usize>], columns: usize) -> Self {
        let mut w = Array2::zeros((columns, self.w.ncols()));
        for (row, position) in self.w.rows().into_iter().zip(positions) {
            if let Some(position) = position {
                w.row_mut(*position).assign(&row);
            }
        }
        self.w = w;
        self
    }
}

impl Problem<'_> {
    pub(super) fn solve(&self) -> Result<Solution> {
        let quadratic = self.machine.loss == Loss::Squared;
        let outputs = self.targets.ncols();
        let mut state = self.state(Array2::zeros((self.cells.shape().1, outputs)), Array1::zeros(outputs))?;
        for _ in 0..if quadratic { 1 } else { STEPS } {
            self.compute.check_canceled()?;
            let left = self.machine.max_iterations.saturating_sub(state.iterations);
            let tolerance = self.machine.tolerance;
            let of_step = if quadratic { tolerance } else { STEP_TOLERANCE.min(10.0 * tolerance.sqrt()) };
            let step = self.direction(&state, of_step, left)?;
            let (before, done) = (state.objective, state.iterations + step.iterations);
            state = self.advance(state, &step.solution)?;
            state.iterations = done;
            let settled = before - state.objective <= self.machine.tolerance * before.abs();
            state.converged = if quadratic { step.residual <= self.machine.tolerance } else { settled };
            if state.converged || done >= self.machine.max_iterations {
                break;
            }
        }
        if !state.objective.is_finite() {
            return Err(Error::overflow("the sum of losses", "scale the targets or the weights down"));
        }
        Ok(state)
    }

    fn state(&self, w: Array2<f64>, b: Array1<f64>) -> Result<Solution> {
        let fitted = self.cells.multiply(w.view(), self.compute)? + &b;
        let mut loss = 0.0;
        for (i, (f, y)) in fitted.rows().into_iter().zip(self.targets.rows()).enumerate() {
            let row: f64 = f.iter().zip(y).map(|(f, y)| self.machine.loss.value(*y, *f)).sum();
            loss += self.weights[i] * row;
        }
        let objective = loss + self.machine.lambda * w.iter().map(|v| v * v).sum::<f64>();
        Ok(Solution { w, b, fitted, objective, iterations: 0, converged: false })
    }

    /// `vᵢ` times a function of target and value.
    fn weighed(&self, fitted: &Array2<f64>, of: impl Fn(f64, f64) -> f64) -> Array2<f64> {
        let mut out = Zip::from(&self.targets).and(fitted).map_collect(|&y, &f| of(y, f));
        out *= &self.weights.view().insert_axis(Axis(1));
        out
    }

    fn direction(&self, state: &Solution, tolerance: f64, max_iterations: usize) -> Result<Outcome> {
        let slopes = self.weighed(&state.fitted, |y, f| self.machine.loss.slope(y, f));
        // Several outputs come with the squared loss alone, whose curvature is the same for all.
        let bends = self.weighed(&state.fitted, |y, f| self.machine.loss.curvature(y, f)).column(0).to_owned();
        let penalty = 2.0 * self.machine.lambda;
        let mut gradient = self.cells.multiply_transposed(slopes.view(), self.compute)?;
        gradient.scaled_add(penalty, &state.w);
        let right = joined(-gradient, -slopes.sum_axis(Axis(0)), self.machine.intercept);
        let diagonal = self.diagonal(&bends, penalty)?;
        let apply = |v: ArrayView2<f64>| self.curved(v, &bends, penalty);
        let precondition = |v: ArrayView2<f64>| Ok(&v / &diagonal);
        let system = System { apply: &apply, precondition: &precondition, tolerance, max_iterations, joint: false };
        system.solve(right.view(), &mut |_| self.compute.check_canceled().map(|()| false))
    }

    /// The diagonal of the system: in a cell, the curvatures of the points there.
    fn diagonal(&self, bends: &Array1<f64>, penalty: f64) -> Result<Array2<f64>> {
        let sums = self.cells.multiply_transposed(bends.view().insert_axis(Axis(1)), self.compute)?;
        let buckets = self.cells.shape().1 / self.cells.values().len().max(1);
        let mut diagonal = sums;
        for (mut grid, value) in diagonal.axis_chunks_iter_mut(Axis(0), buckets.max(1)).zip(self.cells.values()) {
            grid.mapv_inplace(|sum| sum * value + penalty);
        }
        let constants = Array1::from_elem(1, bends.sum().max(f64::MIN_POSITIVE));
        Ok(joined(diagonal, constants, self.machine.intercept))
    }

    fn curved(&self, v: ArrayView2<f64>, bends: &Array1<f64>, penalty: f64) -> Result<Array2<f64>> {
        let (w, b) = parted(v, self.machine.intercept);
        let mut values = self.cells.multiply(w, self.compute)?;
        values += &b;
        values *= &bends.view().insert_axis(Axis(1));
        let mut image = self.cells.multiply_transposed(values.view(), self.compute)?;
        image.scaled_add(penalty, &w);
        Ok(joined(image, values.sum_axis(Axis(0)), self.machine.intercept))
    }

    /// The step, halved until the objective falls.
    fn advance(&self, state: Solution, step: &Array2<f64>) -> Result<Solution> {
        let (w, b) = parted(step.view(), self.machine.intercept);
        let after = |s: &Solution, length: f64| {
            let mut moved = (s.w.clone(), s.b.clone());
            moved.0.scaled_add(length, &w);
            moved.1.scaled_add(length, &b);
            self.state(moved.0, moved.1)
        };
        halved(state, after, |before, next| next.objective <= before.objective)
    }
}
