//! The outer loop: choose a working set, optimise it, carry the change to every point.

use super::inner::Inner;
use super::pull::{Pulls, group};
use super::rows::{Among, Room};
use super::{Constraint, DualOptions, DualProblem, DualSolution, KernelRows, Stopped, working_set};
use crate::{Compute, Result};

/// Steps within one working set, per variable of it.
const STEPS_PER_VARIABLE: u64 = 20;
/// A problem of so many working sets is taken as one where every row of the kernel is at hand: nothing need be gathered.
const SETS: usize = 2;

pub(super) struct Solver<'s, 'a> {
    problem: &'s DualProblem,
    rows: &'s mut KernelRows<'a>,
    options: &'s DualOptions,
    compute: &'s Compute,
    alpha: Vec<f64>,
    /// `F` at every point.
    values: Vec<f64>,
    steps: u64,
    room: Room,
}

impl<'s, 'a> Solver<'s, 'a> {
    pub(super) fn new(
        problem: &'s DualProblem,
        rows: &'s mut KernelRows<'a>,
        options: &'s DualOptions,
        compute: &'s Compute,
    ) -> Result<Self> {
        let values = vec![0.0; rows.points()];
        let (alpha, room) = (problem.start.clone(), Room::default());
        let mut solver = Self { problem, rows, options, compute, alpha, values, steps: 0, room };
        let begun: Vec<usize> = (0..problem.len()).filter(|&i| problem.start[i] != 0.0).collect();
        for part in begun.chunks(solver.set_size()) {
            compute.check_cancelled()?;
            let changes: Vec<f64> = part.iter().map(|&i| problem.signs[i] * problem.start[i]).collect();
            solver.fetch(part);
            solver.spread(part, &changes);
        }
        Ok(solver)
    }

    /// The most variables whose rows can be at hand together.
    fn set_size(&self) -> usize {
        let whole = self.rows.is_whole() && self.problem.len() <= SETS * self.options.working_set;
        let wanted = if whole { self.problem.len() } else { self.options.working_set };
        wanted.max(2).min(self.rows.capacity().max(2))
    }

    pub(super) fn run(mut self) -> Result<DualSolution> {
        let mut last = Vec::new();
        let mut first_violation = None;
        let most = self.options.max_steps.unwrap_or_else(|| step_limit(self.problem.len()));
        loop {
            let pull = self.pulls();
            let violation = self.extremes(&pull).violation();
            self.report(*first_violation.get_or_insert(violation), violation);
            if violation <= self.options.tolerance {
                return Ok(self.finish(&pull, Stopped::Converged));
            }
            if self.compute.check_cancelled().is_err() {
                return Ok(self.finish(&pull, Stopped::Cancelled));
            }
            if self.steps >= most {
                return Ok(self.finish(&pull, Stopped::StepLimit));
            }
            let set = working_set::choose(self.problem, &self.alpha, &pull, &last, self.set_size());
            let made = self.improve(&set, &pull, violation, most - self.steps);
            if made == 0 {
                return Ok(self.finish(&pull, Stopped::Stalled));
            }
            self.steps += made;
            last = set;
        }
    }

    fn pulls(&self) -> Vec<f64> {
        let p = self.problem;
        (0..p.len()).map(|i| -self.values[p.points[i]] - p.signs[i] * p.linear[i]).collect()
    }

    fn extremes(&self, pull: &[f64]) -> Pulls {
        Pulls::of(self.problem, &self.alpha, |i| pull[i])
    }

    /// Optimises a working set; the number of steps made.
    fn improve(&mut self, set: &[usize], pull: &[f64], violation: f64, left: u64) -> u64 {
        self.fetch(set);
        let points: Vec<usize> = set.iter().map(|&i| self.problem.points[i]).collect();
        let whole = set.len() == self.problem.len();
        let tolerance = self.options.tolerance;
        // The others have not been asked yet: more digits than these would be wasted.
        let target = if whole { tolerance } else { (0.1 * violation).max(0.5 * tolerance) };
        let most = left.min(STEPS_PER_VARIABLE * set.len() as u64);
        let (problem, diagonal) = (self.problem, self.rows.diagonal());
        let (steps, alpha) = match self.rows.among(&points, &mut self.room, self.compute) {
            Among::Double(k) => Inner::new(problem, set, &self.alpha, pull, k, diagonal).run(target, most),
            Among::Single(k) => Inner::new(problem, set, &self.alpha, pull, k, diagonal).run(target, most),
        };
        let changes: Vec<f64> =
            set.iter().zip(&alpha).map(|(&i, a)| self.problem.signs[i] * (a - self.alpha[i])).collect();
        set.iter().zip(&alpha).for_each(|(&i, &a)| self.alpha[i] = a);
        self.spread(set, &changes);
        steps
    }

    fn fetch(&mut self, set: &[usize]) {
        let mut points: Vec<usize> = set.iter().map(|&i| self.problem.points[i]).collect();
        points.sort_unstable();
        points.dedup();
        self.rows.fetch(&points, self.compute);
    }

    /// `F += Σ changeᵢ k(·, xᵢ)`.
    fn spread(&mut self, set: &[usize], changes: &[f64]) {
        let moved: Vec<(usize, f64)> = set
            .iter()
            .zip(changes)
            .filter(|(_, change)| **change != 0.0)
            .map(|(&i, &change)| (self.problem.points[i], change))
            .collect();
        self.rows.spread(&moved, &mut self.values, self.compute);
    }

    /// Progress on the scale of the logarithm of the violation.
    fn report(&self, first: f64, now: f64) {
        let decades = |from: f64, to: f64| (1000.0 * (from / to).log10().max(0.0)) as u64;
        let goal = self.options.tolerance;
        let total = decades(first, goal).max(1);
        self.compute.report("support vectors", total.saturating_sub(decades(now, goal)), total);
    }

    fn finish(self, pull: &[f64], stopped: Stopped) -> DualSolution {
        let pulls = self.extremes(pull);
        let p = self.problem;
        let offset = |g: usize| match p.constraint {
            Constraint::Free => 0.0,
            _ => self.offset(pull, g).unwrap_or_else(|| middle(pulls.groups[g].rising, pulls.groups[g].falling)),
        };
        let offsets = if p.constraint == Constraint::SumPerSign { [offset(0), offset(1)] } else { [offset(0); 2] };
        let (objective, gap) = self.objective_and_gap(pull, offsets);
        DualSolution {
            violation: pulls.violation(),
            objective,
            gap,
            offsets,
            alpha: self.alpha,
            values: self.values,
            steps: self.steps,
            stopped,
        }
    }

    /// `½αᵀQα + pᵀα`, and what it still lacks: `Σᵢ αᵢ(sᵢF(xᵢ) + pᵢ) + Cᵢmax(0, sᵢ(vᵢ − b)) + sᵢbαᵢ`, where `b` is the offset of `sᵢ`. Each term is
    /// at least 0.
    fn objective_and_gap(&self, pull: &[f64], offsets: [f64; 2]) -> (f64, f64) {
        let p = self.problem;
        let (mut objective, mut gap) = (0.0, 0.0);
        for (i, &alpha) in self.alpha.iter().enumerate() {
            let (sign, value) = (p.signs[i], self.values[p.points[i]]);
            objective += alpha * (0.5 * sign * value + p.linear[i]);
            // How much the objective would fall if this variable were to rise, given the offset.
            let wish = sign * (pull[i] - offsets[usize::from(sign < 0.0)]);
            gap += if wish > 0.0 { (p.upper[i] - alpha) * wish } else { -alpha * wish };
        }
        (objective, gap)
    }

    /// The mean pull of the variables between their bounds, if there are any.
    fn offset(&self, pull: &[f64], g: usize) -> Option<f64> {
        let p = self.problem;
        let free = (0..p.len())
            .filter(|&i| group(p.constraint, p.signs[i]) == g && self.alpha[i] > 0.0 && self.alpha[i] < p.upper[i]);
        let (count, sum) = free.fold((0_usize, 0.0), |(count, sum), i| (count + 1, sum + pull[i]));
        (count > 0).then(|| sum / count as f64)
    }
}

/// As many steps as LIBSVM would make before it gives up.
fn step_limit(variables: usize) -> u64 {
    (100 * variables as u64).max(10_000_000)
}

/// The middle of an interval that may be open on one side.
fn middle(above: f64, below: f64) -> f64 {
    match (above.is_finite(), below.is_finite()) {
        (true, true) => 0.5 * (above + below),
        (true, false) => above,
        (false, true) => below,
        (false, false) => 0.0,
    }
}
