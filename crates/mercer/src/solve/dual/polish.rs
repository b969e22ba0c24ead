//! From the inside to the bounds: variables that are nearly there are put there, and the others are
//! made optimal beside them.

use super::finite_rank::FiniteRank;
use super::kkt::group;
use super::newton::{System, by_point};
use super::{Constraint, DualProblem};
use crate::{Compute, Result};

/// Newton steps on the variables between their bounds: every step that is cut short leaves one fewer.
const STEPS: usize = 64;
/// The damping of these steps beside the mean of the diagonal: more than one solution is possible.
const DAMPING: f64 = 1e-9;
/// It stops when the slopes between the bounds differ by this part of the tolerance.
const PART: f64 = 1e-3;
/// By how much of the sum of all variables the sums may be off in the end.
const ROUNDING: f64 = 1e-9;

/// The variables with those near a bound at it: these are the ones whose distance to the bound is
/// small beside its multiplier, on the scales of the bounds and of the mean multiplier. Where the
/// sums cannot be kept, the variables as they were.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped.
pub(super) fn polish(
    problem: &DualProblem,
    features: &FiniteRank,
    alpha: &[f64],
    lower: &[f64],
    upper: &[f64],
    tolerance: f64,
    compute: &Compute,
) -> Result<Vec<f64>> {
    let n = problem.len();
    let scale = (lower.iter().sum::<f64>() + upper.iter().sum::<f64>()) / n.max(1) as f64;
    let mut rounded = alpha.to_vec();
    for i in 0..n {
        let (c, a) = (problem.upper[i], alpha[i]);
        if a * scale <= lower[i] * c {
            rounded[i] = 0.0;
        } else if (c - a) * scale <= upper[i] * c {
            rounded[i] = c;
        }
    }
    free_one(problem, alpha, &mut rounded);
    let mut polish = Polish { problem, features, sums: problem.sums(alpha), alpha: rounded };
    for _ in 0..STEPS {
        if polish.advance(tolerance, compute)? {
            break;
        }
    }
    Ok(if polish.settle() { polish.alpha } else { alpha.to_vec() })
}

/// Gives every group whose sum is kept a variable between its bounds: of none the one that was
/// farthest from both.
fn free_one(problem: &DualProblem, alpha: &[f64], rounded: &mut [f64]) {
    if problem.constraint == Constraint::Free {
        return;
    }
    for g in 0..2 {
        let of_group = |&i: &usize| group(problem.constraint, problem.signs[i]) == g && problem.upper[i] > 0.0;
        let all = || (0..alpha.len()).filter(of_group);
        if all().any(|i| rounded[i] > 0.0 && rounded[i] < problem.upper[i]) {
            continue;
        }
        let distance = |i: usize| alpha[i].min(problem.upper[i] - alpha[i]);
        if let Some(i) = all().max_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
            rounded[i] = alpha[i];
        }
    }
}

struct Polish<'p> {
    problem: &'p DualProblem,
    features: &'p FiniteRank,
    /// The sums that are to be kept.
    sums: [f64; 2],
    alpha: Vec<f64>,
}

impl Polish<'_> {
    fn is_free(&self, i: usize) -> bool {
        self.alpha[i] > 0.0 && self.alpha[i] < self.problem.upper[i]
    }

    /// What the sums of `sᵢαᵢ` in each group lack.
    fn missing(&self) -> [f64; 2] {
        let now = self.problem.sums(&self.alpha);
        let missing = [self.sums[0] - now[0], self.sums[1] - now[1]];
        // The second sum is that of variables with the sign −1.
        if self.problem.constraint == Constraint::SumPerSign { [missing[0], -missing[1]] } else { missing }
    }

    fn keeps_sums(&self) -> bool {
        let total: f64 = self.alpha.iter().sum();
        self.missing().iter().all(|m| m.abs() <= ROUNDING * total)
    }

    /// Gives what the sums lack by rounding to the variables that are farthest from their bounds;
    /// whether it was no more than that.
    fn settle(&mut self) -> bool {
        if !self.keeps_sums() {
            return false;
        }
        let (p, missing) = (self.problem, self.missing());
        for g in (0..2).filter(|&g| missing[g] != 0.0) {
            let room = |i: usize| self.alpha[i].min(p.upper[i] - self.alpha[i]);
            let of_group = |&i: &usize| group(p.constraint, p.signs[i]) == g;
            if let Some(i) = (0..p.len()).filter(of_group).max_by(|&a, &b| room(a).total_cmp(&room(b))) {
                self.alpha[i] = (self.alpha[i] + p.signs[i] * missing[g]).clamp(0.0, p.upper[i]);
            }
        }
        true
    }

    /// One Newton step on the variables between their bounds, as far as the first of them; whether
    /// another would change nothing.
    fn advance(&mut self, tolerance: f64, compute: &Compute) -> Result<bool> {
        let p = self.problem;
        let free: Vec<usize> = (0..p.len()).filter(|&i| self.is_free(i)).collect();
        if free.is_empty() {
            return Ok(true);
        }
        let norm = |i: usize| self.features.features.row(p.points[i]).iter().map(|z| z * z).sum::<f64>();
        let mean = free.iter().map(|&i| norm(i)).sum::<f64>() / free.len() as f64;
        let mut weights = vec![0.0; p.len()];
        free.iter().for_each(|&i| weights[i] = if mean > 0.0 { 1.0 / (DAMPING * mean) } else { 1.0 });
        let signed = by_point(p, self.features, |i| p.signs[i] * self.alpha[i]);
        let mut values = vec![0.0; signed.len()];
        self.features.add_product(&self.features.transposed(&signed, compute), &mut values, compute);
        let slope = |i: usize| values[p.points[i]] + p.signs[i] * p.linear[i];
        let right: Vec<f64> = (0..p.len()).map(|i| if weights[i] > 0.0 { -slope(i) } else { 0.0 }).collect();
        let missing = self.missing();
        if self.spread(&free, &right) <= PART * tolerance && self.keeps_sums() {
            return Ok(true);
        }
        let Some(system) = System::new(p, self.features, &weights, compute)? else { return Ok(true) };
        let step = system.solve(&right, missing, compute)?;
        if free.iter().any(|&i| !step.signed[i].is_finite()) {
            return Ok(true);
        }
        let room = |i: usize| {
            let change = p.signs[i] * step.signed[i];
            let room = if change > 0.0 { p.upper[i] - self.alpha[i] } else { self.alpha[i] };
            if change == 0.0 { f64::INFINITY } else { room / change.abs() }
        };
        let length = free.iter().map(|&i| room(i)).fold(1.0, f64::min);
        let ends: Vec<bool> = free.iter().map(|&i| room(i) <= length).collect();
        let mut change = 0.0_f64;
        for (&i, ends) in free.iter().zip(ends) {
            let by = length * p.signs[i] * step.signed[i];
            change = change.max(by.abs() / p.upper[i]);
            self.alpha[i] = match ends {
                true if by > 0.0 => p.upper[i],
                true => 0.0,
                false => (self.alpha[i] + by).clamp(0.0, p.upper[i]),
            };
        }
        Ok(length >= 1.0 && change <= f64::EPSILON)
    }

    /// The largest difference of slopes within a group.
    fn spread(&self, free: &[usize], slopes: &[f64]) -> f64 {
        let p = self.problem;
        let mut range = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        for &i in free {
            let (low, high) = &mut range[group(p.constraint, p.signs[i])];
            (*low, *high) = (low.min(slopes[i]), high.max(slopes[i]));
        }
        if p.constraint == Constraint::Free {
            return range[0].0.abs().max(range[0].1.abs());
        }
        range.iter().map(|(low, high)| (high - low).max(0.0)).fold(0.0, f64::max)
    }
}
