//! The two element types of a tile, and the vector unit they run on.

use std::ops::{Add, AddAssign, Mul, Sub};

use pulp::Simd;

use super::fast32::Fast32;
use super::fast64::Fast64;
use super::unit::{self, WithUnit};
use crate::gram::metric::Stored;
use crate::real::Real;

/// The element of a tile: `f64` or `f32`, and no other type.
pub trait Element:
    Stored
    + Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
    + 'static
{
    /// The branch-free number for machines that multiply and add in one instruction.
    type Fused: Lane<Self>;
    /// The branch-free number for the others.
    type Plain: Lane<Self>;
    /// The unit roundoff: `2⁻⁵³` or `2⁻²⁴`.
    const UNIT_ROUNDOFF: f64;
    /// The element closest to an `f64`.
    fn from_f64(value: f64) -> Self;
    /// The same value as an `f64`.
    fn to_f64(self) -> f64;
    /// `self / other`.
    fn divided_by(self, other: Self) -> Self;
    /// A vector of elements.
    type Vector<S: Simd>: Copy;
    /// Whole vectors of a slice.
    fn vectors<S: Simd>(slice: &[Self]) -> &[Self::Vector<S>];
    /// Whole vectors of a slice, to be written.
    fn vectors_mut<S: Simd>(slice: &mut [Self]) -> &mut [Self::Vector<S>];
    /// A vector of equal elements.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    /// `a + b`.
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a − b`.
    fn subtract<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `|a|`.
    fn absolute<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// `a·b + c`, in one rounding where the machine can.
    fn multiply_add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>, c: Self::Vector<S>) -> Self::Vector<S>;
    /// The sum of the elements of a vector.
    fn total<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;
    /// Runs work in the widest vectors of the machine, also those that the rest of the library does
    /// without.
    fn widest<W: WithUnit<Self>>(work: W) -> W::Output;
}

/// A [`Real`] that is an element of a tile in disguise.
pub trait Lane<T>: Real {
    /// From the element.
    fn load(value: T) -> Self;
    /// To the element.
    fn store(self) -> T;
}

macro_rules! element {
    ($element:ty, $fast:ident, $roundoff:expr, $vector:ident, $as_simd:ident, $as_mut_simd:ident, $splat:ident,
     $add:ident, $subtract:ident, $and:ident, $magnitude:expr, $multiply_add:ident, $total:ident) => {
        impl Element for $element {
            type Fused = $fast<true>;
            type Plain = $fast<false>;
            const UNIT_ROUNDOFF: f64 = $roundoff;
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $element
            }
            #[inline(always)]
            fn divided_by(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            type Vector<S: Simd> = S::$vector;
            #[inline(always)]
            fn vectors<S: Simd>(slice: &[Self]) -> &[S::$vector] {
                S::$as_simd(slice).0
            }
            #[inline(always)]
            fn vectors_mut<S: Simd>(slice: &mut [Self]) -> &mut [S::$vector] {
                S::$as_mut_simd(slice).0
            }
            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$vector {
                simd.$splat(value)
            }
            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn subtract<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$subtract(a, b)
            }
            #[inline(always)]
            fn absolute<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                // Not the function of the vector library: it is not inlined into code for wider
                // vectors.
                simd.$and(simd.$splat($magnitude), a)
            }
            #[inline(always)]
            fn multiply_add<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                simd.$multiply_add(a, b, c)
            }
            #[inline(always)]
            fn total<S: Simd>(simd: S, a: S::$vector) -> Self {
                simd.$total(a)
            }
            fn widest<W: WithUnit<Self>>(work: W) -> W::Output {
                #[cfg(target_arch = "x86_64")]
                if let Some(unit) = unit::Avx512::detect() {
                    #[target_feature(enable = "avx512f")]
                    fn wide<W: WithUnit<$element>>(work: W, unit: unit::Avx512) -> W::Output {
                        work.run(unit)
                    }
                    // SAFETY: the machine has these instructions.
                    return unsafe { wide(work, unit) };
                }
                unit::ported(work)
            }
        }

        impl<const FMA: bool> Lane<$element> for $fast<FMA> {
            #[inline(always)]
            fn load(value: $element) -> Self {
                Self(value)
            }
            #[inline(always)]
            fn store(self) -> $element {
                self.0
            }
        }
    };
}

element!(
    f64,
    Fast64,
    f64::EPSILON / 2.0,
    f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    add_f64s,
    sub_f64s,
    and_f64s,
    f64::from_bits(u64::MAX >> 1),
    mul_add_e_f64s,
    reduce_sum_f64s
);
element!(
    f32,
    Fast32,
    (f32::EPSILON / 2.0) as f64,
    f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    add_f32s,
    sub_f32s,
    and_f32s,
    f32::from_bits(u32::MAX >> 1),
    mul_add_e_f32s,
    reduce_sum_f32s
);

/// What the machine offers: the widest vectors found at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// 64-byte vectors with fused multiply-add.
    Bytes64,
    /// 32-byte vectors with fused multiply-add.
    Bytes32,
    /// 16-byte vectors with fused multiply-add.
    Bytes16Fused,
    /// Whatever the baseline of the target gives.
    Baseline,
}

impl Width {
    /// The width of the vectors of `S`.
    #[inline(always)]
    pub(crate) fn of<S: Simd>() -> Self {
        match S::F64_LANES {
            8.. => Self::Bytes64,
            4..8 => Self::Bytes32,
            _ if cfg!(target_arch = "aarch64") => Self::Bytes16Fused,
            _ => Self::Baseline,
        }
    }
}
