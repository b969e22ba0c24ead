//! Shrinking: variables that stay at a bound are left out, and the others are optimized without
//! them.

use super::kkt::{Kkt, can_fall, can_rise, group};
use super::{Constraint, DualProblem};

/// The variables that still may move.
pub(super) struct ActiveSet {
    pub(super) active: Vec<usize>,
}

impl ActiveSet {
    /// A variable is shrunk when it can move in one direction only and its `vᵢ` is beyond that of
    /// every variable that could move the other way: it is in no pair that violates the conditions.
    pub(super) fn find(problem: &DualProblem, alpha: &[f64], gradient: &[f64], kkt: &Kkt) -> Self {
        let may_move = |&i: &usize| {
            let (sign, upper) = (problem.signs[i], problem.upper[i]);
            let extremes = kkt.groups[group(problem.constraint, sign)];
            let (low, high) = match problem.constraint {
                Constraint::Free => (0.0, 0.0),
                _ => (extremes.falling, extremes.rising),
            };
            match (can_rise(sign, alpha[i], upper), can_fall(sign, alpha[i], upper)) {
                (true, true) => true,
                (true, false) => gradient[i] >= low,
                (false, true) => gradient[i] <= high,
                (false, false) => false,
            }
        };
        Self { active: (0..alpha.len()).filter(may_move).collect() }
    }

    /// The points of the variables that may move, and their problem.
    pub(super) fn rest(&self, problem: &DualProblem) -> (Vec<usize>, DualProblem) {
        let mut points: Vec<usize> = self.active.iter().map(|&i| problem.points[i]).collect();
        points.sort_unstable();
        points.dedup();
        let of = |list: &[f64]| self.active.iter().map(|&i| list[i]).collect::<Vec<f64>>();
        // Every point is in the list.
        let position = |&i: &usize| points.partition_point(|&p| p < problem.points[i]);
        let rest = DualProblem {
            points: self.active.iter().map(position).collect(),
            signs: of(&problem.signs),
            linear: of(&problem.linear),
            upper: of(&problem.upper),
            start: of(&problem.start),
            guesses: Vec::new(),
            constraint: problem.constraint,
        };
        (points, rest)
    }
}
