//! Stationary kernels on regular axes: circulant embeddings.

use ndarray::{Array2, ArrayView1, s};

use super::convolution::{Spectrum, Torus};
use super::kronecker::{Kronecker, along};
use super::points::{Grid, LONGEST_FACTOR};
use crate::gram::{self, Pairs};
use crate::{Compute, Kernel, Points, Precision, Result};

/// Offsets whose kernel values are computed at a time: a megabyte. Not tuned.
const CHUNK: usize = 1 << 14;

/// The circulant matrix of a stationary kernel on a torus around the grid, and its inverse with λ.
#[derive(Clone, Debug)]
pub(super) struct Toeplitz {
    pub(super) torus: Torus,
    /// The number of cells.
    cells: usize,
    spectrum: Spectrum,
    inverse: Spectrum,
    /// With several axes, a matrix near the kernel matrix that is easily inverted: the products of
    /// the eigenvectors along the axes, with `diag UᵀKU`. It needs a sixth to a tenth of the steps
    /// of the circulant inverse, which takes the ends of the axes for neighbors.
    pub(super) near: Option<Kronecker>,
    /// The values of the kernel from the first cell on, for one axis.
    pub(super) lags: Vec<f64>,
}

impl Toeplitz {
    pub(super) fn new(kernel: &Kernel, grid: &Grid, lambda: f64, compute: &Compute) -> Result<Self> {
        let torus = Torus::new(&grid.lengths());
        let column = column(kernel, grid, &torus.sizes(), compute)?;
        let spectrum = torus.spectrum(&column, true, compute)?;
        let size = torus.cells_of_torus() as f64;
        // The embedding may have negative eigenvalues; those of the grid itself are not.
        let inverted = |c: &f64| 1.0 / ((c * size).max(0.0) + lambda) / size;
        let lags = if grid.axes.len() == 1 { column[..grid.cells()].to_vec() } else { Vec::new() };
        drop(column);
        let near = match grid.axes.len() > 1 && grid.axes.iter().all(|a| a.values.len() <= LONGEST_FACTOR) {
            true => Some(near(kernel, grid, &torus, &spectrum, compute)?),
            false => None,
        };
        let inverse = match near {
            Some(_) => Vec::new(),
            None => spectrum.re.iter().map(inverted).collect(),
        };
        let inverse = Spectrum { re: inverse, im: None };
        Ok(Self { torus, cells: grid.cells(), spectrum, inverse, near, lags })
    }

    /// `Kv` on all cells.
    pub(super) fn multiplied(&self, v: &[f64], compute: &Compute) -> Result<Vec<f64>> {
        self.convolved(&self.spectrum, false, v, compute)
    }

    /// `(C + λI)⁻¹v` for the circulant matrix `C`, on the cells of the grid.
    pub(super) fn near_inverse(&self, v: &[f64], compute: &Compute) -> Result<Vec<f64>> {
        self.convolved(&self.inverse, false, v, compute)
    }

    /// A product on the torus, from the cells to the cells.
    pub(super) fn convolved(
        &self,
        spectrum: &Spectrum,
        transposed: bool,
        v: &[f64],
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        let mut padded = v.to_vec();
        padded.resize(self.torus.len(), 0.0);
        let found = self.torus.convolve(spectrum, transposed, &padded, compute)?;
        Ok((0..self.cells).map(|cell| found[self.torus.place(cell)]).collect())
    }
}

/// The matrix with the eigenvectors along the axes that is nearest to the kernel matrix.
///
/// # Formula
/// `uᵀKu = Σ c(ω)|û(ω)|²` over the frequencies of the torus, with the spectrum `c`; a product over
/// the axes for a product `u`.
fn near(kernel: &Kernel, grid: &Grid, torus: &Torus, spectrum: &Spectrum, compute: &Compute) -> Result<Kronecker> {
    let size = torus.cells_of_torus() as f64;
    Kronecker::new(kernel, grid, compute)?.with_values(|vectors| {
        let powers: Vec<Array2<f64>> = vectors.iter().enumerate().map(|(a, u)| torus.powers(a, u, compute)).collect();
        let eigenvalues = spectrum.re.iter().map(|c| c * size).collect();
        let found = along(eigenvalues, powers.iter().map(|p| p.view()), compute)?;
        Ok(found.into_iter().map(|d| d.max(0.0)).collect())
    })
}

/// The values of the kernel between the first cell and all of the torus, the nearer way around.
fn column(kernel: &Kernel, grid: &Grid, sizes: &[usize], compute: &Compute) -> Result<Vec<f64>> {
    let double = compute.clone().with_precision(Precision::Double).silent();
    let total: usize = sizes.iter().product();
    let origin = Array2::zeros((1, grid.columns));
    let one = Array2::ones((1, 1));
    let mut values = Vec::with_capacity(total);
    for start in (0..total).step_by(CHUNK) {
        let points = offsets(grid, sizes, start..total.min(start + CHUNK));
        let pairs = Pairs::Between(Points::Vectors(points.view()), Points::Vectors(origin.view()));
        let found = gram::multiply(&kernel.bind(pairs, &double)?, one.view(), &double)?;
        let found: ArrayView1<f64> = found.slice(s![.., 0]);
        values.extend(found.iter());
    }
    Ok(values)
}

/// The differences of cells of a torus from the first one.
fn offsets(grid: &Grid, sizes: &[usize], cells: std::ops::Range<usize>) -> Array2<f64> {
    let mut points = Array2::zeros((cells.len(), grid.columns));
    for (cell, mut point) in cells.zip(points.rows_mut()) {
        let mut rest = cell;
        for (axis, &m) in grid.axes.iter().zip(sizes).rev() {
            let (at, step) = (rest % m, axis.step.unwrap_or(1.0));
            rest /= m;
            point[axis.column] = step * if 2 * at > m { at as f64 - m as f64 } else { at as f64 };
        }
    }
    points
}

/// `Σ wₖ ∂k(lag k)/∂θ` along one axis, for every parameter requested.
pub(super) fn lag_slopes(
    kernel: &Kernel,
    grid: &Grid,
    weights: &[f64],
    requested: &[bool],
    compute: &Compute,
) -> Result<Vec<f64>> {
    let double = compute.clone().with_precision(Precision::Double).silent();
    let origin = Array2::zeros((1, grid.columns));
    let mut sums = vec![0.0; requested.len()];
    for (part, weights) in weights.chunks(CHUNK).enumerate() {
        compute.check_canceled()?;
        // No lag is beyond half of such a torus.
        let points = offsets(grid, &[usize::MAX / 2], part * CHUNK..part * CHUNK + weights.len());
        let pairs = Pairs::Between(Points::Vectors(points.view()), Points::Vectors(origin.view()));
        kernel.bind(pairs, &double)?.contract_tile(0..weights.len(), 0..1, weights, requested, &mut sums);
    }
    Ok(sums)
}
