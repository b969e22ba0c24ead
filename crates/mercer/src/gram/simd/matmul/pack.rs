//! Copies of blocks of a matrix in the order in which tiles read them.

use std::cell::RefCell;
use std::ops::Range;

use ndarray::{ArrayView2, s};

use super::tile::Strip;
use crate::gram::simd::Element;
use crate::gram::simd::transpose::{SQUARE, turn};

thread_local! {
    /// Room for packed blocks, which stays: fresh pages would take a tenth of the time of a product of
    /// 256 rows.
    static BUFFERS: RefCell<[Vec<f64>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// Room for packed blocks of `A` and `B`: taken from the thread, and given back at the end. Not a
/// function that calls another with it, which would be compiled without the vectors of its caller.
pub(super) struct Buffers([Vec<f64>; 2]);

impl Buffers {
    pub(super) fn take() -> Self {
        Self(BUFFERS.take())
    }

    /// Room for `rows` of `A` and `columns` of `B`, `depth` numbers each.
    pub(super) fn room<T: Element>(&mut self, rows: usize, columns: usize, depth: usize) -> (&mut [T], &mut [T]) {
        let [a, b] = &mut self.0;
        (room(a, rows * depth), room(b, columns * depth))
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        BUFFERS.set(std::mem::take(&mut self.0));
    }
}

fn room<T: Element>(buffer: &mut Vec<f64>, count: usize) -> &mut [T] {
    let needed = (count * size_of::<T>()).div_ceil(size_of::<f64>());
    if buffer.len() < needed {
        buffer.resize(needed, 0.0);
    }
    // SAFETY: an element is `f64` or `f32`, of which every pattern of bits is one; the room suffices.
    unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast::<T>(), count) }
}

/// Which strips of a block are read where they are.
#[derive(Clone, Copy)]
pub(super) enum Direct {
    Never,
    Contiguous,
    Any,
}

/// Strips of `height` rows of a block, each column after column; rows that fill the last strip are 0.
pub(super) struct Packed<'a, T> {
    strips: &'a [T],
    height: usize,
    depth: usize,
    /// The block itself, of which the first strips, as many as this, are read where they are.
    direct: (Strip<T>, usize),
}

impl<'a, T: Element> Packed<'a, T> {
    /// Packs a block of `a`, or, if `direct`, only what does not stand as tiles read it.
    #[inline(always)]
    pub(super) fn new(
        height: usize,
        a: ArrayView2<T>,
        rows: Range<usize>,
        columns: Range<usize>,
        direct: Direct,
        buffer: &'a mut [T],
    ) -> Self {
        let a = a.slice_move(s![rows, columns]);
        let (rows, depth) = a.dim();
        let (down, right) = (a.strides()[0], a.strides()[1]);
        let readable = match direct {
            Direct::Never => false,
            Direct::Contiguous => down == 1,
            Direct::Any => true,
        };
        let whole = if readable { rows / height } else { 0 };
        let strips = &mut buffer[..rows.next_multiple_of(height) * depth];
        for (i, strip) in strips.chunks_exact_mut(height * depth).enumerate().skip(whole) {
            let (top, count) = (i * height, height.min(rows - i * height));
            if count < height {
                strip.fill(T::default());
            }
            // SAFETY: rows `top..top + count` of every column are in `a`.
            unsafe { pack_strip(a.as_ptr().offset(top as isize * down), (down, right), count, height, strip) };
        }
        let direct = (Strip { start: a.as_ptr(), stride: right, across: down }, whole);
        Self { strips, height, depth, direct }
    }

    /// Columns of the strips.
    #[inline(always)]
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// One strip.
    #[inline(always)]
    pub(super) fn strip(&self, i: usize) -> Strip<T> {
        let (Strip { start, stride, across }, whole) = self.direct;
        if i < whole {
            // SAFETY: the block has this many strips.
            return Strip { start: unsafe { start.offset((i * self.height) as isize * across) }, stride, across };
        }
        Strip { start: self.strips[i * self.height * self.depth..].as_ptr(), stride: self.height as isize, across: 1 }
    }
}

/// Copies `count` rows, column after column.
///
/// # Safety
/// As many entries stand there for every column of the strip.
#[inline(always)]
unsafe fn pack_strip<T: Element>(
    start: *const T,
    (down, right): (isize, isize),
    count: usize,
    height: usize,
    strip: &mut [T],
) {
    if right == 1 && down != 1 {
        // Along the rows of a row-major matrix, squares at a time.
        let depth = strip.len() / height;
        // SAFETY: row `i`.
        let row = |i: usize| unsafe { std::slice::from_raw_parts(start.offset(i as isize * down), depth) };
        let whole = count / SQUARE * SQUARE;
        for top in (0..whole).step_by(SQUARE) {
            turn(std::array::from_fn(|i| row(top + i)), height, &mut strip[top..]);
        }
        for i in whole..count {
            for (column, value) in strip.chunks_exact_mut(height).zip(row(i)) {
                column[i] = *value;
            }
        }
        return;
    }
    if down == 1 {
        for (k, column) in strip.chunks_exact_mut(height).enumerate() {
            // SAFETY: column `k`.
            let from = unsafe { std::slice::from_raw_parts(start.offset(k as isize * right), count) };
            column[..count].copy_from_slice(from);
        }
        return;
    }
    for (k, column) in strip.chunks_exact_mut(height).enumerate() {
        for (i, value) in column.iter_mut().take(count).enumerate() {
            // SAFETY: row `i` of column `k`.
            *value = unsafe { *start.offset(k as isize * right + i as isize * down) };
        }
    }
}
