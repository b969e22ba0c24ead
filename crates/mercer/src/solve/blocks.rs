//! The blocked Cholesky factorization behind [`factor`](super::factor) and
//! [`SingleFactor`](super::SingleFactor).

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, ShapeBuilder, s};
use rayon::prelude::*;

use super::triangular::{solve_lower, solve_lower_transposed};
use crate::gram::simd::Element;
use crate::gram::simd::matmul::{Target, matmul};
use crate::gram::simd::triangle::Triangle;
use crate::{Compute, Result};

/// Rows of a block that is factored by one thread: 128 and 256 differ by less than 5 % at 400 and
/// 1000 rows. No size depends on the number of threads, so that the bytes do not either.
pub(super) const BLOCK: usize = 192;
/// Rows of a block that is factored without products of matrices: with 112 a block of 192 rows takes
/// 4 % longer, with 64 one of 100 rows a fifth.
const SMALL: usize = 80;
/// Sizes are multiples of this: whole groups of rows in a substitution.
const ALIGNED: usize = 32;
/// Strips and tiles that a half is cut into at least, for every thread to have some. 3 and 8 differ
/// by less than the noise of 5 % at 400 to 2000 rows.
const PARTS: usize = 4;
/// The most rows of a panel that one task solves for. 32 to 512 differ by less than 10 % (1500 and
/// 3000 rows).
const STRIP: usize = 128;
/// The most rows and columns of a tile that one task updates. 128 is 15 % and 512 22 % slower at
/// 1500 rows.
const TILE: usize = 256;
/// Columns of a strip of a tile on the diagonal, of whose squares half are computed in vain. 32 and
/// 64 differ by less than the noise of 5 % at 400 to 2000 rows.
const CORNER: usize = 48;
/// Right-hand sides that one task solves for. 32 is 4 to 6 % and 128 12 to 17 % slower (1500 rows,
/// 128 right-hand sides).
const COLUMNS: usize = 64;

/// Factors the lower triangle in place; whether every pivot is positive. What stands above the
/// diagonal is neither read nor written.
///
/// Halves, recursively: `L₁₁ = chol(A₁₁)`, `L₂₁ = A₂₁L₁₁⁻ᵀ` in strips, `A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ` in
/// tiles, `L₂₂ = chol(A₂₂)`. Long inner products keep the traffic with the memory low, and strips
/// and tiles are small enough to keep every thread busy.
pub(super) fn factor_blocks<T: Element>(a: ArrayViewMut2<T>, compute: &Compute) -> Result<bool> {
    compute.check_canceled()?;
    let n = a.nrows();
    if n <= BLOCK {
        return Ok(factor_block(a));
    }
    let half = (n / 2).next_multiple_of(ALIGNED);
    let (left, right) = a.split_at(Axis(1), half);
    let (mut first, mut panel) = left.split_at(Axis(0), half);
    let mut second = right.slice_move(s![half.., ..]);
    if !factor_blocks(first.view_mut(), compute)? {
        return Ok(false);
    }
    let l = first.view();
    let size = |most: usize| ((n - half) / PARTS).next_multiple_of(ALIGNED).clamp(ALIGNED, most);
    let strips: Vec<_> = panel.axis_chunks_iter_mut(Axis(0), size(STRIP)).collect();
    strips.into_par_iter().try_for_each(|rows| {
        compute.check_canceled()?;
        solve_lower(l, rows.reversed_axes());
        Ok(())
    })?;
    let (panel, tile) = (panel.view(), size(TILE));
    let strips: Vec<_> = second.axis_chunks_iter_mut(Axis(1), tile).collect();
    strips.into_par_iter().enumerate().try_for_each(|(j, strip)| update(strip, panel, (j * tile, tile), compute))?;
    factor_blocks(second, compute)
}

/// The factor of a block on the diagonal, written to its lower triangle; whether there is one. By
/// halves on one thread.
fn factor_block<T: Element>(a: ArrayViewMut2<T>) -> bool {
    let n = a.nrows();
    if n <= SMALL {
        return factor_small(a);
    }
    let half = (n / 2).next_multiple_of(16);
    let (left, right) = a.split_at(Axis(1), half);
    let (mut first, mut panel) = left.split_at(Axis(0), half);
    let mut second = right.slice_move(s![half.., ..]);
    if !factor_block(first.view_mut()) {
        return false;
    }
    solve_lower(first.view(), panel.view_mut().reversed_axes());
    update_corner(second.view_mut(), panel.view(), panel.t());
    factor_block(second)
}

/// The same for few rows, in double precision for both: they are a small part of the work.
fn factor_small<T: Element>(mut block: ArrayViewMut2<T>) -> bool {
    let mut triangle = Triangle::zeros(block.nrows());
    for (j, column) in block.columns().into_iter().enumerate() {
        let below = triangle.column_mut(j).iter_mut().zip(column).skip(j);
        below.for_each(|(to, from)| *to = from.to_f64());
    }
    let found = triangle.factor();
    for (j, mut column) in block.columns_mut().into_iter().enumerate() {
        let below = column.iter_mut().zip(triangle.column(j)).skip(j);
        below.for_each(|(to, from)| *to = T::from_f64(*from));
    }
    found
}

/// `A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ` on and below the diagonal of one strip of columns, which begins at row
/// `start` of the panel, in tiles of `size` rows. At 8 000 rows the first of these products takes
/// seconds on a busy machine: every tile asks whether the work is canceled.
fn update<T: Element>(
    mut strip: ArrayViewMut2<T>,
    panel: ArrayView2<T>,
    (start, size): (usize, usize),
    compute: &Compute,
) -> Result<()> {
    let right = panel.slice(s![start..start + strip.ncols(), ..]).reversed_axes();
    let mut own = strip.slice_mut(s![start.., ..]);
    let tiles: Vec<_> = own.axis_chunks_iter_mut(Axis(0), size).collect();
    tiles.into_par_iter().enumerate().try_for_each(|(i, tile)| {
        compute.check_canceled()?;
        let first = start + i * size;
        let left = panel.slice(s![first..first + tile.nrows(), ..]);
        if i > 0 {
            matmul(tile, Target::Add, left, right, T::from_f64(-1.0));
        } else {
            update_corner(tile, left, right);
        }
        Ok(())
    })
}

/// `C ← C − AB` on and below the diagonal, where the first tile of a strip has it: in strips of
/// columns, each in a square on the diagonal and what is below.
fn update_corner<T: Element>(mut tile: ArrayViewMut2<T>, left: ArrayView2<T>, right: ArrayView2<T>) {
    for start in (0..tile.ncols()).step_by(CORNER) {
        let end = tile.ncols().min(start + CORNER);
        let own = right.slice(s![.., start..end]);
        let mut product = Array2::<T>::default((end - start, end - start).f());
        matmul(product.view_mut(), Target::Replace, left.slice(s![start..end, ..]), own, T::from_f64(1.0));
        for (j, column) in product.columns().into_iter().enumerate() {
            let mut target = tile.slice_mut(s![start..end, start + j]);
            let below = target.iter_mut().zip(column).skip(j);
            below.for_each(|(entry, product)| *entry = *entry - *product);
        }
        let below = tile.slice_mut(s![end.., start..end]);
        matmul(below, Target::Add, left.slice(s![end.., ..]), own, T::from_f64(-1.0));
    }
}

/// Forward substitution and, for a whole solve, back substitution; columns in parallel.
pub(super) fn substitute<T: Element>(lower: ArrayView2<T>, mut x: ArrayViewMut2<T>, whole: bool, compute: &Compute) {
    let part = |mut part: ArrayViewMut2<T>| {
        solve_lower(lower, part.view_mut());
        if whole {
            solve_lower_transposed(lower, part);
        }
    };
    if x.ncols() <= COLUMNS {
        // One task: no other thread is woken for it.
        return part(x);
    }
    let parts: Vec<_> = x.axis_chunks_iter_mut(Axis(1), COLUMNS).collect();
    compute.install(|| parts.into_par_iter().for_each(part));
}

/// A column-major matrix.
pub(super) fn by_columns<T>(values: &[T], rows: usize, columns: usize) -> ArrayView2<'_, T> {
    ArrayView2::from_shape((rows, columns).f(), values).expect("as many values as the shape has")
}

/// A column-major matrix, to be written.
pub(super) fn by_columns_mut<T>(values: &mut [T], rows: usize, columns: usize) -> ArrayViewMut2<'_, T> {
    ArrayViewMut2::from_shape((rows, columns).f(), values).expect("as many values as the shape has")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use crate::Cancel;

    /// Every strip and every tile asks, also within the largest product.
    #[test]
    fn a_factorization_can_be_canceled_within_a_product() {
        let n = 1200;
        let matrix = || Array2::from_shape_fn((n, n).f(), |(i, j)| if i == j { 2.0 } else { 1.0 / (n + i + j) as f64 });
        let run = |stop: usize| {
            let asked = Arc::new(AtomicUsize::new(0));
            let counted = asked.clone();
            let cancel = Cancel::when(move || counted.fetch_add(1, Relaxed) >= stop);
            let compute = Compute::new().with_cancel(cancel);
            (compute.install(|| factor_blocks(matrix().view_mut(), &compute)), asked.load(Relaxed))
        };
        let (found, asked) = run(usize::MAX);
        // Blocks alone are 15.
        assert!(found.unwrap() && asked > 60, "{asked} questions");
        for stop in (0..asked).step_by(7) {
            assert!(matches!(run(stop).0, Err(crate::Error::Canceled)), "{stop}");
        }
    }
}
