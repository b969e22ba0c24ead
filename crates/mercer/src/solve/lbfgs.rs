//! Minimization of a smooth function by L-BFGS with a line search for the weak Wolfe conditions.

use std::collections::VecDeque;

use crate::Result;

/// Number of stored pairs of steps and gradient differences.
const MEMORY: usize = 10;
/// Constants of the weak Wolfe conditions: sufficient decrease and curvature.
const WOLFE: (f64, f64) = (1e-4, 0.9);

/// The first step is at most this long, and so is the step of a direction that has no length of its
/// own.
const FIRST: f64 = 1.0;
/// A slope of more than this part of `f` is not that of a minimum.
const STEEP: f64 = 1e-3;
/// Trials of one line search.
const TRIALS: usize = 30;
/// How much longer the next trial of a line search is, at least and at most, while the function
/// still falls.
const LONGER: (f64, f64) = (1.5, 5.0);
/// How near the next trial comes to the ends of the interval that holds a minimum.
const INSIDE: f64 = 0.1;

/// What the caller may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinimizeOptions {
    /// Stop when `‖∇f‖_∞ ≤ tolerance·max(1, |f|)`.
    pub tolerance: f64,
    /// Stop when two steps in a row make `f` smaller by at most this times `max(scale, |f|)`; 0
    /// goes on until the gradient is small.
    pub decrease: f64,
    /// What `f` is a sum of: a guess of its curvature, and of the size of `f` where `f` itself
    /// happens to be near 0.
    pub scale: f64,
    /// Give up after this many steps.
    pub max_iterations: usize,
    /// Give up after this many evaluations of `f`.
    pub max_evaluations: usize,
}

impl Default for MinimizeOptions {
    fn default() -> Self {
        Self { tolerance: 1e-6, decrease: 0.0, scale: 1.0, max_iterations: 200, max_evaluations: usize::MAX }
    }
}

/// The point that was found, and the evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// Where.
    pub point: Vec<f64>,
    /// `f` there.
    pub value: f64,
    /// `∇f` there.
    pub gradient: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// Whether the tolerance was reached; otherwise no step made `f` smaller, or there were too
    /// many.
    pub converged: bool,
}

impl Minimum {
    /// Whether the gradient is at most `tolerance·max(1, |f|)`.
    pub(super) fn is_flat(&self, tolerance: f64) -> bool {
        largest(&self.gradient) <= tolerance * self.value.abs().max(1.0)
    }

    /// Whether the gradient allows for a minimum of a sum of `scale` terms: a short step before a
    /// point where f is undefined is no evidence of one.
    pub(super) fn is_level(&self, scale: f64) -> bool {
        largest(&self.gradient) <= STEEP * self.value.abs().max(scale)
    }
}

/// A function with its gradient; infinity (with any gradient) where it is not defined.
pub type Objective<'a> = dyn FnMut(&[f64]) -> Result<(f64, Vec<f64>)> + 'a;

/// A local minimum of `objective` from `start`.
///
/// # Theory
/// The two-loop recursion over the last ten steps; the line search brackets and interpolates by
/// cubics until `f` falls enough and its slope is mostly gone, which keeps the curvature `sᵀy`
/// positive.
///
/// # Errors
/// Those of the objective.
///
/// # Example
/// ```
/// use mercer::solve::{MinimizeOptions, minimize};
/// let mut bowl = |x: &[f64]| Ok(((x[0] - 1.0).powi(2) + 5.0 * x[1] * x[1], vec![2.0 * (x[0] - 1.0), 10.0 * x[1]]));
/// let found = minimize(&mut bowl, &[4.0, 3.0], &MinimizeOptions::default())?;
/// assert!(found.converged && (found.point[0] - 1.0).abs() < 1e-5 && found.point[1].abs() < 1e-5);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn minimize(objective: &mut Objective<'_>, start: &[f64], options: &MinimizeOptions) -> Result<Minimum> {
    let (mut evaluations, mut small) = (1, 0);
    let (value, gradient) = objective(start)?;
    let mut at = Minimum { point: start.to_vec(), value, gradient, iterations: 0, converged: false };
    let mut history: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    while at.iterations < options.max_iterations && evaluations < options.max_evaluations && at.value.is_finite() {
        if at.is_flat(options.tolerance) {
            at.converged = true;
            break;
        }
        let direction = direction(&at.gradient, &history, options.scale);
        // The first step has no scale of its own.
        let first = if history.is_empty() { 1.0_f64.min(FIRST / dot(&direction, &direction).sqrt()) } else { 1.0 };
        let mut counted = |point: &[f64]| {
            evaluations += 1;
            objective(point)
        };
        let Some((point, value, gradient)) = line_search(&mut counted, &at, &direction, first)? else {
            if history.is_empty() {
                break;
            }
            history.clear();
            continue;
        };
        let step: Vec<f64> = point.iter().zip(&at.point).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = gradient.iter().zip(&at.gradient).map(|(a, b)| a - b).collect();
        if dot(&step, &change) > 0.0 {
            history.push_back((step, change));
        }
        if history.len() > MEMORY {
            history.pop_front();
        }
        let size = value.abs().max(options.scale);
        small = if at.value - value <= options.decrease * size { small + 1 } else { 0 };
        at = Minimum { point, value, gradient, iterations: at.iterations + 1, converged: false };
        if small > 1 {
            at.converged = at.is_level(options.scale);
            break;
        }
    }
    Ok(at)
}

/// `−Hg` by the two-loop recursion.
fn direction(gradient: &[f64], history: &VecDeque<(Vec<f64>, Vec<f64>)>, curvature: f64) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut shares = Vec::with_capacity(history.len());
    for (s, y) in history.iter().rev() {
        let share = dot(s, &q) / dot(s, y);
        add(&mut q, -share, y);
        shares.push(share);
    }
    if let Some((s, y)) = history.back() {
        let scale = dot(s, y) / dot(y, y);
        q.iter_mut().for_each(|v| *v *= scale);
    } else {
        q.iter_mut().for_each(|v| *v /= curvature);
    }
    for ((s, y), share) in history.iter().zip(shares.iter().rev()) {
        let back = dot(y, &q) / dot(s, y);
        add(&mut q, share - back, s);
    }
    q
}

type LinePoint = (Vec<f64>, f64, Vec<f64>);

/// A trial of a line search: how far, `f` and its slope along the direction there.
#[derive(Clone, Copy)]
struct Trial {
    step: f64,
    value: f64,
    slope: f64,
}

/// A point along the direction that satisfies the weak Wolfe conditions, or at least makes `f`
/// smaller.
fn line_search(
    objective: &mut Objective<'_>,
    at: &Minimum,
    direction: &[f64],
    first: f64,
) -> Result<Option<LinePoint>> {
    let start = Trial { step: 0.0, value: at.value, slope: dot(&at.gradient, direction) };
    if start.slope >= 0.0 || !start.slope.is_finite() {
        return Ok(None);
    }
    // A minimum is between `low`, the best so far, and `high`, where there is one.
    let (mut before, mut low, mut high, mut step) = (start, start, None, first);
    let mut better = None;
    for _ in 0..TRIALS {
        let mut point = at.point.clone();
        add(&mut point, step, direction);
        let (value, gradient) = objective(&point)?;
        let trial = Trial { step, value, slope: dot(&gradient, direction) };
        let enough = value <= at.value + WOLFE.0 * step * start.slope;
        if !value.is_finite() || !enough || value > low.value {
            high = Some(trial);
        } else if trial.slope < WOLFE.1 * start.slope {
            (before, low) = (low, trial);
            better = Some((point, value, gradient));
        } else {
            return Ok(Some((point, value, gradient)));
        }
        step = next_step(before, low, high);
    }
    Ok(better)
}

/// Where a cubic through the last trials has its minimum, within reason.
fn next_step(before: Trial, low: Trial, high: Option<Trial>) -> f64 {
    match high {
        None => {
            let (shortest, longest) = (LONGER.0 * low.step, LONGER.1 * low.step);
            cubic(before, low).filter(|t| *t > low.step).map_or(longest, |t| t.clamp(shortest, longest))
        }
        Some(high) => {
            let width = high.step - low.step;
            // Where f is undefined, the bound does not bracket the minimum.
            let guess = if high.value.is_finite() { cubic(low, high) } else { Some(low.step + 0.25 * width) };
            guess.unwrap_or(low.step + 0.5 * width).clamp(low.step + INSIDE * width, high.step - INSIDE * width)
        }
    }
}

/// The minimum of the cubic with the values and slopes of two trials.
fn cubic(a: Trial, b: Trial) -> Option<f64> {
    let mean = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.step - b.step);
    let root = (mean * mean - a.slope * b.slope).sqrt().copysign(b.step - a.step);
    let step = b.step - (b.step - a.step) * (b.slope + root - mean) / (b.slope - a.slope + 2.0 * root);
    Some(step).filter(|t| t.is_finite())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += factor * w);
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}
