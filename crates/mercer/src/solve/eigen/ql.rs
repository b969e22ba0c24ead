//! The implicit QL iteration for symmetric tridiagonal matrices.

use super::not_converged;
use crate::gram::simd::columns::rotate;
use crate::{Compute, Result};

/// Sweeps per eigenvalue, on the average, before the iteration is given up. Two are usual.
const SWEEPS: usize = 30;

/// Numbers that count as zero, where the largest entry is about 1: quotients of smaller ones can lose
/// digits, as they are near the least normal number, and rotations by them are not orthogonal.
const NEGLIGIBLE: f64 = 1e-150;
const NEGLIGIBLE_SQUARE: f64 = 1e-290;

/// Eigenvalues, unordered, written over the diagonal `d`; `e` holds the entries next to it. The
/// rotations are applied to the columns of `vectors` (`d.len()` rows each, `stride` apart).
pub(super) fn eigen(d: &mut [f64], e: &mut [f64], vectors: &mut [f64], stride: usize) -> Result<()> {
    let n = d.len();
    let mut sweeps = 0;
    for first in 0..n {
        loop {
            let last = (first..n - 1).find(|&i| is_negligible(d, e, i)).unwrap_or(n - 1);
            e.get_mut(last).into_iter().for_each(|e| *e = 0.0);
            if last == first {
                break;
            }
            sweeps += 1;
            if sweeps > SWEEPS * n {
                return Err(not_converged());
            }
            sweep(d, e, first..last, |i, c, s| {
                let (left, right) = vectors[i * stride..].split_at_mut(stride);
                rotate(&mut left[..n], &mut right[..n], c, s);
            });
        }
    }
    Ok(())
}

fn is_negligible(d: &[f64], e: &[f64], i: usize) -> bool {
    e[i].abs() <= (f64::EPSILON * (d[i].abs() + d[i + 1].abs())).max(NEGLIGIBLE)
}

/// One sweep with Wilkinson's shift over the rows `range.start ..= range.end`, from the bottom up;
/// `rotate(i, c, s)` is called for the rotation of columns `i` and `i + 1`.
fn sweep(d: &mut [f64], e: &mut [f64], range: std::ops::Range<usize>, mut rotate: impl FnMut(usize, f64, f64)) {
    let (first, last) = (range.start, range.end);
    let slope = (d[first + 1] - d[first]) / (2.0 * e[first]);
    let mut g = d[last] - d[first] + e[first] / (slope + slope.hypot(1.0).copysign(slope));
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in range.rev() {
        let (f, b) = (s * e[i], c * e[i]);
        let r = length(f, g);
        if i + 1 < last {
            e[i + 1] = r;
        }
        if r < NEGLIGIBLE {
            // The matrix is separated here. `c` is 1 or −1 unless `e[i]` is negligible.
            d[i + 1] -= p;
            e[i] = b;
            return;
        }
        (s, c) = (f / r, g / r);
        g = d[i + 1] - p;
        let t = (d[i] - g) * s + 2.0 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        rotate(i, c, s);
    }
    d[first] -= p;
    e[first] = g;
}

/// `√(f² + g²)`: in a third of the time of `hypot` where the squares have all of their digits.
fn length(f: f64, g: f64) -> f64 {
    let square = f * f + g * g;
    if square > NEGLIGIBLE { square.sqrt() } else { f.hypot(g) }
}

/// The eigenvalues, ascending, of a matrix whose largest entry is about 1, by the iteration of Pal,
/// Walker and Kahan, which has no square roots in its loop.
///
/// # Cost
/// About `20n²` operations.
pub(super) fn eigenvalues(mut d: Vec<f64>, mut e: Vec<f64>, compute: &Compute) -> Result<Vec<f64>> {
    e.iter_mut().for_each(|e| *e *= *e);
    let n = d.len();
    let (mut first, mut sweeps) = (0, 0);
    while first < n {
        compute.check_canceled()?;
        let last = (first..n - 1).find(|&i| is_negligible_square(&d, &e, i)).unwrap_or(n - 1);
        sweeps += values_of_block(&mut d[first..=last], &mut e[first..last], SWEEPS * n - sweeps)?;
        first = last + 1;
    }
    d.sort_unstable_by(f64::total_cmp);
    Ok(d)
}

fn is_negligible_square(d: &[f64], squares: &[f64], i: usize) -> bool {
    squares[i] <= (f64::EPSILON.powi(2) * (d[i] * d[i + 1]).abs()).max(NEGLIGIBLE_SQUARE)
}

/// The eigenvalues of a matrix whose off-diagonal entries (here squares) are not negligible, in
/// place; returns the number of sweeps, which is at most `limit`.
fn values_of_block(d: &mut [f64], squares: &mut [f64], limit: usize) -> Result<usize> {
    let n = d.len();
    // The iteration converges faster when small entries come first.
    if d[n - 1].abs() < d[0].abs() {
        d.reverse();
        squares.reverse();
    }
    let (mut first, mut sweeps) = (0, 0);
    while first < n {
        let last = (first..n - 1).find(|&i| is_negligible_square(d, squares, i)).unwrap_or(n - 1);
        squares.get_mut(last).into_iter().for_each(|e| *e = 0.0);
        if last == first {
            first += 1;
            continue;
        }
        if sweeps == limit {
            return Err(not_converged());
        }
        sweeps += 1;
        sweep_values(&mut d[first..=last], &mut squares[first..last]);
    }
    Ok(sweeps)
}

/// One sweep, from the bottom up.
fn sweep_values(d: &mut [f64], squares: &mut [f64]) {
    let last = squares.len();
    let root = squares[0].sqrt();
    let slope = (d[1] - d[0]) / (2.0 * root);
    let shift = d[0] - root / (slope + slope.hypot(1.0).copysign(slope));
    let (mut c, mut s, mut gamma) = (1.0, 0.0, d[last] - shift);
    let mut p = gamma * gamma;
    for i in (0..last).rev() {
        if p <= NEGLIGIBLE_SQUARE {
            (p, gamma) = (0.0, 0.0);
        }
        let square = squares[i];
        let r = p + square;
        if i + 1 < last {
            squares[i + 1] = s * r;
        }
        let (old_c, old_gamma) = (c, gamma);
        (c, s) = (p / r, square / r);
        gamma = c * (d[i] - shift) - s * old_gamma;
        d[i + 1] = old_gamma + (d[i] - gamma);
        // Not γ²/c: the square can underflow.
        p = if c != 0.0 { gamma * (gamma / c) } else { old_c * square };
    }
    squares[0] = s * p;
    d[0] = shift + gamma;
}
