//! The four operations, from error-free transformations. Where `f64` gives ±∞ or NaN, so do these.

use super::DoubleDouble;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `a + b` and its rounding error, for any order of sizes (Knuth).
#[inline(always)]
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let shadow = sum - a;
    (sum, (a - (sum - shadow)) + (b - shadow))
}

/// `a + b` and its rounding error, for `|a| ≥ |b|` (Dekker).
#[inline(always)]
pub(super) fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `a · b` and its rounding error, by a fused multiply-add.
#[inline(always)]
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

impl DoubleDouble {
    /// A pair, with no low part beside a high part that is infinite or NaN.
    #[inline(always)]
    fn finite_or_high((high, low): (f64, f64)) -> Self {
        let low = if high.is_finite() { low } else { 0.0 };
        Self { high, low }
    }

    /// `a + b`, exactly.
    #[inline(always)]
    pub(super) fn sum_of_two(a: f64, b: f64) -> Self {
        Self::finite_or_high(two_sum(a, b))
    }

    /// `a · b`, exactly.
    #[inline(always)]
    pub(super) fn product_of_two(a: f64, b: f64) -> Self {
        Self::finite_or_high(two_product(a, b))
    }

    /// `x · 2ᵏ`, in two steps so that neither factor leaves the range.
    pub(super) fn times_power_of_two(self, exponent: i32) -> Self {
        let half = exponent / 2;
        let (first, second) = (power_of_two(half), power_of_two(exponent - half));
        Self { high: self.high * first * second, low: self.low * first * second }
    }

    /// `x · c` for a power of two `c`, which is exact.
    #[inline(always)]
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { high: self.high * factor, low: self.low * factor }
    }
}

/// `2ᵏ` for `|k| ≤ 1022`; beyond, the nearest power in that range.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent.clamp(-1022, 1023) + 1023) as u64) << 52)
}

impl Add for DoubleDouble {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        if !high.is_finite() {
            return high.into();
        }
        let (low, low_error) = two_sum(self.low, other.low);
        let (high, error) = quick_two_sum(high, error + low);
        Self::finite_or_high(quick_two_sum(high, error + low_error))
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + (-other)
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (high, error) = two_product(self.high, other.high);
        if !high.is_finite() {
            return high.into();
        }
        let cross = self.high.mul_add(other.low, self.low * other.high);
        Self::finite_or_high(quick_two_sum(high, error + cross))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        if first == 0.0 || !first.is_finite() {
            return first.into();
        }
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let rest = rest - other * second.into();
        let third = rest.high / other.high;
        let (high, low) = quick_two_sum(first, second);
        Self { high, low } + third.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sign of a zero is left out: `f64` and pairs may differ in it.
    fn same(found: DoubleDouble, expected: f64) -> bool {
        found.high == expected || (found.high.is_nan() && expected.is_nan())
    }

    #[test]
    fn special_values_follow_f64() {
        let values =
            [0.0, -0.0, 1.0, -2.5, 5e-324, 1e-310, 1e300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for a in values {
            for b in values {
                let (x, y) = (DoubleDouble::from(a), DoubleDouble::from(b));
                assert!(same(x + y, a + b), "{a} + {b}");
                assert!(same(x - y, a - b), "{a} − {b}");
                assert!(same(x * y, a * b), "{a} · {b}");
                assert!(same(x / y, a / b), "{a} / {b}: {:?}", x / y);
            }
        }
    }

    #[test]
    fn cancellation_keeps_the_low_part() {
        let x = DoubleDouble::sum_of_two(1.0, 1e-25);
        assert_eq!((x - 1.0.into()).high, 1e-25);
        assert_eq!((x * x - 1.0.into()).high, 2e-25);
    }

    #[test]
    fn powers_of_two_reach_both_ends() {
        assert_eq!(DoubleDouble::from(1.5).times_power_of_two(-1074).high, 1e-323);
        assert_eq!(DoubleDouble::from(0.5).times_power_of_two(1024).high, 2_f64.powi(1023));
        assert_eq!(DoubleDouble::from(1.0).times_power_of_two(3000).high, f64::INFINITY);
    }
}
