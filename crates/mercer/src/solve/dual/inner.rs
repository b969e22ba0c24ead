//! Sequential minimal optimisation within one working set.

use super::pull::{can_fall, can_rise, group, room_above, room_below};
use super::{Constraint, DualProblem};

/// The curvature of a pair whose points cannot be told apart.
const FLAT: f64 = 1e-12;

/// The variables of a working set, and the kernel among them.
pub(super) struct Inner {
    signs: Vec<f64>,
    upper: Vec<f64>,
    pub(super) alpha: Vec<f64>,
    pull: Vec<f64>,
    group: Vec<usize>,
    /// `k` among the working set, row after row.
    kernel: Vec<f64>,
    diagonal: Vec<f64>,
    constraint: Constraint,
}

impl Inner {
    pub(super) fn new(
        problem: &DualProblem,
        variables: &[usize],
        alpha: &[f64],
        pull: impl Fn(usize) -> f64,
        kernel: Vec<f64>,
    ) -> Self {
        let q = variables.len();
        let of = |f: &dyn Fn(usize) -> f64| variables.iter().map(|&i| f(i)).collect::<Vec<f64>>();
        Self {
            signs: of(&|i| problem.signs[i]),
            upper: of(&|i| problem.upper[i]),
            alpha: of(&|i| alpha[i]),
            pull: of(&pull),
            group: variables.iter().map(|&i| group(problem.constraint, problem.signs[i])).collect(),
            diagonal: (0..q).map(|i| kernel[i * q + i]).collect(),
            kernel,
            constraint: problem.constraint,
        }
    }

    /// Steps until the violation within the set is at most `tolerance`, or the steps are used up; how many were made.
    pub(super) fn run(&mut self, tolerance: f64, max_steps: u64) -> u64 {
        let mut steps = 0;
        loop {
            let (violation, step) =
                if self.constraint == Constraint::Free { self.best_single() } else { self.best_pair() };
            match step {
                Some(step) if violation > tolerance && steps < max_steps => {
                    self.take(step);
                    steps += 1;
                }
                _ => return steps,
            }
        }
    }

    /// The violation, and the pair with the largest gain whose first is the strongest pull upwards (of each group).
    fn best_pair(&self) -> (f64, Option<Step>) {
        let groups = if self.constraint == Constraint::SumPerSign { 2 } else { 1 };
        let (mut violation, mut best, mut gain) = (0.0_f64, None, 0.0);
        for g in 0..groups {
            let Some(i) = self.strongest(g) else { continue };
            let (found, pair) = self.partner(g, i);
            violation = violation.max(found);
            if let Some((j, pair_gain)) = pair
                && pair_gain > gain
            {
                (best, gain) = (Some(Step::Pair(i, j)), pair_gain);
            }
        }
        (violation, best)
    }

    fn strongest(&self, group: usize) -> Option<usize> {
        let mut best = None;
        let mut largest = f64::NEG_INFINITY;
        for t in 0..self.alpha.len() {
            let eligible = self.group[t] == group && can_rise(self.signs[t], self.alpha[t], self.upper[t]);
            if eligible && self.pull[t] > largest {
                (best, largest) = (Some(t), self.pull[t]);
            }
        }
        best
    }

    /// The violation of `i` and its partner with the largest gain `b²/a`.
    fn partner(&self, group: usize, i: usize) -> (f64, Option<(usize, f64)>) {
        let row = self.row(i);
        let (mut smallest, mut best, mut gain) = (f64::INFINITY, None, 0.0);
        for t in 0..self.alpha.len() {
            if self.group[t] != group || !can_fall(self.signs[t], self.alpha[t], self.upper[t]) {
                continue;
            }
            smallest = self.pull[t].min(smallest);
            let slope = self.pull[i] - self.pull[t];
            if slope > 0.0 {
                let found = slope * slope / curvature(self.diagonal[i] + self.diagonal[t] - 2.0 * row[t]);
                if found > gain {
                    (best, gain) = (Some(t), found);
                }
            }
        }
        ((self.pull[i] - smallest).max(0.0), best.map(|j| (j, gain)))
    }

    /// Without a constraint: the violation, and the variable with the largest gain.
    fn best_single(&self) -> (f64, Option<Step>) {
        let (mut violation, mut best, mut gain) = (0.0_f64, None, 0.0);
        for t in 0..self.alpha.len() {
            let pull = self.pull[t];
            let free = if pull > 0.0 { can_rise } else { can_fall }(self.signs[t], self.alpha[t], self.upper[t]);
            if !free {
                continue;
            }
            violation = violation.max(pull.abs());
            let found = pull * pull / curvature(self.diagonal[t]);
            if found > gain {
                (best, gain) = (Some(Step::Single(t)), found);
            }
        }
        (violation, best)
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Pair(i, j) => {
                let slope = self.pull[i] - self.pull[j];
                let bend = curvature(self.diagonal[i] + self.diagonal[j] - 2.0 * self.row(i)[j]);
                let above = room_above(self.signs[i], self.alpha[i], self.upper[i]);
                let below = room_below(self.signs[j], self.alpha[j], self.upper[j]);
                let length = (slope / bend).min(above).min(below);
                self.shift(i, length, length >= above);
                self.shift(j, -length, length >= below);
            }
            Step::Single(i) => {
                let wanted = self.pull[i] / curvature(self.diagonal[i]);
                let room =
                    if wanted > 0.0 { room_above } else { room_below }(self.signs[i], self.alpha[i], self.upper[i]);
                let length = wanted.clamp(-room, room);
                self.shift(i, length, length.abs() >= room);
            }
        }
    }

    /// `sᵢαᵢ += change`, and the pulls that follow; exactly to the bound where it ends there.
    fn shift(&mut self, i: usize, change: f64, to_bound: bool) {
        let upwards = (change > 0.0) == (self.signs[i] > 0.0);
        self.alpha[i] = match (to_bound, upwards) {
            (true, true) => self.upper[i],
            (true, false) => 0.0,
            (false, _) => (self.alpha[i] + self.signs[i] * change).clamp(0.0, self.upper[i]),
        };
        let q = self.alpha.len();
        let row = &self.kernel[i * q..(i + 1) * q];
        self.pull.iter_mut().zip(row).for_each(|(p, k)| *p -= change * k);
    }

    fn row(&self, i: usize) -> &[f64] {
        let q = self.alpha.len();
        &self.kernel[i * q..(i + 1) * q]
    }
}

#[derive(Clone, Copy)]
enum Step {
    /// The first rises, the second falls.
    Pair(usize, usize),
    Single(usize),
}

fn curvature(a: f64) -> f64 {
    if a > FLAT { a } else { FLAT }
}
