//! Inner products of points with few nonzero coordinates with packed points.

use std::marker::PhantomData;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;
use super::pairs::{Panels, WIDEST, lanes};
use crate::compute::Workers;

/// Panels that are read together.
const TOGETHER: usize = 4;

/// Points packed for [`fill_sparse`]: panels of two vectors.
pub(crate) fn panels<T: Element>(points: &[T], n: usize, depth: usize, workers: Workers<'_>) -> Panels<T> {
    struct Columns<T>(PhantomData<T>);
    impl<T: Element> WithSimd for Columns<T> {
        type Output = usize;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            2 * lanes::<T, S>()
        }
    }
    Panels::of_width(points, n, depth, Arch::new().dispatch(Columns::<T>(PhantomData)), workers)
}

/// The nonzero coordinates of a point: their places and values.
pub(crate) type SparsePoint<'a, T> = &'a [(u32, T)];

/// `out[i][j] = Σₖ rows[i][k] · columns[first + j][k]`, a row-major tile `requested` columns wide.
/// Places are below the depth of the panels.
pub(crate) fn fill_sparse<T: Element>(
    rows: &[SparsePoint<'_, T>],
    panels: &Panels<T>,
    first: usize,
    requested: usize,
    out: &mut [T],
) {
    if requested == 0 {
        return;
    }
    Arch::new().dispatch(FillSparse { rows, panels, first, requested, out });
}

struct FillSparse<'a, T> {
    rows: &'a [SparsePoint<'a, T>],
    panels: &'a Panels<T>,
    first: usize,
    requested: usize,
    out: &'a mut [T],
}

impl<T: Element> WithSimd for FillSparse<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (depth, width) = (self.panels.depth, 2 * lanes::<T, S>());
        let end = self.first + self.requested;
        let mut panel = self.first / width;
        while panel * width < end {
            let inside = panel * width >= self.first && (panel + TOGETHER) * width <= end;
            let count = if inside { TOGETHER } else { 1 };
            let points = T::vectors::<S>(&self.panels.data[panel * width * depth..(panel + count) * width * depth]);
            if inside {
                self.whole_panels(simd, points.as_chunks::<2>().0, panel * width - self.first);
            } else {
                self.one_panel(simd, points.as_chunks::<2>().0, panel * width);
            }
            panel += count;
        }
    }
}

impl<T: Element> FillSparse<'_, T> {
    /// Several panels requested as a whole, to the columns from `left` on: enough sums for every
    /// vector unit.
    #[inline(always)]
    fn whole_panels<S: Simd>(&mut self, simd: S, points: &[[T::Vector<S>; 2]], left: usize) {
        let (depth, width) = (self.panels.depth, 2 * lanes::<T, S>());
        let panels: [&[[T::Vector<S>; 2]]; TOGETHER] = std::array::from_fn(|p| &points[p * depth..(p + 1) * depth]);
        for (row, line) in self.rows.iter().zip(self.out.chunks_exact_mut(self.requested)) {
            let sums = products::<T, S, TOGETHER>(simd, row, panels);
            let target = &mut line[left..left + TOGETHER * width];
            for (sums, target) in sums.iter().zip(target.chunks_exact_mut(width)) {
                T::vectors_mut::<S>(target)[..2].copy_from_slice(sums);
            }
        }
    }

    /// A panel that begins at column `start`, as far as requested.
    #[inline(always)]
    fn one_panel<S: Simd>(&mut self, simd: S, points: &[[T::Vector<S>; 2]], start: usize) {
        let width = 2 * lanes::<T, S>();
        let (left, right) = (start.max(self.first), (start + width).min(self.first + self.requested));
        let taken = left - start..right - start;
        for (row, line) in self.rows.iter().zip(self.out.chunks_exact_mut(self.requested)) {
            let [sums] = products::<T, S, 1>(simd, row, [points]);
            store::<T, S>(sums, taken.clone(), &mut line[left - self.first..right - self.first]);
        }
    }
}

/// The inner products of one point with those of some panels.
#[inline(always)]
fn products<T: Element, S: Simd, const P: usize>(
    simd: S,
    row: SparsePoint<'_, T>,
    panels: [&[[T::Vector<S>; 2]]; P],
) -> [[T::Vector<S>; 2]; P] {
    let mut sums = [[T::splat(simd, T::default()); 2]; P];
    for &(position, x) in row {
        let x = T::splat(simd, x);
        for (sums, panel) in sums.iter_mut().zip(&panels) {
            let [a, b] = panel[position as usize];
            *sums = [T::multiply_add(simd, x, a, sums[0]), T::multiply_add(simd, x, b, sums[1])];
        }
    }
    sums
}

/// Some lanes of two vectors.
#[inline(always)]
fn store<T: Element, S: Simd>(sums: [T::Vector<S>; 2], taken: Range<usize>, target: &mut [T]) {
    if taken.len() == 2 * lanes::<T, S>() {
        return T::vectors_mut::<S>(target)[..2].copy_from_slice(&sums);
    }
    let mut buffer = [T::default(); WIDEST];
    T::vectors_mut::<S>(&mut buffer)[..2].copy_from_slice(&sums);
    target.copy_from_slice(&buffer[taken]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_coordinates_give_the_products_of_all() {
        let (n, dims) = (203, 7);
        let points: Vec<f32> =
            (0..n * dims).map(|i| if i * 37 % 5 == 0 { (i % 11) as f32 - 4.0 } else { 0.0 }).collect();
        let sparse: Vec<Vec<(u32, f32)>> = points
            .chunks_exact(dims)
            .map(|p| p.iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(k, x)| (k as u32, *x)).collect())
            .collect();
        let rows: Vec<SparsePoint<'_, f32>> = sparse[3..12].iter().map(Vec::as_slice).collect();
        let panels = panels(&points, n, dims, Workers::One);
        for (first, requested) in [(0, n), (5, 32), (16, 16), (50, 3), (1, 1), (3, 199), (32, 128)] {
            let mut out = vec![f32::NAN; rows.len() * requested];
            fill_sparse(&rows, &panels, first, requested, &mut out);
            for (at, found) in out.iter().enumerate() {
                let (i, j) = (3 + at / requested, first + at % requested);
                let expected: f32 = (0..dims).map(|k| points[i * dims + k] * points[j * dims + k]).sum();
                assert_eq!(*found, expected, "{i} {j}");
            }
        }
    }
}
