//! Sine and cosine of double-double numbers.

use super::DoubleDouble;
use super::arithmetic::two_product;
use super::constants::{HALF_PI, INVERSE_FACTORIALS};

/// Angles beyond this are not reduced with 32 digits; the `f64` function answers for them.
const LARGEST_ANGLE: f64 = 1e15;

/// `(k mod 4, r)` with `x = k π/2 + r` and `|r| ≤ π/4`, using 160 bits of `π/2`.
fn reduce(x: DoubleDouble) -> (i64, DoubleDouble) {
    let k = (x.high * std::f64::consts::FRAC_2_PI).round();
    let rest = HALF_PI.iter().fold(x, |rest, &part| {
        let (high, low) = two_product(k, part);
        rest - DoubleDouble { high, low }
    });
    ((k as i64).rem_euclid(4), rest)
}

/// `Σ (−1)ⁿ r^{2n+first} / (2n+first)!`: the sine for `first = 1`, the cosine for `first = 0`;
/// `|r| ≤ 0.8`.
fn series(r: DoubleDouble, first: usize) -> DoubleDouble {
    let square = r * r;
    let terms = INVERSE_FACTORIALS[first..].iter().step_by(2).rev();
    let sum = terms.fold(DoubleDouble::default(), |sum, &coefficient| coefficient - sum * square);
    if first == 1 { sum * r } else { sum }
}

/// `sin(x + quarters · π/2)`.
fn shifted_sine(x: DoubleDouble, quarters: i64) -> DoubleDouble {
    let (k, r) = reduce(x);
    match (k + quarters) % 4 {
        0 => series(r, 1),
        1 => series(r, 0),
        2 => -series(r, 1),
        _ => -series(r, 0),
    }
}

pub(super) fn sin(x: DoubleDouble) -> DoubleDouble {
    if x.high.abs() < LARGEST_ANGLE { shifted_sine(x, 0) } else { x.high.sin().into() }
}

pub(super) fn cos(x: DoubleDouble) -> DoubleDouble {
    if x.high.abs() < LARGEST_ANGLE { shifted_sine(x, 1) } else { x.high.cos().into() }
}

#[cfg(test)]
mod tests {
    use super::super::reference::assert_table;
    use super::super::reference::tables::{COS, SIN};
    use super::*;

    #[test]
    fn thirty_digits() {
        assert_table("sin", SIN, sin);
        assert_table("cos", COS, cos);
    }

    #[test]
    fn special_values_follow_f64() {
        assert_eq!(sin(0.0.into()).high, 0.0);
        assert_eq!(cos(0.0.into()).high, 1.0);
        assert_eq!(sin(1e300.into()).high, 1e300_f64.sin());
        assert!(sin(f64::INFINITY.into()).high.is_nan() && cos(f64::NAN.into()).high.is_nan());
    }
}
