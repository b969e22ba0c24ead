//! Selection of the working set.

use std::cmp::Ordering;

use super::kkt::{can_fall, can_rise, group};
use super::{Constraint, DualProblem};

/// At most `size` variables: some of the last set that are between their bounds, then those with
/// the largest and the smallest `vᵢ`, in turn (and in turn for each sign where weight stays within
/// a sign).
pub(super) fn choose(
    problem: &DualProblem,
    alpha: &[f64],
    gradient: &[f64],
    last: &[usize],
    size: usize,
) -> Vec<usize> {
    let n = alpha.len();
    if n <= size {
        return (0..n).collect();
    }
    let between = |&i: &usize| alpha[i] > 0.0 && alpha[i] < problem.upper[i];
    let mut chosen: Vec<usize> = last.iter().copied().filter(between).take(size / 2).collect();
    let mut taken = vec![false; n];
    chosen.iter().for_each(|&i| taken[i] = true);
    let mut lists: Vec<_> = ranked(problem, alpha, gradient, size).into_iter().map(Vec::into_iter).collect();
    while chosen.len() < size && lists.iter().any(|list| list.len() > 0) {
        for list in &mut lists {
            if let Some(i) = list.find(|&i| !taken[i]).filter(|_| chosen.len() < size) {
                taken[i] = true;
                chosen.push(i);
            }
        }
    }
    chosen.sort_unstable();
    chosen
}

/// For each group: the variables that can increase, by descending `vᵢ`, and those that can
/// decrease, by ascending `vᵢ`.
fn ranked(problem: &DualProblem, alpha: &[f64], gradient: &[f64], size: usize) -> Vec<Vec<usize>> {
    let groups = if problem.constraint == Constraint::SumPerSign { 0..2 } else { 0..1 };
    let free = problem.constraint == Constraint::Free;
    let side = |g: usize, can: fn(f64, f64, f64) -> bool, requested: &dyn Fn(f64) -> bool| -> Vec<usize> {
        let eligible = |&i: &usize| {
            group(problem.constraint, problem.signs[i]) == g
                && can(problem.signs[i], alpha[i], problem.upper[i])
                && (!free || requested(gradient[i]))
        };
        (0..alpha.len()).filter(eligible).collect()
    };
    let lists = groups.flat_map(|g| {
        let rising =
            first(side(g, can_rise, &|p| p > 0.0), size, |a, b| gradient[b].total_cmp(&gradient[a]).then(a.cmp(&b)));
        let falling =
            first(side(g, can_fall, &|p| p < 0.0), size, |a, b| gradient[a].total_cmp(&gradient[b]).then(a.cmp(&b)));
        [rising, falling]
    });
    lists.collect()
}

/// The first `count` in this order.
fn first(mut list: Vec<usize>, count: usize, order: impl Fn(usize, usize) -> Ordering) -> Vec<usize> {
    if list.len() > count {
        list.select_nth_unstable_by(count, |&a, &b| order(a, b));
        list.truncate(count);
    }
    list.sort_unstable_by(|&a, &b| order(a, b));
    list
}
