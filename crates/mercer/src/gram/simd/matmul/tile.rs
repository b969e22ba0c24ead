//! A tile of a product: its sums in registers, and their way to memory.

use std::ops::Range;

use ndarray::ArrayViewMut2;

use super::Target;
use super::pack::Packed;
use crate::gram::simd::Element;
use crate::gram::simd::unit::Unit;

/// Numbers of the widest vector.
const LONGEST: usize = 16;

/// Where a strip stands: its first number, and the distances of its columns and of its rows.
#[derive(Clone, Copy)]
pub(super) struct Strip<T> {
    pub(super) start: *const T,
    pub(super) stride: isize,
    pub(super) across: isize,
}

/// The product of a packed block of `A` and one of `B`, tile by tile.
pub(super) struct BlockProduct<'a, U, T> {
    pub(super) unit: U,
    pub(super) c: ArrayViewMut2<'a, T>,
    pub(super) target: Target,
    pub(super) s: T,
    pub(super) a: &'a Packed<'a, T>,
    pub(super) b: &'a Packed<'a, T>,
}

impl<U: Unit<T>, T: Element> BlockProduct<'_, U, T> {
    /// All tiles of a block of `C`.
    #[inline(always)]
    pub(super) fn run<const M: usize, const N: usize, const H: usize>(
        &mut self,
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        let height = M * U::LANES;
        for (j, first) in columns.clone().step_by(N).enumerate() {
            let b = self.b.strip(j);
            let wide = columns.end - first;
            for (i, top) in rows.clone().step_by(height).enumerate() {
                let (a, high) = (self.a.strip(i), rows.end - top);
                if wide >= N && high >= height {
                    self.whole::<M, N>(a, b, top, first);
                } else if wide > H {
                    self.part::<M, N>(a, b, (top, first), (high, wide.min(N)));
                } else {
                    self.part::<M, H>(a, b, (top, first), (high, wide.min(H)));
                }
            }
        }
    }

    /// A tile that lies inside of `C`.
    #[inline(always)]
    fn whole<const M: usize, const N: usize>(&mut self, a: Strip<T>, b: Strip<T>, top: usize, first: usize) {
        if self.c.strides()[0] != 1 {
            return self.part::<M, N>(a, b, (top, first), (M * U::LANES, N));
        }
        // SAFETY: strips of a block have its depth.
        let sums = unsafe { sums::<U, T, M, N>(self.unit, a, b, self.a.depth()) };
        let (s, zero) = (self.unit.splat(self.s), self.unit.splat(T::default()));
        for (j, column) in sums.iter().enumerate() {
            for (i, sum) in column.iter().enumerate() {
                // SAFETY: the columns of `C` are contiguous and hold the tile.
                unsafe {
                    let start = self.entry(top + i * U::LANES, first + j);
                    let old = if self.target == Target::Add { self.unit.load(start) } else { zero };
                    self.unit.store(start, self.unit.multiply_add(s, *sum, old));
                }
            }
        }
    }

    /// A tile of which `high` rows and `wide` columns lie inside of `C`, with as many vectors as they
    /// need.
    #[inline(always)]
    fn part<const M: usize, const N: usize>(
        &mut self,
        a: Strip<T>,
        b: Strip<T>,
        corner: (usize, usize),
        size: (usize, usize),
    ) {
        match size.0.div_ceil(U::LANES) {
            1 => self.part_of::<1, N>(a, b, corner, size),
            2 => self.part_of::<2, N>(a, b, corner, size),
            _ => self.part_of::<M, N>(a, b, corner, size),
        }
    }

    #[inline(always)]
    fn part_of<const M: usize, const N: usize>(
        &mut self,
        a: Strip<T>,
        b: Strip<T>,
        (top, first): (usize, usize),
        (high, wide): (usize, usize),
    ) {
        // SAFETY: strips of a block have its depth.
        let sums = unsafe { sums::<U, T, M, N>(self.unit, a, b, self.a.depth()) };
        let s = self.unit.splat(self.s);
        for (j, column) in sums.iter().enumerate().take(wide) {
            for (i, sum) in column.iter().enumerate() {
                let count = high.saturating_sub(i * U::LANES).min(U::LANES);
                let mut part = [T::default(); LONGEST];
                // SAFETY: `count` entries lie inside of `C`, and a vector has at most `LONGEST` numbers.
                unsafe {
                    let (start, down) = (self.entry(top + i * U::LANES, first + j), self.c.strides()[0]);
                    if self.target == Target::Add {
                        for (lane, entry) in part.iter_mut().enumerate().take(count) {
                            *entry = *start.offset(lane as isize * down);
                        }
                    }
                    let old = self.unit.load(part.as_ptr());
                    self.unit.store(part.as_mut_ptr(), self.unit.multiply_add(s, *sum, old));
                    for (lane, entry) in part.iter().enumerate().take(count) {
                        *start.offset(lane as isize * down) = *entry;
                    }
                }
            }
        }
    }

    /// Where an entry of `C` stands.
    ///
    /// # Safety
    /// `C` has it.
    #[inline(always)]
    unsafe fn entry(&mut self, i: usize, j: usize) -> *mut T {
        let (down, right) = (self.c.strides()[0], self.c.strides()[1]);
        // SAFETY: `C` has it.
        unsafe { self.c.as_mut_ptr().offset(i as isize * down + j as isize * right) }
    }
}

/// `Σₖ aₖbₖᵀ` of the columns of a strip of `A` and the rows of one of `B`.
///
/// # Safety
/// Both strips have `depth` columns, of at least `M` vectors and `N` numbers.
#[inline(always)]
unsafe fn sums<U: Unit<T>, T: Element, const M: usize, const N: usize>(
    unit: U,
    a: Strip<T>,
    b: Strip<T>,
    depth: usize,
) -> [[U::Vector; M]; N] {
    let zero = unit.splat(T::default());
    let mut sums = [[zero; M]; N];
    // Pointers that move, and offsets from outside of the loop: a development build checks every
    // product of integers, which would take half of the time.
    let (mut column, mut row) = (a.start, b.start);
    let mut across = [0; N];
    for (j, offset) in across.iter_mut().enumerate() {
        *offset = j as isize * b.across;
    }
    for _ in 0..depth {
        let mut entries = [zero; M];
        for (i, entry) in entries.iter_mut().enumerate() {
            // SAFETY: inside of this column.
            *entry = unsafe { unit.load(column.add(i * U::LANES)) };
        }
        for (offset, sums) in across.iter().zip(&mut sums) {
            // SAFETY: inside of this row.
            let factor = unit.splat(unsafe { *row.offset(*offset) });
            for (entry, sum) in entries.iter().zip(sums) {
                *sum = unit.multiply_add(*entry, factor, *sum);
            }
        }
        (column, row) = (column.wrapping_offset(a.stride), row.wrapping_offset(b.stride));
    }
    sums
}
