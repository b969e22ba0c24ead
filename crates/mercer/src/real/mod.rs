//! Numbers: a formula is written once, over [`Real`], and evaluated in several number types.
//!
//! `f64` is the reference, [`DoubleDouble`] re-checks a counterexample with 32 digits, [`Dual`]
//! differentiates, and the `Fast` numbers of `gram::simd` are the same formulas in branch-free,
//! vectorizable arithmetic.
//!
//! # Example
//! ```
//! use mercer::real::{DoubleDouble, Dual, Real};
//! /// `κ(r) = (1 + √3 r) exp(−√3 r)`, stated once.
//! fn profile<N: Real>(r: N) -> N {
//!     let s = N::from_f64(3.0).sqrt() * r;
//!     (N::one() + s) * (-s).exp()
//! }
//! mercer::assert_close!(profile(1.0), 0.4833577245, abs = 1e-10);
//! let precise = profile(DoubleDouble::from_f64(1.0));
//! mercer::assert_close!(precise.high(), 0.4833577245, abs = 1e-10);
//! let slope = profile(Dual::variable(1.0)).derivative; // κ′(r) = −3 r exp(−√3 r)
//! mercer::assert_close!(slope, -3.0 * (-(3.0_f64.sqrt())).exp(), abs = 1e-15);
//! ```

mod double;
mod double_double;
mod dual;
pub mod special;

pub use double_double::{DoubleDouble, sum_of_products};
pub use dual::Dual;
pub use special::{BesselPair, MaternProfile, MaternTable};

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number in some arithmetic.
///
/// Kernel formulas are generic over this trait, so that the value, its re-check in higher precision
/// and its derivative are one statement of the formula and not three.
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
    /// The relative precision to which quadratures and series in this arithmetic are carried.
    const EPSILON: f64 = f64::EPSILON;

    /// The number closest to an `f64`.
    fn from_f64(value: f64) -> Self;
    /// The `f64` closest to the number (the primal part of a dual number). Branches are decided on
    /// it.
    fn value(self) -> f64;
    /// `√x`. A dual number's derivative at 0 is taken as 0, which is right for every profile smooth
    /// in `r²`.
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
    /// The same without the division that negative exponents need; `exponent` below `2³¹`.
    #[inline(always)]
    fn powu(self, exponent: u32) -> Self {
        self.powi(exponent as i32)
    }
    /// `xᵖ` for `x ≥ 0`; `0ᵖ = 0` for `p > 0` and `x⁰ = 1`.
    fn powf(self, exponent: Self) -> Self;
    /// `2^{1−ν}/Γ(ν) · zᵛ K_ν(z)` for `ν > 0`, `z ≥ 0`: the Matérn profile, 1 at `z = 0`.
    fn matern(nu: Self, z: Self) -> Self {
        MaternProfile::new(nu).at(z)
    }
    /// The same for one of many `z`, from a table in arithmetics of 16 digits and less.
    fn tabulated_matern(table: &MaternTable, z: Self) -> Self {
        Self::matern(Self::from_f64(table.nu()), z)
    }
    /// The derivative of [`Real::matern`] with respect to `ν`: the formula itself, evaluated on
    /// dual numbers.
    ///
    /// Where many `z` share one `ν`, keep `MaternProfile::new(Dual::variable(nu))` instead of
    /// calling this.
    fn matern_by_nu(nu: Self, z: Self) -> Self {
        MaternProfile::new(Dual::variable(nu)).at(Dual::constant(z)).derivative
    }
    /// The derivative of [`Real::matern`] with respect to `z`; see [`MaternProfile::slope`] for
    /// `z = 0`.
    fn matern_by_z(nu: Self, z: Self) -> Self {
        MaternProfile::new(nu).slope(z)
    }
    /// `K_μ(z)` and `K_{μ+1}(z)` for `|μ| ≤ 1/2` and `z > 0`, scaled as in [`BesselPair`].
    fn bessel_pair(mu: Self, z: Self) -> BesselPair<Self> {
        special::quadrature::bessel_pair(mu, z)
    }
    /// `1/Γ(1 + μ)` for `|μ| ≤ 1/2`.
    fn reciprocal_gamma(mu: Self) -> Self {
        special::quadrature::reciprocal_gamma(mu)
    }
    /// Whether the number is exactly zero, in every part that it has.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.value() == 0.0
    }
    /// Whether the number is at most another; a dual number compares its primal part.
    #[inline(always)]
    fn is_at_most(self, other: Self) -> bool {
        self.value() <= other.value()
    }
    /// One of two numbers; both are computed, so that loops stay free of branches.
    #[inline(always)]
    fn select(condition: bool, yes: Self, no: Self) -> Self {
        if condition { yes } else { no }
    }
    /// The smaller of two numbers.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.is_at_most(other), self, other)
    }
    /// The larger of two numbers.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.is_at_most(self), self, other)
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
