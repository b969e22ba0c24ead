//! Products of Householder reflections, applied in blocks.

use super::super::reflectors;
use super::parallel::{PARALLEL, each_chunk, view, view_mut};
use crate::gram::simd::columns::Columns;
use crate::gram::simd::matmul::{Target, matmul};
use crate::{Compute, Result};

/// Reflections of a block. At 1 000 rows on one thread 48 ms; with 32 it is 53 ms, with 128 56 ms.
const BLOCK: usize = 64;
/// Columns that are transformed together. With 32 and 128 the time differs by less than a tenth.
const STRIP: usize = 64;

/// `Q = H₀H₁⋯` with `Hⱼ = I − τⱼvⱼvⱼᵀ`.
pub(super) struct Reflections {
    size: usize,
    /// Column `j` holds `vⱼ`, whose first entry other than zero is a one in row `j + 1`.
    vectors: Vec<f64>,
    weights: Vec<f64>,
}

impl Reflections {
    /// From a matrix whose columns hold the vectors below the diagonal and anything above.
    pub(super) fn new(size: usize, vectors: Vec<f64>, weights: Vec<f64>) -> Self {
        Self { size, vectors, weights }
    }

    /// `Z ← QZ`; strips of columns in parallel.
    ///
    /// # Formula
    /// A block of reflections is `I − VSVᵀ` with an upper triangular matrix `S`.
    ///
    /// # Cost
    /// `2n²` operations per column, in matrix products.
    pub(super) fn apply(mut self, z: &mut [f64], compute: &Compute) -> Result<()> {
        let n = self.size;
        for j in 0..n {
            self.vectors[j * n..=j * n + j].fill(0.0);
        }
        let mut factors = vec![0.0; self.weights.len().div_ceil(BLOCK) * BLOCK * BLOCK];
        each_chunk(n >= PARALLEL, &mut factors, BLOCK * BLOCK, compute, |block, s| {
            self.find_factor(block * BLOCK, s);
            Ok(())
        })?;
        each_chunk(n >= PARALLEL, z, STRIP * n.max(1), compute, |_, strip| {
            for (block, s) in factors.chunks(BLOCK * BLOCK).enumerate().rev() {
                compute.check_canceled()?;
                self.apply_block(block * BLOCK, s, strip);
            }
            Ok(())
        })
    }

    /// The number of reflections of the block that begins with `first`.
    fn width(&self, first: usize) -> usize {
        BLOCK.min(self.weights.len() - first)
    }

    /// `V` of the block that begins with reflection `first`, from row `first + 1` on.
    fn block(&self, first: usize) -> ndarray::ArrayView2<'_, f64> {
        let n = self.size;
        view(&self.vectors[first * n + first + 1..], (n - first - 1, self.width(first)), n)
    }

    /// `S` with columns of [`BLOCK`] entries: column `j` is `τⱼ(eⱼ − SVᵀvⱼ)`, where `S` and `V` are
    /// those of the reflections before.
    fn find_factor(&self, first: usize, s: &mut [f64]) {
        let width = self.width(first);
        let v = self.block(first);
        let mut products = vec![0.0; BLOCK * width];
        matmul(view_mut(&mut products, (width, width), BLOCK), Target::Replace, v.t(), v, 1.0);
        for j in 0..width {
            let weight = self.weights[first + j];
            let (before, own) = s.split_at_mut(j * BLOCK);
            let factors = &mut products[j * BLOCK..][..j];
            factors.iter_mut().for_each(|f| *f *= weight);
            Columns { values: before, stride: BLOCK, count: j }.subtract_from(&mut own[..j], factors);
            own[j] = weight;
        }
    }

    /// `Z ← (I − VSVᵀ)Z` for a strip of columns.
    fn apply_block(&self, first: usize, s: &[f64], strip: &mut [f64]) {
        let (n, width, columns) = (self.size, self.width(first), strip.len() / self.size);
        let z = view_mut(&mut strip[first + 1..], (n - first - 1, columns), n);
        reflectors::apply(self.block(first), view(s, (width, width), BLOCK), z);
    }
}
