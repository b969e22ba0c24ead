//! Double-double numbers that carry a bound on their own error, so that a sign can be certified.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::real::{DoubleDouble, Real};

/// The relative error of one operation in double-double arithmetic, with room to spare over 2⁻¹⁰⁰.
const UNIT: f64 = 1e-29;

/// A number and a bound on the distance from the true value, carried along by running error
/// analysis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tracked {
    pub value: DoubleDouble,
    pub error: f64,
}

impl Tracked {
    /// The result of an operation: the error that came in, and the rounding of the result itself.
    fn new(value: DoubleDouble, incoming: f64) -> Self {
        Self { value, error: incoming + UNIT * value.high().abs() }
    }

    fn size(self) -> f64 {
        self.value.high().abs()
    }

    /// Whether the true value is certainly negative.
    pub(super) fn is_negative(self) -> bool {
        self.value.high() + self.error < 0.0
    }
}

impl Add for Tracked {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.value + other.value, self.error + other.error)
    }
}

impl Sub for Tracked {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Tracked {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, error: self.error }
    }
}

impl Mul for Tracked {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let incoming = self.size() * other.error + other.size() * self.error + self.error * other.error;
        Self::new(self.value * other.value, incoming)
    }
}

impl Div for Tracked {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let quotient = self.value / other.value;
        let denominator = other.size() - other.error;
        let incoming = (self.error + quotient.high().abs() * other.error) / denominator;
        Self::new(quotient, if denominator > 0.0 { incoming } else { f64::INFINITY })
    }
}

impl Real for Tracked {
    const EPSILON: f64 = DoubleDouble::EPSILON;

    fn from_f64(value: f64) -> Self {
        Self { value: value.into(), error: 0.0 }
    }
    fn value(self) -> f64 {
        self.value.high()
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        // |√(x + e) − √x| is at most √|e|, and |e|/√x where x is large against e.
        let away = if root.high() > 0.0 { self.error / root.high() } else { f64::INFINITY };
        Self::new(root, if self.error == 0.0 { 0.0 } else { away.min(self.error.sqrt()) })
    }
    fn exp(self) -> Self {
        let power = self.value.exp();
        Self::new(power, power.high() * self.error.exp_m1() + UNIT * power.high() * self.size())
    }
    fn exp_m1(self) -> Self {
        Self::new(self.value.exp_m1(), self.value.exp().high() * (self.error.exp_m1() + UNIT * self.size()))
    }
    fn ln(self) -> Self {
        let low = self.value.high() - self.error;
        Self::new(self.value.ln(), if low > 0.0 { self.error / low } else { f64::INFINITY })
    }
    fn ln_1p(self) -> Self {
        let low = 1.0 + self.value.high() - self.error;
        Self::new(self.value.ln_1p(), if low > 0.0 { self.error / low } else { f64::INFINITY })
    }
    fn sin(self) -> Self {
        Self::new(self.value.sin(), self.error + UNIT * self.size())
    }
    fn cos(self) -> Self {
        Self::new(self.value.cos(), self.error + UNIT * (1.0 + self.size()))
    }
    fn tanh(self) -> Self {
        Self::new(self.value.tanh(), self.error + UNIT * self.size().min(1.0))
    }
    fn powi(self, exponent: i32) -> Self {
        let (mut power, mut base, mut rest) = (Self::one(), self, exponent.unsigned_abs());
        while rest > 0 {
            if rest & 1 == 1 {
                power = power * base;
            }
            rest >>= 1;
            if rest > 0 {
                base = base * base;
            }
        }
        if exponent < 0 { Self::one() / power } else { power }
    }
    fn powf(self, exponent: Self) -> Self {
        if self.is_zero() || exponent.is_zero() {
            let value = self.value.powf(exponent.value);
            let incoming = if self.error > 0.0 { self.error.powf(exponent.value()) } else { 0.0 };
            return Self::new(value, incoming);
        }
        (exponent * self.ln()).exp()
    }
    fn is_at_most(self, other: Self) -> bool {
        self.value.is_at_most(other.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_covers_what_was_lost() {
        let (one, third) = (Tracked::from_f64(1.0), Tracked::from_f64(1.0) / Tracked::from_f64(3.0));
        let rest = one - third - third - third;
        assert!(rest.value.high().abs() <= rest.error && rest.error < 1e-27);
        assert!(!rest.is_negative() && !(-rest).is_negative());
        assert!((third - one).is_negative());
    }

    #[test]
    fn functions_agree_with_their_inverses_within_the_error() {
        for x in [1e-3, 0.7, 2.0, 30.0] {
            let x = Tracked::from_f64(x);
            for back in [x.exp().ln(), x.ln().exp(), x.sqrt().squared(), x.exp_m1().ln_1p()] {
                let gap = (back - x).value.high().abs();
                assert!(gap <= back.error && back.error < 1e-24, "{gap} against {}", back.error);
            }
        }
    }

    #[test]
    fn division_by_something_that_may_be_zero_certifies_nothing() {
        let vague = Tracked { value: 1e-40.into(), error: 1e-30 };
        assert!((Tracked::one() / vague).error.is_infinite());
        assert!(vague.ln().error.is_infinite());
        assert!(!(-(Tracked::one() / vague)).is_negative());
    }
}
