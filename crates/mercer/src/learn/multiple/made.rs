//! What one pass over all values of several kernels makes.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

use super::blocks::{Parts, Shift};
use crate::gram::KernelFamily;
use crate::gram::simd::matmul::{Target, matmul};
use crate::{Compute, Result};

/// Columns whose means are subtracted before values are rounded. Not tuned: they take 16 of `n/2` rows.
const COLUMNS: usize = 16;
/// Kernels whose products with all later ones are computed together.
const GROUP: usize = 32;

/// What a pass over all values makes.
#[derive(Default)]
pub(super) struct Made {
    /// The weighted sums of the rows, kernel after kernel.
    pub(super) sums: Vec<f64>,
    /// The weighted sums of the diagonals.
    pub(super) diagonals: Vec<f64>,
    pub(super) double: Vec<Vec<f64>>,
    pub(super) single: Vec<Vec<f32>>,
    pub(super) products: Option<Products>,
}

/// `Σᵢⱼ vᵢvⱼSₘ(i, j)Sₗ(i, j)` to about eight digits, and `Σ YᵀSₘY` over the columns of some `Y`.
pub(super) struct Products {
    pub(super) pairs: Array2<f64>,
    pub(super) forms: Vec<f64>,
}

/// The means of some columns (zeros without centering), and the size of what remains: that is a positive
/// kernel again, the inner product of points without the mean of some of them, so that its diagonal
/// bounds it.
pub(super) fn shifts(family: &KernelFamily<'_>, centered: bool, compute: &Compute) -> Result<Vec<Shift>> {
    let n = family.size();
    let count = n.min(COLUMNS);
    let rows: Vec<Vec<f64>> = compute.try_map_tasks(count, |at| {
        compute.check_canceled()?;
        let (row, mut values) = (at * n / count, vec![0.0; family.kernels().len() * n]);
        family.fill(row..row + 1, 0..n, &mut values);
        Ok(values)
    })?;
    let diagonals = diagonals(family, compute)?;
    let shift = |m: usize| {
        let own = |at: usize| &rows[at][m * n..(m + 1) * n];
        let mut by = vec![0.0; n];
        if centered {
            (0..count).for_each(|at| by.iter_mut().zip(own(at)).for_each(|(by, v)| *by += v / count as f64));
            let half = (0..count).map(|at| by[at * n / count]).sum::<f64>() / (2.0 * count as f64);
            by.iter_mut().for_each(|by| *by -= half);
        }
        let own = diagonals.iter().flat_map(|part| &part[m]);
        let size = own.zip(&by).map(|(v, b)| (v - (b + b)).abs()).fold(0.0, f64::max);
        // A power of two: no digit changes.
        let unit = if size.is_normal() { (-size.log2().round().clamp(-1000.0, 1000.0)).exp2() } else { 1.0 };
        Shift { by, unit }
    };
    Ok((0..family.kernels().len()).map(shift).collect())
}

/// The diagonals of all kernels, in parts of a few points.
fn diagonals(family: &KernelFamily<'_>, compute: &Compute) -> Result<Vec<Vec<Vec<f64>>>> {
    let (n, count) = (family.size(), family.kernels().len());
    compute.try_map_tasks(n.div_ceil(COLUMNS), |at| {
        compute.check_canceled()?;
        let rows = at * COLUMNS..n.min((at + 1) * COLUMNS);
        let size = rows.len() * rows.len();
        let mut values = vec![0.0; count * size];
        family.fill(rows.clone(), rows.clone(), &mut values);
        Ok(values.chunks_exact(size).map(|tile| tile.iter().step_by(rows.len() + 1).copied().collect()).collect())
    })
}

impl Made {
    pub(super) fn new(count: usize, n: usize, products: bool) -> Self {
        let products = products.then(|| Products { pairs: Array2::zeros((count, count)), forms: vec![0.0; count] });
        Self { sums: vec![0.0; count * n], diagonals: vec![0.0; count], products, ..Self::default() }
    }

    pub(super) fn add_sums(&mut self, rows: &Range<usize>, parts: &[Parts<'_, f64>], weights: &[f64]) {
        let n = weights.len();
        for (m, part) in parts.iter().enumerate() {
            part.multiply(rows, weights, &mut self.sums[m * n..(m + 1) * n], 1, false);
            let own = part.among.iter().step_by(rows.len() + 1);
            self.diagonals[m] += own.zip(&weights[rows.clone()]).map(|(k, v)| k * v).sum::<f64>();
        }
    }

    /// The sums of both, and the values one after the other.
    pub(super) fn with(mut self, mut later: Self) -> Self {
        self.sums.iter_mut().zip(&later.sums).for_each(|(a, b)| *a += b);
        self.diagonals.iter_mut().zip(&later.diagonals).for_each(|(a, b)| *a += b);
        self.double.append(&mut later.double);
        self.single.append(&mut later.single);
        if let (Some(own), Some(other)) = (&mut self.products, later.products) {
            own.pairs += &other.pairs;
            own.forms.iter_mut().zip(&other.forms).for_each(|(a, b)| *a += b);
        }
        self
    }
}

/// Room for the products of a task.
#[derive(Default)]
pub(super) struct Scratch {
    values: Vec<f32>,
    pairs: Vec<f32>,
}

impl Products {
    /// Adds those of a block, in single precision; of the pairs those with `m ≤ l`, and some others.
    pub(super) fn add(
        &mut self,
        rows: &Range<usize>,
        parts: &[Parts<'_, f64>],
        roots: Option<&[f64]>,
        targets: &[f64],
        scratch: &mut Scratch,
    ) {
        let n = rows.end + parts.first().map_or(0, |part| part.beyond.len() / rows.len());
        self.forms.iter_mut().zip(parts).for_each(|(form, part)| *form += part.form(rows, targets, n));
        for (columns, factor) in [(rows.clone(), 1.0), (rows.end..n, 2.0)] {
            scratch.values.clear();
            for part in parts {
                let tile = if factor == 1.0 { part.among } else { part.beyond };
                match roots {
                    None => scratch.values.extend(tile.iter().map(|k| *k as f32)),
                    Some(roots) => {
                        for (i, row) in rows.clone().zip(tile.chunks_exact(columns.len().max(1))) {
                            let own = row.iter().zip(&roots[columns.clone()]);
                            scratch.values.extend(own.map(|(k, root)| (k * roots[i] * root) as f32));
                        }
                    }
                }
            }
            self.add_pairs(scratch, rows.len() * columns.len(), factor);
        }
    }

    /// Adds `sAAᵀ` of rows of `A`, above the diagonal.
    fn add_pairs(&mut self, scratch: &mut Scratch, width: usize, factor: f64) {
        let count = self.forms.len();
        let Ok(rows) = ArrayView2::from_shape((count, width), &scratch.values) else { return };
        for first in (0..count).step_by(GROUP) {
            let last = count.min(first + GROUP);
            scratch.pairs.resize((last - first) * (count - first), 0.0);
            let Ok(target) = ArrayViewMut2::from_shape((last - first, count - first), &mut scratch.pairs) else {
                return;
            };
            let (own, later) = (rows.slice(s![first..last, ..]), rows.slice(s![first.., ..]));
            matmul(target, Target::Replace, own, later.reversed_axes(), 1.0);
            let found = scratch.pairs.chunks_exact(count - first);
            for (mut sums, found) in self.pairs.slice_mut(s![first..last, first..]).rows_mut().into_iter().zip(found) {
                sums.iter_mut().zip(found).for_each(|(sum, v)| *sum += factor * f64::from(*v));
            }
        }
    }
}
