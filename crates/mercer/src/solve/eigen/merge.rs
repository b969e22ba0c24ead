//! One step of divide and conquer: the eigenvectors of a matrix from those of its halves.

use super::deflation::{Deflated, Deflation, Rows};
use super::divide::Problem;
use super::parallel::{PARALLEL, each_chunk, view, view_mut};
use super::secular::{Roots, Secular};
use crate::gram::simd::matmul::{Target, matmul};
use crate::gram::simd::poles::eigenvector;
use crate::{Compute, Result};

/// Eigenvectors that are computed together. With 32 and 128 the time differs by less than a tenth.
const STRIP: usize = 64;
/// Columns that are copied together. 8 to 128 differ by less than 6 % of a decomposition of 500
/// rows.
const COPIES: usize = 32;

/// Merges the halves, of which the upper one has `half` rows and which `entry` couples: eigenvalues
/// and eigenvectors of the whole replace theirs, in no particular order.
pub(super) fn merge(problem: Problem, half: usize, entry: f64, compute: &Compute) -> Result<()> {
    let Problem { diagonal, vectors, spare, first, stride } = problem;
    let n = diagonal.len();
    let weights = coupling(&vectors[first..], stride, half, n, entry);
    let rows = (0..n).map(|j| if j < half { Rows::Upper } else { Rows::Lower }).collect();
    let rho = 2.0 * entry.abs();
    let mut deflation = Deflation { diagonal, weights, rho, rows, vectors, first, stride };
    let left = deflation.run();
    let rows = deflation.rows;
    if left.poles.is_empty() {
        return Ok(());
    }
    let secular = Secular { poles: &left.poles, weights: &left.weights, rho };
    let roots = secular.roots(compute)?;
    let weights = secular.consistent_weights(&roots, compute)?;
    let plan = Plan::new(&left, &rows, weights, half, n);
    plan.gather(&vectors[first..], stride, spare, compute)?;
    let merged = &mut vectors[..left.poles.len() * stride];
    plan.multiply(&roots, spare, (first, stride), merged, compute)?;
    plan.keep_finished(spare, first, stride, vectors);
    let finished: Vec<f64> = left.finished.iter().map(|&j| diagonal[j]).collect();
    let values = roots.values().chain(finished);
    diagonal.iter_mut().zip(values).for_each(|(d, value)| *d = value);
    Ok(())
}

/// `u`, scaled to a unit vector: the last row of the upper eigenvectors and the first one of the
/// lower.
fn coupling(vectors: &[f64], stride: usize, half: usize, n: usize, entry: f64) -> Vec<f64> {
    let upper = (0..half).map(|j| vectors[j * stride + half - 1]);
    let lower = (half..n).map(|j| vectors[j * stride + half] * entry.signum());
    upper.chain(lower).map(|u| u * std::f64::consts::FRAC_1_SQRT_2).collect()
}

/// How the eigenvectors of the halves are multiplied. Columns are ordered by their rows, so that
/// products skip blocks of zeros.
struct Plan<'a> {
    /// Rows of the upper half, and of the whole.
    half: usize,
    size: usize,
    /// Columns with rows in the upper half, and the first one with rows in the lower half.
    upper: usize,
    lower_from: usize,
    /// The columns, their poles and their weights.
    columns: Vec<usize>,
    poles: Vec<f64>,
    weights: Vec<f64>,
    finished: &'a [usize],
}

impl<'a> Plan<'a> {
    fn new(left: &'a Deflated, rows: &[Rows], weights: Vec<f64>, half: usize, size: usize) -> Self {
        let mut order: Vec<usize> = (0..left.columns.len()).collect();
        order.sort_by_key(|&k| rows[left.columns[k]]);
        let count = |wanted: Rows| left.columns.iter().filter(|&&j| rows[j] == wanted).count();
        Self {
            half,
            size,
            upper: order.len() - count(Rows::Lower),
            lower_from: count(Rows::Upper),
            columns: order.iter().map(|&k| left.columns[k]).collect(),
            poles: order.iter().map(|&k| left.poles[k]).collect(),
            weights: order.iter().map(|&k| weights[k]).collect(),
            finished: &left.finished,
        }
    }

    fn is_parallel(&self) -> bool {
        self.size >= PARALLEL
    }

    /// Where the lower columns and the finished ones begin in the spare memory.
    fn starts(&self) -> (usize, usize) {
        let lower = self.upper * self.half;
        (lower, lower + (self.columns.len() - self.lower_from) * (self.size - self.half))
    }

    /// Copies the upper rows, the lower rows and the finished columns, each without gaps.
    fn gather(&self, vectors: &[f64], stride: usize, spare: &mut [f64], compute: &Compute) -> Result<()> {
        let (lower, finished) = self.starts();
        let (upper_part, rest) = spare.split_at_mut(lower);
        let (lower_part, rest) = rest.split_at_mut(finished - lower);
        let copy = |target: &mut [f64], columns: &[usize], first: usize, rows: usize| {
            each_chunk(self.is_parallel(), target, COPIES * rows, compute, |number, chunk| {
                for (target, &j) in chunk.chunks_exact_mut(rows).zip(&columns[number * COPIES..]) {
                    target.copy_from_slice(&vectors[j * stride + first..][..rows]);
                }
                Ok(())
            })
        };
        copy(upper_part, &self.columns[..self.upper], 0, self.half)?;
        copy(lower_part, &self.columns[self.lower_from..], self.half, self.size - self.half)?;
        copy(&mut rest[..self.finished.len() * self.size], self.finished, 0, self.size)
    }

    /// The eigenvectors of the whole: those of `D + ρuuᵀ`, multiplied with the gathered columns.
    fn multiply(
        &self,
        roots: &Roots,
        spare: &[f64],
        (first, stride): (usize, usize),
        vectors: &mut [f64],
        compute: &Compute,
    ) -> Result<()> {
        let count = self.columns.len();
        each_chunk(self.is_parallel(), vectors, STRIP * stride, compute, |number, strip| {
            let columns = strip.len() / stride;
            let mut inner = vec![0.0; count * columns];
            for (k, vector) in inner.chunks_exact_mut(count).enumerate() {
                let root = number * STRIP + k;
                eigenvector(&self.poles, &self.weights, roots.origins[root], roots.offsets[root], vector);
            }
            self.multiply_strip(spare, &inner, columns, &mut strip[first..], stride);
            Ok(())
        })
    }

    fn multiply_strip(&self, spare: &[f64], inner: &[f64], columns: usize, target: &mut [f64], stride: usize) {
        let (count, below) = (self.columns.len(), self.size - self.half);
        let left = view(spare, (self.half, self.upper), self.half);
        let right = view(inner, (self.upper, columns), count);
        matmul(view_mut(target, (self.half, columns), stride), Target::Replace, left, right, 1.0);
        let width = count - self.lower_from;
        let left = view(&spare[self.starts().0..], (below, width), below);
        let right = view(&inner[self.lower_from..], (width, columns), count);
        matmul(view_mut(&mut target[self.half..], (below, columns), stride), Target::Replace, left, right, 1.0);
    }

    /// Copies the finished columns behind the others.
    fn keep_finished(&self, spare: &[f64], first: usize, stride: usize, vectors: &mut [f64]) {
        let sources = spare[self.starts().1..].chunks_exact(self.size).take(self.finished.len());
        for (target, source) in vectors[self.columns.len() * stride..].chunks_mut(stride).zip(sources) {
            target[first..][..self.size].copy_from_slice(source);
        }
    }
}
