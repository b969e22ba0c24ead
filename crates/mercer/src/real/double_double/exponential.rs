//! Exponential, logarithm and hyperbolic tangent of double-double numbers.

use super::DoubleDouble;
use super::constants::{INVERSE_FACTORIALS, LN_2};
use crate::real::Real;

/// Halvings of the argument before the Taylor series, undone by as many doublings.
const HALVINGS: i32 = 6;
/// Terms of the series: `(0.36/64)¹³/14!` is below `1e-40`.
const TERMS: usize = 13;
/// Below this `eˣ − 1 = x` to 40 digits.
const LINEAR_BELOW: f64 = 1e-40;

/// `eʳ − 1` for `|r| ≤ 0.5`, with full relative precision: Taylor at `r/64`, then
/// `e²ʳ − 1 = s(s + 2)` six times.
fn small_exp_m1(r: DoubleDouble) -> DoubleDouble {
    if r.high.abs() < LINEAR_BELOW {
        return r;
    }
    let t = r.scaled(1.0 / f64::from(1 << HALVINGS));
    let mut sum = INVERSE_FACTORIALS[TERMS];
    for n in (1..TERMS).rev() {
        sum = sum * t + INVERSE_FACTORIALS[n];
    }
    let mut s = sum * t;
    for _ in 0..HALVINGS {
        s = s.scaled(2.0) + s * s;
    }
    s
}

/// `(k, r)` with `x = k ln 2 + r` and `|r| ≤ ½ ln 2`.
fn reduce(x: DoubleDouble) -> (i32, DoubleDouble) {
    let k = (x.high * std::f64::consts::LOG2_E).round();
    (k as i32, x - LN_2 * k.into())
}

pub(super) fn exp(x: DoubleDouble) -> DoubleDouble {
    let plain = x.high.exp();
    if plain == 0.0 || !plain.is_finite() {
        return plain.into();
    }
    let (k, r) = reduce(x);
    (small_exp_m1(r) + 1.0.into()).times_power_of_two(k)
}

pub(super) fn exp_m1(x: DoubleDouble) -> DoubleDouble {
    if x.high.abs() < 0.4 { small_exp_m1(x) } else { exp(x) - 1.0.into() }
}

pub(super) fn ln(x: DoubleDouble) -> DoubleDouble {
    let plain = x.high.ln();
    if !plain.is_finite() {
        return plain.into();
    }
    let k = (plain * std::f64::consts::LOG2_E).round() as i32;
    let mantissa = x.times_power_of_two(-k);
    small_ln_1p(mantissa - 1.0.into()) + LN_2 * f64::from(k).into()
}

pub(super) fn ln_1p(x: DoubleDouble) -> DoubleDouble {
    if x.high.abs() < 0.4 { small_ln_1p(x) } else { ln(x + 1.0.into()) }
}

/// `ln(1 + x)` for `|x| < 1/2`: the `f64` value `y`, corrected by `ln(1 + d)` with
/// `1 + d = (1 + x) e⁻ʸ`.
fn small_ln_1p(x: DoubleDouble) -> DoubleDouble {
    let y = DoubleDouble::from(x.high.ln_1p());
    let power = small_exp_m1(y);
    let d = (x - power) / (power + 1.0.into());
    y + (d - (d * d).scaled(0.5))
}

pub(super) fn tanh(x: DoubleDouble) -> DoubleDouble {
    if x.high.abs() > 40.0 {
        return x.high.signum().into();
    }
    let power = exp_m1(x.scaled(2.0).abs());
    let positive = power / (power + 2.0.into());
    if x.high < 0.0 { -positive } else { positive }
}

#[cfg(test)]
mod tests {
    use super::super::reference::assert_table;
    use super::super::reference::tables::{EXP, EXP_M1, LN, LN_1P, TANH};
    use super::*;

    #[test]
    fn thirty_digits() {
        assert_table("exp", EXP, DoubleDouble::exp);
        assert_table("exp_m1", EXP_M1, DoubleDouble::exp_m1);
        assert_table("ln", LN, DoubleDouble::ln);
        assert_table("ln_1p", LN_1P, DoubleDouble::ln_1p);
        assert_table("tanh", TANH, DoubleDouble::tanh);
    }

    #[test]
    fn ends_of_the_range_follow_f64() {
        for x in [0.0, -0.0, 800.0, -800.0, 709.78, -745.0, 1e-320, f64::INFINITY, f64::NEG_INFINITY] {
            let exact = |found: DoubleDouble, expected: f64| {
                assert!((found.high - expected).abs() <= 1e-14 * expected.abs() || found.high == expected, "{x}");
            };
            exact(DoubleDouble::from(x).exp(), x.exp());
            exact(DoubleDouble::from(x).exp_m1(), x.exp_m1());
            exact(DoubleDouble::from(x).tanh(), x.tanh());
            if x >= 0.0 {
                exact(DoubleDouble::from(x).ln(), x.ln());
                exact(DoubleDouble::from(x).ln_1p(), x.ln_1p());
                exact(DoubleDouble::from(x).sqrt(), x.sqrt());
            }
        }
        assert!(DoubleDouble::from(-1.0).ln().high.is_nan());
        assert!(DoubleDouble::from(f64::NAN).tanh().high.is_nan());
    }
}
