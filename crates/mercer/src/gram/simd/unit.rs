//! Vectors of one width, as products and sums over coordinates need them.

use pulp::{Arch, Simd, WithSimd};

use crate::gram::simd::Element;

/// A vector unit of the machine.
pub trait Unit<T>: Copy {
    /// A vector.
    type Vector: Copy;
    /// Numbers of a vector.
    const LANES: usize = size_of::<Self::Vector>() / size_of::<T>();
    /// Whether there are 32 registers and not 16.
    const MANY_REGISTERS: bool;

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

    /// `a + b`.
    fn plus(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a − b`.
    fn subtract(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `|a|`.
    fn absolute(self, a: Self::Vector) -> Self::Vector;
}

/// Work for the widest vectors of the machine. Its functions are to be inlined: those that are not
/// are compiled without the vectors of their caller.
pub trait WithUnit<T> {
    /// What it gives.
    type Output;
    /// Runs it.
    fn run<U: Unit<T>>(self, unit: U) -> Self::Output;
}

/// Runs work on the unit that `pulp` finds.
pub(super) fn ported<T: Element, W: WithUnit<T>>(work: W) -> W::Output {
    Arch::new().dispatch(Ported::<W, T>(work, std::marker::PhantomData))
}

struct Ported<W, T>(W, std::marker::PhantomData<T>);

impl<W: WithUnit<T>, T: Element> WithSimd for Ported<W, T> {
    type Output = W::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> W::Output {
        self.0.run(Portable(simd))
    }
}

/// A vector unit of `pulp`.
#[derive(Clone, Copy)]
struct Portable<S>(S);

impl<S: Simd, T: Element> Unit<T> for Portable<S> {
    type Vector = T::Vector<S>;
    const MANY_REGISTERS: bool = S::REGISTER_COUNT >= 32;

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

    #[inline(always)]
    fn plus(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        T::plus(self.0, a, b)
    }

    #[inline(always)]
    fn subtract(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        T::subtract(self.0, a, b)
    }

    #[inline(always)]
    fn absolute(self, a: Self::Vector) -> Self::Vector {
        T::absolute(self.0, a)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::Avx512;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Unit;

    /// Vectors of 64 bytes. The rest of the library does without them: a function for one more width
    /// would take as long to compile as the function itself, and only products and sums over
    /// coordinates, which are at the limit of the arithmetic, gain by it.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(());

    impl Avx512 {
        /// Whether the machine has them.
        pub(in super::super) fn detect() -> Option<Self> {
            is_x86_feature_detected!("avx512f").then_some(Self(()))
        }
    }

    macro_rules! unit {
        ($entry:ty, $vector:ty, $load:ident, $store:ident, $splat:ident, $multiply_add:ident,
         $add:ident, $subtract:ident, $absolute:ident) => {
            impl Unit<$entry> for Avx512 {
                type Vector = $vector;
                const MANY_REGISTERS: bool = true;

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

                #[inline(always)]
                fn plus(self, a: $vector, b: $vector) -> $vector {
                    // SAFETY: the machine has the instruction.
                    unsafe { $add(a, b) }
                }

                #[inline(always)]
                fn subtract(self, a: $vector, b: $vector) -> $vector {
                    // SAFETY: the machine has the instruction.
                    unsafe { $subtract(a, b) }
                }

                #[inline(always)]
                fn absolute(self, a: $vector) -> $vector {
                    // SAFETY: the machine has the instruction.
                    unsafe { $absolute(a) }
                }
            }
        };
    }

    unit!(
        f64,
        __m512d,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_set1_pd,
        _mm512_fmadd_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_abs_pd
    );
    unit!(
        f32,
        __m512,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_abs_ps
    );
}
