//! Inner products of points with few nonzero coordinates with packed points.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;
use super::pairs::{Panels, WIDEST, lanes};

/// The nonzero coordinates of a point: their places and values.
pub(crate) type SparsePoint<'a, T> = &'a [(u32, T)];

/// `out[i][j] = Σₖ rows[i][k] · columns[first + j][k]`, a row-major tile `wanted` columns wide. Places are below the depth of the panels.
pub(crate) fn fill_sparse<T: Element>(
    rows: &[SparsePoint<'_, T>],
    panels: &Panels<T>,
    first: usize,
    wanted: usize,
    out: &mut [T],
) {
    if wanted == 0 {
        return;
    }
    Arch::new().dispatch(FillSparse { rows, panels, first, wanted, out });
}

struct FillSparse<'a, T> {
    rows: &'a [SparsePoint<'a, T>],
    panels: &'a Panels<T>,
    first: usize,
    wanted: usize,
    out: &'a mut [T],
}

impl<T: Element> WithSimd for FillSparse<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (depth, width) = (self.panels.depth, 2 * lanes::<T, S>());
        let end = self.first + self.wanted;
        for panel in self.first / width..end.div_ceil(width) {
            let points = T::vectors::<S>(&self.panels.data[panel * width * depth..(panel + 1) * width * depth]);
            let (left, right) = ((panel * width).max(self.first), (panel * width + width).min(end));
            let taken = left - panel * width..right - panel * width;
            for (row, line) in self.rows.iter().zip(self.out.chunks_exact_mut(self.wanted)) {
                let sums = products::<T, S>(simd, row, points.as_chunks::<2>().0);
                store::<T, S>(sums, taken.clone(), &mut line[left - self.first..right - self.first]);
            }
        }
    }
}

/// The inner products of one point with those of a panel.
#[inline(always)]
fn products<T: Element, S: Simd>(simd: S, row: SparsePoint<'_, T>, columns: &[[T::Vector<S>; 2]]) -> [T::Vector<S>; 2] {
    let mut sums = [T::splat(simd, T::default()); 2];
    for &(place, x) in row {
        let (x, [a, b]) = (T::splat(simd, x), columns[place as usize]);
        sums = [T::multiply_add(simd, x, a, sums[0]), T::multiply_add(simd, x, b, sums[1])];
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
        let (n, dims) = (53, 7);
        let points: Vec<f32> =
            (0..n * dims).map(|i| if i * 37 % 5 == 0 { (i % 11) as f32 - 4.0 } else { 0.0 }).collect();
        let sparse: Vec<Vec<(u32, f32)>> = points
            .chunks_exact(dims)
            .map(|p| p.iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(k, x)| (k as u32, *x)).collect())
            .collect();
        let rows: Vec<SparsePoint<'_, f32>> = sparse[3..12].iter().map(Vec::as_slice).collect();
        let panels = Panels::new(&points, n, dims);
        for (first, wanted) in [(0, n), (5, 32), (16, 16), (50, 3), (1, 1)] {
            let mut out = vec![f32::NAN; rows.len() * wanted];
            fill_sparse(&rows, &panels, first, wanted, &mut out);
            for (at, found) in out.iter().enumerate() {
                let (i, j) = (3 + at / wanted, first + at % wanted);
                let expected: f32 = (0..dims).map(|k| points[i * dims + k] * points[j * dims + k]).sum();
                assert_eq!(*found, expected, "{i} {j}");
            }
        }
    }
}
