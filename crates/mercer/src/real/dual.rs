//! Forward differentiation: a number together with its derivative.

use super::{MaternProfile, Real};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number and its derivative with respect to one variable.
///
/// # Theory
/// `f(v + ε v̇) = f(v) + ε f′(v) v̇` with `ε² = 0`: evaluating a formula on dual numbers
/// differentiates it exactly. Nested, `Dual<Dual<N>>` gives second derivatives.
///
/// Where a derivative does not exist, a finite one is chosen, so that a formula which multiplies it
/// by zero stays right: `√x` and `xᵖ` (`p < 1`) have derivative 0 at 0, and so has `|x|`.
///
/// # Cost
/// Two to three times the plain evaluation.
///
/// # Example
/// ```
/// use mercer::real::{Dual, Real};
/// let x = Dual::variable(2.0);
/// let y = x * x.ln(); // (x ln x)′ = ln x + 1
/// mercer::assert_close!(y.derivative, (2.0_f64.ln() + 1.0), abs = 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<N: Real> {
    /// The number itself.
    pub value: N,
    /// Its derivative.
    pub derivative: N,
}

impl<N: Real> Dual<N> {
    /// The variable of differentiation: its derivative is 1.
    #[inline(always)]
    pub fn variable(value: N) -> Self {
        Self { value, derivative: N::one() }
    }

    /// A constant: its derivative is 0.
    #[inline(always)]
    pub fn constant(value: N) -> Self {
        Self { value, derivative: N::zero() }
    }

    /// `f(x)` from the value of `f` and its slope at `x`: the chain rule.
    #[inline(always)]
    fn chain(self, value: N, slope: N) -> Self {
        Self { value, derivative: slope * self.derivative }
    }
}

/// `slope · derivative`, and 0 for a constant even where the slope is infinite.
#[inline(always)]
fn product_or_zero<N: Real>(slope: N, derivative: N) -> N {
    N::select(derivative.is_zero(), N::zero(), slope * derivative)
}

impl<N: Real> Add for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, derivative: self.derivative + other.derivative }
    }
}

impl<N: Real> Sub for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, derivative: self.derivative - other.derivative }
    }
}

impl<N: Real> Mul for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let derivative = self.derivative * other.value + self.value * other.derivative;
        Self { value: self.value * other.value, derivative }
    }
}

impl<N: Real> Div for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        // Several seeds of one formula share the reciprocal.
        Self { value, derivative: (self.derivative - value * other.derivative) * (N::one() / other.value) }
    }
}

impl<N: Real> Neg for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, derivative: -self.derivative }
    }
}

impl<N: Real> Real for Dual<N> {
    const EPSILON: f64 = N::EPSILON;

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self::constant(N::from_f64(value))
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self.value.value()
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        let at_zero = root.value() == 0.0;
        let safe = N::select(at_zero, N::one(), root);
        self.chain(root, N::select(at_zero, N::zero(), N::from_f64(0.5) / safe))
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let power = self.value.exp();
        self.chain(power, power)
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        let power = self.value.exp_m1();
        self.chain(power, power + N::one())
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Self { value: self.value.ln(), derivative: product_or_zero(N::one() / self.value, self.derivative) }
    }
    #[inline(always)]
    fn ln_1p(self) -> Self {
        Self { value: self.value.ln_1p(), derivative: self.derivative / (N::one() + self.value) }
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        let tangent = self.value.tanh();
        self.chain(tangent, N::one() - tangent * tangent)
    }
    #[inline(always)]
    fn powi(self, exponent: i32) -> Self {
        if exponent == 0 {
            return Self::one();
        }
        let below = self.value.powi(exponent.saturating_sub(1));
        self.chain(self.value.powi(exponent), N::from_f64(f64::from(exponent)) * below)
    }
    #[inline(always)]
    fn powu(self, exponent: u32) -> Self {
        if exponent == 0 {
            return Self::one();
        }
        let below = self.value.powu(exponent - 1);
        self.chain(self.value * below, N::from_f64(f64::from(exponent)) * below)
    }
    /// `(xᵖ)˙ = p xᵖ⁻¹ ẋ + xᵖ ln x ṗ`; at `x = 0` the first factor is 1 for `p = 1` and 0
    /// otherwise, the second is 0.
    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        let power = self.value.powf(exponent.value);
        let at_zero = self.value.value() == 0.0;
        let safe = N::select(at_zero, N::one(), self.value);
        let slope_at_zero = N::select(exponent.value() == 1.0, N::one(), N::zero());
        let by_base = N::select(at_zero, slope_at_zero, exponent.value * power / safe);
        let by_exponent = N::select(at_zero, N::zero(), power * safe.ln());
        let derivative = product_or_zero(by_base, self.derivative) + product_or_zero(by_exponent, exponent.derivative);
        Self { value: power, derivative }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let sign = N::from_f64(f64::from(i8::from(self.value() > 0.0) - i8::from(self.value() < 0.0)));
        self.chain(self.value.abs(), sign)
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.value.is_zero() && self.derivative.is_zero()
    }
    #[inline(always)]
    fn is_at_most(self, other: Self) -> bool {
        self.value.is_at_most(other.value)
    }
    /// Differentiates in `ν` and in `z`; a derivative that is multiplied by an exact zero is not
    /// computed.
    fn matern(nu: Self, z: Self) -> Self {
        let profile = MaternProfile::new(nu.value);
        let mut derivative = N::zero();
        if !z.derivative.is_zero() {
            derivative = profile.slope(z.value) * z.derivative;
        }
        if !nu.derivative.is_zero() {
            derivative = derivative + N::matern_by_nu(nu.value, z.value) * nu.derivative;
        }
        Self { value: profile.at(z.value), derivative }
    }
}

#[cfg(test)]
mod tests;
