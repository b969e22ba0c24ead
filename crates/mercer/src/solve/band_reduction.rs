//! Orthogonal reduction of a symmetric matrix to a narrow band, all of it in matrix products.

use std::ops::Range;

use faer::reborrow::{IntoConst, Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};
use ndarray::Array2;
use rayon::prelude::*;

use super::reflectors::{add_product, apply, product, triangularize};
use crate::{Compute, Result};

/// Diagonals of the band: wide enough for matrix products in the reduction, narrow enough for cheap
/// sweeps per λ.
pub(super) const WIDTH: usize = 24;
/// Rows and columns of a block of the work: it never depends on the number of threads, so that the
/// bytes do not either.
const TILE: usize = 128;
/// What is left counts as a multiple of the identity when it differs by less than this, relative to
/// its eigenvalues.
const NEGLIGIBLE: f64 = 1e-10;

/// `A = Q diag(B, θI) Qᵀ` with an orthogonal `Q` and a band matrix `B` of at most `n` rows.
///
/// # Theory
/// Panels of 24 columns are made triangular by Householder reflections from both sides (the first
/// half of a two-stage tridiagonalization). The basis is that of block Krylov spaces, so for a
/// matrix of low numerical rank, or a low-rank change of a multiple of the identity, the rest soon
/// is `θI` to working precision, and the reduction ends there.
///
/// # Cost
/// `4n³/3` and as much for the basis, at the speed of matrix products; less when it ends early.
pub(crate) struct BandReduction {
    size: usize,
    /// Column `j` of the lower band of `B`: the entries `(j, j) … (j + WIDTH, j)`.
    pub(super) band: Vec<f64>,
    /// `θ`.
    pub(super) rest: f64,
    /// The reflections: block `k` has its `V` below row `(k + 1)·WIDTH` of the columns from
    /// `k·WIDTH`.
    reflectors: Mat<f64>,
    /// `S` of every block.
    factors: Vec<Mat<f64>>,
}

impl BandReduction {
    /// Reduces a symmetric matrix, of which the lower triangle is read. `shift` is the least number
    /// that will be added to the diagonal.
    pub(crate) fn new(matrix: Array2<f64>, shift: f64, compute: &Compute) -> Result<Self> {
        let size = matrix.nrows();
        // Symmetric, so that rows are columns.
        let matrix = MatRef::from_row_major_slice(matrix.as_slice().unwrap_or(&[]), size, size).to_owned();
        let noise = 4.0 * f64::EPSILON * matrix.norm_l2();
        let mut reduction = Self { size, band: Vec::new(), rest: 0.0, reflectors: matrix, factors: Vec::new() };
        compute.install(|| reduction.run(shift, noise, compute))?;
        Ok(reduction)
    }

    /// Rows of `B`.
    pub(crate) fn rank(&self) -> usize {
        self.band.len() / (WIDTH + 1)
    }

    fn run(&mut self, shift: f64, noise: f64, compute: &Compute) -> Result<()> {
        for start in (0..self.size).step_by(WIDTH) {
            compute.check_canceled()?;
            let end = (start + WIDTH).min(self.size);
            self.keep_corner(start..end);
            if end == self.size || self.is_finished(start, shift, noise) {
                break;
            }
            self.reduce_panel(start, end);
        }
        Ok(())
    }

    /// Copies a block on the diagonal to the band.
    fn keep_corner(&mut self, block: Range<usize>) {
        self.band.resize(block.end * (WIDTH + 1), 0.0);
        for j in block.clone() {
            for i in j..block.end {
                self.band[j * (WIDTH + 1) + i - j] = self.reflectors[(i, j)];
            }
        }
    }

    /// Whether the matrix from row `start` on is `θI`; if so `θ` is kept. One panel decides most
    /// cases.
    fn is_finished(&mut self, start: usize, shift: f64, noise: f64) -> bool {
        let count = self.size - start;
        let left = self.reflectors.as_ref().submatrix(start, start, count, count);
        let rest = (0..count).map(|i| left[(i, i)]).sum::<f64>() / count as f64;
        let enough = noise.max(NEGLIGIBLE * (rest + shift));
        let squares = |j: usize| left.col(j).subrows(j + 1, count - j - 1).squared_norm_l2();
        let diagonal = (0..count).map(|i| (left[(i, i)] - rest).powi(2)).sum::<f64>();
        let panel: f64 = (0..WIDTH.min(count)).map(squares).sum();
        if (diagonal + panel).sqrt() > enough {
            return false;
        }
        let below: f64 = (0..count).map(squares).sum();
        self.rest = rest;
        (diagonal + 2.0 * below).sqrt() <= enough
    }

    /// One step: `[A₁₁ A₂₁ᵀ; A₂₁ A₂₂]` with `A₂₁ = H[R; 0]` becomes `R` in the band and `HᵀA₂₂H`.
    fn reduce_panel(&mut self, start: usize, end: usize) {
        let count = (self.size - end).min(WIDTH);
        let (mut r, mut s) = (Mat::zeros(count, WIDTH), Mat::zeros(count, count));
        let (_, _, panel, trailing) = self.reflectors.as_mut().split_at_mut(end, end);
        let mut panel = panel.subcols_mut(start, WIDTH);
        triangularize(panel.rb_mut(), r.as_mut(), s.as_mut());
        let v = panel.into_const().subcols(0, count);
        transform(trailing, v, s.as_ref(), &tiles(end, self.size));
        for j in 0..WIDTH {
            for i in 0..count.min(j + 1) {
                self.band[(start + j) * (WIDTH + 1) + WIDTH + i - j] = r[(i, j)];
            }
        }
        self.factors.push(s);
    }

    /// The first columns of `Q`, as many as `B` has: those of the identity through all reflections,
    /// strips of columns in parallel.
    pub(crate) fn basis(&self, compute: &Compute) -> Result<Mat<f64>> {
        let mut basis = Mat::<f64>::identity(self.size, self.rank());
        compute.install(|| {
            basis.as_mut().par_col_chunks_mut(TILE).enumerate().try_for_each(|(strip, mut columns)| {
                let end = strip * TILE + columns.ncols();
                for (k, s) in self.factors.iter().enumerate().rev().filter(|(k, _)| (k + 1) * WIDTH < end) {
                    let first = (k + 1) * WIDTH;
                    let v = self.reflectors.as_ref().submatrix(first, k * WIDTH, self.size - first, s.nrows());
                    apply(v, s.as_ref(), columns.rb_mut().subrows_mut(first, self.size - first));
                }
                compute.check_canceled()
            })
        })?;
        Ok(basis)
    }
}

/// Blocks of rows from `start` to `end`, cut at multiples of the tile, counted from `start`.
fn tiles(start: usize, end: usize) -> Vec<Range<usize>> {
    let cut = |k: usize| (k * TILE).clamp(start, end) - start;
    (start / TILE..end.div_ceil(TILE)).map(|k| cut(k)..cut(k + 1)).filter(|r| !r.is_empty()).collect()
}

/// `A ← HᵀAH = A − XVᵀ − VXᵀ` with `X = AVS − ½VSᵀ(VᵀAVS)`, on and below the diagonal and inside
/// the tiles on the diagonal.
fn transform(mut a: MatMut<'_, f64>, v: MatRef<'_, f64>, s: MatRef<'_, f64>, tiles: &[Range<usize>]) {
    let image = symmetric_product(a.rb(), v, tiles);
    let mut x = product(image.as_ref(), s);
    let inner = product(s.transpose(), product(v.transpose(), x.as_ref()).as_ref());
    add_product(x.as_mut(), v, inner.as_ref(), -0.5);
    let (left, right) = (faer::concat![[x, v]], faer::concat![[v, x]]);
    let mut strips = Vec::with_capacity(tiles.len());
    for tile in tiles {
        let (strip, others) = a.split_at_col_mut(tile.len());
        strips.push((strip, tile));
        a = others;
    }
    strips.into_par_iter().for_each(|(strip, tile)| {
        let below = left.nrows() - tile.start;
        let target = strip.subrows_mut(tile.start, below);
        add_product(target, left.subrows(tile.start, below), right.subrows(tile.start, tile.len()).transpose(), -1.0);
    });
}

/// `AV` from what stands on and below the diagonal, blocks of rows in parallel.
fn symmetric_product(a: MatRef<'_, f64>, v: MatRef<'_, f64>, tiles: &[Range<usize>]) -> Mat<f64> {
    let mut image = Mat::zeros(a.nrows(), v.ncols());
    let mut rows = Vec::with_capacity(tiles.len());
    let mut rest = image.as_mut();
    for tile in tiles {
        let (block, others) = rest.split_at_row_mut(tile.len());
        rows.push((block, tile));
        rest = others;
    }
    rows.into_par_iter().for_each(|(mut block, tile)| {
        let below = a.nrows() - tile.end;
        add_product(block.rb_mut(), a.submatrix(tile.start, 0, tile.len(), tile.end), v.subrows(0, tile.end), 1.0);
        let column = a.submatrix(tile.end, tile.start, below, tile.len());
        add_product(block, column.transpose(), v.subrows(tile.end, below), 1.0);
    });
    image
}
