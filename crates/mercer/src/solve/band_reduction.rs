//! Orthogonal reduction of a symmetric matrix to a narrow band, all of it in matrix products.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, ShapeBuilder, concatenate, s};
use rayon::prelude::*;

use super::reflectors::{add_product, apply, product, triangularize};
use crate::{Compute, Result};

/// Diagonals of the band: wide enough for matrix products in the reduction, narrow enough for cheap
/// sweeps per λ.
pub(super) const WIDTH: usize = 24;
/// Rows and columns of a block of the work: it never depends on the number of threads, so that the
/// bytes do not either. 64 and 256 differ by less than 3 % (searches over λ of 500 and 1500 rows).
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
    reflectors: Array2<f64>,
    /// `S` of every block.
    factors: Vec<Array2<f64>>,
}

impl BandReduction {
    /// Reduces a symmetric matrix, of which the lower triangle is read. `shift` is the least number
    /// that will be added to the diagonal.
    pub(crate) fn new(matrix: Array2<f64>, shift: f64, compute: &Compute) -> Result<Self> {
        let size = matrix.nrows();
        // Symmetric, so that rows are columns.
        let matrix = if matrix.is_standard_layout() { matrix.reversed_axes() } else { matrix };
        let noise = 4.0 * f64::EPSILON * matrix.iter().map(|v| v * v).sum::<f64>().sqrt();
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
                self.band[j * (WIDTH + 1) + i - j] = self.reflectors[[i, j]];
            }
        }
    }

    /// Whether the matrix from row `start` on is `θI`; if so `θ` is kept. One panel decides most
    /// cases.
    fn is_finished(&mut self, start: usize, shift: f64, noise: f64) -> bool {
        let count = self.size - start;
        let left = self.reflectors.slice(s![start.., start..]);
        let rest = left.diag().sum() / count as f64;
        let enough = noise.max(NEGLIGIBLE * (rest + shift));
        let squares = |j: usize| left.slice(s![j + 1.., j]).iter().map(|v| v * v).sum::<f64>();
        let diagonal = left.diag().iter().map(|v| (v - rest).powi(2)).sum::<f64>();
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
        let (mut r, mut s) = (Array2::zeros((count, WIDTH).f()), Array2::zeros((count, count).f()));
        let (done, trailing) = self.reflectors.view_mut().split_at(Axis(1), end);
        let (mut panel, trailing) = (done.slice_move(s![end.., start..]), trailing.slice_move(s![end.., ..]));
        triangularize(panel.view_mut(), r.view_mut(), s.view_mut());
        transform(trailing, panel.slice(s![.., ..count]), s.view(), &tiles(end, self.size));
        for j in 0..WIDTH {
            for i in 0..count.min(j + 1) {
                self.band[(start + j) * (WIDTH + 1) + WIDTH + i - j] = r[[i, j]];
            }
        }
        self.factors.push(s);
    }

    /// The first columns of `Q`, as many as `B` has: those of the identity through all reflections,
    /// strips of columns in parallel.
    pub(crate) fn basis(&self, compute: &Compute) -> Result<Array2<f64>> {
        let mut basis = Array2::zeros((self.size, self.rank()).f());
        basis.diag_mut().fill(1.0);
        let strips: Vec<_> = basis.axis_chunks_iter_mut(Axis(1), TILE).collect();
        compute.install(|| {
            strips.into_par_iter().enumerate().try_for_each(|(strip, mut columns)| {
                let end = strip * TILE + columns.ncols();
                for (k, s) in self.factors.iter().enumerate().rev().filter(|(k, _)| (k + 1) * WIDTH < end) {
                    let first = (k + 1) * WIDTH;
                    let v = self.reflectors.slice(s![first.., k * WIDTH..k * WIDTH + s.nrows()]);
                    apply(v, s.view(), columns.slice_mut(s![first.., ..]));
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
fn transform(mut a: ArrayViewMut2<f64>, v: ArrayView2<f64>, s: ArrayView2<f64>, tiles: &[Range<usize>]) {
    let image = symmetric_product(a.view(), v, tiles);
    let mut x = product(image.view(), s);
    let inner = product(s.t(), product(v.t(), x.view()).view());
    add_product(x.view_mut(), v, inner.view(), -0.5);
    let beside = |a, b| concatenate(Axis(1), &[a, b]).expect("as many rows");
    let (left, right) = (beside(x.view(), v), beside(v, x.view()));
    let mut strips = Vec::with_capacity(tiles.len());
    for tile in tiles {
        let (strip, others) = a.split_at(Axis(1), tile.len());
        strips.push((strip, tile));
        a = others;
    }
    strips.into_par_iter().for_each(|(strip, tile)| {
        let target = strip.slice_move(s![tile.start.., ..]);
        add_product(target, left.slice(s![tile.start.., ..]), right.slice(s![tile.clone(), ..]).t(), -1.0);
    });
}

/// `AV` from what stands on and below the diagonal, blocks of rows in parallel.
fn symmetric_product(a: ArrayView2<f64>, v: ArrayView2<f64>, tiles: &[Range<usize>]) -> Array2<f64> {
    let mut image = Array2::zeros((a.nrows(), v.ncols()).f());
    let mut rows = Vec::with_capacity(tiles.len());
    let mut rest = image.view_mut();
    for tile in tiles {
        let (block, others) = rest.split_at(Axis(0), tile.len());
        rows.push((block, tile));
        rest = others;
    }
    rows.into_par_iter().for_each(|(mut block, tile)| {
        add_product(block.view_mut(), a.slice(s![tile.clone(), ..tile.end]), v.slice(s![..tile.end, ..]), 1.0);
        let column = a.slice(s![tile.end.., tile.clone()]);
        add_product(block, column.t(), v.slice(s![tile.end.., ..]), 1.0);
    });
    image
}
