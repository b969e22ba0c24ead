//! The outer loop: choose a working set, optimize it, update the values at every point.

use super::inner::{Inner, Slots};
use super::interior::Found;
use super::kkt::{Kkt, group};
use super::rows::{Room, Submatrix};
use super::shrinking::ActiveSet;
use super::{Constraint, DualOptions, DualProblem, DualSolution, KernelRows, Stopped, working_set};
use crate::{Compute, Result};

/// Steps within one working set per variable: more steps save passes over all points, but are
/// wasted if the set changes.
/// Between 5 and 80 the time of 5000 rows differs by less than 15 %, about the noise.
const STEPS_PER_VARIABLE: u64 = 20;
/// Up to this many working sets, a problem with all kernel rows in memory is solved as one set:
/// nothing needs to be gathered. With one set 3000 rows take twice the time, with eight the same.
const SETS: usize = 4;
/// The same when the working set is all variables, as it then is in every round. 2 is 27 % slower
/// at 1000 and 3000 rows and as fast at 200 (C = 10).
const STEPS_IF_WHOLE: u64 = 1;
/// Rounds between shrinking checks. 2 and 8 are 16 to 38 % slower at C = 1 and up to 17 % at
/// C = 100 (6000 rows).
const ROUNDS: usize = 4;
/// Shrinking is attempted only above this many variables and, when rows are computed, this many
/// working sets. 512 variables are 25 % slower at 400 rows, 128 as fast; 1 set differs by less than
/// 6 %, 4 sets are 24 % slower at C = 1 and 6 % faster at C = 100 (6000 rows).
const FEW: usize = 256;
const FEW_SETS: usize = 2;
/// Working sets of some variables: shrinking is done only if at most this fraction of the variables
/// stays active. 0.4 and 0.95 change the time of 5000 rows by 2 % and 4 %.
const MOST: f64 = 0.7;
/// A working set of all variables: how long it takes to gather a kernel value, in values that a step
/// passes over. 0.5 and 2 take 5 to 10 % longer in a regression of 4000 rows with C = 30, and differ
/// by less than the noise of 5 % elsewhere; the fraction above took 20 % longer there.
const GATHERING: f64 = 1.0;
/// The share of its bound by which a variable may miss a bound by rounding.
const ROUNDING: f64 = 1e-12;

pub(super) struct DualSolver<'s, 'a> {
    problem: &'s DualProblem,
    rows: &'s mut KernelRows<'a>,
    options: &'s DualOptions,
    compute: &'s Compute,
    alpha: Vec<f64>,
    /// `F` at every point.
    values: Vec<f64>,
    /// Whether every point has a variable.
    covers: bool,
    /// Whether `F` is known at the points of variables only.
    behind: bool,
    steps: u64,
    /// Steps after which it gives up.
    most: u64,
    /// The violation at the beginning.
    first: Option<f64>,
    room: Room,
}

impl<'s, 'a> DualSolver<'s, 'a> {
    pub(super) fn new(
        problem: &'s DualProblem,
        rows: &'s mut KernelRows<'a>,
        options: &'s DualOptions,
        compute: &'s Compute,
    ) -> Result<Self> {
        let mut solver = Self::at(problem, problem.start.clone(), rows, options, compute)?;
        problem.guesses.iter().try_for_each(|guess| solver.consider(guess))?;
        Ok(solver)
    }

    /// Begins where an interior-point method ended.
    pub(super) fn near(
        problem: &'s DualProblem,
        near: Found,
        rows: &'s mut KernelRows<'a>,
        options: &'s DualOptions,
        compute: &'s Compute,
    ) -> Result<Self> {
        let solver = Self::at(problem, near.alpha, rows, options, compute)?;
        Ok(Self { steps: near.steps, ..solver })
    }

    fn at(
        problem: &'s DualProblem,
        alpha: Vec<f64>,
        rows: &'s mut KernelRows<'a>,
        options: &'s DualOptions,
        compute: &'s Compute,
    ) -> Result<Self> {
        let values = vec![0.0; rows.points()];
        let most = options.max_steps.unwrap_or_else(|| step_limit(problem.len()));
        let room = Room::default();
        let mut seen = vec![false; values.len()];
        problem.points.iter().for_each(|&p| seen[p] = true);
        let (covers, behind, steps, first) = (seen.iter().all(|seen| *seen), false, 0, None);
        let mut solver =
            Self { problem, rows, options, compute, alpha, values, covers, behind, steps, most, first, room };
        solver.state()?;
        Ok(solver)
    }

    /// Goes along the ray from the start of the problem through a guess as far as the objective
    /// falls, and stays there if it is lower than here.
    ///
    /// # Formula
    /// `start + td` with `t = −gᵀd / dᵀQd`, where `g` is the gradient at the start, or the largest
    /// `t` within the bounds if that is smaller.
    fn consider(&mut self, guess: &[f64]) -> Result<()> {
        let p = self.problem;
        let here = (self.objective(), std::mem::take(&mut self.alpha), std::mem::take(&mut self.values));
        let (from, values) = (&p.start, if p.start == here.1 { here.2.clone() } else { self.values_of(&p.start)? });
        let along = self.values_of(guess)?;
        let (mut slope, mut curvature, mut most) = (0.0, 0.0, f64::INFINITY);
        for (i, &point) in p.points.iter().enumerate() {
            let d = guess[i] - from[i];
            slope += d * (p.signs[i] * values[point] + p.linear[i]);
            curvature += d * p.signs[i] * (along[point] - values[point]);
            let room = if d > 0.0 { p.upper[i] - from[i] } else { from[i] };
            if d != 0.0 {
                most = f64::min(most, room / d.abs());
            }
        }
        let best = if curvature > 0.0 { -slope / curvature } else { most };
        let t = if best.is_finite() { best.clamp(0.0, most) } else { 0.0 };
        let step = |a: &f64, b: &f64| a + t * (b - a);
        self.alpha = from.iter().zip(guess).zip(&p.upper).map(|((a, b), c)| step(a, b).clamp(0.0, *c)).collect();
        self.values = values.iter().zip(&along).map(|(a, b)| step(a, b)).collect();
        if self.objective() >= here.0 {
            (_, self.alpha, self.values) = here;
        }
        Ok(())
    }

    /// `F` at every point from the variables.
    fn state(&mut self) -> Result<()> {
        let alpha = std::mem::take(&mut self.alpha);
        self.values = self.values_of(&alpha)?;
        (self.alpha, self.behind) = (alpha, false);
        Ok(())
    }

    /// `F` at every point for some variables.
    fn values_of(&mut self, alpha: &[f64]) -> Result<Vec<f64>> {
        let mut values = vec![0.0; self.rows.points()];
        let p = self.problem;
        let begun: Vec<(usize, f64)> =
            (0..p.len()).filter(|&i| alpha[i] != 0.0).map(|i| (p.points[i], p.signs[i] * alpha[i])).collect();
        let at_once = if self.rows.finite_rank().is_some() { begun.len().max(1) } else { self.set_size() };
        begun.chunks(at_once).try_for_each(|part| self.rows.spread(part, &mut values, self.compute))?;
        Ok(values)
    }

    /// `½αᵀQα + pᵀα`.
    fn objective(&self) -> f64 {
        let p = self.problem;
        let term = |i: usize| self.alpha[i] * (0.5 * p.signs[i] * self.values[p.points[i]] + p.linear[i]);
        (0..p.len()).map(term).sum()
    }

    /// The most variables whose rows can be at hand together.
    fn set_size(&self) -> usize {
        let whole = self.rows.is_whole() && self.rows.points() <= SETS * self.options.working_set;
        let requested = if whole { self.problem.len() } else { self.options.working_set };
        // Several variables may share a point: of a regression there are twice as many. Steps of a single
        // variable look at every point of the set, and smaller sets are quicker: with all variables 120
        // points of an ε-insensitive loss without intercept take five times as long.
        let bounded = !whole || self.problem.constraint == Constraint::Free;
        if bounded { requested.max(2).min(self.rows.capacity().max(2)) } else { requested.max(2) }
    }

    pub(super) fn run(mut self) -> Result<DualSolution> {
        let stopped = self.advance()?;
        if self.behind {
            self.state()?;
        }
        Ok(self.finish(stopped))
    }

    /// Optimizes working sets until there is a reason to stop.
    fn advance(&mut self) -> Result<Stopped> {
        let (mut last, mut rounds, mut begun) = (Vec::new(), 0, self.steps);
        loop {
            let gradient = self.kkt();
            let kkt = self.extremes(&gradient);
            let violation = kkt.violation();
            self.report(violation);
            self.compute.remark(|| format!("duality gap {:.1e}", self.gap(&gradient, self.offsets(&gradient))));
            if violation <= self.options.tolerance {
                return Ok(Stopped::Converged);
            }
            if self.compute.check_canceled().is_err() {
                self.compute.check_aborted()?;
                return Ok(Stopped::Canceled);
            }
            if self.steps >= self.most {
                return Ok(Stopped::StepLimit);
            }
            if rounds >= self.rounds_to_shrinking() {
                let active_set = ActiveSet::find(self.problem, &self.alpha, &gradient, &kkt);
                if self.shrinking_pays(active_set.active.len(), self.steps - begun)
                    && let Some(made) = self.advance_without(&active_set)?
                {
                    if made == 0 {
                        return Ok(Stopped::Stalled);
                    }
                    (last, rounds, begun) = (Vec::new(), 0, self.steps);
                    continue;
                }
            }
            let set = working_set::choose(self.problem, &self.alpha, &gradient, &last, self.set_size());
            let made = self.improve(&set, violation)?;
            if made == 0 {
                return Ok(Stopped::Stalled);
            }
            self.steps += made;
            last = set;
            rounds += 1;
        }
    }

    /// Rounds between shrinking checks.
    fn rounds_to_shrinking(&self) -> usize {
        let (n, whole) = (self.problem.len(), self.rows.is_whole());
        match n > if whole { FEW } else { FEW_SETS * self.options.working_set } {
            true if whole && self.set_size() == n => 1,
            true => ROUNDS,
            false => usize::MAX,
        }
    }

    /// Whether to go on with this many active variables alone, after so many steps on all. Where
    /// every step passes over all points: when those steps would have saved what it takes to gather
    /// the matrix of the active ones.
    fn shrinking_pays(&self, active: usize, steps: u64) -> bool {
        let (n, q) = (self.problem.len() as f64, active as f64);
        if self.set_size() < self.problem.len() {
            return q < MOST * n;
        }
        let points = self.rows.points() as f64;
        steps as f64 * (points - q).max(0.0) >= GATHERING * q * q
    }

    /// Optimizes the active variables on their points alone, and updates the values at the other
    /// points; returns the number of steps. `None` where the submatrix cannot be formed.
    fn advance_without(&mut self, active_set: &ActiveSet) -> Result<Option<u64>> {
        let (points, problem) = active_set.rest(self.problem);
        let Some(mut rows) = self.rows.restricted(&points, self.compute)? else { return Ok(None) };
        let mut inner = DualSolver {
            problem: &problem,
            rows: &mut rows,
            options: self.options,
            compute: self.compute,
            alpha: active_set.active.iter().map(|&i| self.alpha[i]).collect(),
            values: points.iter().map(|&p| self.values[p]).collect(),
            covers: true,
            behind: false,
            steps: self.steps,
            most: self.most,
            first: self.first,
            room: std::mem::take(&mut self.room),
        };
        // Whatever stopped it is seen again here.
        inner.advance()?;
        let (alpha, values, made) = (inner.alpha, inner.values, inner.steps - self.steps);
        (self.room, self.steps) = (inner.room, inner.steps);
        let mut changes = vec![0.0; self.rows.points()];
        for (&i, &new) in active_set.active.iter().zip(&alpha) {
            changes[self.problem.points[i]] += self.problem.signs[i] * (new - self.alpha[i]);
            self.alpha[i] = new;
        }
        let moved: Vec<(usize, f64)> = changes.into_iter().enumerate().filter(|(_, change)| *change != 0.0).collect();
        self.rows.spread_once(&moved, &mut self.values, self.compute)?;
        points.iter().zip(&values).for_each(|(&p, &value)| self.values[p] = value);
        Ok(Some(made))
    }

    fn kkt(&self) -> Vec<f64> {
        let p = self.problem;
        (0..p.len()).map(|i| -self.values[p.points[i]] - p.signs[i] * p.linear[i]).collect()
    }

    fn extremes(&self, gradient: &[f64]) -> Kkt {
        Kkt::of(self.problem, &self.alpha, |i| gradient[i])
    }

    /// Optimizes a working set; the number of steps made.
    fn improve(&mut self, set: &[usize], violation: f64) -> Result<u64> {
        let problem = self.problem;
        let slots = Slots::new(problem, set);
        let whole = set.len() == problem.len();
        let tolerance = self.options.tolerance;
        // The other variables have not been updated yet: higher accuracy would be wasted.
        let target = if whole { tolerance } else { (0.1 * violation).max(0.5 * tolerance) };
        let each = if whole { STEPS_IF_WHOLE } else { STEPS_PER_VARIABLE };
        let most = (self.most - self.steps).min(each * set.len() as u64);
        let of = |list: &[f64]| slots.points.iter().map(|&p| list[p]).collect::<Vec<f64>>();
        let (diagonal, values) = (of(self.rows.diagonal()), of(&self.values));
        let found = match self.rows.submatrix(&slots.points, &mut self.room, self.compute)? {
            Submatrix::Double(k) => {
                Inner::new(problem, set, &slots, &self.alpha, &values, k, diagonal).run(target, most)
            }
            Submatrix::Single(k) => {
                Inner::new(problem, set, &slots, &self.alpha, &values, k, diagonal).run(target, most)
            }
        };
        if whole {
            self.alpha = found.alpha;
            slots.points.iter().zip(&found.values).for_each(|(&p, &value)| self.values[p] = value);
            self.behind = !self.covers;
            return Ok(found.steps);
        }
        let change = |(&i, a): (&usize, &f64)| problem.signs[i] * (a - self.alpha[i]);
        let changes: Vec<f64> = set.iter().zip(&found.alpha).map(change).collect();
        set.iter().zip(&found.alpha).for_each(|(&i, &a)| self.alpha[i] = a);
        self.spread(set, &changes)?;
        Ok(found.steps)
    }

    /// `F += Σ changeᵢ k(·, xᵢ)`.
    fn spread(&mut self, set: &[usize], changes: &[f64]) -> Result<()> {
        let moved: Vec<(usize, f64)> = set
            .iter()
            .zip(changes)
            .filter(|(_, change)| **change != 0.0)
            .map(|(&i, &change)| (self.problem.points[i], change))
            .collect();
        self.rows.spread(&moved, &mut self.values, self.compute)
    }

    /// Progress on the scale of the logarithm of the violation.
    fn report(&mut self, now: f64) {
        let first = *self.first.get_or_insert(now);
        let decades = |from: f64, to: f64| (1000.0 * (from / to).log10().max(0.0)) as u64;
        let goal = self.options.tolerance;
        let total = decades(first, goal).max(1);
        self.compute.report("support vectors", total.saturating_sub(decades(now, goal)), total);
    }

    fn finish(self, stopped: Stopped) -> DualSolution {
        let gradient = &self.kkt()[..];
        let kkt = self.extremes(gradient);
        let offsets = self.offsets(gradient);
        DualSolution {
            violation: kkt.violation(),
            objective: self.objective(),
            gap: self.gap(gradient, offsets),
            offsets,
            alpha: self.alpha,
            values: self.values,
            steps: self.steps,
            stopped,
        }
    }

    /// The offset of each sign: the mean gradient of the variables between their bounds, or the
    /// middle of what the others leave, as in LIBSVM. A variable that is off its bound by rounding
    /// alone is at the bound.
    fn offsets(&self, gradient: &[f64]) -> [f64; 2] {
        let p = self.problem;
        let constraint = p.constraint;
        let snapped: Vec<f64> = self.alpha.iter().zip(&p.upper).map(|(a, c)| at_bound(*a, *c)).collect();
        let kkt = Kkt::of(p, &snapped, |i| gradient[i]);
        let between = |g: usize| {
            let free = (0..p.len())
                .filter(|&i| group(constraint, p.signs[i]) == g && snapped[i] > 0.0 && snapped[i] < p.upper[i]);
            let (count, sum) = free.fold((0_usize, 0.0), |(count, sum), i| (count + 1, sum + gradient[i]));
            (count > 0).then(|| sum / count as f64)
        };
        let offset = |g: usize| match constraint {
            Constraint::Free => 0.0,
            _ => between(g).unwrap_or_else(|| middle(kkt.groups[g].rising, kkt.groups[g].falling)),
        };
        if constraint == Constraint::SumPerSign { [offset(0), offset(1)] } else { [offset(0); 2] }
    }

    /// What the objective still lacks: `Σᵢ αᵢ(sᵢF(xᵢ) + pᵢ) + Cᵢmax(0, sᵢ(vᵢ − b)) + sᵢbαᵢ`, where
    /// `b` is the offset of `sᵢ`. Each term is at least 0.
    fn gap(&self, gradient: &[f64], offsets: [f64; 2]) -> f64 {
        let p = self.problem;
        let term = |(i, &alpha): (usize, &f64)| {
            // How much the objective would fall if this variable were to rise, given the offset.
            let excess = p.signs[i] * (gradient[i] - offsets[usize::from(p.signs[i] < 0.0)]);
            if excess > 0.0 { (p.upper[i] - alpha) * excess } else { -alpha * excess }
        };
        self.alpha.iter().enumerate().map(term).sum()
    }
}

/// As many steps as LIBSVM would make before it gives up.
fn step_limit(variables: usize) -> u64 {
    (100 * variables as u64).max(10_000_000)
}

/// A variable, exactly at a bound where rounding alone keeps it from there.
fn at_bound(alpha: f64, upper: f64) -> f64 {
    match alpha {
        a if a <= ROUNDING * upper => 0.0,
        a if a >= (1.0 - ROUNDING) * upper => upper,
        a => a,
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
