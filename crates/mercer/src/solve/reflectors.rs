//! Blocks of Householder reflections: `H = H₀H₁⋯ = I − VSVᵀ`.

use faer::linalg::matmul::matmul;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// `C ← C + sAB`, on one thread.
pub(super) fn add_product(c: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>, s: f64) {
    matmul(c, Accum::Add, a, b, s, Par::Seq);
}

/// `AB`, on one thread.
pub(super) fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    matmul(c.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    c
}

/// `P = H[R; 0]` by halves: `V`, with its ones and zeros, replaces `P` (in its first columns, as
/// many as there are reflections); the rows of `R` go to `r` and `S`, upper triangular, to `s`.
pub(super) fn triangularize(mut p: MatMut<'_, f64>, mut r: MatMut<'_, f64>, mut s: MatMut<'_, f64>) {
    let (rows, columns) = p.shape();
    if rows == 0 {
        return;
    }
    if columns == 1 {
        return (r[(0, 0)], s[(0, 0)]) = reflect(p);
    }
    let half = columns / 2;
    let first = half.min(rows);
    let second = (rows - first).min(columns - half);
    let (mut left, mut right) = p.rb_mut().split_at_col_mut(half);
    let (mut s11, mut s12, _, mut s22) = s.rb_mut().split_at_mut(first, first);
    let (mut r1, mut r2) = r.split_at_row_mut(first);
    triangularize(left.rb_mut(), r1.rb_mut().subcols_mut(0, half), s11.rb_mut());
    let v1 = left.rb().subcols(0, first);
    apply(v1, s11.rb().transpose(), right.rb_mut());
    let (mut top, mut below) = right.split_at_row_mut(first);
    r1.subcols_mut(half, columns - half).copy_from(top.rb());
    top.fill(0.0);
    triangularize(below.rb_mut(), r2.rb_mut().subcols_mut(half, columns - half), s22.rb_mut());
    // H₁H₂ = I − [V₁ V₂] [S₁ −S₁V₁ᵀV₂S₂; 0 S₂] [V₁ V₂]ᵀ
    let cross = product(v1.subrows(first, rows - first).transpose(), below.rb().subcols(0, second));
    add_product(s12.rb_mut(), product(s11.rb(), cross.as_ref()).as_ref(), s22.rb(), -1.0);
}

/// One column: `x = (I − svvᵀ)βe₀` with `v₀ = 1` written over `x`; gives `(β, s)`.
fn reflect(x: MatMut<'_, f64>) -> (f64, f64) {
    let mut x = x.col_mut(0);
    let head = x[0];
    let tail = x.rb().subrows(1, x.nrows() - 1).norm_l2();
    if tail == 0.0 {
        x[0] = 1.0;
        return (head, 0.0);
    }
    let beta = -head.hypot(tail).copysign(head);
    let inverse = 1.0 / (head - beta);
    x.rb_mut().iter_mut().for_each(|v| *v *= inverse);
    x[0] = 1.0;
    (beta, (beta - head) / beta)
}

/// `C ← (I − VSVᵀ)C`.
pub(super) fn apply(v: MatRef<'_, f64>, s: MatRef<'_, f64>, c: MatMut<'_, f64>) {
    let share = product(s, product(v.transpose(), c.rb()).as_ref());
    add_product(c, v, share.as_ref(), -1.0);
}
