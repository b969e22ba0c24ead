//! The parameters of a kernel and one number beside them (a noise variance, a λ) as a point of ℝᵖ,
//! and the search for the best one.

use ndarray::Array2;

use crate::solve::{CurvedObjective, MinimizeOptions, Minimum, Objective, minimize, minimize_curved};
use crate::{Compute, Error, Kernel, Result};

/// The logarithm of a parameter stays this close to where it started: a factor of 10¹⁰.
const REACH: f64 = 23.0;
/// The spread of the logarithms of the random starts.
const SPREAD: f64 = 1.5;

/// Which of the parameters move, and what the others are.
pub(crate) struct ParameterSpace<'a> {
    kernel: &'a Kernel,
    /// Values of all parameters, the one beside the kernel last.
    values: Vec<f64>,
    /// The positions of those that move, and whether they move in the logarithm.
    free: Vec<(usize, bool)>,
}

/// The names of the parameters of the kernel in order, then the one beside it.
pub(crate) fn names(kernel: &Kernel, beside: &str) -> Vec<String> {
    kernel.parameters().into_iter().map(|p| p.name).chain([beside.to_string()]).collect()
}

/// Which parameters a search may move: all but those that choose a smoothness and are not named in
/// `free`.
pub(crate) fn movable(kernel: &Kernel, free: &[String]) -> Vec<bool> {
    kernel.parameters().iter().map(|p| !p.choice || is_named(free, &p.name)).chain([true]).collect()
}

/// The names of those.
pub(crate) fn movable_names(kernel: &Kernel, beside: &str, free: &[String]) -> Vec<String> {
    let all = names(kernel, beside).into_iter().zip(movable(kernel, free));
    all.filter(|(_, movable)| *movable).map(|(name, _)| name).collect()
}

/// Whether a list names a parameter, by its full name (`matern.nu`) or by its own (`nu`).
fn is_named(list: &[String], name: &str) -> bool {
    list.iter().any(|named| named == name || name.rsplit('.').next() == Some(named))
}

/// Every fixed and every freed parameter has a name that exists, and none is both.
pub(crate) fn check_names(kernel: &Kernel, beside: &str, fixed: &[String], free: &[String]) -> Result<()> {
    let known = names(kernel, beside);
    for (what, list) in [("fixed", fixed), ("free", free)] {
        let exists = |name: &&String| known.iter().any(|k| is_named(std::slice::from_ref(*name), k));
        if let Some(name) = list.iter().find(|name| !exists(name)) {
            return Err(Error::parameter(what, name, format!("one of {}", known.join(", "))));
        }
    }
    match known.iter().find(|name| is_named(fixed, name) && is_named(free, name)) {
        Some(name) => Err(Error::parameter("free", name, "a parameter that is not fixed too")),
        None => Ok(()),
    }
}

impl<'a> ParameterSpace<'a> {
    /// Everything moves that is not fixed, in its logarithm where it must be positive; a positive
    /// parameter that is 0 stays, and so does a choice of smoothness that is not named in `free`.
    pub(crate) fn new(kernel: &'a Kernel, beside: (&str, f64), fixed: &[String], free: &[String]) -> Self {
        let parameters = kernel.parameters();
        let values: Vec<f64> = parameters.iter().map(|p| p.value).chain([beside.1]).collect();
        let positive: Vec<bool> = parameters.iter().map(|p| p.positive).chain([true]).collect();
        let allowed = movable(kernel, free);
        let stays = |i: usize, name: &str| is_named(fixed, name) || (positive[i] && values[i] == 0.0);
        let movable = |i: &usize, name: &String| allowed[*i] && !stays(*i, name);
        let free = names(kernel, beside.0).into_iter().enumerate().filter(|(i, name)| movable(i, name));
        let free = free.map(|(i, _)| (i, positive[i])).collect();
        Self { kernel, values, free }
    }

    /// The point that was given.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.free.iter().map(|&(i, log)| if log { self.values[i].ln() } else { self.values[i] }).collect()
    }

    /// The kernel and the number beside it at a point.
    pub(crate) fn at(&self, point: &[f64]) -> Result<(Kernel, f64)> {
        let mut values = self.values.clone();
        for (&(i, log), &v) in self.free.iter().zip(point) {
            values[i] = if log { v.exp() } else { v };
        }
        let (beside, parameters) = values.split_last().expect("the number beside the kernel is always there");
        Ok((self.kernel.with_parameters(parameters)?, *beside))
    }

    /// Which parameters move.
    pub(crate) fn requested(&self) -> Vec<bool> {
        let mut requested = vec![false; self.values.len()];
        self.free.iter().for_each(|&(i, _)| requested[i] = true);
        requested
    }

    /// The coordinates that are logarithms of lengthscales of single columns.
    pub(crate) fn column_lengths(&self) -> Vec<usize> {
        let parameters = self.kernel.parameters();
        let is_column = |i: usize| parameters.get(i).is_some_and(|p| p.name.contains("lengthscale["));
        (0..self.free.len()).filter(|&c| self.free[c].1 && is_column(self.free[c].0)).collect()
    }

    /// The part of a gradient by all parameters that belongs to those that move.
    pub(crate) fn restrict(&self, gradient: &[f64]) -> Vec<f64> {
        self.free.iter().map(|&(i, _)| gradient[i]).collect()
    }
}

/// What a search minimizes.
pub(crate) enum Target<'o> {
    /// A function with its gradient: by L-BFGS.
    Smooth(&'o mut Objective<'o>),
    /// A function with its gradient and a part of its Hessian: in half of the evaluations.
    Curved(&'o mut dyn CurvedObjective),
}

/// What a search from several starts found.
pub(crate) struct Search {
    /// The lowest end; absent when the objective is defined at no start.
    pub(crate) best: Option<Minimum>,
    /// The value that each start led to.
    pub(crate) values: Vec<f64>,
    /// Times that the objective was evaluated.
    pub(crate) evaluations: usize,
    /// Whether a time limit ended it: the best is what was found until then.
    pub(crate) interrupted: bool,
}

impl Search {
    /// Takes over what a search that went on from the best end found.
    pub(crate) fn take_over(&mut self, next: Self) {
        self.evaluations += next.evaluations;
        self.interrupted = next.interrupted;
        let (Some(best), Some(mut end)) = (self.best.as_mut(), next.best) else { return };
        if end.value < best.value {
            self.values.iter_mut().filter(|value| **value == best.value).for_each(|value| *value = end.value);
            end.iterations += best.iterations;
            *best = end;
        }
    }
}

/// What a caller may choose.
#[derive(Clone, Copy)]
pub(crate) struct SearchOptions<'a> {
    /// How many more starts there are, drawn from the seed around the first.
    pub(crate) restarts: usize,
    /// How many coordinates, from the first, are drawn anew.
    pub(crate) parameters: usize,
    /// Stop when `‖∇f‖_∞ ≤ tolerance·max(1, |f|)`.
    pub(crate) tolerance: f64,
    /// How many terms the objective is a sum of.
    pub(crate) scale: f64,
    /// What is searched, for the progress.
    pub(crate) work: &'a str,
    /// An objective in words.
    pub(crate) describe: fn(f64) -> String,
}

/// The most evaluations from one start. A search that needs more is lost in a flat place.
pub(crate) const MOST_EVALUATIONS: usize = 100;
/// The evaluations that a search from one start is expected to take: the middle of the searches of
/// `bench/gaussian_process.py`, of which most take 8 to 40.
const TYPICAL: f64 = 20.0;
/// The least part of them that is expected to be left while a search goes on.
const REST: f64 = 0.25;
/// The units of the progress of a search.
const UNITS: u64 = 1000;
/// A step that makes the objective smaller by less than this part of it is the last.
const DECREASE: f64 = 2e-9;

/// The evaluations of a search: counted, reported to the listener, with the best of the run.
struct Watch<'a> {
    options: &'a SearchOptions<'a>,
    compute: &'a Compute,
    start: &'a [f64],
    evaluations: usize,
    /// The evaluations at the end of every run that has ended.
    ended: Vec<usize>,
    lowest: f64,
    best: Option<Minimum>,
}

/// A curved objective that is watched.
struct Watched<'w, 'a, 'c> {
    watch: &'w mut Watch<'a>,
    objective: &'c mut dyn CurvedObjective,
}

impl CurvedObjective for Watched<'_, '_, '_> {
    fn value(&mut self, point: &[f64]) -> Result<f64> {
        let value = if self.watch.is_far(point) { f64::INFINITY } else { self.objective.value(point)? };
        self.watch.note(point, value);
        Ok(value)
    }

    fn slopes(&mut self) -> Result<(Vec<f64>, Array2<f64>)> {
        self.objective.slopes()
    }
}

impl Watch<'_> {
    fn minimize(&mut self, target: &mut Target<'_>, from: &[f64], options: &MinimizeOptions) -> Result<Minimum> {
        self.best = None;
        match target {
            Target::Curved(objective) => {
                minimize_curved(&mut Watched { watch: self, objective: *objective }, from, options)
            }
            Target::Smooth(objective) => {
                let mut watched = |point: &[f64]| {
                    let undefined = (f64::INFINITY, vec![0.0; point.len()]);
                    let found = if self.is_far(point) { undefined } else { objective(point)? };
                    self.note(point, found.0);
                    Ok(found)
                };
                minimize(&mut watched, from, options)
            }
        }
    }

    fn is_far(&self, point: &[f64]) -> bool {
        point.iter().zip(self.start).any(|(p, s)| (p - s).abs() > REACH)
    }

    /// Counts an evaluation and keeps the best.
    fn note(&mut self, point: &[f64], value: f64) {
        self.evaluations += 1;
        if value.is_finite() && self.best.as_ref().is_none_or(|best| value < best.value) {
            let (point, gradient) = (point.to_vec(), Vec::new());
            self.best = Some(Minimum { point, value, gradient, iterations: 0, converged: false });
        }
        self.lowest = self.lowest.min(value);
        self.report();
    }

    fn report(&self) {
        let done = (UNITS as f64 * self.share()) as u64;
        self.compute.report(self.options.work, done.min(UNITS - 1), UNITS);
        self.compute.remark(|| {
            let best = (self.options.describe)(self.lowest);
            let start = match self.options.restarts {
                0 => String::new(),
                more => format!("start {} of {}, ", self.ended.len() + 1, more + 1),
            };
            format!("{start}evaluation {}, best so far: {best}", self.evaluations)
        });
    }

    /// The part of the evaluations that is done, as far as can be foreseen.
    fn share(&self) -> f64 {
        let before = self.ended.last().map_or(0, |&last| last);
        let typical = if before == 0 { TYPICAL } else { before as f64 / self.ended.len() as f64 };
        let now = (self.evaluations - before) as f64;
        let run = now / (now + (typical - now).max(REST * typical));
        (self.ended.len() as f64 + run) / (self.options.restarts + 1) as f64
    }
}

/// Minimizes from `start` and from points around it. A part of the work that is canceled, by a time
/// limit, leaves the best so far.
pub(crate) fn search(
    mut target: Target<'_>,
    start: &[f64],
    options: &SearchOptions<'_>,
    compute: &Compute,
) -> Result<Search> {
    let mut watch =
        Watch { options, compute, start, evaluations: 0, ended: Vec::new(), lowest: f64::INFINITY, best: None };
    let mut runs: Vec<Minimum> = Vec::new();
    let mut interrupted = false;
    for restart in 0..=options.restarts {
        let mut from = start.to_vec();
        perturb(&mut from[..options.parameters], restart, compute);
        let options = MinimizeOptions {
            tolerance: options.tolerance,
            decrease: DECREASE,
            scale: options.scale,
            max_evaluations: MOST_EVALUATIONS,
            ..MinimizeOptions::default()
        };
        match watch.minimize(&mut target, &from, &options) {
            Ok(run) => {
                runs.push(run);
                watch.ended.push(watch.evaluations);
            }
            Err(Error::Canceled) => {
                compute.after_part()?;
                interrupted = true;
                runs.extend(watch.best.take());
                break;
            }
            Err(other) => return Err(other),
        }
    }
    compute.report(options.work, UNITS, UNITS);
    if interrupted && runs.is_empty() {
        return Err(Error::Canceled);
    }
    let values = runs.iter().map(|run| run.value).collect();
    let best = runs.into_iter().filter(|run| run.value.is_finite()).min_by(|a, b| a.value.total_cmp(&b.value));
    Ok(Search { best, values, evaluations: watch.evaluations, interrupted })
}

/// The first start itself, then points around it.
fn perturb(start: &mut [f64], restart: usize, compute: &Compute) {
    if restart > 0 {
        let mut stream = compute.seed().stream("restarts", restart as u64);
        start.iter_mut().for_each(|s| *s += SPREAD * stream.normal());
    }
}
