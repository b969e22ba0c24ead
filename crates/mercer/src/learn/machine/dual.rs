//! Losses with kinks, through their dual problem.
//!
//! With `μ = 2λ` the dual of `min Σ wᵢℓ(yᵢ, fᵢ) + (μ/2)‖h‖²` is `μ` times
//! `max −½αᵀKα − (1/μ) Σ wᵢℓ*(−μαᵢ/wᵢ)`, with `Σαᵢ = 0` for an intercept. The conjugates of these
//! losses are linear on an interval, so that each is a [`DualProblem`] in variables `0 ≤ β ≤ C`:
//!
//! | loss | variables | `C` | linear term |
//! |---|---|---|---|
//! | absolute | `α = β⁺ − β⁻` | `wᵢ/μ` for both | `∓yᵢ` |
//! | quantile `τ` | `α = β⁺ − β⁻` | `τwᵢ/μ` and `(1 − τ)wᵢ/μ` | `∓yᵢ` |
//! | ε-insensitive | `α = β⁺ − β⁻` | `wᵢ/μ` for both | `ε ∓ yᵢ` |
//! | hinge | `α = yβ` | `wᵢ/μ` | `−1` |

use ndarray::{Array1, Array2, Axis};

use super::LossEvidence;
use crate::gram::{self, Bound};
use crate::learn::Loss;
use crate::solve::{Constraint, DualOptions, DualProblem, DualSolution, KernelRows, Stopped};
use crate::{Compute, Error, Precision, Result};

/// Variables that are optimized together. With the absolute loss 256 is 4 % slower and 1024 takes
/// twice as long at 2000 rows; at 5000 rows they are 46 % and 10 % slower.
pub(super) const WORKING_SET: usize = 512;
/// Times that the tolerance of the KKT conditions is divided by ten when the gap is not small
/// enough.
const ROUNDS: i32 = 9;

/// The problem as it was given.
#[derive(Clone, Copy)]
pub(super) struct DualData<'d> {
    pub(super) loss: Loss,
    pub(super) targets: &'d [f64],
    pub(super) weights: &'d Array1<f64>,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
}

/// The solution with its evidence.
pub(super) struct Found {
    pub(super) alpha: Array2<f64>,
    pub(super) intercept: Array1<f64>,
    pub(super) fitted: Array1<f64>,
    pub(super) evidence: LossEvidence,
}

/// Solves the dual problem, more and more exactly until the duality gap is small.
pub(super) fn solve(
    data: &DualData<'_>,
    bound: &Bound<'_>,
    tolerance: f64,
    max_steps: u64,
    compute: &Compute,
) -> Result<Found> {
    let mut problem = data.translate();
    let mut rows = KernelRows::new(bound, WORKING_SET, compute)?;
    let unit = data.spread();
    data.check_penalty(&bound.diagonal()?.to_vec(), &problem)?;
    let (mut steps, mut round) = (0, 0);
    loop {
        let tolerance_now = unit * 1e-3 * 0.1_f64.powi(round);
        let left = max_steps.saturating_sub(steps);
        let options = DualOptions { tolerance: tolerance_now, max_steps: Some(left), working_set: WORKING_SET };
        let solution = problem.solve(&mut rows, &options, compute)?;
        steps += solution.steps;
        let mut found = data.evaluate(&problem, &solution, bound, steps, compute)?;
        let small = found.evidence.gap <= tolerance * data.scale().max(found.evidence.objective.abs());
        if small || solution.stopped != Stopped::Converged || round == ROUNDS {
            // A small gap proves convergence, whatever ended the last round.
            found.evidence.stopped = match solution.stopped {
                _ if small => Stopped::Converged,
                Stopped::Converged => Stopped::Stalled,
                other => other,
            };
            return Ok(found);
        }
        problem.start = solution.alpha;
        round += 1;
    }
}

impl DualData<'_> {
    /// Coefficients may be as large as weight over penalty: where that exceeds the targets by more
    /// than all digits, nothing is left of the penalty, and the steps would not end.
    fn check_penalty(&self, diagonal: &[f64], problem: &DualProblem) -> Result<()> {
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let reach = largest(&problem.upper) * largest(diagonal);
        let most = self.spread().max(f64::MIN_POSITIVE) / f64::EPSILON;
        if reach.is_nan() || most.is_nan() || reach > most {
            return Err(Error::undetermined(
                "the minimum",
                "the penalty is lost in rounding beside the weights",
                "use a larger λ, or scale the weights down",
            ));
        }
        Ok(())
    }

    fn mu(&self) -> f64 {
        2.0 * self.lambda
    }

    /// The slopes of the loss far above and far below the target, and the half-width of its flat
    /// middle.
    fn shape(&self) -> (f64, f64, f64) {
        match self.loss {
            Loss::Quantile { level } => (level, 1.0 - level, 0.0),
            Loss::EpsilonInsensitive { epsilon } => (1.0, 1.0, epsilon),
            _ => (1.0, 1.0, 0.0),
        }
    }

    fn translate(&self) -> DualProblem {
        let n = self.targets.len();
        let constraint = if self.intercept { Constraint::Sum } else { Constraint::Free };
        let bounds = |part: f64| self.weights.iter().map(move |w| part * w / self.mu());
        if self.loss == Loss::Hinge {
            let (signs, linear, start) = (self.targets.to_vec(), vec![-1.0; n], vec![0.0; n]);
            return DualProblem {
                points: (0..n).collect(),
                signs,
                linear,
                upper: bounds(1.0).collect(),
                start,
                guesses: Vec::new(),
                constraint,
            };
        }
        let (up, down, epsilon) = self.shape();
        DualProblem {
            points: (0..n).chain(0..n).collect(),
            signs: [vec![1.0; n], vec![-1.0; n]].concat(),
            linear: self.targets.iter().map(|y| epsilon - y).chain(self.targets.iter().map(|y| epsilon + y)).collect(),
            upper: bounds(up).chain(bounds(down)).collect(),
            start: vec![0.0; 2 * n],
            guesses: Vec::new(),
            constraint,
        }
    }

    /// The coefficients of the function.
    fn coefficients(&self, problem: &DualProblem, beta: &[f64]) -> Array1<f64> {
        let mut alpha = Array1::zeros(self.targets.len());
        for ((&point, sign), b) in problem.points.iter().zip(&problem.signs).zip(beta) {
            alpha[point] += sign * b;
        }
        alpha
    }

    /// Both objectives at the variables of a solution, with the best intercept for them.
    fn evaluate(
        &self,
        problem: &DualProblem,
        solution: &DualSolution,
        bound: &Bound<'_>,
        steps: u64,
        compute: &Compute,
    ) -> Result<Found> {
        let alpha = self.coefficients(problem, &solution.alpha).insert_axis(Axis(1));
        let h = if solution.stopped == Stopped::Canceled {
            Array1::from(solution.values.clone())
        } else {
            let double = compute.clone().with_precision(Precision::Double);
            gram::multiply(bound, alpha.view(), &double)?.index_axis_move(Axis(1), 0)
        };
        let b = if self.intercept { self.best_intercept(&h) } else { 0.0 };
        let fitted = &h + b;
        let squared_norm = alpha.column(0).dot(&h).max(0.0);
        let loss = self.total(|i| fitted[i]);
        let linear: f64 = problem.linear.iter().zip(&solution.alpha).map(|(p, a)| p * a).sum();
        let objective = loss + self.lambda * squared_norm;
        let dual_objective = -self.mu() * (0.5 * squared_norm + linear);
        let evidence = LossEvidence {
            objective,
            dual_objective,
            gap: (objective - dual_objective).max(0.0),
            loss,
            squared_norm,
            violation: solution.violation,
            iterations: steps,
            stopped: solution.stopped,
        };
        Ok(Found { alpha, intercept: Array1::from_elem(1, b), fitted, evidence })
    }

    /// `Σ wᵢℓ(yᵢ, fᵢ)`.
    fn total(&self, f: impl Fn(usize) -> f64) -> f64 {
        (0..self.targets.len()).map(|i| self.weights[i] * self.loss.value(self.targets[i], f(i))).sum()
    }

    /// The scale on which a gap is small.
    fn scale(&self) -> f64 {
        self.total(|_| 0.0)
    }

    /// The unit of the KKT conditions: that of the targets, 1 for classes.
    fn spread(&self) -> f64 {
        if self.loss == Loss::Hinge {
            return 1.0;
        }
        let total = self.weights.sum();
        let mean = self.targets.iter().zip(self.weights).map(|(y, w)| w * y).sum::<f64>() / total;
        let spread = self.targets.iter().zip(self.weights).map(|(y, w)| w * (y - mean).abs()).sum::<f64>() / total;
        if spread > 0.0 { spread } else { mean.abs().max(f64::MIN_POSITIVE) }
    }

    /// `argmin_b Σ wᵢℓ(yᵢ, hᵢ + b)`, the middle where there are several: the slope jumps at every
    /// kink until it is no longer negative.
    fn best_intercept(&self, h: &Array1<f64>) -> f64 {
        let (up, _, epsilon) = self.shape();
        let mut slope = 0.0;
        let mut kinks: Vec<(f64, f64)> = Vec::new();
        for (i, (&y, &w)) in self.targets.iter().zip(self.weights).enumerate().filter(|(_, (_, w))| **w > 0.0) {
            let at = y - h[i];
            match self.loss {
                Loss::Hinge => slope -= if y > 0.0 { w } else { 0.0 },
                _ => slope -= up * w,
            }
            match self.loss {
                Loss::EpsilonInsensitive { .. } => kinks.extend([(at - epsilon, w), (at + epsilon, w)]),
                Loss::Absolute => kinks.push((at, 2.0 * w)),
                _ => kinks.push((at, w)),
            }
        }
        kinks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let rounding = 1e-12 * self.weights.sum();
        for (k, (at, jump)) in kinks.iter().enumerate() {
            slope += jump;
            if slope.abs() <= rounding {
                return kinks.get(k + 1).map_or(*at, |next| 0.5 * (at + next.0));
            }
            if slope > 0.0 {
                return *at;
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_intercept_is_the_best_on_a_grid() {
        let h = Array1::from(vec![0.1, -0.3, 0.7, 0.2, -1.1, 0.9]);
        let weights = Array1::from(vec![1.0, 2.0, 0.5, 1.0, 0.0, 3.0]);
        for (loss, targets) in [
            (Loss::Absolute, [0.5, 1.0, -2.0, 3.0, 9.0, 0.0]),
            (Loss::Quantile { level: 0.8 }, [0.5, 1.0, -2.0, 3.0, 9.0, 0.0]),
            (Loss::EpsilonInsensitive { epsilon: 0.4 }, [0.5, 1.0, -2.0, 3.0, 9.0, 0.0]),
            (Loss::Hinge, [1.0, -1.0, 1.0, 1.0, -1.0, -1.0]),
        ] {
            let data = DualData { loss, targets: &targets, weights: &weights, lambda: 1.0, intercept: true };
            let cost = |b: f64| data.total(|i| h[i] + b);
            let found = cost(data.best_intercept(&h));
            let grid = (-500..=500).map(|k| cost(f64::from(k) * 0.01)).fold(f64::INFINITY, f64::min);
            assert!(found <= grid + 1e-12 && found >= grid - 0.1, "{loss}: {found}, {grid}");
        }
    }
}
