//! Kernels that take one pass over the columns, vectorized over the column points of a tile.

use std::ops::Range;

use super::fill::combine_each;
use super::gradient::circles::{column_phases, row_phase};
use super::slots::Slot;
use crate::gram::Rows;
use crate::gram::simd::{self, Element, Mode, Steps};
use crate::kernel::leaf::{Columnwise, Shape};
use crate::kernel::{Base, ColumnwiseVisitor};
use crate::real::Real;

/// Puts `factor · k` into a tile. The pass runs in double precision for either element: indicators
/// would be decided wrongly in single precision, and sums over columns would lose digits. With a
/// bandlimit and the waves of the points, rows of short phases take no sines.
pub(super) fn put<T: Element>(
    base: &Base,
    lengths: &[f64],
    (slot, waves): (&Slot, Option<(f64, &Slot)>),
    rows: &Rows<'_>,
    cols: Range<usize>,
    (factor, mode): (f64, Mode),
    out: &mut [T],
) {
    let mut line = vec![0.0; cols.len()];
    for (i, target) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
        match waves.filter(|(limit, _)| slot.has_short_phases(*limit, slot.rows.point(i))) {
            Some((limit, waves)) => sinc_line(limit, [slot, waves], i, &cols, &mut line),
            None => {
                base.visit_columnwise(Line { base, lengths, slot, i, cols: cols.clone(), line: &mut line });
            }
        }
        combine_each(target, mode, factor, |at| line[at]);
    }
}

/// `Πⱼ sin(aδⱼ)/(aδⱼ)` of a row point and the column points of a tile.
fn sinc_line(limit: f64, [points, waves]: [&Slot; 2], i: usize, cols: &Range<usize>, line: &mut [f64]) {
    line.fill(1.0);
    for column in 0..points.rows.ncols() {
        let left = row_phase(points, waves, column, i);
        simd::sinc_values(limit, left, &column_phases(points, waves, column, cols), line);
    }
}

/// One row point against the column points of a tile.
struct Line<'l> {
    base: &'l Base,
    lengths: &'l [f64],
    slot: &'l Slot,
    i: usize,
    cols: Range<usize>,
    line: &'l mut [f64],
}

impl ColumnwiseVisitor for Line<'_> {
    type Output = ();

    fn visit<C: Columnwise>(self, kernel: &C) {
        let shape = self.base.shape_array::<f64>();
        self.line.fill(kernel.start());
        let (point, transposed) = (self.slot.rows.row(self.i), self.slot.transposed());
        for (c, (&x, &length)) in point.iter().zip(self.lengths).enumerate() {
            let coordinates = transposed.row(c);
            let coordinates = coordinates.as_slice().unwrap_or_default();
            let step = ColumnTerm { kernel, shape, length, x };
            simd::steps(&step, &coordinates[self.cols.clone()], self.line);
        }
        simd::map_in_place(&Finish { kernel, shape }, 1.0, self.line);
    }
}

struct ColumnTerm<'k, C> {
    kernel: &'k C,
    shape: Shape<f64>,
    length: f64,
    x: f64,
}

impl<C: Columnwise> Steps for ColumnTerm<'_, C> {
    #[inline(always)]
    fn step<N: Real>(&self, sum: N, y: N) -> N {
        self.kernel.step(self.shape.map(N::from_f64), N::from_f64(self.length), sum, N::from_f64(self.x), y)
    }
}

struct Finish<'k, C> {
    kernel: &'k C,
    shape: Shape<f64>,
}

impl<C: Columnwise> simd::Formula for Finish<'_, C> {
    #[inline(always)]
    fn apply<N: Real>(&self, sum: N) -> N {
        self.kernel.finish(self.shape.map(N::from_f64), sum)
    }
}
