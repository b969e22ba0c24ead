//! Stationary kernels on regular axes: circulant embeddings.

use ndarray::{Array2, ArrayView1, s};

use super::convolution::{Spectrum, Torus};
use super::points::Grid;
use crate::gram::{self, Pairs};
use crate::{Compute, Kernel, Points, Precision, Result};

/// Offsets whose kernel values are computed at a time. Not tuned.
const CHUNK: usize = 1 << 16;

/// The circulant matrix of a stationary kernel on a torus around the grid, and its inverse with λ.
#[derive(Clone, Debug)]
pub(super) struct Toeplitz {
    pub(super) torus: Torus,
    spectrum: Spectrum,
    inverse: Spectrum,
}

impl Toeplitz {
    pub(super) fn new(kernel: &Kernel, grid: &Grid, lambda: f64, compute: &Compute) -> Result<Self> {
        let torus = Torus::new(&grid.lengths());
        let spectrum = torus.spectrum(&column(kernel, grid, &torus.sizes(), compute)?, true, compute)?;
        let size = torus.cells_of_torus() as f64;
        // The embedding may have negative eigenvalues; those of the grid itself are not.
        let inverted = |c: &f64| 1.0 / ((c * size).max(0.0) + lambda) / size;
        let inverse = Spectrum { re: spectrum.re.iter().map(inverted).collect(), im: None };
        Ok(Self { torus, spectrum, inverse })
    }

    /// `Kv` on all cells, in the order of [`Torus::place`].
    pub(super) fn product(&self, v: &[f64], compute: &Compute) -> Result<Vec<f64>> {
        self.torus.convolve(&self.spectrum, false, v, compute)
    }

    /// `(C + λI)⁻¹v` for the circulant matrix `C`, on the cells of the grid.
    pub(super) fn circulant_inverse(&self, v: &[f64], compute: &Compute) -> Result<Vec<f64>> {
        self.torus.convolve(&self.inverse, false, v, compute)
    }
}

/// The values of the kernel between the first cell and all of the torus, the nearer way around.
fn column(kernel: &Kernel, grid: &Grid, sizes: &[usize], compute: &Compute) -> Result<Vec<f64>> {
    let double = compute.clone().with_precision(Precision::Double).silent();
    let total: usize = sizes.iter().product();
    let origin = Array2::zeros((1, grid.columns));
    let one = Array2::ones((1, 1));
    let mut values = Vec::with_capacity(total);
    for start in (0..total).step_by(CHUNK) {
        let rows = CHUNK.min(total - start);
        let mut points = Array2::zeros((rows, grid.columns));
        for (i, mut point) in points.rows_mut().into_iter().enumerate() {
            let mut rest = start + i;
            for (axis, &m) in grid.axes.iter().zip(sizes).rev() {
                let (at, step) = (rest % m, axis.step.unwrap_or(1.0));
                rest /= m;
                point[axis.column] = step * if 2 * at > m { at as f64 - m as f64 } else { at as f64 };
            }
        }
        let pairs = Pairs::Between(Points::Vectors(points.view()), Points::Vectors(origin.view()));
        let found = gram::multiply(&kernel.bind(pairs, &double)?, one.view(), &double)?;
        let found: ArrayView1<f64> = found.slice(s![.., 0]);
        values.extend(found.iter());
    }
    Ok(values)
}
