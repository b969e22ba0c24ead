//! `f32` in branch-free arithmetic, the twin of [`Fast64`](super::fast64::Fast64) for
//! single-precision tiles.
//!
//! `exp`, `ln`, `ln_1p` and `tanh` are native; the rarer functions are computed in `f64` and rounded.

#![expect(clippy::excessive_precision, reason = "coefficients are written as they were computed")]

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::fast64::Fast64;
use crate::real::{MaternTable, Real};

/// `ln 2` to 12 bits: products with the exponent of a float are exact.
const LN2_HIGH: f32 = 0.693115234375;
/// `ln 2 − LN2_HIGH`.
const LN2_LOW: f32 = 3.1946184945309415e-05;
/// `(eʳ − 1 − r)/r²` on `|r| ≤ ½ ln 2` by Chebyshev interpolation; error of `eʳ` about 1e-8.
const EXP: [f32; 5] = [0.5, 0.16666576989698775, 0.041666554617204574, 0.008363179052722578, 0.0013926183587713494];
/// `(ln((1+s)/(1−s)) − 2s)/s³` in powers of `s²` for `|s| ≤ 0.1716`: the minimax polynomial of
/// fdlibm.
const LN: [f32; 4] = [0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841];
/// `(tanh x − x)/x³` in powers of `x²` for `|x| ≤ 1` by Chebyshev interpolation; error of `tanh x` below
/// 1e-8 of it. In double precision and rounded a Gram matrix of 2 000 × 20 takes 2.6 instead of 1.6 ms.
const TANH: [f32; 7] = [
    -0.3333333134651184,
    0.1333312839269638,
    -0.053934790194034576,
    0.02166011556982994,
    -0.008218921720981598,
    0.0025104593951255083,
    -0.00042069549090228975,
];
/// Adding this rounds to an integer and leaves `number + 254` in the low 9 bits.
const ROUNDER: f32 = 12582912.0 + 254.0;

/// An `f32` whose functions are free of branches. `FMA`: whether the machine fuses `a·b + c`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fast32<const FMA: bool>(pub f32);

/// `a·b + c`, in one rounding where the machine can.
#[inline(always)]
pub(super) fn fma<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// `Σ coefficients[k] xᵏ` by Horner's rule.
#[inline(always)]
pub(super) fn polynomial<const FMA: bool, const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    let mut sum = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        sum = fma::<FMA>(sum, x, coefficients[k]);
    }
    sum
}

#[inline(always)]
fn exp<const FMA: bool>(x: f32) -> f32 {
    let x = if x < -104.0 { -104.0 } else { x };
    let x = if x > 89.0 { 89.0 } else { x };
    let rounded = fma::<FMA>(x, std::f32::consts::LOG2_E, ROUNDER);
    let n = rounded - ROUNDER;
    let r = fma::<FMA>(n, -LN2_LOW, fma::<FMA>(n, -LN2_HIGH, x));
    let biased = rounded.to_bits() & 0x1FF;
    let half = biased >> 1;
    let (first, second) = (f32::from_bits(half << 23), f32::from_bits((biased - half) << 23));
    // As for `f64`: what follows the tail of the series is one operation.
    let r2 = r * r;
    let tail = fma::<FMA>(fma::<FMA>(EXP[4], r2, fma::<FMA>(EXP[3], r, EXP[2])), r2, fma::<FMA>(EXP[1], r, EXP[0]));
    fma::<FMA>(first * r2, tail, fma::<FMA>(first, r, first)) * second
}

#[inline(always)]
fn ln<const FMA: bool>(x: f32) -> f32 {
    const SQRT_HALF: u32 = 0x3F35_04F3;
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 33554432.0 } else { x };
    let shifted = scaled.to_bits().wrapping_sub(SQRT_HALF).wrapping_add(127 << 23);
    let k = (shifted >> 23) as i32 as f32 - if tiny { 152.0 } else { 127.0 };
    let f = f32::from_bits((shifted & 0x007F_FFFF).wrapping_add(SQRT_HALF)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let half_square = 0.5 * f * f;
    let rest = z * polynomial::<FMA, 4>(&LN, z);
    let low = fma::<FMA>(k, LN2_LOW, s * (half_square + rest)) - half_square;
    let value = fma::<FMA>(k, LN2_HIGH, f + low);
    let value = if x == f32::INFINITY { x } else { value };
    let value = if x == 0.0 { f32::NEG_INFINITY } else { value };
    if x >= 0.0 { value } else { f32::NAN }
}

impl<const FMA: bool> Fast32<FMA> {
    #[inline(always)]
    fn widen(self) -> Fast64<FMA> {
        Fast64(f64::from(self.0))
    }

    #[inline(always)]
    fn narrow(wide: Fast64<FMA>) -> Self {
        Self(wide.0 as f32)
    }
}

impl<const FMA: bool> Real for Fast32<FMA> {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self(value as f32)
    }
    #[inline(always)]
    fn value(self) -> f64 {
        f64::from(self.0)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Self(exp::<FMA>(self.0))
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        Self::narrow(self.widen().exp_m1())
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Self(ln::<FMA>(self.0))
    }
    #[inline(always)]
    fn ln_1p(self) -> Self {
        let x = self.0;
        let u = 1.0 + x;
        let lost = if x >= 1.0 { 1.0 - (u - x) } else { x - (u - 1.0) };
        let lost = if u > 0.0 && u < f32::INFINITY { lost / u } else { 0.0 };
        Self(ln::<FMA>(u) + lost)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Self::narrow(self.widen().sin())
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Self::narrow(self.widen().cos())
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        let x = self.0;
        let z = x * x;
        let near = fma::<FMA>(x * z, polynomial::<FMA, 7>(&TANH, z), x);
        let far = 1.0 - 2.0 / (exp::<FMA>(2.0 * x.abs()) + 1.0);
        Self(if x.abs() < 1.0 { near } else { far.copysign(x) })
    }
    #[inline(always)]
    fn powi(self, exponent: i32) -> Self {
        super::powers::powi(self, exponent)
    }
    #[inline(always)]
    fn powu(self, exponent: u32) -> Self {
        super::powers::powu(self, exponent)
    }
    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        Self::narrow(self.widen().powf(exponent.widen()))
    }
    #[inline(always)]
    fn matern(nu: Self, z: Self) -> Self {
        Self::narrow(Fast64::matern(nu.widen(), z.widen()))
    }
    #[inline(always)]
    fn tabulated_matern(table: &MaternTable, z: Self) -> Self {
        Self::narrow(Fast64::tabulated_matern(table, z.widen()))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(if self.0 <= other.0 { self.0 } else { other.0 })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(if self.0 >= other.0 { self.0 } else { other.0 })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
}

super::powers::operators!(Fast32);
