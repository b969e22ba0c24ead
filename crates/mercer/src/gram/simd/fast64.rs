//! `f64` in branch-free arithmetic: the same formulas as plain `f64`, in code that the compiler
//! turns into vectors.
//!
//! Every function is straight-line (comparisons become blends), so that a loop over a tile is
//! vectorized as a whole. `exp`, `ln` and their `1+x` twins are accurate to about one unit in the
//! last place, sines and cosines to `2·10⁻¹⁶` for arguments below 2⁴³; beyond, they are some number
//! in [−1, 1].

#![expect(clippy::excessive_precision, reason = "coefficients are written as they were computed")]

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::sine_cosine::Phase;
use crate::real::{MaternTable, Real};

/// `ln 2` to 33 bits: products with the exponent of a double are exact.
const LN2_HIGH: f64 = 0.6931471803691238;
/// `ln 2 − LN2_HIGH`.
const LN2_LOW: f64 = 1.9082149292705877e-10;
/// `(eʳ − 1 − r)/r²` on `|r| ≤ ½ ln 2` by Chebyshev interpolation; error of `eʳ` below 2e-17.
const EXP: [f64; 10] = [
    0.5000000000000001,
    0.16666666666666669,
    0.04166666666662413,
    0.008333333333330062,
    0.0013888888917213717,
    0.00019841269863053618,
    2.4801521295954376e-05,
    2.7557268459997064e-06,
    2.7620088445409746e-07,
    2.510038549551032e-08,
];
/// `(ln((1+s)/(1−s)) − 2s)/s³` in powers of `s²` for `|s| ≤ 0.1716`: the minimax polynomial of
/// fdlibm.
const LN: [f64; 7] = [
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
];
/// Adding this rounds to an integer and leaves `number + 2046` in the low 12 bits.
const ROUNDER: f64 = 6755399441055744.0 + 2046.0;

/// An `f64` whose functions are free of branches. `FMA`: whether the machine fuses `a·b + c`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fast64<const FMA: bool>(pub f64);

/// `a·b + c`, in one rounding where the machine can.
#[inline(always)]
pub(super) fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// The rounding error of the product `a·b`, whose rounded value is `product`.
#[inline(always)]
pub(super) fn product_error<const FMA: bool>(a: f64, b: f64, product: f64) -> f64 {
    if FMA {
        return a.mul_add(b, -product);
    }
    let split = |x: f64| {
        let t = 134217729.0 * x;
        let high = t - (t - x);
        (high, x - high)
    };
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
}

/// `Σ coefficients[k] xᵏ` by Horner's rule.
#[inline(always)]
pub(super) fn polynomial<const FMA: bool, const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let mut sum = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        sum = fma::<FMA>(sum, x, coefficients[k]);
    }
    sum
}

/// The polynomial `EXP` at `r` by Estrin's scheme: the chain of dependent operations is short.
#[inline(always)]
fn exp_tail<const FMA: bool>(r: f64) -> f64 {
    let r2 = r * r;
    let r4 = r2 * r2;
    let pair = |k: usize| fma::<FMA>(EXP[k + 1], r, EXP[k]);
    let low = fma::<FMA>(pair(2), r2, pair(0));
    let high = fma::<FMA>(pair(6), r2, pair(4));
    fma::<FMA>(fma::<FMA>(pair(8), r4, high), r4, low)
}

/// `x = n ln 2 + r` as `(r, 2^⌊n/2⌋, 2^⌈n/2⌉)`: two factors, because `2ⁿ` alone may leave the
/// range.
#[inline(always)]
fn exp_parts<const FMA: bool>(x: f64) -> (f64, f64, f64) {
    let x = if x < -746.0 { -746.0 } else { x };
    let x = if x > 710.0 { 710.0 } else { x };
    let rounded = fma::<FMA>(x, std::f64::consts::LOG2_E, ROUNDER);
    let n = rounded - ROUNDER;
    let r = fma::<FMA>(n, -LN2_LOW, fma::<FMA>(n, -LN2_HIGH, x));
    let biased = rounded.to_bits() & 0xFFF;
    let half = biased >> 1;
    (r, f64::from_bits(half << 52), f64::from_bits((biased - half) << 52))
}

/// `ln x` as a sum of two numbers, for `x > 0` finite; the sum has about 58 correct bits.
/// `TINY`: whether denormal numbers may come.
#[inline(always)]
fn ln_parts<const FMA: bool, const TINY: bool>(x: f64) -> (f64, f64) {
    const SQRT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
    const TWO_52: f64 = 4503599627370496.0;
    let tiny = TINY && x < f64::MIN_POSITIVE;
    let x = if tiny { x * 18014398509481984.0 } else { x };
    let shifted = x.to_bits().wrapping_sub(SQRT_HALF).wrapping_add(1023 << 52);
    let k = f64::from_bits((shifted >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let k = if tiny { k - 54.0 } else { k };
    let mantissa = f64::from_bits((shifted & 0x000F_FFFF_FFFF_FFFF).wrapping_add(SQRT_HALF));
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let half_square = 0.5 * f * f;
    let rest = z * polynomial::<FMA, 7>(&LN, z);
    let low = fma::<FMA>(k, LN2_LOW, s * (half_square + rest)) - half_square;
    let high = k * LN2_HIGH;
    let sum = high + f;
    // |high| ≥ |f| or high = 0, so that the error of the sum is exact.
    let error = if high == 0.0 { 0.0 } else { f - (sum - high) };
    let low = error + low;
    let value = sum + low;
    (value, low - (value - sum))
}

/// `ln x` where it is regular, its limits at 0 and ∞, and NaN elsewhere.
#[inline(always)]
fn with_limits(x: f64, regular: f64) -> f64 {
    let positive = if x == f64::INFINITY { x } else { regular };
    let edge = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    if x > 0.0 { positive } else { edge }
}

impl<const FMA: bool> Real for Fast64<FMA> {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self(value)
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self.0
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    #[inline(always)]
    fn exp(self) -> Self {
        // 2^⌊n/2⌋ (1 + r + r² tail): the loop waits for the chain of dependent operations, so that
        // what follows the tail is one operation.
        let (r, first, second) = exp_parts::<FMA>(self.0);
        let line = fma::<FMA>(first, r, first);
        Self(fma::<FMA>(first * (r * r), exp_tail::<FMA>(r), line) * second)
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        let (r, first, second) = exp_parts::<FMA>(self.0);
        let expm1 = fma::<FMA>(r * r, exp_tail::<FMA>(r), r);
        // (2ⁿ(eʳ−1) + 2ⁿ − 1) with half of the exponent taken out.
        Self(fma::<FMA>(expm1, first, first - 1.0 / second) * second)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Self(with_limits(self.0, ln_parts::<FMA, true>(self.0).0))
    }
    #[inline(always)]
    fn ln_1p(self) -> Self {
        let u = 1.0 + self.0;
        // What the sum 1 + x lost; the sum is never denormal.
        let added = u - 1.0;
        let lost = (1.0 - (u - added)) + (self.0 - added);
        Self(with_limits(u, ln_parts::<FMA, false>(u).0 + lost / u))
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Self(self.0.sine_cosine::<FMA>().1)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Self(self.0.sine_cosine::<FMA>().0)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        let magnitude = if self.0.abs() > 22.0 { 22.0 } else { self.0.abs() };
        let expm1 = Self(2.0 * magnitude).exp_m1().0;
        Self((expm1 / (expm1 + 2.0)).copysign(self.0))
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
        let (x, p) = (self.0, exponent.0);
        let (high, low) = ln_parts::<FMA, true>(x);
        let y = p * high;
        let rest = fma::<FMA>(p, low, product_error::<FMA>(p, high, y));
        let value = Self(y).exp().0;
        let value = if value < f64::INFINITY { fma::<FMA>(value, rest, value) } else { value };
        let edge = if (x == 0.0) == (p > 0.0) { 0.0 } else { f64::INFINITY };
        let value = if x == 0.0 || x == f64::INFINITY { edge } else { value };
        let value = if x >= 0.0 { value } else { f64::NAN };
        Self(if p == 0.0 { 1.0 } else { value })
    }
    #[inline(always)]
    fn matern(nu: Self, z: Self) -> Self {
        Self(<f64 as Real>::matern(nu.0, z.0))
    }
    #[inline(always)]
    fn tabulated_matern(table: &MaternTable, z: Self) -> Self {
        match table.undamped(z.0) {
            Some(undamped) => {
                // In two factors: the decay alone may be too small for the range.
                let root = Self(-0.5 * z.0).exp().0;
                Self(undamped * root * root)
            }
            None => Self(matern_one_by_one(table.nu(), z.0)),
        }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
}

/// Not part of the loops over tiles.
#[cold]
#[inline(never)]
fn matern_one_by_one(nu: f64, z: f64) -> f64 {
    <f64 as Real>::matern(nu, z)
}

super::powers::operators!(Fast64);
