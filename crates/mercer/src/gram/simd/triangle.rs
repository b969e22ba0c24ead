//! Triangular matrices that fit the cache: Cholesky factors, inverses and substitution in the
//! vector arithmetic of the machine.
//!
//! One loop does nearly all of the work: a few columns minus a combination of eight others. At 100
//! rows a factor takes a third and an inverse half of the time of the blocked algorithms, which are
//! made for large matrices (`solve::blocks` calls this for its diagonal blocks).

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

/// Rows of a chunk, and columns of a panel. The number never depends on the machine.
const LANES: usize = 8;
/// Columns that are updated together: their sums stay in registers, and a chunk of the panel is
/// loaded once for all of them.
const GROUP: usize = 4;

type Chunk = [f64; LANES];

/// A triangular or symmetric matrix, column after column in whole chunks of rows. Rows beyond its
/// size hold anything.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    size: usize,
    /// Numbers of a column, a multiple of [`LANES`].
    stride: usize,
    values: Vec<f64>,
}

impl Triangle {
    /// A matrix of zeros.
    pub(crate) fn zeros(size: usize) -> Self {
        let stride = size.next_multiple_of(LANES);
        Self { size, stride, values: vec![0.0; stride * size] }
    }

    /// The distance between two columns of [`Triangle::entries`].
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// All entries, column after column.
    pub(crate) fn entries(&self) -> &[f64] {
        &self.values
    }

    /// One column.
    pub(crate) fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.stride..][..self.size]
    }

    /// One column, to be written.
    pub(crate) fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.stride..][..self.size]
    }

    /// Replaces the lower triangle of a symmetric matrix by its Cholesky factor; whether every
    /// pivot is positive. The upper triangle is not read and holds anything afterwards.
    ///
    /// # Formula
    /// Panels of eight columns: `L₁₁L₁₁ᵀ = A₁₁`, `L₂₁ = A₂₁L₁₁⁻ᵀ`, `A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ`.
    pub(crate) fn factor(&mut self) -> bool {
        Arch::new().dispatch(FactorInPlace(self))
    }

    /// `(LLᵀ)⁻¹` for the lower triangle `L`: `L⁻¹`, transposed, times itself. Both triangles are
    /// filled.
    pub(crate) fn inverse(&self) -> Self {
        let mut half = Self::zeros(self.size);
        Arch::new().dispatch(InvertLower { lower: self, out: &mut half });
        let mut inverse = Self::zeros(self.size);
        Arch::new().dispatch(Multiply { upper: &half.transposed(), out: &mut inverse });
        inverse.mirror();
        inverse
    }

    /// Copies the lower triangle to the upper one.
    fn mirror(&mut self) {
        for j in 0..self.size {
            let (before, column) = self.values.split_at_mut((j + 1) * self.stride);
            let own = &before[j * self.stride..][j + 1..self.size];
            own.iter().zip(column.chunks_exact_mut(self.stride)).for_each(|(value, other)| other[j] = *value);
        }
    }

    /// The transpose of the lower triangle, with zeros in the columns that fill the last panel.
    fn transposed(&self) -> Self {
        let mut values = vec![0.0; self.stride * self.stride];
        for j in 0..self.size {
            let own = &self.column(j)[j..];
            own.iter()
                .zip(values[j * self.stride..].chunks_exact_mut(self.stride))
                .for_each(|(v, other)| other[j] = *v);
        }
        Self { values, ..*self }
    }
}

struct FactorInPlace<'a>(&'a mut Triangle);

impl WithSimd for FactorInPlace<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Triangle { size, stride, values } = self.0;
        for first in (0..*size).step_by(LANES) {
            let (panel, rest) = values[first * *stride..].split_at_mut(*stride * LANES.min(*size - first));
            if !factor_panel(simd, panel, *stride, first) {
                return false;
            }
            let Some(columns) = full_panel(panel, *stride) else { break };
            let next = first + LANES;
            update_all(
                simd,
                rest,
                *stride,
                columns,
                |t, _| (next + t) / LANES..*stride / LANES,
                |t, _| row(&columns, next + t),
            );
        }
        true
    }
}

/// The eight columns of a panel.
#[inline(always)]
fn full_panel(panel: &[f64], stride: usize) -> Option<[&[f64]; LANES]> {
    (panel.len() == stride * LANES).then(|| std::array::from_fn(|k| &panel[k * stride..][..stride]))
}

/// One row of a panel.
#[inline(always)]
fn row(panel: &[&[f64]; LANES], i: usize) -> Chunk {
    let mut row = [0.0; LANES];
    for k in 0..LANES {
        row[k] = panel[k][i];
    }
    row
}

/// Factors the columns of a panel, one after the other, from row `first` down.
#[inline(always)]
fn factor_panel<S: Simd>(simd: S, panel: &mut [f64], stride: usize, first: usize) -> bool {
    for j in 0..panel.len() / stride {
        let (before, column) = panel.split_at_mut(j * stride);
        let column = &mut column[first..stride];
        for other in before.chunks_exact(stride) {
            subtract(simd, column, &other[first..], other[first + j]);
        }
        let pivot = column[j];
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return false;
        }
        let root = pivot.sqrt();
        let reciprocal = simd.splat_f64s(1.0 / root);
        for v in S::as_mut_simd_f64s(column).0 {
            *v = simd.mul_f64s(*v, reciprocal);
        }
        column[j] = root;
    }
    true
}

/// `target ← target − factor·column`.
#[inline(always)]
fn subtract<S: Simd>(simd: S, target: &mut [f64], column: &[f64], factor: f64) {
    let minus = simd.splat_f64s(-factor);
    for (t, c) in S::as_mut_simd_f64s(target).0.iter_mut().zip(S::as_simd_f64s(column).0) {
        *t = simd.mul_add_e_f64s(minus, *c, *t);
    }
}

/// Every column of `targets` minus the columns of the panel times its factors, in a range of
/// chunks. Both depend on the number of the column and on what it holds; the range of the first of
/// four columns is that of all of them.
#[inline(always)]
fn update_all<S: Simd>(
    simd: S,
    targets: &mut [f64],
    stride: usize,
    panel: [&[f64]; LANES],
    chunks: impl Fn(usize, &[f64]) -> Range<usize>,
    factors: impl Fn(usize, &[f64]) -> Chunk,
) {
    let mut groups = targets.chunks_exact_mut(GROUP * stride);
    let mut number = 0;
    for group in groups.by_ref() {
        let (a, b) = group.split_at_mut(2 * stride);
        let ((a, b), (c, d)) = (a.split_at_mut(stride), b.split_at_mut(stride));
        let range = chunks(number, a);
        let all = [factors(number, a), factors(number + 1, b), factors(number + 2, c), factors(number + 3, d)];
        update(simd, [a, b, c, d], panel, range, &all);
        number += GROUP;
    }
    for column in groups.into_remainder().chunks_exact_mut(stride) {
        let (range, all) = (chunks(number, column), [factors(number, column)]);
        update(simd, [column], panel, range, &all);
        number += 1;
    }
}

/// A few columns minus a combination of the eight columns of a panel, in a range of chunks.
#[inline(always)]
fn update<S: Simd, const T: usize>(
    simd: S,
    targets: [&mut [f64]; T],
    panel: [&[f64]; LANES],
    chunks: Range<usize>,
    factors: &[Chunk; T],
) {
    let rows = chunks.start * LANES..(chunks.end * LANES).max(chunks.start * LANES);
    let mut minus = [[simd.splat_f64s(0.0); T]; LANES];
    for t in 0..T {
        for k in 0..LANES {
            minus[k][t] = simd.splat_f64s(-factors[t][k]);
        }
    }
    let targets = targets.map(|target| S::as_mut_simd_f64s(&mut target[rows.clone()]).0);
    let panel = panel.map(|column| S::as_simd_f64s(&column[rows.clone()]).0);
    let count = targets.first().map_or(0, |target| target.len());
    // Two vectors of every column: enough independent sums for the latency of a multiplication.
    for i in (0..count / 2).map(|i| 2 * i) {
        let mut sums = [[simd.splat_f64s(0.0); 2]; T];
        for t in 0..T {
            sums[t] = [targets[t][i], targets[t][i + 1]];
        }
        for k in 0..LANES {
            let pair = [panel[k][i], panel[k][i + 1]];
            for t in 0..T {
                sums[t][0] = simd.mul_add_e_f64s(minus[k][t], pair[0], sums[t][0]);
                sums[t][1] = simd.mul_add_e_f64s(minus[k][t], pair[1], sums[t][1]);
            }
        }
        for t in 0..T {
            [targets[t][i], targets[t][i + 1]] = sums[t];
        }
    }
    if count % 2 == 1 {
        for t in 0..T {
            let mut sum = targets[t][count - 1];
            for k in 0..LANES {
                sum = simd.mul_add_e_f64s(minus[k][t], panel[k][count - 1], sum);
            }
            targets[t][count - 1] = sum;
        }
    }
}

/// `L⁻¹`.
///
/// # Formula
/// Forward substitution for all columns of the identity, eight rows at a time: `X₁ = L₁₁⁻¹E₁`,
/// `E₂ ← E₂ − L₂₁X₁`.
struct InvertLower<'a> {
    lower: &'a Triangle,
    out: &'a mut Triangle,
}

impl WithSimd for InvertLower<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (size, stride) = (self.lower.size, self.lower.stride);
        for first in (0..size).step_by(LANES) {
            let width = LANES.min(size - first);
            let corner = invert_corner(self.lower, first, width);
            let done = &mut self.out.values[..(first + width) * stride];
            for (j, column) in done.chunks_exact_mut(stride).enumerate() {
                let own = &mut column[first..first + LANES];
                if j < first {
                    combine(simd, &corner, own);
                } else {
                    own.copy_from_slice(&corner[j - first]);
                }
            }
            let panel = &self.lower.values[first * stride..(first + width) * stride];
            let Some(panel) = full_panel(panel, stride) else { break };
            let below = first / LANES + 1..stride / LANES;
            update_all(simd, done, stride, panel, |_, _| below.clone(), |_, column| chunk(column, first));
        }
    }
}

/// Eight entries of a column.
#[inline(always)]
fn chunk(column: &[f64], first: usize) -> Chunk {
    let mut chunk = [0.0; LANES];
    chunk.copy_from_slice(&column[first..first + LANES]);
    chunk
}

/// The inverse of the block of `width` rows on the diagonal, column after column.
fn invert_corner(lower: &Triangle, first: usize, width: usize) -> [Chunk; LANES] {
    let entry = |i: usize, j: usize| lower.values[(first + j) * lower.stride + first + i];
    let mut inverse = [[0.0; LANES]; LANES];
    for (j, column) in inverse.iter_mut().enumerate().take(width) {
        column[j] = 1.0 / entry(j, j);
        for i in j + 1..width {
            let sum: f64 = (j..i).map(|k| entry(i, k) * column[k]).sum();
            column[i] = -sum / entry(i, i);
        }
    }
    inverse
}

/// The product of a block with a chunk, written to the chunk.
#[inline(always)]
fn combine<S: Simd>(simd: S, block: &[Chunk; LANES], own: &mut [f64]) {
    let factors = chunk(own, 0);
    own.fill(0.0);
    for k in 0..LANES {
        subtract(simd, own, &block[k], -factors[k]);
    }
}

/// The lower triangle of `UUᵀ` for an upper triangle `U` with whole panels.
struct Multiply<'a> {
    upper: &'a Triangle,
    out: &'a mut Triangle,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (size, stride) = (self.upper.size, self.upper.stride);
        for first in (0..size).step_by(LANES) {
            let panel = &self.upper.values[first * stride..(first + LANES) * stride];
            let Some(panel) = full_panel(panel, stride) else { break };
            let targets = &mut self.out.values[..size.min(first + LANES) * stride];
            let minus = |j: usize, _: &[f64]| row(&panel, j).map(|v| -v);
            update_all(simd, targets, stride, panel, |j, _| j / LANES..first / LANES + 1, minus);
        }
    }
}

/// `x ← L⁻¹x`, or `x ← L⁻ᵀL⁻¹x` for a whole solve, where `lower` has its columns at the given
/// distance.
pub(crate) fn substitute(lower: &[f64], stride: usize, x: &mut [f64], whole: bool) {
    Arch::new().dispatch(Substitute { lower, stride, x, whole });
}

struct Substitute<'a> {
    lower: &'a [f64],
    stride: usize,
    x: &'a mut [f64],
    whole: bool,
}

impl WithSimd for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { lower, stride, x, whole } = self;
        for j in 0..x.len() {
            let (done, rest) = x.split_at_mut(j + 1);
            let column = &lower[j * stride..][..stride];
            done[j] /= column[j];
            let value = done[j];
            rest.iter_mut().zip(&column[j + 1..]).for_each(|(r, l)| *r -= value * l);
        }
        for j in (0..if whole { x.len() } else { 0 }).rev() {
            let column = &lower[j * stride..][..stride];
            let sum = super::slopes::lanes(&column[j + 1..x.len()], &x[j + 1..], |l, x| l * x);
            x[j] = (x[j] - sum) / column[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::Seed;

    /// A positive definite matrix whose upper triangle holds NaN, and the whole of it.
    fn definite(size: usize) -> (Triangle, Array2<f64>) {
        let mut stream = Seed(7).stream("triangle", size as u64);
        let b = Array2::from_shape_fn((size, size), |_| stream.normal());
        let full = b.dot(&b.t()) + Array2::<f64>::eye(size) * size as f64;
        let mut a = Triangle::zeros(size);
        for ((i, j), value) in full.indexed_iter() {
            a.column_mut(j)[i] = if i >= j { *value } else { f64::NAN };
        }
        (a, full)
    }

    fn matrix(size: usize, entry: impl Fn(usize, usize) -> f64) -> Array2<f64> {
        Array2::from_shape_fn((size, size), |(i, j)| entry(i, j))
    }

    fn largest_difference(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
        a.iter().zip(b).fold(0.0, |m, (a, b)| (a - b).abs().max(m))
    }

    #[test]
    fn factors_inverses_and_solutions_of_every_size() {
        for size in [0, 1, 2, 7, 8, 9, 11, 12, 16, 31, 64, 100, 193] {
            let (mut factor, full) = definite(size);
            assert!(factor.factor(), "{size}");
            let l = matrix(size, |i, j| if i >= j { factor.column(j)[i] } else { 0.0 });
            let scale = full.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            assert!(largest_difference(&l.dot(&l.t()), &full) <= 1e-14 * scale, "{size}");
            let triangle = factor.inverse();
            let inverse = matrix(size, |i, j| triangle.column(j)[i]);
            assert!(largest_difference(&full.dot(&inverse), &Array2::eye(size)) <= 1e-12, "{size}");
            for (i, column) in inverse.columns().into_iter().enumerate() {
                let mut x: Vec<f64> = (0..size).map(|k| f64::from(u8::from(k == i))).collect();
                substitute(factor.entries(), factor.stride(), &mut x, true);
                assert_close!(x.iter(), column, each = 1e-13, "{size}: {i}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_definite_has_no_factor() {
        for bad in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            let (mut a, _) = definite(20);
            a.column_mut(13)[13] = bad;
            assert!(!a.factor(), "{bad}");
        }
    }
}
