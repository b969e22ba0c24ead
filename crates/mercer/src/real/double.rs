//! `f64` as a [`Real`]: the reference arithmetic.

use super::Real;
use super::special::{self, BesselPair};

impl Real for f64 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn exp(self) -> Self {
        self.exp()
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        self.exp_m1()
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.ln()
    }
    #[inline(always)]
    fn ln_1p(self) -> Self {
        self.ln_1p()
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.sin()
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.cos()
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        self.tanh()
    }
    #[inline(always)]
    fn powi(self, exponent: i32) -> Self {
        self.powi(exponent)
    }
    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        self.powf(exponent)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }
    fn bessel_pair(mu: Self, z: Self) -> BesselPair<Self> {
        special::temme::bessel_pair(mu, z)
    }
    fn reciprocal_gamma(mu: Self) -> Self {
        special::gamma::Temme::new(mu).reciprocal_plus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_zero_follow_the_contract() {
        assert_eq!(Real::powf(0.0_f64, 0.3), 0.0);
        assert_eq!(Real::powf(0.0_f64, 0.0), 1.0);
        assert_eq!(Real::powf(7.0_f64, 0.0), 1.0);
        assert_eq!(Real::powi(3.0_f64, -2), 1.0 / 9.0);
    }

    #[test]
    fn order_and_choice() {
        assert_eq!(Real::min(2.0_f64, 3.0), 2.0);
        assert_eq!(Real::max(2.0_f64, 3.0), 3.0);
        assert_eq!(Real::abs(-2.0_f64), 2.0);
        assert_eq!(f64::select(false, 1.0, 2.0), 2.0);
        assert!(Real::is_zero(-0.0_f64) && !Real::is_zero(f64::NAN));
    }
}
