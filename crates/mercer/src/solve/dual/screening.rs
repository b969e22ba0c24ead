//! Many variables on few features: a sample shows which of them are near the margin, and only these
//! are optimized while the others stay at their bounds.

use super::finite_rank::FiniteRank;
use super::interior::{self, Found};
use super::kkt::group;
use super::newton::by_point;
use super::{Constraint, DualOptions, DualProblem};
use crate::{Compute, Result};

/// Variables up to which all are optimized together. Not tuned.
const LARGE: usize = 50_000;
/// Points of the sample. Not tuned.
const SAMPLE: usize = 20_000;
/// One of so many variables is near the margin. The slopes of a sample of 20 000 rows are off by about
/// a hundredth of their scale, which is far less than this leaves room for.
const NEAR: usize = 10;
/// Rounds after which the other method does the rest.
const ROUNDS: usize = 4;

/// As [`interior::solve`], for any number of variables.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled) when the work is dropped.
pub(super) fn solve(
    problem: &DualProblem,
    features: &FiniteRank,
    options: &DualOptions,
    compute: &Compute,
) -> Result<Option<Found>> {
    if problem.len() <= LARGE {
        return interior::solve(problem, features, options, compute);
    }
    let Some(mut near) = sampled(problem, features, options, compute)? else {
        return interior::solve(problem, features, options, compute);
    };
    let mut steps = near.steps;
    for _ in 0..ROUNDS {
        let slopes = slopes(problem, features, &near, compute);
        let rest = Rest::new(problem, features, &slopes, compute);
        let options = DualOptions { max_steps: options.max_steps.map(|most| most.saturating_sub(steps)), ..*options };
        let points = features.subset(&rest.points);
        let Some(found) = interior::solve(&rest.problem, &points, &options, compute)? else {
            return interior::solve(problem, features, &options, compute);
        };
        steps += found.steps;
        let mut alpha = rest.alpha;
        rest.active.iter().zip(&found.alpha).for_each(|(&i, &a)| alpha[i] = a);
        let function = function(problem, features, &alpha, compute);
        near = Found { alpha, steps, function, offsets: found.offsets };
        let canceled = compute.check_canceled().is_err() || options.max_steps.is_some_and(|most| found.steps >= most);
        if canceled || !has_changed(problem, features, &rest.is_active, &near, options.tolerance, compute) {
            break;
        }
    }
    Ok(Some(near))
}

/// `w = Zᵀβ`.
fn function(problem: &DualProblem, features: &FiniteRank, alpha: &[f64], compute: &Compute) -> Vec<f64> {
    features.transposed(&by_point(problem, features, |i| problem.signs[i] * alpha[i]), compute)
}

/// `sᵢ(F(xᵢ) − ηᵍ) + pᵢ` of all variables.
fn slopes(problem: &DualProblem, features: &FiniteRank, near: &Found, compute: &Compute) -> Vec<f64> {
    let mut values = vec![0.0; features.features.nrows()];
    features.add_product(&near.function, &mut values, compute);
    let slope = |i: usize| {
        let sign = problem.signs[i];
        sign * (values[problem.points[i]] - near.offsets[group(problem.constraint, sign)]) + problem.linear[i]
    };
    (0..problem.len()).map(slope).collect()
}

/// Whether a variable outside the last problem should leave its bound.
fn has_changed(
    problem: &DualProblem,
    features: &FiniteRank,
    is_active: &[bool],
    near: &Found,
    tolerance: f64,
    compute: &Compute,
) -> bool {
    let wrong = |(i, slope): (usize, f64)| {
        let at_zero = near.alpha[i] == 0.0;
        !is_active[i] && problem.upper[i] > 0.0 && (if at_zero { -slope } else { slope }) > 0.5 * tolerance
    };
    slopes(problem, features, near, compute).into_iter().enumerate().any(wrong)
}

/// The solution on some of the points, each of which counts for those that are left out.
fn sampled(
    problem: &DualProblem,
    features: &FiniteRank,
    options: &DualOptions,
    compute: &Compute,
) -> Result<Option<Found>> {
    let each = features.features.nrows().div_ceil(SAMPLE);
    let chosen: Vec<usize> = (0..problem.len()).filter(|&i| problem.points[i].is_multiple_of(each)).collect();
    let points: Vec<usize> = (0..features.features.nrows()).step_by(each).collect();
    let of = |list: &[f64]| chosen.iter().map(|&i| list[i]).collect::<Vec<f64>>();
    let signs = of(&problem.signs);
    let upper: Vec<f64> = of(&problem.upper).iter().map(|c| c * each as f64).collect();
    let start = shared(&problem.start, &problem.signs, &upper, &signs);
    let part = DualProblem {
        points: chosen.iter().map(|&i| problem.points[i] / each).collect(),
        linear: of(&problem.linear),
        signs,
        upper,
        start,
        guesses: Vec::new(),
        constraint: problem.constraint,
    };
    interior::solve(&part, &features.subset(&points), options, compute)
}

/// The sums of each sign, spread over other variables of that sign by their bounds.
fn shared(start: &[f64], signs: &[f64], upper: &[f64], of: &[f64]) -> Vec<f64> {
    let total = |list: &[f64], signs: &[f64], sign: f64| {
        list.iter().zip(signs).filter(|(_, s)| **s == sign).map(|(v, _)| v).sum::<f64>()
    };
    let share = [1.0, -1.0].map(|sign| {
        let room = total(upper, of, sign);
        if room > 0.0 { total(start, signs, sign) / room } else { 0.0 }
    });
    upper.iter().zip(of).map(|(c, s)| c * share[usize::from(*s < 0.0)]).collect()
}

/// The variables near the margin with their problem, and all others at the bounds that their slopes
/// name.
struct Rest {
    problem: DualProblem,
    points: Vec<usize>,
    active: Vec<usize>,
    is_active: Vec<bool>,
    alpha: Vec<f64>,
}

impl Rest {
    fn new(all: &DualProblem, features: &FiniteRank, slopes: &[f64], compute: &Compute) -> Self {
        let n = all.len();
        let mut sizes: Vec<f64> = slopes.iter().map(|s| s.abs()).collect();
        let most = *sizes.select_nth_unstable_by(n / NEAR, f64::total_cmp).1;
        let is_active: Vec<bool> = (0..n).map(|i| slopes[i].abs() <= most && all.upper[i] > 0.0).collect();
        let active: Vec<usize> = (0..n).filter(|&i| is_active[i]).collect();
        let at_bound = |i: usize| if !is_active[i] && slopes[i] < 0.0 { all.upper[i] } else { 0.0 };
        let alpha: Vec<f64> = (0..n).map(at_bound).collect();
        let mut points: Vec<usize> = active.iter().map(|&i| all.points[i]).collect();
        points.sort_unstable();
        points.dedup();
        let mut values = vec![0.0; features.features.nrows()];
        features.add_product(&function(all, features, &alpha, compute), &mut values, compute);
        let of = |list: &[f64]| active.iter().map(|&i| list[i]).collect::<Vec<f64>>();
        let (signs, upper) = (of(&all.signs), of(&all.upper));
        let start = left(all, &alpha, &signs, &upper);
        let problem = DualProblem {
            points: active.iter().map(|&i| points.partition_point(|&p| p < all.points[i])).collect(),
            linear: active.iter().map(|&i| all.linear[i] + all.signs[i] * values[all.points[i]]).collect(),
            signs,
            upper,
            start,
            guesses: Vec::new(),
            constraint: all.constraint,
        };
        Self { problem, points, active, is_active, alpha }
    }
}

/// A start of the active variables with the sums that variables at bounds leave to them.
fn left(all: &DualProblem, alpha: &[f64], signs: &[f64], upper: &[f64]) -> Vec<f64> {
    let of = |list: &[f64], signs: &[f64], sign: f64| {
        list.iter().zip(signs).filter(|(_, s)| **s == sign).map(|(v, _)| v).sum::<f64>()
    };
    let missing = [1.0, -1.0].map(|sign| of(&all.start, &all.signs, sign) - of(alpha, &all.signs, sign));
    let sums = match all.constraint {
        Constraint::Free => [0.0; 2],
        Constraint::SumPerSign => missing,
        // Only their difference is kept.
        Constraint::Sum => [(missing[0] - missing[1]).max(0.0), (missing[1] - missing[0]).max(0.0)],
    };
    let share = [0, 1].map(|g| {
        let room = of(upper, signs, [1.0, -1.0][g]);
        if room > 0.0 { sums[g] / room } else { 0.0 }
    });
    upper.iter().zip(signs).map(|(c, s)| c * share[usize::from(*s < 0.0)]).collect()
}
