//! Sequential minimal optimization within one working set.

use super::kkt::{can_fall, can_rise, group, groups, room_above, room_below};
use super::lines::Lines;
use super::{Constraint, DualProblem};
use crate::gram::simd::{Element, scan};

/// The curvature of a pair whose points coincide.
const FLAT: f64 = 1e-12;

/// The variables of a working set, and the kernel among them.
pub(super) struct Inner<'k, T> {
    signs: Vec<f64>,
    upper: Vec<f64>,
    alpha: Vec<f64>,
    gradient: Vec<f64>,
    group: Vec<usize>,
    /// For each group: 0 for its variables that can rise, `−∞` for all others.
    rise: Vec<Vec<f64>>,
    /// For each group: 0 for its variables that can fall, `∞` for all others.
    fall: Vec<Vec<f64>>,
    /// `k` among the working set.
    kernel: Lines<'k, T>,
    diagonal: Vec<f64>,
    constraint: Constraint,
}

impl<'k, T: Element> Inner<'k, T> {
    pub(super) fn new(
        problem: &DualProblem,
        variables: &[usize],
        alpha: &[f64],
        gradient: &[f64],
        kernel: Lines<'k, T>,
        diagonal: Vec<f64>,
    ) -> Self {
        let q = variables.len();
        let of = |list: &[f64]| variables.iter().map(|&i| list[i]).collect::<Vec<f64>>();
        let count = groups(problem.constraint);
        let mut inner = Self {
            signs: of(&problem.signs),
            upper: of(&problem.upper),
            alpha: of(alpha),
            gradient: of(gradient),
            group: variables.iter().map(|&i| group(problem.constraint, problem.signs[i])).collect(),
            rise: vec![vec![f64::NEG_INFINITY; q]; count],
            fall: vec![vec![f64::INFINITY; q]; count],
            diagonal,
            kernel,
            constraint: problem.constraint,
        };
        (0..q).for_each(|i| inner.bar(i));
        inner
    }

    /// Notes in which directions a variable can move.
    fn bar(&mut self, i: usize) {
        let (g, sign, alpha, upper) = (self.group[i], self.signs[i], self.alpha[i], self.upper[i]);
        self.rise[g][i] = if can_rise(sign, alpha, upper) { 0.0 } else { f64::NEG_INFINITY };
        self.fall[g][i] = if can_fall(sign, alpha, upper) { 0.0 } else { f64::INFINITY };
    }

    /// Steps until the violation within the set is at most `tolerance`, or the steps are used up;
    /// how many were made, `α`, and the pulls.
    pub(super) fn run(mut self, tolerance: f64, max_steps: u64) -> (u64, Vec<f64>, Vec<f64>) {
        let mut steps = 0;
        loop {
            let (violation, step) =
                if self.constraint == Constraint::Free { self.best_single() } else { self.best_pair() };
            match step {
                Some(step) if violation > tolerance && steps < max_steps => {
                    self.take(step);
                    steps += 1;
                }
                _ => return (steps, self.alpha, self.gradient),
            }
        }
    }

    /// The violation, and the pair with the largest gain whose first has the largest `vᵢ` (of each
    /// group).
    fn best_pair(&self) -> (f64, Option<PairStep>) {
        let (mut violation, mut best, mut gain) = (0.0_f64, None, 0.0);
        for (rise, fall) in self.rise.iter().zip(&self.fall) {
            let Some((i, top)) = scan::largest(&self.gradient, rise) else { continue };
            let found = self.partner(i, top, fall);
            violation = violation.max(top - found.smallest);
            if let Some((j, pair_gain)) = found.best
                && pair_gain > gain
            {
                (best, gain) = (Some(PairStep::Pair(i, j)), pair_gain);
            }
        }
        (violation, best)
    }

    /// The best partner for `i`, which rises.
    fn partner(&self, i: usize, top: f64, fall: &[f64]) -> scan::Found {
        let mut found = scan::Found { best: None, smallest: f64::INFINITY };
        for run in 0..self.kernel.runs.len() {
            let columns = self.kernel.columns(run);
            let search = scan::Partner {
                top,
                diagonal: self.diagonal[i],
                values: &self.gradient[columns.clone()],
                bars: &fall[columns.clone()],
                diagonals: &self.diagonal[columns.clone()],
                row: self.kernel.piece(i, run),
                flat: FLAT,
            };
            found = found.or(search.find(), columns.start);
        }
        found
    }

    /// Without a constraint: the violation, and the variable with the largest gain.
    fn best_single(&self) -> (f64, Option<PairStep>) {
        let (mut violation, mut best, mut gain) = (0.0_f64, None, 0.0);
        for t in 0..self.alpha.len() {
            let gradient = self.gradient[t];
            let barred = if gradient > 0.0 { self.rise[0][t] } else { self.fall[0][t] } != 0.0;
            if barred {
                continue;
            }
            violation = violation.max(gradient.abs());
            let found = gradient * gradient / curvature(self.diagonal[t]);
            if found > gain {
                (best, gain) = (Some(PairStep::Single(t)), found);
            }
        }
        (violation, best)
    }

    fn take(&mut self, step: PairStep) {
        match step {
            PairStep::Pair(i, j) => {
                let slope = self.gradient[i] - self.gradient[j];
                let bend = curvature(self.diagonal[i] + self.diagonal[j] - 2.0 * self.kernel.at(i, j));
                let above = room_above(self.signs[i], self.alpha[i], self.upper[i]);
                let below = room_below(self.signs[j], self.alpha[j], self.upper[j]);
                let length = (slope / bend).min(above).min(below);
                self.shift(i, length, length >= above);
                self.shift(j, -length, length >= below);
                self.follow((i, length), (j, -length));
            }
            PairStep::Single(i) => {
                let requested = self.gradient[i] / curvature(self.diagonal[i]);
                let room =
                    if requested > 0.0 { room_above } else { room_below }(self.signs[i], self.alpha[i], self.upper[i]);
                let length = requested.clamp(-room, room);
                self.shift(i, length, length.abs() >= room);
                self.follow((i, length), (i, 0.0));
            }
        }
    }

    /// `sᵢαᵢ += change`; exactly to the bound where it ends there.
    fn shift(&mut self, i: usize, change: f64, to_bound: bool) {
        let upwards = (change > 0.0) == (self.signs[i] > 0.0);
        self.alpha[i] = match (to_bound, upwards) {
            (true, true) => self.upper[i],
            (true, false) => 0.0,
            (false, _) => (self.alpha[i] + self.signs[i] * change).clamp(0.0, self.upper[i]),
        };
        self.bar(i);
    }

    /// The values `vᵢ` after two changes.
    fn follow(&mut self, (i, a): (usize, f64), (j, b): (usize, f64)) {
        for run in 0..self.kernel.runs.len() {
            let gradient = &mut self.gradient[self.kernel.columns(run)];
            scan::subtract(gradient, (a, self.kernel.piece(i, run)), (b, self.kernel.piece(j, run)));
        }
    }
}

#[derive(Clone, Copy)]
enum PairStep {
    /// The first rises, the second falls.
    Pair(usize, usize),
    Single(usize),
}

fn curvature(a: f64) -> f64 {
    if a > FLAT { a } else { FLAT }
}
