//! An interior-point method for dual problems on few features: it begins far from the optimum and
//! ends near it, in a number of steps that hardly depends on the data.

use super::finite_rank::FiniteRank;
use super::kkt::group;
use super::newton::{Step, System, by_point};
use super::polish::polish;
use super::{Constraint, DualOptions, DualProblem};
use crate::{Compute, Result};

/// Steps after which it gives up: 15 to 40 are usual.
const MAX_STEPS: u64 = 100;
/// It stops when the duality gap is at most this part of the objective.
const GAP: f64 = 1e-10;
/// What counts as an objective of 0, as a part of the sum of all bounds times slopes.
const NOTHING: f64 = 1e-9;
/// The part of the way to the boundary that a step goes. The usual value; not tuned.
const WAY: f64 = 0.995;
/// The shortest step that is worth another.
const SHORTEST: f64 = 1e-7;

/// What the method found.
pub(super) struct Found {
    /// Within the bounds, with the sums of the problem; most variables are at a bound.
    pub(super) alpha: Vec<f64>,
    /// `w = Σ sᵢαᵢzᵢ`.
    pub(super) function: Vec<f64>,
    /// `η` of each group.
    pub(super) offsets: [f64; 2],
    pub(super) steps: u64,
}

/// Near the optimum of a problem on these features; `None` where no point lies between all bounds.
///
/// # Formula
/// The primal-dual method of Mehrotra (1992): with multipliers `u, v > 0` of the bounds,
/// `sᵢ(F(xᵢ) − ηᵍ) + pᵢ = uᵢ − vᵢ`, `αᵢuᵢ = μ` and `(Cᵢ − αᵢ)vᵢ = μ` for `μ → 0`. Each Newton step
/// solves a [`System`] with weights `1/(uᵢ/αᵢ + vᵢ/(Cᵢ − αᵢ))`. At the end variables near a bound
/// are put there, and the others are made optimal beside them ([`polish`]).
///
/// # Cost
/// `n·d²` per step for `n` points with `d` features.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped.
pub(super) fn solve(
    problem: &DualProblem,
    features: &FiniteRank,
    options: &DualOptions,
    compute: &Compute,
) -> Result<Option<Found>> {
    let Some(alpha) = middle(problem) else { return Ok(None) };
    let run = || {
        let most = options.max_steps.unwrap_or(MAX_STEPS).min(MAX_STEPS);
        let mut state = Interior::new(problem, features, alpha, compute);
        let mut steps = 0;
        while steps < most && !state.is_done() && compute.check_canceled().is_ok() {
            compute.report("interior point", steps, MAX_STEPS);
            if !state.advance(compute)? {
                break;
            }
            steps += 1;
        }
        compute.check_aborted()?;
        let cut = compute.check_canceled().is_err() || options.max_steps.is_some_and(|most| steps >= most);
        let alpha = match cut {
            true => state.alpha,
            false => polish(problem, features, &state.alpha, &state.lower, &state.upper, options.tolerance, compute)?,
        };
        let signed = by_point(problem, features, |i| problem.signs[i] * alpha[i]);
        let function = features.transposed(&signed, compute);
        Ok(Some(Found { alpha, function, offsets: state.offsets, steps }))
    };
    if features.is_small() { run() } else { compute.install(run) }
}

/// A point between all bounds with the sums of the problem, as far from the bounds as its signs
/// allow; variables with the bound 0 stay there.
fn middle(problem: &DualProblem) -> Option<Vec<f64>> {
    let of =
        |list: &[f64], sign: f64| list.iter().zip(&problem.signs).filter(|(_, s)| **s == sign).map(|(v, _)| v).sum();
    let bounds: [f64; 2] = [of(&problem.upper, 1.0), of(&problem.upper, -1.0)];
    let start: [f64; 2] = [of(&problem.start, 1.0), of(&problem.start, -1.0)];
    let sums = match problem.constraint {
        Constraint::Free => bounds.map(|b| 0.5 * b),
        Constraint::SumPerSign => start,
        Constraint::Sum => {
            let least = start[0].min(start[1]);
            let bare = [start[0] - least, start[1] - least];
            // By how much both signs can rise together.
            let room = (0..2).map(|g| bounds[g] - bare[g]).fold(f64::INFINITY, f64::min);
            let rise = if bounds.contains(&0.0) { 0.0 } else { 0.5 * room };
            bare.map(|b| b + rise)
        }
    };
    let share = [0, 1].map(|g| if bounds[g] > 0.0 { sums[g] / bounds[g] } else { 0.5 });
    if share.iter().any(|s| !(*s > 1e-6 && *s < 1.0 - 1e-6)) {
        return None;
    }
    let one = |(c, s): (&f64, &f64)| c * share[usize::from(*s < 0.0)];
    Some(problem.upper.iter().zip(&problem.signs).map(one).collect())
}

struct Interior<'p> {
    problem: &'p DualProblem,
    features: &'p FiniteRank,
    alpha: Vec<f64>,
    /// The multipliers `u` of `α ≥ 0` and `v` of `α ≤ C`.
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// `F` at every point.
    values: Vec<f64>,
    /// `η` of each group.
    offsets: [f64; 2],
}

impl<'p> Interior<'p> {
    fn new(problem: &'p DualProblem, features: &'p FiniteRank, alpha: Vec<f64>, compute: &Compute) -> Self {
        let signed = by_point(problem, features, |i| problem.signs[i] * alpha[i]);
        let mut values = vec![0.0; signed.len()];
        features.add_product(&features.transposed(&signed, compute), &mut values, compute);
        let n = problem.len();
        let (lower, upper) = (vec![1.0; n], vec![1.0; n]);
        let mut state = Self { problem, features, alpha, lower, upper, values, offsets: [0.0; 2] };
        state.offsets = state.mean_slopes();
        let slopes: Vec<f64> = (0..n).map(|i| state.slope(i)).collect();
        let scale = slopes.iter().map(|s| s.abs()).sum::<f64>() / n.max(1) as f64;
        let scale = if scale > 0.0 { scale } else { 1.0 };
        for (i, slope) in slopes.iter().enumerate() {
            state.lower[i] = slope.max(0.0) + scale;
            state.upper[i] = (-slope).max(0.0) + scale;
        }
        state
    }

    /// The mean of `F(xᵢ) + sᵢpᵢ` in each group.
    fn mean_slopes(&self) -> [f64; 2] {
        let p = self.problem;
        let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
        for i in 0..p.len() {
            let g = group(p.constraint, p.signs[i]);
            sums[g] += self.values[p.points[i]] + p.signs[i] * p.linear[i];
            counts[g] += 1.0;
        }
        match p.constraint {
            Constraint::Free => [0.0; 2],
            _ => [0, 1].map(|g| if counts[g] > 0.0 { sums[g] / counts[g] } else { 0.0 }),
        }
    }

    /// The slope of the Lagrangian without the bounds: `sᵢ(F(xᵢ) − ηᵍ) + pᵢ`.
    fn slope(&self, i: usize) -> f64 {
        let p = self.problem;
        p.signs[i] * (self.values[p.points[i]] - self.offsets[group(p.constraint, p.signs[i])]) + p.linear[i]
    }

    /// Whether a variable can move at all.
    fn moves(&self, i: usize) -> bool {
        self.problem.upper[i] > 0.0
    }

    /// The sum of all products of a variable's distances to its bounds with their multipliers.
    fn gap(&self) -> f64 {
        let p = self.problem;
        let term = |i: usize| self.alpha[i] * self.lower[i] + (p.upper[i] - self.alpha[i]) * self.upper[i];
        (0..p.len()).map(term).sum()
    }

    fn is_done(&self) -> bool {
        let p = self.problem;
        let term = |i: usize| self.alpha[i] * (0.5 * p.signs[i] * self.values[p.points[i]] + p.linear[i]);
        let objective: f64 = (0..p.len()).map(term).sum();
        let size: f64 = (0..p.len()).map(|i| p.upper[i] * (self.lower[i] + self.upper[i])).sum();
        let left = |i: usize| (self.slope(i) - self.lower[i] + self.upper[i]).abs() * p.upper[i];
        let left: f64 = (0..p.len()).map(left).sum();
        self.gap() <= GAP * objective.abs().max(NOTHING * size) && left <= GAP.sqrt() * size
    }

    /// A predictor and a corrector step; whether it is worth to go on.
    fn advance(&mut self, compute: &Compute) -> Result<bool> {
        let p = self.problem;
        let n = p.len();
        let weight = |i: usize| match self.moves(i) {
            true => 1.0 / (self.lower[i] / self.alpha[i] + self.upper[i] / (p.upper[i] - self.alpha[i])),
            false => 0.0,
        };
        let weights: Vec<f64> = (0..n).map(weight).collect();
        let Some(system) = System::new(p, self.features, &weights, compute)? else { return Ok(false) };
        let count = 2 * (0..n).filter(|&i| self.moves(i)).count().max(1);
        let gap = self.gap() / count as f64;
        let first = self.direction(&system, None, 0.0, compute)?;
        let reach = self.reach(&first).min(1.0);
        let after = self.gap_after(&first, reach) / count as f64;
        let target = (after / gap).max(0.0).powi(3) * gap;
        let second = self.direction(&system, Some(&first), target, compute)?;
        drop(system);
        let length = (WAY * self.reach(&second)).min(1.0);
        if !length.is_finite() || length < SHORTEST {
            return Ok(false);
        }
        self.go(&second, length);
        Ok(true)
    }

    /// The Newton direction towards `αu = (C − α)v = target`, corrected by the products of a first
    /// direction.
    fn direction(
        &self,
        system: &System<'_>,
        first: Option<&Direction>,
        target: f64,
        compute: &Compute,
    ) -> Result<Direction> {
        let p = self.problem;
        let wanted = |i: usize| {
            let (a, b) = first.map_or((0.0, 0.0), |d| {
                let change = p.signs[i] * d.step.signed[i];
                (change * d.lower[i], -change * d.upper[i])
            });
            ((target - a) / self.alpha[i], (target - b) / (p.upper[i] - self.alpha[i]))
        };
        let right = |i: usize| match self.moves(i) {
            true => {
                let (low, high) = wanted(i);
                p.signs[i] * (low - high - self.slope(i))
            }
            false => 0.0,
        };
        let right: Vec<f64> = (0..p.len()).map(right).collect();
        let step = system.solve(&right, [0.0; 2], compute)?;
        let (mut lower, mut upper) = (vec![0.0; p.len()], vec![0.0; p.len()]);
        for i in (0..p.len()).filter(|&i| self.moves(i)) {
            let (low, high) = wanted(i);
            let change = p.signs[i] * step.signed[i];
            lower[i] = low - self.lower[i] * (1.0 + change / self.alpha[i]);
            upper[i] = high - self.upper[i] * (1.0 - change / (p.upper[i] - self.alpha[i]));
        }
        Ok(Direction { step, lower, upper })
    }

    /// How far a direction leads to the boundary.
    fn reach(&self, d: &Direction) -> f64 {
        let p = self.problem;
        let mut most = f64::INFINITY;
        let mut see = |value: f64, change: f64| {
            if change < 0.0 {
                most = most.min(-value / change);
            }
        };
        for i in (0..p.len()).filter(|&i| self.moves(i)) {
            let change = p.signs[i] * d.step.signed[i];
            see(self.alpha[i], change);
            see(p.upper[i] - self.alpha[i], -change);
            see(self.lower[i], d.lower[i]);
            see(self.upper[i], d.upper[i]);
        }
        most
    }

    fn gap_after(&self, d: &Direction, length: f64) -> f64 {
        let p = self.problem;
        let term = |i: usize| {
            let alpha = self.alpha[i] + length * p.signs[i] * d.step.signed[i];
            alpha * (self.lower[i] + length * d.lower[i]) + (p.upper[i] - alpha) * (self.upper[i] + length * d.upper[i])
        };
        (0..p.len()).filter(|&i| self.moves(i)).map(term).sum()
    }

    fn go(&mut self, d: &Direction, length: f64) {
        let p = self.problem;
        for i in (0..p.len()).filter(|&i| p.upper[i] > 0.0) {
            self.alpha[i] += length * p.signs[i] * d.step.signed[i];
            self.lower[i] += length * d.lower[i];
            self.upper[i] += length * d.upper[i];
        }
        self.values.iter_mut().zip(&d.step.values).for_each(|(f, change)| *f += length * change);
        self.offsets.iter_mut().zip(d.step.offsets).for_each(|(b, change)| *b += length * change);
    }
}

/// A direction of the variables and of the multipliers.
struct Direction {
    step: Step,
    lower: Vec<f64>,
    upper: Vec<f64>,
}
