//! The blocked Cholesky factorization behind [`factor`](super::factor) and
//! [`SingleFactor`](super::SingleFactor).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::reborrow::{IntoConst, Reborrow, ReborrowMut};
use faer::traits::RealField;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::gram::simd::triangle::Triangle;
use crate::{Compute, Result};

/// Rows of a block that is factored by one thread. No size depends on the number of threads, so
/// that the bytes do not either. 96 is 10 % slower at 1500 rows.
pub(super) const BLOCK: usize = 192;
/// Rows of a panel that one task solves for.
const STRIP: usize = 128;
/// Rows and columns of a tile that one task updates. 128 is 15 % and 512 22 % slower at 1500 rows.
const TILE: usize = 256;
/// Right-hand sides that one task solves for.
const COLUMNS: usize = 64;

/// Factors the lower triangle in place; whether every pivot is positive. What stands above the
/// diagonal is neither read nor written.
///
/// Halves, recursively: `L₁₁ = chol(A₁₁)`, `L₂₁ = A₂₁L₁₁⁻ᵀ` in strips, `A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ` in
/// tiles, `L₂₂ = chol(A₂₂)`. Long inner products keep the traffic with the memory low, and strips
/// and tiles are small enough to keep every thread busy.
pub(super) fn factor_blocks<T: DiagonalBlock>(a: MatMut<'_, T>, compute: &Compute) -> Result<bool> {
    compute.check_canceled()?;
    let n = a.nrows();
    if n <= BLOCK {
        return Ok(T::factor_block(a));
    }
    let half = (n / 2).next_multiple_of(BLOCK);
    let (mut first, _, mut panel, mut second) = a.split_at_mut(half, half);
    if !factor_blocks(first.rb_mut(), compute)? {
        return Ok(false);
    }
    let l = first.into_const();
    let strips = panel.rb_mut().transpose_mut().par_col_chunks_mut(STRIP);
    strips.for_each(|rows| solve_lower_triangular_in_place(l, rows, Par::Seq));
    let panel = panel.into_const();
    second.rb_mut().par_col_chunks_mut(TILE).enumerate().for_each(|(j, strip)| update(strip, panel, j * TILE));
    factor_blocks(second, compute)
}

/// The numbers of a matrix that is factored block by block.
pub(super) trait DiagonalBlock: RealField + Copy {
    /// The factor of a block on the diagonal, written to its lower triangle; whether there is one.
    fn factor_block(block: MatMut<'_, Self>) -> bool;
}

impl DiagonalBlock for f64 {
    fn factor_block(mut block: MatMut<'_, Self>) -> bool {
        let mut triangle = Triangle::zeros(block.nrows());
        for (j, column) in block.rb().col_iter().enumerate() {
            let copy = triangle.column_mut(j).iter_mut().enumerate().skip(j);
            copy.for_each(|(i, value)| *value = column[i]);
        }
        let found = triangle.factor();
        for (j, mut column) in block.rb_mut().col_iter_mut().enumerate() {
            triangle.column(j).iter().enumerate().skip(j).for_each(|(i, value)| column[i] = *value);
        }
        found
    }
}

impl DiagonalBlock for f32 {
    fn factor_block(mut block: MatMut<'_, Self>) -> bool {
        let n = block.nrows();
        let mut l = Mat::from_fn(n, n, |i, j| if i >= j { block[(i, j)] } else { 0.0 });
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f32>(n, Par::Seq, Default::default()));
        let stack = MemStack::new(&mut memory);
        let found = cholesky_in_place(l.as_mut(), Default::default(), Par::Seq, stack, Default::default());
        for j in 0..n {
            for i in j..n {
                block[(i, j)] = l[(i, j)];
            }
        }
        found.is_ok()
    }
}

/// `A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ` on and below the diagonal of one strip of columns, which begins at row
/// `start` of the panel.
fn update<T: RealField + Copy>(strip: MatMut<'_, T>, panel: MatRef<'_, T>, start: usize) {
    let right = panel.subrows(start, strip.ncols()).transpose();
    let (_, own) = strip.split_at_row_mut(start);
    own.par_row_chunks_mut(TILE).enumerate().for_each(|(i, tile)| {
        let left = panel.subrows(start + i * TILE, tile.nrows());
        if i > 0 {
            matmul(tile, Accum::Add, left, right, T::zero() - T::one(), Par::Seq);
        } else {
            update_corner(tile, left, right);
        }
    });
}

/// `C ← C − AB` on and below the diagonal, where the first tile of a strip has it.
fn update_corner<T: RealField + Copy>(mut tile: MatMut<'_, T>, left: MatRef<'_, T>, right: MatRef<'_, T>) {
    let mut product = Mat::<T>::zeros(tile.nrows(), tile.ncols());
    let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    triangular::matmul(product.as_mut(), lower, Accum::Replace, left, whole, right, whole, T::one(), Par::Seq);
    for j in 0..tile.ncols() {
        for i in j..tile.nrows() {
            tile[(i, j)] -= product[(i, j)];
        }
    }
}

/// Forward substitution and, for a whole solve, back substitution; columns in parallel.
pub(super) fn substitute<T: RealField + Copy>(
    lower: MatRef<'_, T>,
    mut x: MatMut<'_, T>,
    whole: bool,
    compute: &Compute,
) {
    let part = |mut part: MatMut<'_, T>| {
        solve_lower_triangular_in_place(lower, part.rb_mut(), Par::Seq);
        if whole {
            solve_upper_triangular_in_place(lower.transpose(), part, Par::Seq);
        }
    };
    if x.ncols() <= COLUMNS {
        // One task: no other thread is woken for it.
        return part(x);
    }
    compute.install(|| x.rb_mut().par_col_chunks_mut(COLUMNS).for_each(part));
}
