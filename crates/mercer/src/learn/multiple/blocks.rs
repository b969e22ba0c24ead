//! The upper halves of symmetric matrices of several kernels, in blocks of rows.

use std::ops::Range;

use crate::gram::KernelFamily;
use crate::gram::simd::{add_rows, product};

/// Tasks that the blocks are divided among. Fixed, so that sums over tasks do not depend on the number of
/// threads; each task keeps its own sums.
const TASKS: usize = 8;

/// Blocks of a few rows `i` and the columns from the first of them on, so that every pair stands in
/// one block, and those within its rows twice.
#[derive(Clone, Debug)]
pub(super) struct BlockList {
    points: usize,
    rows: usize,
    /// The blocks of each task: about the same number of pairs.
    tasks: Vec<Range<usize>>,
}

impl BlockList {
    pub(super) fn new(points: usize, rows: usize) -> Self {
        let count = points.div_ceil(rows);
        let pairs = |block: usize| (points - block * rows) as f64;
        let total: f64 = (0..count).map(pairs).sum();
        let (mut tasks, mut first, mut done) = (Vec::new(), 0, 0.0);
        for block in 0..count {
            done += pairs(block);
            if done * TASKS as f64 >= total * (tasks.len() + 1) as f64 || block + 1 == count {
                tasks.push(first..block + 1);
                first = block + 1;
            }
        }
        Self { points, rows, tasks }
    }

    pub(super) fn tasks(&self) -> &[Range<usize>] {
        &self.tasks
    }

    /// The rows of a block.
    pub(super) fn range(&self, block: usize) -> Range<usize> {
        block * self.rows..self.points.min((block + 1) * self.rows)
    }

    /// The values of one kernel in a block: those among its rows, and those with later columns.
    fn sizes(&self, block: usize) -> (usize, usize) {
        let rows = self.range(block);
        (rows.len() * rows.len(), rows.len() * (self.points - rows.end))
    }

    /// The values of all kernels of a family in a block.
    pub(super) fn fill(&self, family: &KernelFamily<'_>, block: usize, values: &mut Vec<f64>) {
        let (rows, (among, beyond)) = (self.range(block), self.sizes(block));
        let count = family.kernels().len();
        values.resize(count * (among + beyond), 0.0);
        let (first, second) = values.split_at_mut(count * among);
        family.fill(rows.clone(), rows.clone(), first);
        if beyond > 0 {
            family.fill(rows.clone(), rows.end..self.points, second);
        }
    }

    /// The parts of the values of a block, kernel after kernel.
    pub(super) fn parts<'t, T>(&self, block: usize, values: &'t [T]) -> Vec<Parts<'t, T>> {
        let (among, beyond) = self.sizes(block);
        let count = values.len() / (among + beyond).max(1);
        let (first, second) = values.split_at(count * among);
        let part = |m: usize| Parts { among: &first[m * among..][..among], beyond: &second[m * beyond..][..beyond] };
        (0..count).map(part).collect()
    }

    /// Subtracts `aᵢ + aⱼ` from the values of a kernel and multiplies them by a number.
    pub(super) fn shift(&self, block: usize, values: &mut [f64], shifts: &[&Shift]) {
        let (rows, (among, beyond)) = (self.range(block), self.sizes(block));
        let (first, second) = values.split_at_mut(shifts.len() * among);
        for (tiles, size, columns) in [(first, among, rows.clone()), (second, beyond, rows.end..self.points)] {
            for (tile, shift) in tiles.chunks_exact_mut(size.max(1)).zip(shifts) {
                for (i, row) in rows.clone().zip(tile.chunks_exact_mut(columns.len().max(1))) {
                    let (a, unit) = (shift.by[i], shift.unit);
                    row.iter_mut().zip(&shift.by[columns.clone()]).for_each(|(v, b)| *v = unit * (*v - (a + b)));
                }
            }
        }
    }
}

/// `u(k(i, j) − aᵢ − aⱼ)`: near to the centered values and of size 1, so that they may be rounded.
#[derive(Clone, Debug)]
pub(super) struct Shift {
    pub(super) by: Vec<f64>,
    pub(super) unit: f64,
}

/// The values of a kernel in a block: among its rows, and with the columns behind them.
#[derive(Clone, Copy)]
pub(super) struct Parts<'t, T> {
    pub(super) among: &'t [T],
    pub(super) beyond: &'t [T],
}

/// A block of some kernels.
pub(super) enum Block<'t> {
    Double(Vec<Parts<'t, f64>>),
    Single(Vec<Parts<'t, f32>>),
}

impl<T: crate::gram::simd::Element> Parts<'_, T> {
    /// `y += Sx` for `count` columns; if it is `sparse`, at least at the rows where `x` is not 0.
    pub(super) fn multiply(&self, rows: &Range<usize>, x: &[f64], y: &mut [f64], count: usize, sparse: bool) {
        let (own, later) = (rows.start * count..rows.end * count, rows.end * count..x.len());
        product::multiply(self.among, &x[own.clone()], &mut y[own.clone()], count);
        if self.beyond.is_empty() {
            return;
        }
        if count > 1 || !sparse {
            product::multiply(self.beyond, &x[later.clone()], &mut y[own.clone()], count);
            return product::multiply_transposed(self.beyond, &x[own], &mut y[later], count);
        }
        let lines = self.lines(&x[own.clone()]);
        let (before, after) = y.split_at_mut(rows.end);
        for &(at, line, _) in &lines {
            product::multiply(line, &x[later.clone()], &mut before[rows.start + at..=rows.start + at], 1);
        }
        let terms: Vec<(&[T], f64)> = lines.iter().map(|&(_, line, factor)| (line, factor)).collect();
        add_rows(&terms, after);
    }

    /// The rows beyond the block that have a factor, with their numbers.
    fn lines(&self, factors: &[f64]) -> Vec<(usize, &[T], f64)> {
        let width = self.beyond.len() / factors.len().max(1);
        let lines = self.beyond.chunks_exact(width.max(1)).zip(factors).enumerate();
        lines.filter(|(_, (_, factor))| **factor != 0.0).map(|(at, (line, factor))| (at, line, *factor)).collect()
    }

    /// The part of `Σ xᵀSx` over columns; `x` is column after column.
    pub(super) fn form(&self, rows: &Range<usize>, x: &[f64], points: usize) -> f64 {
        let mut total = 0.0;
        for x in x.chunks_exact(points) {
            let own = &x[rows.clone()];
            let mut images = vec![0.0; rows.len()];
            product::multiply(self.among, own, &mut images, 1);
            total += own.iter().zip(&images).map(|(x, image)| x * image).sum::<f64>();
            for (_, line, factor) in self.lines(own) {
                let mut image = [0.0];
                product::multiply(line, &x[rows.end..], &mut image, 1);
                total += 2.0 * factor * image[0];
            }
        }
        total
    }
}

/// `Σ βS` over kernels: among the rows of a block, then beyond.
pub(super) fn weighted_sum<T: crate::gram::simd::Element>(parts: &[Parts<'_, T>], beta: &[f64]) -> [Vec<f64>; 2] {
    let sum = |of: for<'p> fn(&Parts<'p, T>) -> &'p [T]| {
        let tiles: Vec<(&[T], f64)> = parts.iter().zip(beta).map(|(part, &b)| (of(part), b)).collect();
        let mut sum = vec![0.0; tiles.first().map_or(0, |(tile, _)| tile.len())];
        add_rows(&tiles, &mut sum);
        sum
    };
    [sum(|part| part.among), sum(|part| part.beyond)]
}
