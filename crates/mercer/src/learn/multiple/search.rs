//! The weights of least `J(β)`: by Newton steps for `p = 1`, by a closed form for `p > 1`.

use ndarray::{Array1, Array2};

use super::grams::Grams;
use super::inner::{Inner, Solved, forms};
use super::quadratic;
use crate::solve::Stopped;
use crate::{Compute, Result};

/// Kernels that the first restricted problem has: with fewer there are more passes over all kernels.
const FIRST: usize = 32;
/// Kernels that enter at least, of those that would lower the value, after a pass over all kernels.
const ENTERING: usize = 32;
/// The part of the expected decrease that a step must reach.
const ARMIJO: f64 = 1e-4;
/// A step is tried if its expected decrease is so many times what the values are known to; else they
/// are made more exact first.
const CLEAR: f64 = 10.0;
/// Halvings after which a step is given up.
const HALVINGS: usize = 12;
/// The gap of a restricted problem, relative to the one that all kernels are to reach, and to the one
/// that they have: more exact solutions are wasted while kernels are missing.
const RESTRICTED: f64 = 0.5;
const PART: f64 = 0.1;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The gap relative to the value.
    pub(super) tolerance: f64,
    /// Problems with fixed weights that are solved.
    pub(super) max_iterations: usize,
}

/// The evidence for weights that minimize the objective of a learner ([`WeightMethod::Simple`](super::WeightMethod::Simple)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightEvidence {
    /// The objective of the learner with these weights of the centered kernels of trace `n`.
    pub objective: f64,
    /// The duality gap: no other weights have an objective lower by more than this.
    pub gap: f64,
    /// Problems with fixed weights that were solved.
    pub iterations: usize,
    /// Why the search stopped; the weights are valid in any case.
    pub stopped: Stopped,
}

impl WeightEvidence {
    /// The gap relative to the objective.
    pub fn relative_gap(&self) -> f64 {
        if self.gap == 0.0 { 0.0 } else { self.gap / self.objective.abs() }
    }
}

/// The search over the weights of some kernels.
pub(super) struct Search<'s, 'a> {
    pub(super) grams: &'s Grams<'a>,
    pub(super) inner: &'s mut dyn Inner,
    pub(super) limits: Limits,
    pub(super) compute: &'s Compute,
    /// The best lower bound so far.
    lower: f64,
    iterations: usize,
    first_gap: Option<f64>,
}

/// A point of the search: weights of all kernels of the list, and the problem solved there.
struct State {
    beta: Vec<f64>,
    solved: Solved,
}

impl State {
    fn new(beta: Vec<f64>, search: &mut Search<'_, '_>, which: &[usize]) -> Result<Self> {
        let solved = search.solve(which, &beta)?;
        Ok(Self { beta, solved })
    }
}

impl<'s, 'a> Search<'s, 'a> {
    pub(super) fn new(grams: &'s Grams<'a>, inner: &'s mut dyn Inner, limits: Limits, compute: &'s Compute) -> Self {
        Self { grams, inner, limits, compute, lower: f64::NEG_INFINITY, iterations: 0, first_gap: None }
    }

    /// The weights of the kernels of a list that is not empty, with `Σ βᵖ = 1`.
    pub(super) fn run(mut self, which: &[usize], p: f64) -> Result<(Vec<f64>, WeightEvidence)> {
        let (state, stopped) = if p == 1.0 { self.simplex(which)? } else { self.norm(which, p)? };
        let upper = state.solved.value + state.solved.gap;
        let gap = (upper - self.lower).max(0.0);
        let evidence = WeightEvidence { objective: upper, gap, iterations: self.iterations, stopped };
        self.compute.report("kernel weights", 1000, 1000);
        Ok((state.beta, evidence))
    }

    fn solve(&mut self, which: &[usize], beta: &[f64]) -> Result<Solved> {
        self.compute.check_canceled()?;
        self.iterations += 1;
        let active: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] > 0.0).collect();
        let kernels: Vec<usize> = active.iter().map(|&i| which[i]).collect();
        let weights: Vec<f64> = active.iter().map(|&i| beta[i]).collect();
        self.inner.solve(self.grams, &kernels, &weights, self.compute)
    }

    /// Updates the lower bound by `ℓ − κ·largest`, and gives the gap with a value.
    fn gap(&mut self, solved: &Solved, largest: f64) -> f64 {
        self.lower = self.lower.max(solved.linear - self.inner.factor() * largest);
        let gap = (solved.value + solved.gap - self.lower).max(0.0);
        let first = *self.first_gap.get_or_insert(gap);
        let decades = |from: f64, to: f64| (from / to).log10().max(0.0);
        let goal = self.limits.tolerance * solved.value.abs();
        if gap > goal && goal > 0.0 {
            let done = decades(first, gap) / decades(first, goal).max(1e-3);
            self.compute.report("kernel weights", (1000.0 * done).min(999.0) as u64, 1000);
        }
        self.compute.remark(|| format!("duality gap {gap:.1e}"));
        gap
    }

    fn is_reached(&self, gap: f64, solved: &Solved) -> bool {
        gap <= self.limits.tolerance * solved.value.abs() || gap <= f64::MIN_POSITIVE
    }

    /// Newton steps on a few kernels, to which others are added until none would lower the value.
    fn simplex(&mut self, which: &[usize]) -> Result<(State, Stopped)> {
        let mut state = State::new(self.first_weights(which)?, self, which)?;
        let mut ended = None;
        loop {
            let q = self.grams.forms(which, state.solved.alpha.view(), self.compute)?;
            let gap = self.gap(&state.solved, q.iter().copied().fold(0.0, f64::max));
            if self.is_reached(gap, &state.solved) {
                return Ok((state, Stopped::Converged));
            }
            if let Some(reason) = ended {
                return Ok((state, reason));
            }
            let list = candidates(&state.beta, &q);
            let kernels: Vec<usize> = list.iter().map(|&i| which[i]).collect();
            let before = state.solved.value;
            let start = State { beta: list.iter().map(|&i| state.beta[i]).collect(), solved: state.solved };
            let goal = (RESTRICTED * self.limits.tolerance * before.abs()).max(PART * gap);
            let (few, stopped) = self.newton(&kernels, start, goal)?;
            let mut beta = vec![0.0; which.len()];
            list.iter().zip(&few.beta).for_each(|(&i, &b)| beta[i] = b);
            state = State { beta, solved: few.solved };
            ended = match stopped {
                Stopped::StepLimit => Some(Stopped::StepLimit),
                _ if state.solved.value < before => None,
                _ if self.inner.refine() => {
                    state = State::new(state.beta, self, which)?;
                    None
                }
                _ => Some(Stopped::Stalled),
            };
        }
    }

    /// Equal weights of all kernels, or of those that have most to do with the targets.
    fn first_weights(&self, which: &[usize]) -> Result<Vec<f64>> {
        if which.len() <= FIRST {
            return Ok(vec![1.0 / which.len() as f64; which.len()]);
        }
        let q = self.grams.forms(which, self.inner.guess().view(), self.compute)?;
        let mut beta = vec![0.0; which.len()];
        leading(&q, FIRST).into_iter().for_each(|i| beta[i] = 1.0 / FIRST as f64);
        Ok(beta)
    }

    /// Newton steps over the weights of a few kernels, until their gap is small.
    fn newton(&mut self, kernels: &[usize], mut state: State, goal: f64) -> Result<(State, Stopped)> {
        loop {
            let images = self.grams.images(kernels, state.solved.alpha.view(), self.inner.is_sparse(), self.compute)?;
            let q = forms(&state.solved.alpha, &images);
            let kappa = self.inner.factor();
            let mean: f64 = state.beta.iter().zip(&q).map(|(b, q)| b * q).sum();
            let largest = q.iter().copied().fold(0.0, f64::max);
            if kappa * (largest - mean) + state.solved.gap <= goal {
                return Ok((state, Stopped::Converged));
            }
            if self.iterations >= self.limits.max_iterations {
                return Ok((state, Stopped::StepLimit));
            }
            let root = self.inner.curvature(&images, self.compute)?;
            let gradient = Array1::from_iter(q.iter().map(|q| -kappa * q));
            let target = self.newton_target(&root, &gradient, &state.beta)?;
            let decrease: f64 = (0..target.len()).map(|i| gradient[i] * (state.beta[i] - target[i])).sum();
            if decrease < CLEAR * state.solved.gap && self.inner.refine() {
                let State { beta, .. } = state;
                state = State::new(beta, self, kernels)?;
                continue;
            }
            match self.line_search(kernels, &state, &gradient, &target)? {
                Some(next) => state = next,
                None => return Ok((state, Stopped::Stalled)),
            }
        }
    }

    /// The least value of the quadratic model over the simplex.
    fn newton_target(&self, root: &Array2<f64>, gradient: &Array1<f64>, beta: &[f64]) -> Result<Vec<f64>> {
        let hessian = root.t().dot(root);
        let here = Array1::from(beta.to_vec());
        let linear = gradient - &hessian.dot(&here);
        quadratic::minimize(&hessian, linear.view(), beta, Some(1.0), self.compute)
    }

    /// The first point on the way to the target at which the value falls enough.
    fn line_search(
        &mut self,
        kernels: &[usize],
        state: &State,
        gradient: &Array1<f64>,
        target: &[f64],
    ) -> Result<Option<State>> {
        let slope: f64 = (0..target.len()).map(|i| gradient[i] * (target[i] - state.beta[i])).sum();
        if slope >= 0.0 {
            return Ok(None);
        }
        let (mut step, value) = (1.0, state.solved.value);
        for _ in 0..HALVINGS {
            let beta = on_simplex(state.beta.iter().zip(target).map(|(b, t)| b + step * (t - b)));
            let solved = self.solve(kernels, &beta)?;
            // Both values are known up to the gaps of their problems.
            let noise = state.solved.gap + solved.gap + f64::EPSILON * value.abs();
            if solved.value <= value + ARMIJO * step * slope + noise {
                return Ok(Some(State { beta, solved }));
            }
            if self.iterations >= self.limits.max_iterations {
                return Ok(None);
            }
            // The minimum of the parabola through both values and the slope.
            let bend = 2.0 * (solved.value - value - step * slope);
            step *= (-step * slope / bend).clamp(0.1, 0.5);
        }
        Ok(None)
    }

    /// `βₘ ∝ ‖fₘ‖^{2/(p+1)}` with `‖fₘ‖² = βₘ²qₘ`, again and again (Kloft et al. 2011).
    fn norm(&mut self, which: &[usize], p: f64) -> Result<(State, Stopped)> {
        let dual = p / (p - 1.0);
        let mut beta = vec![(which.len() as f64).powf(-1.0 / p); which.len()];
        loop {
            let solved = self.solve(which, &beta)?;
            let q = self.grams.forms(which, solved.alpha.view(), self.compute)?;
            let gap = self.gap(&solved, norm_of(&q, dual));
            if self.is_reached(gap, &solved) {
                return Ok((State { beta, solved }, Stopped::Converged));
            }
            if self.iterations >= self.limits.max_iterations {
                return Ok((State { beta, solved }, Stopped::StepLimit));
            }
            let raw: Vec<f64> = beta.iter().zip(&q).map(|(b, q)| (b * b * q).powf(1.0 / (p + 1.0))).collect();
            let size = norm_of(&raw, p);
            beta = raw.iter().map(|b| b / size).collect();
        }
    }
}

/// `(Σ vᵖ)^{1/p}` of numbers that are not negative, without overflow.
pub(super) fn norm_of(values: &[f64], p: f64) -> f64 {
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    largest * values.iter().map(|v| (v / largest).powf(p)).sum::<f64>().powf(1.0 / p)
}

/// Not negative, with sum 1.
fn on_simplex(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.map(|v| v.max(0.0)).collect();
    let sum: f64 = values.iter().sum();
    values.iter().map(|v| v / sum).collect()
}

/// The kernels with weight, and of the others those with the largest `q` above the mean.
fn candidates(beta: &[f64], q: &[f64]) -> Vec<usize> {
    let mean: f64 = beta.iter().zip(q).map(|(b, q)| b * q).sum();
    let mut list: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] > 0.0).collect();
    let above: Vec<f64> = (0..q.len()).map(|i| if beta[i] == 0.0 && q[i] > mean { q[i] } else { 0.0 }).collect();
    let entering = leading(&above, list.len().max(ENTERING));
    list.extend(entering.into_iter().filter(|&i| above[i] > 0.0));
    list.sort_unstable();
    list
}

/// The numbers of the largest values, of equal ones the first.
fn leading(values: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    order.truncate(count);
    order.sort_unstable();
    order
}
