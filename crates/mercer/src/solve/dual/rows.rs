//! Rows of a symmetric kernel matrix, kept as far as memory allows.

use std::borrow::Cow;

use rayon::prelude::*;

use super::cache::Cache;
use crate::gram::simd::{Element, add_rows};
use crate::gram::{self, Tiles};
use crate::{Compute, Result};

/// Points up to which the whole matrix is made at once, in double precision.
const SMALL: usize = 2048;
/// Points that one task updates. Fixed, so that the bytes do not depend on the number of threads.
const CHUNK: usize = 2048;
/// Rows of a block that one task gathers.
const LINES: usize = 32;

/// The rows of a symmetric kernel matrix, on demand.
#[derive(Debug)]
pub struct KernelRows<'a> {
    diagonal: Vec<f64>,
    store: Store<'a>,
}

enum Store<'a> {
    /// Every row, in double precision.
    Double(Cow<'a, [f64]>),
    /// Every row, in single precision.
    Single(Cow<'a, [f32]>),
    /// Some rows, in single precision; the least recently used gives way.
    Cache(Cache<'a>),
}

impl std::fmt::Debug for Store<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Double(_) => "whole matrix",
            Self::Single(_) => "whole matrix in single precision",
            Self::Cache(_) => "cached rows",
        })
    }
}

impl<'a> KernelRows<'a> {
    /// Rows of a symmetric matrix given by its tiles; `least` rows have to be in memory together. A small matrix is made as a whole.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when they do not fit, [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn new(tiles: &'a dyn Tiles, least: usize, compute: &Compute) -> Result<Self> {
        let n = tiles.shape().0;
        if n <= SMALL && 8 * (n as u64).pow(2) <= compute.memory() / 2 {
            return Self::whole(tiles, compute);
        }
        Ok(Self { diagonal: tiles.diagonal()?, store: Store::Cache(Cache::new(tiles, n, least, compute)?) })
    }

    /// The whole matrix, in double precision when it is small, else in single precision.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when it does not fit, [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn whole(tiles: &dyn Tiles, compute: &Compute) -> Result<Self> {
        let diagonal = tiles.diagonal()?;
        let store = if diagonal.len() <= SMALL {
            Store::Double(gram::dense(tiles, compute)?.into_raw_vec_and_offset().0.into())
        } else {
            Store::Single(gram::dense_single(tiles, compute)?.into_raw_vec_and_offset().0.into())
        };
        Ok(Self { diagonal, store })
    }

    /// The bytes of a whole matrix of `n` points.
    pub(crate) fn whole_bytes(n: usize) -> u64 {
        if n <= SMALL { 8 * (n as u64).pow(2) } else { 4 * (n as u64).pow(2) }
    }

    /// A matrix in double precision, row after row.
    ///
    /// # Panics
    /// Unless it is square.
    pub fn of(matrix: &'a [f64], n: usize) -> Self {
        assert_eq!(matrix.len(), n * n, "a square matrix");
        let diagonal = (0..n).map(|i| matrix[i * n + i]).collect();
        Self { diagonal, store: Store::Double(matrix.into()) }
    }

    /// The rows and columns of some points of a whole matrix; all of them are not copied.
    pub(crate) fn part(&self, points: &[usize]) -> KernelRows<'_> {
        let n = self.points();
        let all = points.len() == n && points.iter().copied().eq(0..n);
        let store = match &self.store {
            Store::Double(matrix) if all => Store::Double(Cow::Borrowed(matrix.as_ref())),
            Store::Single(matrix) if all => Store::Single(Cow::Borrowed(matrix.as_ref())),
            Store::Double(matrix) => Store::Double(part(matrix, n, points).into()),
            Store::Single(matrix) => Store::Single(part(matrix, n, points).into()),
            Store::Cache(_) => unreachable!("parts are taken only of matrices that were made whole"),
        };
        KernelRows { diagonal: points.iter().map(|&p| self.diagonal[p]).collect(), store }
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.diagonal.len()
    }

    /// Makes sure that these rows, each named once, are at hand until the next call.
    pub(super) fn fetch(&mut self, wanted: &[usize], compute: &Compute) {
        if let Store::Cache(cache) = &mut self.store {
            cache.fetch(wanted, compute);
        }
    }

    /// Rows that can be at hand together.
    pub(super) fn capacity(&self) -> usize {
        match &self.store {
            Store::Cache(cache) => cache.capacity,
            _ => self.points(),
        }
    }

    /// The kernel among points whose rows were fetched last, row after row: where it is, or gathered in a buffer.
    pub(super) fn among<'b>(&'b self, points: &[usize], buffer: &'b mut Vec<f64>, compute: &Compute) -> &'b [f64] {
        let n = self.points();
        match &self.store {
            Store::Double(matrix) if points.iter().copied().eq(0..n) => return matrix,
            Store::Double(matrix) => gather(points, &self.diagonal, |p| &matrix[p * n..(p + 1) * n], buffer, compute),
            Store::Single(matrix) => gather(points, &self.diagonal, |p| &matrix[p * n..(p + 1) * n], buffer, compute),
            Store::Cache(cache) => gather(points, &self.diagonal, |p| cache.row(p), buffer, compute),
        }
        buffer
    }

    /// `out += Σ factor · row`, for points whose rows were fetched last.
    pub(super) fn spread(&self, changes: &[(usize, f64)], out: &mut [f64], compute: &Compute) {
        let n = self.points();
        match &self.store {
            Store::Double(matrix) => spread(changes, |p| &matrix[p * n..(p + 1) * n], out, compute),
            Store::Single(matrix) => spread(changes, |p| &matrix[p * n..(p + 1) * n], out, compute),
            Store::Cache(cache) => spread(changes, |p| cache.row(p), out, compute),
        }
    }
}

fn part<T: Element>(matrix: &[T], n: usize, points: &[usize]) -> Vec<T> {
    let mut values = Vec::with_capacity(points.len() * points.len());
    for &p in points {
        let row = &matrix[p * n..(p + 1) * n];
        for run in points.chunk_by(|a, b| a + 1 == *b) {
            values.extend_from_slice(&row[run[0]..run[0] + run.len()]);
        }
    }
    values
}

/// The lower triangle from the rows, the upper one by symmetry: a random access for every pair of points, not two.
fn gather<'r, T: Element>(
    points: &[usize],
    diagonal: &[f64],
    row: impl Fn(usize) -> &'r [T] + Sync,
    kernel: &mut Vec<f64>,
    compute: &Compute,
) {
    let q = points.len();
    kernel.resize(q * q, 0.0);
    let lines = |(group, lines): (usize, &mut [f64])| {
        for (at, line) in lines.chunks_exact_mut(q).enumerate().map(|(r, line)| (group * LINES + r, line)) {
            let row = row(points[at]);
            line.iter_mut().zip(&points[..at]).for_each(|(v, &p)| *v = row[p].to_f64());
            line[at] = diagonal[points[at]];
        }
    };
    compute.install(|| kernel.par_chunks_mut(LINES * q.max(1)).enumerate().for_each(lines));
    mirror(kernel, q);
}

/// Copies the lower triangle to the upper one, block by block.
fn mirror(kernel: &mut [f64], q: usize) {
    for top in (0..q).step_by(LINES) {
        for left in (top..q).step_by(LINES) {
            for i in top..q.min(top + LINES) {
                for j in left.max(i + 1)..q.min(left + LINES) {
                    kernel[i * q + j] = kernel[j * q + i];
                }
            }
        }
    }
}

fn spread<'r, T: Element>(
    changes: &[(usize, f64)],
    row: impl Fn(usize) -> &'r [T],
    out: &mut [f64],
    compute: &Compute,
) {
    let rows: Vec<(&[T], f64)> = changes.iter().map(|&(p, factor)| (row(p), factor)).collect();
    let update = |(chunk, out): (usize, &mut [f64])| {
        let range = chunk * CHUNK..chunk * CHUNK + out.len();
        let part: Vec<(&[T], f64)> = rows.iter().map(|(row, factor)| (&row[range.clone()], *factor)).collect();
        add_rows(&part, out);
    };
    compute.install(|| out.par_chunks_mut(CHUNK).enumerate().for_each(update));
}
