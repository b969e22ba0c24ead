//! Refinement of λ between grid points.

use super::path::smallest;
use crate::Result;

/// Gaps that a bracket is cut into per round.
const GAPS: usize = 16;

/// The best λ between the neighbors of the best one of a grid, and its score.
///
/// Each round cuts the gaps beside the best λ into eight equal parts in the logarithm, so that
/// after `r` rounds λ is within `8⁻ʳ` of a gap. Beyond the ends of the grid nothing is tried, nor
/// beside λ = 0. A round takes one call of `scores`, which serves all of its λ.
pub(super) fn refine_lambda(
    lambdas: &[f64],
    best: (f64, f64),
    rounds: usize,
    scores: &mut dyn FnMut(&[f64]) -> Result<Vec<f64>>,
) -> Result<(f64, f64)> {
    let (mut lambda, mut score) = best;
    if lambda == 0.0 {
        return Ok(best);
    }
    let below = lambdas.iter().copied().filter(|l| *l > 0.0 && *l < lambda).fold(lambda, |m, l| nearer(lambda, m, l));
    let above = lambdas.iter().copied().filter(|l| *l > lambda).fold(lambda, |m, l| nearer(lambda, m, l));
    let (mut low, mut high) = (below.ln(), above.ln());
    for _ in 0..rounds {
        let step = (high - low) / GAPS as f64;
        if step == 0.0 {
            break;
        }
        let tried: Vec<f64> = (1..GAPS).map(|i| (low + step * i as f64).exp()).collect();
        let found = scores(&tried)?;
        if let Some(i) = smallest(found.iter().copied())
            && found[i] < score
        {
            (lambda, score) = (tried[i], found[i]);
        }
        (low, high) = ((lambda.ln() - step).max(low), (lambda.ln() + step).min(high));
    }
    Ok((lambda, score))
}

/// Of two λ the one nearer to a position, of which the position itself does not count.
fn nearer(position: f64, a: f64, b: f64) -> f64 {
    if a == position || (b - position).abs() < (a - position).abs() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A score with its minimum at λ = 2 in the logarithm.
    fn bowl(lambdas: &[f64]) -> Result<Vec<f64>> {
        Ok(lambdas.iter().map(|l| (l / 2.0).ln().powi(2)).collect())
    }

    #[test]
    fn the_minimum_between_the_points_is_found() {
        let grid = [100.0, 1.0, 0.01, 10.0, 0.1];
        let start = (1.0, bowl(&[1.0]).unwrap()[0]);
        let mut before = f64::INFINITY;
        for rounds in 0..5 {
            let (lambda, score) = refine_lambda(&grid, start, rounds, &mut bowl).unwrap();
            let error = (lambda / 2.0).ln().abs();
            assert!(error <= before && (rounds == 0 || error <= 10.0_f64.ln() * 8.0_f64.powi(-(rounds as i32))));
            assert_eq!(score, bowl(&[lambda]).unwrap()[0]);
            before = error;
        }
    }

    #[test]
    fn nothing_is_tried_beyond_the_ends_nor_beside_zero() {
        assert_eq!(refine_lambda(&[4.0], (4.0, 1.0), 3, &mut bowl).unwrap(), (4.0, 1.0));
        let (lambda, _) = refine_lambda(&[4.0, 8.0], (4.0, bowl(&[4.0]).unwrap()[0]), 3, &mut bowl).unwrap();
        assert_eq!(lambda, 4.0);
        assert_eq!(refine_lambda(&[0.0, 1.0], (0.0, 0.5), 3, &mut bowl).unwrap(), (0.0, 0.5));
    }
}
