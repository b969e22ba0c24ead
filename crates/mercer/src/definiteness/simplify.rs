//! Simplification of an eigenvector to a counterexample that can be verified by hand: few points,
//! round numbers, then the certificate.

use ndarray::{Array2, Axis};

use super::certify::certify;
use super::search::{Attack, Attempt};
use super::side::Claim;
use crate::kernel::Counterexample;

/// Eigenvalues this many times beyond rounding are simplified; smaller ones could change sign.
const MARGIN: f64 = 100.0;
/// Rounding may not make the counterexample weaker than this fraction.
const KEEP: f64 = 0.5;

/// A certified counterexample from points with a negative eigenvalue, as simple as possible.
pub(super) fn refutation(attack: &Attack<'_>, attempt: &Attempt) -> Option<Counterexample> {
    let fewer = fewer_points(attack, attempt);
    let rounded = rounder_points(attack, &fewer);
    [&rounded, &fewer, attempt].into_iter().find_map(|simple| with_round_weights(attack, simple))
}

/// The same for rows of the data: fewer of them, but none is changed, so that each can be named.
pub(super) fn refutation_by_rows(attack: &Attack<'_>, attempt: &Attempt, rows: &[usize]) -> Option<Counterexample> {
    let fewer = fewer_points(attack, attempt);
    let mut found = [&fewer, attempt].into_iter().find_map(|simple| with_round_weights(attack, simple))?;
    let mut positions = 0..attempt.points.nrows();
    for point in found.points.rows() {
        found.indices.push(rows[positions.find(|&i| attempt.points.row(i) == point)?]);
    }
    Some(found)
}

/// The smallest leading set of points, by size of weight, that still has a clearly negative
/// eigenvalue.
fn fewer_points(attack: &Attack<'_>, attempt: &Attempt) -> Attempt {
    let order = by_weight(&attempt.weights);
    (1..order.len())
        .filter_map(|m| {
            let mut kept = order[..m].to_vec();
            kept.sort_unstable();
            attack.attempt(attempt.points.select(Axis(0), &kept).view())
        })
        .find(|a| a.lowest < -MARGIN * a.tolerance)
        .unwrap_or_else(|| attempt.clone())
}

/// Positions by size of weight, the largest first.
pub(super) fn by_weight(weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()));
    order
}

/// The points with as few digits as keep at least half of the negative eigenvalue.
fn rounder_points(attack: &Attack<'_>, attempt: &Attempt) -> Attempt {
    (1..=6)
        .filter_map(|digits| attack.attempt(distinct(&round_all(&attempt.points, digits)).view()))
        .find(|a| a.lowest < -MARGIN * a.tolerance && a.ratio() <= KEEP * attempt.ratio())
        .unwrap_or_else(|| attempt.clone())
}

/// Rounds to so many digits of the largest entry.
fn round_all(points: &Array2<f64>, digits: i32) -> Array2<f64> {
    let largest = points.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        return points.clone();
    }
    let decimals = digits - 1 - largest.log10().floor() as i32;
    points.mapv(|v| round_to(v, decimals))
}

/// The points without repetitions, in order.
fn distinct(points: &Array2<f64>) -> Array2<f64> {
    let rows: Vec<_> = points.rows().into_iter().collect();
    let kept: Vec<usize> = (0..rows.len()).filter(|&i| !rows[..i].contains(&rows[i])).collect();
    points.select(Axis(0), &kept)
}

/// The `f64` nearest to `v` rounded to so many decimals (a negative count rounds before the point).
fn round_to(v: f64, decimals: i32) -> f64 {
    let power = 10_f64.powi(decimals.abs());
    let rounded = if decimals >= 0 { (v * power).round() / power } else { (v / power).round() * power };
    rounded + 0.0
}

fn with_round_weights(attack: &Attack<'_>, attempt: &Attempt) -> Option<Counterexample> {
    let largest = attempt.weights.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let sign = attempt.weights.first().map_or(1.0, |w| w.signum());
    let scaled: Vec<f64> = attempt.weights.iter().map(|w| w / (sign * largest)).collect();
    [1e0, 1e1, 1e2, 1e3, 1e6, 1e12].into_iter().find_map(|steps| {
        let mut weights = round_weights(&scaled, steps, attack.side);
        // Points whose weight was rounded to 0 take no part.
        let kept: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
        weights.retain(|w| *w != 0.0);
        let points = attempt.points.select(Axis(0), &kept);
        let counterexample = certify(attack.evaluator.kernel, &points, &weights, attack.side)?;
        let square: f64 = weights.iter().map(|w| w * w).sum();
        let strength = -attack.side.sign() * counterexample.value / square;
        (steps > 1e3 || strength >= -KEEP * attempt.lowest).then_some(counterexample)
    })
}

/// Weights in multiples of `1/steps`; on the negative side integers that sum to 0 exactly.
fn round_weights(scaled: &[f64], steps: f64, side: Claim) -> Vec<f64> {
    let mut whole: Vec<f64> = scaled.iter().map(|w| (w * steps).round() + 0.0).collect();
    match side {
        Claim::Positive => whole.into_iter().map(|w| w / steps).collect(),
        Claim::Negative => {
            let rest: f64 = whole.iter().sum();
            if let Some(&position) = by_weight(&whole).first() {
                whole[position] -= rest;
            }
            whole
        }
    }
}
