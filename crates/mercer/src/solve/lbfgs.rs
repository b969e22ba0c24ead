//! Minimisation of a smooth function by L-BFGS with a line search for the weak Wolfe conditions.

use std::collections::VecDeque;

use crate::Result;

/// Pairs of steps and gradient differences that are remembered.
const MEMORY: usize = 10;
/// Sufficient decrease, and the part of the slope that must be gone.
const WOLFE: (f64, f64) = (1e-4, 0.9);

/// What the caller may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LbfgsOptions {
    /// Stop when `‖∇f‖_∞ ≤ tolerance·max(1, |f|)`.
    pub tolerance: f64,
    /// Give up after this many steps.
    pub max_iterations: usize,
}

impl Default for LbfgsOptions {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_iterations: 200 }
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
    /// Whether the tolerance was reached; otherwise no step made `f` smaller, or there were too many.
    pub converged: bool,
}

/// A function with its gradient; infinity (with any gradient) where it is not defined.
pub type Objective<'a> = dyn FnMut(&[f64]) -> Result<(f64, Vec<f64>)> + 'a;

/// A local minimum of `objective` from `start`.
///
/// # Theory
/// The two-loop recursion over the last ten steps; the line search brackets and halves until `f` falls enough and its slope is mostly gone,
/// which keeps the curvature `sᵀy` positive.
///
/// # Errors
/// Those of the objective.
///
/// # Example
/// ```
/// use mercer::solve::{LbfgsOptions, minimise};
/// let mut bowl = |x: &[f64]| Ok(((x[0] - 1.0).powi(2) + 5.0 * x[1] * x[1], vec![2.0 * (x[0] - 1.0), 10.0 * x[1]]));
/// let found = minimise(&mut bowl, &[4.0, 3.0], &LbfgsOptions::default())?;
/// assert!(found.converged && (found.point[0] - 1.0).abs() < 1e-5 && found.point[1].abs() < 1e-5);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn minimise(objective: &mut Objective<'_>, start: &[f64], options: &LbfgsOptions) -> Result<Minimum> {
    let (value, gradient) = objective(start)?;
    let mut at = Minimum { point: start.to_vec(), value, gradient, iterations: 0, converged: false };
    let mut history: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    while at.iterations < options.max_iterations && at.value.is_finite() {
        if largest(&at.gradient) <= options.tolerance * at.value.abs().max(1.0) {
            at.converged = true;
            break;
        }
        let direction = direction(&at.gradient, &history);
        // The first step has no scale of its own: a tenth, at most, in every coordinate.
        let first = if history.is_empty() { 1.0_f64.min(0.1 / largest(&direction)) } else { 1.0 };
        let Some((point, value, gradient)) = line_search(objective, &at, &direction, first)? else {
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
        at = Minimum { point, value, gradient, iterations: at.iterations + 1, converged: false };
    }
    Ok(at)
}

/// `−Hg` by the two-loop recursion.
fn direction(gradient: &[f64], history: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
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
    }
    for ((s, y), share) in history.iter().zip(shares.iter().rev()) {
        let back = dot(y, &q) / dot(s, y);
        add(&mut q, share - back, s);
    }
    q
}

type Place = (Vec<f64>, f64, Vec<f64>);

/// A point along the direction that satisfies the weak Wolfe conditions, or at least makes `f` smaller.
fn line_search(objective: &mut Objective<'_>, at: &Minimum, direction: &[f64], first: f64) -> Result<Option<Place>> {
    let slope = dot(&at.gradient, direction);
    if slope >= 0.0 || !slope.is_finite() {
        return Ok(None);
    }
    let (mut low, mut high, mut step) = (0.0, f64::INFINITY, first);
    let mut better = None;
    for _ in 0..40 {
        let mut point = at.point.clone();
        add(&mut point, step, direction);
        let (value, gradient) = objective(&point)?;
        if !value.is_finite() || value > at.value + WOLFE.0 * step * slope {
            high = step;
        } else if dot(&gradient, direction) < WOLFE.1 * slope {
            low = step;
            better = Some((point, value, gradient));
        } else {
            return Ok(Some((point, value, gradient)));
        }
        step = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low };
    }
    Ok(better)
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
