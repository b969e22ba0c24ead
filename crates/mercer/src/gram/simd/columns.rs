//! Products of a few columns with a vector, in the vector arithmetic of the machine.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

/// Columns that are read together: the vector is loaded once for all of them. With 8 the products of
/// a reduction of 500 rows take 4.5 instead of 3.7 ms, those of 1 000 rows as long.
const GROUP: usize = 4;

/// Columns at a fixed distance, of which the rows are those of a vector.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

impl<'a> Columns<'a> {
    /// `W` columns from column `first`, in the given rows.
    #[inline(always)]
    fn group<const W: usize>(&self, first: usize, rows: Range<usize>) -> [&'a [f64]; W] {
        let mut columns: [&[f64]; W] = [&[]; W];
        for (k, column) in columns.iter_mut().enumerate() {
            *column = &self.values[(first + k) * self.stride..][rows.clone()];
        }
        columns
    }

    /// `x ← x − Cf`.
    pub(crate) fn subtract_from(self, x: &mut [f64], factors: &[f64]) {
        Arch::new().dispatch(Subtract { columns: self, x, factors });
    }

    /// `Cᵀx`.
    pub(crate) fn dot(self, x: &[f64], out: &mut [f64]) {
        Arch::new().dispatch(Dot { columns: self, x, out });
    }

    /// The share of the columns `range` in `Ax` for a symmetric matrix `A` with these columns, of
    /// which the lower triangle is read. `y` is overwritten from row `range.start` on.
    pub(crate) fn symmetric_product(self, range: Range<usize>, x: &[f64], y: &mut [f64]) {
        Arch::new().dispatch(SymmetricProduct { columns: self, range, x, y });
    }
}

/// `(x, y) ← (cx − sy, sx + cy)`.
pub(crate) fn rotate(x: &mut [f64], y: &mut [f64], c: f64, s: f64) {
    Arch::new().dispatch(Rotate { x, y, c, s });
}

struct Rotate<'a> {
    x: &'a mut [f64],
    y: &'a mut [f64],
    c: f64,
    s: f64,
}

impl WithSimd for Rotate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (c, s, minus) = (simd.splat_f64s(self.c), simd.splat_f64s(self.s), simd.splat_f64s(-self.s));
        let (x, x_tail) = S::as_mut_simd_f64s(self.x);
        let (y, y_tail) = S::as_mut_simd_f64s(self.y);
        for i in 0..x.len().min(y.len()) {
            let (own, other) = (x[i], y[i]);
            x[i] = simd.mul_add_e_f64s(c, own, simd.mul_f64s(minus, other));
            y[i] = simd.mul_add_e_f64s(s, own, simd.mul_f64s(c, other));
        }
        let (own, other) = (simd.partial_load_f64s(x_tail), simd.partial_load_f64s(y_tail));
        simd.partial_store_f64s(x_tail, simd.mul_add_e_f64s(c, own, simd.mul_f64s(minus, other)));
        simd.partial_store_f64s(y_tail, simd.mul_add_e_f64s(s, own, simd.mul_f64s(c, other)));
    }
}

struct Subtract<'a> {
    columns: Columns<'a>,
    x: &'a mut [f64],
    factors: &'a [f64],
}

impl WithSimd for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (rows, whole) = (self.x.len(), self.columns.count / GROUP * GROUP);
        for k in (0..whole).step_by(GROUP) {
            subtract::<S, GROUP>(simd, self.columns.group(k, 0..rows), &self.factors[k..], self.x);
        }
        for k in whole..self.columns.count {
            subtract::<S, 1>(simd, self.columns.group(k, 0..rows), &self.factors[k..], self.x);
        }
    }
}

#[inline(always)]
fn subtract<S: Simd, const W: usize>(simd: S, columns: [&[f64]; W], factors: &[f64], x: &mut [f64]) {
    let minus = splat::<S, W>(simd, factors, -1.0);
    let (x, x_tail) = S::as_mut_simd_f64s(x);
    let (columns, tails) = vectors::<S, W>(columns, x.len());
    for i in 0..x.len() {
        let mut sum = x[i];
        for k in 0..W {
            sum = simd.mul_add_e_f64s(minus[k], columns[k][i], sum);
        }
        x[i] = sum;
    }
    let mut sum = simd.partial_load_f64s(x_tail);
    for k in 0..W {
        sum = simd.mul_add_e_f64s(minus[k], simd.partial_load_f64s(tails[k]), sum);
    }
    simd.partial_store_f64s(x_tail, sum);
}

struct Dot<'a> {
    columns: Columns<'a>,
    x: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Dot<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (rows, whole) = (self.x.len(), self.columns.count / GROUP * GROUP);
        for k in (0..whole).step_by(GROUP) {
            dots::<S, GROUP>(simd, self.columns.group(k, 0..rows), self.x, &mut self.out[k..]);
        }
        for k in whole..self.columns.count {
            dots::<S, 1>(simd, self.columns.group(k, 0..rows), self.x, &mut self.out[k..]);
        }
    }
}

#[inline(always)]
fn dots<S: Simd, const W: usize>(simd: S, columns: [&[f64]; W], x: &[f64], out: &mut [f64]) {
    let (x, x_tail) = S::as_simd_f64s(x);
    let (columns, tails) = vectors::<S, W>(columns, x.len());
    let mut sums = [simd.splat_f64s(0.0); W];
    for i in 0..x.len() {
        for k in 0..W {
            sums[k] = simd.mul_add_e_f64s(columns[k][i], x[i], sums[k]);
        }
    }
    let tail = simd.partial_load_f64s(x_tail);
    for k in 0..W {
        sums[k] = simd.mul_add_e_f64s(simd.partial_load_f64s(tails[k]), tail, sums[k]);
        out[k] = simd.reduce_sum_f64s(sums[k]);
    }
}

struct SymmetricProduct<'a> {
    columns: Columns<'a>,
    range: Range<usize>,
    x: &'a [f64],
    y: &'a mut [f64],
}

impl WithSimd for SymmetricProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { columns, range, x, y } = self;
        let rows = x.len();
        y[range.start..].fill(0.0);
        let whole = range.start + range.len() / GROUP * GROUP;
        for j in (range.start..whole).step_by(GROUP) {
            add_columns::<S, GROUP>(simd, columns.group(j, j..rows), &x[j..], &mut y[j..]);
        }
        for j in whole..range.end {
            add_columns::<S, 1>(simd, columns.group(j, j..rows), &x[j..], &mut y[j..]);
        }
    }
}

/// The share of a few columns, from the diagonal down, and of the rows that are their transpose.
/// One pass: an entry is loaded once for both of its positions.
#[inline(always)]
fn add_columns<S: Simd, const W: usize>(simd: S, columns: [&[f64]; W], x: &[f64], y: &mut [f64]) {
    let heads = splat::<S, W>(simd, x, 1.0);
    let mut below: [&[f64]; W] = [&[]; W];
    for k in 0..W {
        y[k] += columns[k][k] * x[k];
        for i in k + 1..W {
            y[i] += columns[k][i] * x[k];
            y[k] += columns[k][i] * x[i];
        }
        below[k] = &columns[k][W..];
    }
    let (y_top, y_below) = y.split_at_mut(W);
    let (x, x_tail) = S::as_simd_f64s(&x[W..]);
    let (y, y_tail) = S::as_mut_simd_f64s(y_below);
    let (below, tails) = vectors::<S, W>(below, y.len());
    let mut sums = [simd.splat_f64s(0.0); W];
    for i in 0..y.len().min(x.len()) {
        let mut own = y[i];
        for k in 0..W {
            let entry = below[k][i];
            own = simd.mul_add_e_f64s(entry, heads[k], own);
            sums[k] = simd.mul_add_e_f64s(entry, x[i], sums[k]);
        }
        y[i] = own;
    }
    let mut own = simd.partial_load_f64s(y_tail);
    let tail = simd.partial_load_f64s(x_tail);
    for k in 0..W {
        let entry = simd.partial_load_f64s(tails[k]);
        own = simd.mul_add_e_f64s(entry, heads[k], own);
        y_top[k] += simd.reduce_sum_f64s(simd.mul_add_e_f64s(entry, tail, sums[k]));
    }
    simd.partial_store_f64s(y_tail, own);
}

/// The first values times a sign, each in all lanes of a vector.
#[inline(always)]
fn splat<S: Simd, const W: usize>(simd: S, values: &[f64], sign: f64) -> [S::f64s; W] {
    let mut all = [simd.splat_f64s(0.0); W];
    for k in 0..W {
        all[k] = simd.splat_f64s(sign * values[k]);
    }
    all
}

/// The whole vectors of all columns, and what follows them.
#[inline(always)]
fn vectors<S: Simd, const W: usize>(columns: [&[f64]; W], count: usize) -> ([&[S::f64s]; W], [&[f64]; W]) {
    let (mut whole, mut tails): ([&[S::f64s]; W], [&[f64]; W]) = ([&[]; W], [&[]; W]);
    for k in 0..W {
        let (vectors, tail) = S::as_simd_f64s(columns[k]);
        (whole[k], tails[k]) = (&vectors[..count], tail);
    }
    (whole, tails)
}
