//! The reference arithmetic.

use super::Real;

impl Real for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
    fn value(self) -> f64 {
        self
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn exp(self) -> Self {
        f64::exp(self)
    }
    fn exp_m1(self) -> Self {
        f64::exp_m1(self)
    }
    fn ln(self) -> Self {
        f64::ln(self)
    }
    fn ln_1p(self) -> Self {
        f64::ln_1p(self)
    }
    fn sin(self) -> Self {
        f64::sin(self)
    }
    fn cos(self) -> Self {
        f64::cos(self)
    }
    fn tanh(self) -> Self {
        f64::tanh(self)
    }
    fn powi(self, exponent: i32) -> Self {
        f64::powi(self, exponent)
    }
    fn powf(self, exponent: Self) -> Self {
        f64::powf(self, exponent)
    }
    fn matern(_nu: Self, z: Self) -> Self {
        (1.0 + z) * f64::exp(-z)
    }
}
