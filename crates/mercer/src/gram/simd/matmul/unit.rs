//! Vectors of one width, as a product needs them.

use pulp::Simd;

use crate::gram::simd::Element;

/// A vector unit of the machine.
pub(super) trait Unit<T>: Copy {
    /// A vector.
    type Vector: Copy;
    /// Numbers of a vector.
    const LANES: usize = size_of::<Self::Vector>() / size_of::<T>();

    /// Reads a vector.
    ///
    /// # Safety
    /// As many numbers stand there.
    unsafe fn load(self, from: *const T) -> Self::Vector;

    /// Writes a vector.
    ///
    /// # Safety
    /// As many numbers stand there.
    unsafe fn store(self, to: *mut T, vector: Self::Vector);

    /// A vector of equal numbers.
    fn splat(self, value: T) -> Self::Vector;

    /// `ab + c`.
    fn multiply_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
}

/// A vector unit of `pulp`.
#[derive(Clone, Copy)]
pub(super) struct Portable<S>(pub(super) S);

impl<S: Simd, T: Element> Unit<T> for Portable<S> {
    type Vector = T::Vector<S>;

    #[inline(always)]
    unsafe fn load(self, from: *const T) -> Self::Vector {
        // SAFETY: as many numbers stand there.
        unsafe { from.cast::<Self::Vector>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut T, vector: Self::Vector) {
        // SAFETY: as many numbers stand there.
        unsafe { to.cast::<Self::Vector>().write_unaligned(vector) }
    }

    #[inline(always)]
    fn splat(self, value: T) -> Self::Vector {
        T::splat(self.0, value)
    }

    #[inline(always)]
    fn multiply_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        T::multiply_add(self.0, a, b, c)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::Avx512;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Unit;

    /// Vectors of 64 bytes. The rest of the library does without them: a function for one more width
    /// would take as long to compile as the function itself, and only products, which are at the limit
    /// of the arithmetic, gain by it.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(());

    impl Avx512 {
        /// Whether the machine has them.
        pub(in super::super) fn detect() -> Option<Self> {
            is_x86_feature_detected!("avx512f").then_some(Self(()))
        }
    }

    macro_rules! unit {
        ($entry:ty, $vector:ty, $load:ident, $store:ident, $splat:ident, $multiply_add:ident) => {
            impl Unit<$entry> for Avx512 {
                type Vector = $vector;

                #[inline(always)]
                unsafe fn load(self, from: *const $entry) -> $vector {
                    // SAFETY: as many numbers stand there; the machine has the instruction.
                    unsafe { $load(from) }
                }

                #[inline(always)]
                unsafe fn store(self, to: *mut $entry, vector: $vector) {
                    // SAFETY: as many numbers stand there; the machine has the instruction.
                    unsafe { $store(to, vector) }
                }

                #[inline(always)]
                fn splat(self, value: $entry) -> $vector {
                    // SAFETY: the machine has the instruction.
                    unsafe { $splat(value) }
                }

                #[inline(always)]
                fn multiply_add(self, a: $vector, b: $vector, c: $vector) -> $vector {
                    // SAFETY: the machine has the instruction.
                    unsafe { $multiply_add(a, b, c) }
                }
            }
        };
    }

    unit!(f64, __m512d, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_fmadd_pd);
    unit!(f32, __m512, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_fmadd_ps);
}
