//! Selection of the bandwidth by leave-one-out.

use crate::{Error, Result};

/// Points of the first grid. Any value between 20 and 100 would do: the best point is refined.
const GRID: usize = 40;
/// `log h` is found to this distance.
const TOLERANCE: f64 = 1e-7;

/// The `h` between the limits with the least score: a grid in `log h`, then golden sections around
/// its best point.
pub(super) fn least(score: &mut dyn FnMut(f64) -> Result<f64>, low: f64, high: f64) -> Result<f64> {
    let step = (high / low).ln() / (GRID - 1) as f64;
    let at = |i: f64| low.ln() + step * i;
    let mut best = (0, f64::INFINITY);
    for i in 0..GRID {
        let value = score(at(i as f64).exp())?;
        if value < best.1 {
            best = (i, value);
        }
    }
    if best.1 == f64::INFINITY {
        return Err(Error::undetermined(
            "the bandwidth",
            format!("none from {low:.3e} to {high:.3e} leaves every observation a neighborhood"),
            "give the bandwidth, or use gaussian weights",
        ));
    }
    let (a, c) = (at(best.0 as f64 - 1.0).max(at(0.0)), at(best.0 as f64 + 1.0).min(at((GRID - 1) as f64)));
    golden(score, a, c, (at(best.0 as f64), best.1))
}

fn golden(score: &mut dyn FnMut(f64) -> Result<f64>, mut a: f64, mut c: f64, start: (f64, f64)) -> Result<f64> {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let mut best = start;
    let (mut left, mut right) = (c - RATIO * (c - a), a + RATIO * (c - a));
    let (mut at_left, mut at_right) = (score(left.exp())?, score(right.exp())?);
    while c - a > TOLERANCE {
        for (position, value) in [(left, at_left), (right, at_right)] {
            if value < best.1 {
                best = (position, value);
            }
        }
        if at_left <= at_right {
            (c, right, at_right) = (right, left, at_left);
            left = c - RATIO * (c - a);
            at_left = score(left.exp())?;
        } else {
            (a, left, at_left) = (left, right, at_right);
            right = a + RATIO * (c - a);
            at_right = score(right.exp())?;
        }
    }
    Ok(best.0.exp())
}
