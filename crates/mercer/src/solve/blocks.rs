//! The blocked Cholesky factorisation behind [`factor`](super::factor) and [`SingleFactor`](super::SingleFactor).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::reborrow::{IntoConst, ReborrowMut};
use faer::traits::RealField;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::{Compute, Result};

/// Columns of a block. It never depends on the number of threads, so that the bytes do not either.
pub(super) const BLOCK: usize = 192;
/// Right-hand sides that one task solves for.
const COLUMNS: usize = 64;

/// Factors the lower triangle in place, strips in parallel, each by one thread in a fixed order; whether every pivot is positive. What stands
/// above the diagonal is neither read nor written.
pub(super) fn factor_blocks<T: RealField + Copy>(mut rest: MatMut<'_, T>, compute: &Compute) -> Result<bool> {
    while rest.nrows() > 0 {
        compute.check_cancelled()?;
        let width = BLOCK.min(rest.nrows());
        let (corner, _, mut panel, mut trailing) = rest.split_at_mut(width, width);
        let Some(l) = factor_corner(corner) else { return Ok(false) };
        panel
            .rb_mut()
            .transpose_mut()
            .par_col_chunks_mut(BLOCK)
            .for_each(|rows| solve_lower_triangular_in_place(l.as_ref(), rows, Par::Seq));
        let panel = panel.into_const();
        trailing.rb_mut().par_col_chunks_mut(BLOCK).enumerate().for_each(|(j, strip)| update(strip, panel, j * BLOCK));
        rest = trailing;
    }
    Ok(true)
}

/// The factor of a block on the diagonal, written to its lower triangle.
fn factor_corner<T: RealField + Copy>(mut corner: MatMut<'_, T>) -> Option<Mat<T>> {
    let n = corner.nrows();
    let mut l = Mat::from_fn(n, n, |i, j| if i >= j { corner[(i, j)] } else { T::zero() });
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<T>(n, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(l.as_mut(), Default::default(), Par::Seq, stack, Default::default()).ok()?;
    for j in 0..n {
        for i in j..n {
            corner[(i, j)] = l[(i, j)];
        }
    }
    Some(l)
}

/// `A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ` on and below the diagonal of one strip of columns, which begins at row `start` of the panel.
fn update<T: RealField + Copy>(strip: MatMut<'_, T>, panel: MatRef<'_, T>, start: usize) {
    let width = strip.ncols();
    let (_, own) = strip.split_at_row_mut(start);
    let (mut corner, below) = own.split_at_row_mut(width);
    let right = panel.subrows(start, width);
    let mut square = Mat::<T>::zeros(width, width);
    matmul(square.as_mut(), Accum::Replace, right, right.transpose(), T::one(), Par::Seq);
    for j in 0..width {
        for i in j..width {
            corner[(i, j)] -= square[(i, j)];
        }
    }
    let left = panel.subrows(start + width, panel.nrows() - start - width);
    matmul(below, Accum::Add, left, right.transpose(), T::zero() - T::one(), Par::Seq);
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
    compute.install(|| x.rb_mut().par_col_chunks_mut(COLUMNS).for_each(part));
}
