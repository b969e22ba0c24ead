//! Blocks of Householder reflections: `H = H₀H₁⋯ = I − VSVᵀ`.
//!
//! `S` is built here by halves, together with the reflections. The reduction to tridiagonal form
//! (`eigen/`) finds reflections one by one and applies them after all are known, so that it computes `S`
//! from the vectors; what a reflection is and how a block is applied is written here for both.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, ShapeBuilder, s};

use crate::gram::simd::matmul::{Target, matmul};
use crate::{Compute, Result};

/// Rows of a block that one thread triangularizes. Not tuned.
const ROWS: usize = 1024;

/// `C ← C + sAB`, on one thread.
pub(super) fn add_product(c: ArrayViewMut2<f64>, a: ArrayView2<f64>, b: ArrayView2<f64>, s: f64) {
    matmul(c, Target::Add, a, b, s);
}

/// `AB`, on one thread.
pub(super) fn product(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let mut c = Array2::zeros((a.nrows(), b.ncols()).f());
    matmul(c.view_mut(), Target::Replace, a, b, 1.0);
    c
}

/// `P = H[R; 0]` by halves: `V`, with its ones and zeros, replaces `P` (in its first columns, as
/// many as there are reflections); the rows of `R` go to `r` and `S`, upper triangular, to `s`.
pub(super) fn triangularize(p: ArrayViewMut2<f64>, mut r: ArrayViewMut2<f64>, s: ArrayViewMut2<f64>) {
    let (rows, columns) = p.dim();
    if rows == 0 {
        return;
    }
    if columns == 1 {
        let (mut s, x) = (s, p.index_axis_move(Axis(1), 0));
        let tail = norm(x.slice(s![1..]));
        return (r[[0, 0]], s[[0, 0]]) = reflect(x, tail);
    }
    let half = columns / 2;
    let first = half.min(rows);
    let second = (rows - first).min(columns - half);
    let (mut left, mut right) = p.split_at(Axis(1), half);
    let (upper, lower) = s.split_at(Axis(0), first);
    let (mut s11, s12) = upper.split_at(Axis(1), first);
    let mut s22 = lower.slice_move(s![.., first..]);
    let (mut r1, mut r2) = r.split_at(Axis(0), first);
    triangularize(left.view_mut(), r1.slice_mut(s![.., ..half]), s11.view_mut());
    let v1 = left.slice(s![.., ..first]);
    apply(v1, s11.t(), right.view_mut());
    let (mut top, mut below) = right.split_at(Axis(0), first);
    r1.slice_mut(s![.., half..]).assign(&top);
    top.fill(0.0);
    triangularize(below.view_mut(), r2.slice_mut(s![.., half..]), s22.view_mut());
    // H₁H₂ = I − [V₁ V₂] [S₁ −S₁V₁ᵀV₂S₂; 0 S₂] [V₁ V₂]ᵀ
    let cross = product(v1.slice(s![first.., ..]).reversed_axes(), below.slice(s![.., ..second]));
    add_product(s12, product(s11.view(), cross.view()).view(), s22.view(), -1.0);
}

/// `R`, upper triangular, with `RᵀR = ZᵀZ`, with the accuracy of `Z` and not of its squares: blocks of
/// rows in parallel, then what is left of them.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(super) fn triangular_factor(z: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let (n, p) = z.dim();
    let rows = ROWS.max(2 * p);
    if n <= rows {
        return Ok(upper(z));
    }
    let part = |k: usize| {
        compute.check_canceled()?;
        Ok(upper(z.slice(s![k * rows..n.min((k + 1) * rows), ..])))
    };
    let parts = compute.try_map_tasks(n.div_ceil(rows), part)?;
    let mut left = Array2::zeros((parts.iter().map(Array2::nrows).sum(), p));
    let mut start = 0;
    for part in parts {
        left.slice_mut(s![start..start + part.nrows(), ..]).assign(&part);
        start += part.nrows();
    }
    triangular_factor(left.view(), compute)
}

/// `R` of some rows, with at most as many rows as they have.
fn upper(z: ArrayView2<f64>) -> Array2<f64> {
    let (n, p) = z.dim();
    let count = n.min(p);
    let mut panel = Array2::zeros((n, p).f());
    panel.assign(&z);
    let (mut r, mut s) = (Array2::zeros((count, p).f()), Array2::zeros((count, count).f()));
    triangularize(panel.view_mut(), r.view_mut(), s.view_mut());
    for i in 0..count {
        r.slice_mut(s![i, ..i]).fill(0.0);
    }
    r
}

/// One column: `x = (I − svvᵀ)βe₀` with `v₀ = 1` written over `x`; gives `(β, s)`. `tail` is the norm
/// of what follows the first entry.
pub(super) fn reflect(mut x: ArrayViewMut1<f64>, tail: f64) -> (f64, f64) {
    let head = x[0];
    if tail == 0.0 {
        x[0] = 1.0;
        return (head, 0.0);
    }
    let beta = -head.hypot(tail).copysign(head);
    x *= 1.0 / (head - beta);
    x[0] = 1.0;
    (beta, (beta - head) / beta)
}

/// `‖x‖`, without overflow of the squares.
fn norm(x: ArrayView1<f64>) -> f64 {
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * x.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}

/// `C ← (I − VSVᵀ)C`.
pub(super) fn apply(v: ArrayView2<f64>, s: ArrayView2<f64>, c: ArrayViewMut2<f64>) {
    let share = product(s, product(v.t(), c.view()).view());
    add_product(c, v, share.view(), -1.0);
}
