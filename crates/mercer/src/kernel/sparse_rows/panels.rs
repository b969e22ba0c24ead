//! Inner products of sparse rows with dense columns, many columns at once.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::SparseRows;

/// Columns per panel: four vectors of 8 numbers, so that as many sums are independent.
const WIDTH: usize = 32;

/// Columns as dense numbers, [`WIDTH`] of them side by side for each feature.
#[derive(Debug)]
pub(super) struct Panels {
    /// `data[(panel · features + feature)][lane]`.
    data: Vec<[f64; WIDTH]>,
    features: usize,
}

impl Panels {
    /// The bytes that the panels of `columns` take.
    pub(super) fn bytes(columns: usize, features: usize) -> f64 {
        columns.next_multiple_of(WIDTH) as f64 * features as f64 * 8.0
    }

    /// The dense columns.
    pub(super) fn new(columns: &SparseRows) -> Self {
        let (count, features) = (columns.len(), columns.width);
        let mut data = vec![[0.0; WIDTH]; count.div_ceil(WIDTH) * features];
        for j in 0..count {
            for at in columns.starts[j]..columns.starts[j + 1] {
                data[j / WIDTH * features + columns.columns[at] as usize][j % WIDTH] = columns.values[at];
            }
        }
        Self { data, features }
    }

    /// `out[i][j] = Σ_f rows[i][f] · columns[j][f]`, features ascending, every product rounded
    /// before it is added: the same bits as any other way of adding the nonzero products in this
    /// order.
    pub(super) fn fill(&self, rows: &SparseRows, list: &[usize], cols: Range<usize>, out: &mut [f64]) {
        if !cols.is_empty() {
            Arch::new().dispatch(Fill { panels: self, rows, list, cols, out });
        }
    }
}

struct Fill<'a> {
    panels: &'a Panels,
    rows: &'a SparseRows,
    list: &'a [usize],
    cols: Range<usize>,
    out: &'a mut [f64],
}

impl WithSimd for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panels, rows, list, cols, out } = self;
        for panel in cols.start / WIDTH..cols.end.div_ceil(WIDTH) {
            let dense = &panels.data[panel * panels.features..(panel + 1) * panels.features];
            let (start, end) = (cols.start.max(panel * WIDTH), cols.end.min((panel + 1) * WIDTH));
            for (&i, line) in list.iter().zip(out.chunks_exact_mut(cols.len())) {
                let row = rows.starts[i]..rows.starts[i + 1];
                let sums = products(simd, &rows.columns[row.clone()], &rows.values[row], dense);
                let taken = &sums[start - panel * WIDTH..end - panel * WIDTH];
                line[start - cols.start..end - cols.start].copy_from_slice(taken);
            }
        }
    }
}

/// The inner products of one sparse row with the columns of a panel.
#[inline(always)]
fn products<S: Simd>(simd: S, features: &[u32], values: &[f64], panel: &[[f64; WIDTH]]) -> [f64; WIDTH] {
    match S::F64_LANES {
        8 => products_of::<S, 4>(simd, features, values, panel),
        4 => products_of::<S, 8>(simd, features, values, panel),
        _ => products_of_lanes(features, values, panel),
    }
}

#[inline(always)]
fn products_of<S: Simd, const V: usize>(
    simd: S,
    features: &[u32],
    values: &[f64],
    panel: &[[f64; WIDTH]],
) -> [f64; WIDTH] {
    let mut sums = [simd.splat_f64s(0.0); V];
    for (&feature, &value) in features.iter().zip(values) {
        let value = simd.splat_f64s(value);
        let vectors = S::as_simd_f64s(&panel[feature as usize]).0;
        for v in 0..V {
            sums[v] = simd.add_f64s(sums[v], simd.mul_f64s(value, vectors[v]));
        }
    }
    let mut lanes = [0.0; WIDTH];
    S::as_mut_simd_f64s(&mut lanes).0.copy_from_slice(&sums);
    lanes
}

/// The same without vectors.
fn products_of_lanes(features: &[u32], values: &[f64], panel: &[[f64; WIDTH]]) -> [f64; WIDTH] {
    let mut sums = [0.0; WIDTH];
    for (&feature, &value) in features.iter().zip(values) {
        sums.iter_mut().zip(&panel[feature as usize]).for_each(|(sum, x)| *sum += value * x);
    }
    sums
}
