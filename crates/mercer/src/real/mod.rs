//! Numbers: a formula is written once, over [`Real`], and evaluated in whatever arithmetic is needed.
//!
//! `f64` is the reference, [`DoubleDouble`] re-checks a counterexample with 32 digits, [`Dual`] differentiates,
//! and the `Fast` numbers of `gram::simd` are the same formulas in branch-free, vectorisable arithmetic.






mod double;

use std::ops::{Add, Div, Mul, Neg, Sub};




/// A real number in some arithmetic.
///
/// Kernel formulas are generic over this trait, so that the value, its re-check in higher precision and its
/// derivative are one statement of the formula and not three.
pub trait Real:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number closest to an `f64`.
    fn from_f64(value: f64) -> Self;
    /// The `f64` closest to the number (the primal part of a dual number). Branches are decided on it.
    fn value(self) -> f64;
    /// `√x`. A dual number's derivative at 0 is taken as 0, which is right for every profile smooth in `r²`.
    fn sqrt(self) -> Self;
    /// `eˣ`.
    fn exp(self) -> Self;
    /// `eˣ − 1` without cancellation.
    fn exp_m1(self) -> Self;
    /// `ln x`.
    fn ln(self) -> Self;
    /// `ln(1 + x)` without cancellation.
    fn ln_1p(self) -> Self;
    /// `sin x`.
    fn sin(self) -> Self;
    /// `cos x`.
    fn cos(self) -> Self;
    /// `tanh x`.
    fn tanh(self) -> Self;
    /// `xⁿ` for a whole exponent, by repeated squaring.
    fn powi(self, exponent: i32) -> Self;
    /// `xᵖ` for `x ≥ 0`; `0ᵖ = 0` for `p > 0` and `x⁰ = 1`.
    fn powf(self, exponent: Self) -> Self;
    /// `2^{1−ν}/Γ(ν) · zᵛ K_ν(z)` for `ν > 0`, `z ≥ 0`: the Matérn profile, 1 at `z = 0`.
    fn matern(nu: Self, z: Self) -> Self;
    /// One of two numbers; both are computed, so that loops stay free of branches.
    #[inline(always)]
    fn select(condition: bool, yes: Self, no: Self) -> Self {
        if condition { yes } else { no }
    }
    /// The smaller of two numbers.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.value() <= other.value(), self, other)
    }
    /// The larger of two numbers.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(self.value() >= other.value(), self, other)
    }
    /// `|x|`.
    #[inline(always)]
    fn abs(self) -> Self {
        Self::select(self.value() < 0.0, -self, self)
    }
    /// `x²`.
    #[inline(always)]
    fn squared(self) -> Self {
        self * self
    }
    /// 0.
    #[inline(always)]
    fn zero() -> Self {
        Self::from_f64(0.0)
    }
    /// 1.
    #[inline(always)]
    fn one() -> Self {
        Self::from_f64(1.0)
    }
}
