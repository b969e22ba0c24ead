//! A large matrix, allocated untouched and written by all threads at once, each its own tiles.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::element::Element;
use super::transpose::{mirror, write_transposed};
use crate::error::MemoryPurpose;
use crate::{Error, Result};

/// Rows of a strip of a tile on the diagonal, of which nothing is computed left of it: of 192 rows
/// five eighths. A multiple of the columns of a register block.
const STRIP: usize = 48;

/// Builds the `rows × cols` matrix from tiles of at most `block × block` values, in parallel.
///
/// `fill(rows, cols, tile)` writes a tile, row after row; `finished` is called after each and may
/// stop the work. With `symmetric` (ignored unless `rows = cols`) only tiles on and above the
/// diagonal are requested and the others are their transposes, so that the result is symmetric to
/// the last bit.
pub(crate) fn assemble<T: Element>(
    (rows, cols): (usize, usize),
    block: usize,
    symmetric: bool,
    fill: impl Fn(Range<usize>, Range<usize>, &mut [T]) + Sync,
    finished: impl Fn() -> Result<()> + Sync,
) -> Result<Vec<T>> {
    let symmetric = symmetric && rows == cols;
    let mut values = allocate::<T>(rows, cols)?;
    let target = Target { start: values.as_mut_ptr(), cols, lifetime: PhantomData::<&mut [T]> };
    let side = |n: usize, b: usize| b * block..n.min((b + 1) * block);
    let one = |(scratch, strip): &mut (Vec<T>, Vec<T>), (i, j): (usize, usize)| {
        let (tile_rows, tile_cols) = (side(rows, i), side(cols, j));
        scratch.resize(tile_rows.len() * tile_cols.len(), T::default());
        let tile = &mut scratch[..];
        if symmetric && i == j {
            fill_upper(&fill, tile_rows.clone(), strip, tile);
            mirror(tile, tile_rows.len());
        } else {
            fill(tile_rows.clone(), tile_cols.clone(), tile);
        }
        // SAFETY: the tiles of the list are pairwise disjoint rectangles of the matrix, and so are
        // they and the transposes of those above the diagonal; `Target` covers the whole allocation
        // of rows·cols values.
        unsafe {
            target.write(tile_rows.start, tile_cols.start, tile, tile_cols.len());
            if symmetric && i != j {
                let corner = target.start.add(tile_cols.start * cols + tile_rows.start);
                write_transposed(tile, tile_cols.len(), corner, cols);
            }
        }
        finished()
    };
    let list = tile_list(rows.div_ceil(block), cols.div_ceil(block), symmetric);
    match list[..] {
        // One tile: no other thread is woken for it.
        [tile] => one(&mut Default::default(), tile)?,
        // Nor for little work, which the caller has not given to the threads.
        _ if rayon::current_thread_index().is_none() => {
            let mut scratch = Default::default();
            list.into_iter().try_for_each(|tile| one(&mut scratch, tile))?;
        }
        _ => list.into_par_iter().try_for_each_init(Default::default, one)?,
    }
    // SAFETY: the tiles (and their transposes) cover the matrix, so all rows·cols values have been
    // written.
    unsafe { values.set_len(rows * cols) };
    Ok(values)
}

/// Writes the values of a tile on the diagonal, on the diagonal and right of it at least.
fn fill_upper<T: Element>(
    fill: &impl Fn(Range<usize>, Range<usize>, &mut [T]),
    points: Range<usize>,
    strip: &mut Vec<T>,
    tile: &mut [T],
) {
    let n = points.len();
    if n < 2 * STRIP {
        return fill(points.clone(), points, tile);
    }
    for first in (0..n).step_by(STRIP) {
        let (rows, width) = (first..n.min(first + STRIP), n - first);
        strip.resize(rows.len() * width, T::default());
        fill(points.start + rows.start..points.start + rows.end, points.start + first..points.end, strip);
        for (line, row) in strip.chunks_exact(width).zip(tile.chunks_exact_mut(n).skip(first)) {
            row[first..].copy_from_slice(line);
        }
    }
}

/// The tiles as (block row, block column): all, or those on and above the diagonal.
fn tile_list(rows: usize, cols: usize, symmetric: bool) -> Vec<(usize, usize)> {
    (0..rows).flat_map(|i| (if symmetric { i } else { 0 }..cols).map(move |j| (i, j))).collect()
}

/// Room for the matrix, with no page touched yet: the threads that write a page first also get it
/// from the system.
fn allocate<T>(rows: usize, cols: usize) -> Result<Vec<T>> {
    let refused = || {
        let needed = (rows as u64).saturating_mul(cols as u64).saturating_mul(size_of::<T>() as u64);
        Error::Memory {
            purpose: MemoryPurpose::KernelMatrix,
            what: format!("a matrix of {rows} × {cols} values"),
            needed,
            limit: needed.saturating_sub(1),
            remedy: "the system refuses to give that much memory; use fewer rows".into(),
        }
    };
    let count = rows.checked_mul(cols).ok_or_else(refused)?;
    let mut values: Vec<T> = Vec::new();
    values.try_reserve_exact(count).map_err(|_| refused())?;
    advise_huge_pages(values.spare_capacity_mut());
    Ok(values)
}

/// Zeros, on pages that the system gives when they are first written.
pub(crate) fn zeroed<T: Element>(count: usize) -> Vec<T> {
    let mut values = vec![T::default(); count];
    advise_huge_pages(&mut values);
    values
}

/// Room for as many elements.
pub(crate) fn reserved<T: Element>(count: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(count);
    advise_huge_pages(values.spare_capacity_mut());
    values
}

/// Asks for 2 MiB pages: 512 times fewer page faults. A refusal costs nothing but time.
#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(values: &mut [T]) {
    const PAGE: usize = 4096;
    let bytes = std::mem::size_of_val(values);
    let start = values.as_mut_ptr().cast::<libc::c_void>();
    let skip = start.align_offset(PAGE);
    if bytes < 4 << 20 || skip > bytes {
        return;
    }
    // SAFETY: the range lies inside one live allocation and begins at a page; the advice does not
    // change its content.
    unsafe { libc::madvise(start.add(skip), (bytes - skip) / PAGE * PAGE, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages<T>(_: &mut [T]) {}

/// The matrix that is being written.
struct Target<'a, T> {
    start: *mut T,
    cols: usize,
    lifetime: PhantomData<&'a mut [T]>,
}

// SAFETY: threads write through the pointer only to disjoint rectangles, which the callers of
// `write` guarantee.
unsafe impl<T: Send> Sync for Target<'_, T> {}

impl<T: Copy> Target<'_, T> {
    /// Writes a row-major tile of the given width with its upper left corner at (`row`, `col`).
    ///
    /// # Safety
    /// The rectangle lies inside the matrix, and no other thread touches it.
    unsafe fn write(&self, row: usize, col: usize, tile: &[T], width: usize) {
        for (i, values) in tile.chunks_exact(width).enumerate() {
            // SAFETY: the row of the rectangle lies inside the matrix, as the caller guarantees.
            unsafe {
                let to = self.start.add((row + i) * self.cols + col);
                std::ptr::copy_nonoverlapping(values.as_ptr(), to, width);
            }
        }
    }
}
