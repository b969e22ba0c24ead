//! The outer loop: choose a working set, optimise it, carry the change to every point.

use rayon::prelude::*;

use super::inner::Inner;
use super::pull::{Pulls, group};
use super::{Constraint, DualOptions, DualProblem, DualSolution, KernelRows, Stopped, working_set};
use crate::{Compute, Result};

/// Points that one task updates. Fixed, so that the bytes do not depend on the number of threads.
const CHUNK: usize = 2048;
/// Steps within one working set, per variable of it.
const STEPS_PER_VARIABLE: u64 = 20;

pub(super) struct Solver<'s, 'a> {
    problem: &'s DualProblem,
    rows: &'s mut KernelRows<'a>,
    options: &'s DualOptions,
    compute: &'s Compute,
    alpha: Vec<f64>,
    /// `F` at every point.
    values: Vec<f64>,
    steps: u64,
}

impl<'s, 'a> Solver<'s, 'a> {
    pub(super) fn new(
        problem: &'s DualProblem,
        rows: &'s mut KernelRows<'a>,
        options: &'s DualOptions,
        compute: &'s Compute,
    ) -> Result<Self> {
        let values = vec![0.0; rows.points()];
        let mut solver = Self { problem, rows, options, compute, alpha: problem.start.clone(), values, steps: 0 };
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
        self.options.working_set.max(2).min(self.rows.capacity().max(2))
    }

    pub(super) fn run(mut self) -> Result<DualSolution> {
        let mut last = Vec::new();
        let mut first_violation = None;
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
            let left = self.options.max_steps.map_or(u64::MAX, |max| max.saturating_sub(self.steps));
            if left == 0 {
                return Ok(self.finish(&pull, Stopped::StepLimit));
            }
            let set = working_set::choose(self.problem, &self.alpha, &pull, &last, self.set_size());
            let made = self.improve(&set, &pull, violation, left);
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
        let kernel = self.kernel_of(set);
        let mut inner = Inner::new(self.problem, set, &self.alpha, |i| pull[i], kernel);
        let whole = set.len() == self.problem.len();
        let tolerance = self.options.tolerance;
        // The others have not been asked yet: more digits than these would be wasted.
        let target = if whole { tolerance } else { (0.1 * violation).max(0.5 * tolerance) };
        let most = if whole { left } else { left.min(STEPS_PER_VARIABLE * set.len() as u64) };
        let steps = inner.run(target, most);
        let changes: Vec<f64> =
            set.iter().zip(&inner.alpha).map(|(&i, a)| self.problem.signs[i] * (a - self.alpha[i])).collect();
        set.iter().zip(&inner.alpha).for_each(|(&i, &a)| self.alpha[i] = a);
        self.spread(set, &changes);
        steps
    }

    fn fetch(&mut self, set: &[usize]) {
        let mut points: Vec<usize> = set.iter().map(|&i| self.problem.points[i]).collect();
        points.sort_unstable();
        points.dedup();
        self.rows.fetch(&points, self.compute);
    }

    /// The kernel among the points of a set.
    fn kernel_of(&self, set: &[usize]) -> Vec<f64> {
        let points: Vec<usize> = set.iter().map(|&i| self.problem.points[i]).collect();
        let mut kernel = Vec::with_capacity(points.len() * points.len());
        for &p in &points {
            let row = self.rows.row(p);
            kernel.extend(points.iter().map(|&o| row.get(o)));
        }
        let q = points.len();
        for (at, &p) in points.iter().enumerate() {
            kernel[at * q + at] = self.rows.diagonal()[p];
        }
        kernel
    }

    /// `F += Σ changeᵢ k(·, xᵢ)`.
    fn spread(&mut self, set: &[usize], changes: &[f64]) {
        let rows = &*self.rows;
        let moved: Vec<_> = set
            .iter()
            .zip(changes)
            .filter(|(_, change)| **change != 0.0)
            .map(|(&i, &change)| (rows.row(self.problem.points[i]), change))
            .collect();
        let update = |(chunk, values): (usize, &mut [f64])| {
            let range = chunk * CHUNK..chunk * CHUNK + values.len();
            moved.iter().for_each(|(row, change)| row.add_to(range.clone(), *change, values));
        };
        let values = &mut self.values;
        self.compute.install(|| values.par_chunks_mut(CHUNK).enumerate().for_each(update));
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
        let objective =
            (0..p.len()).map(|i| self.alpha[i] * (0.5 * p.signs[i] * self.values[p.points[i]] + p.linear[i])).sum();
        let offset = |g: usize| match p.constraint {
            Constraint::Free => 0.0,
            _ => self.offset(pull, g).unwrap_or_else(|| middle(pulls.groups[g].rising, pulls.groups[g].falling)),
        };
        let offsets = if p.constraint == Constraint::SumPerSign { [offset(0), offset(1)] } else { [offset(0); 2] };
        DualSolution {
            violation: pulls.violation(),
            objective,
            offsets,
            alpha: self.alpha,
            values: self.values,
            steps: self.steps,
            stopped,
        }
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

/// The middle of an interval that may be open on one side.
fn middle(above: f64, below: f64) -> f64 {
    match (above.is_finite(), below.is_finite()) {
        (true, true) => 0.5 * (above + below),
        (true, false) => above,
        (false, true) => below,
        (false, false) => 0.0,
    }
}
