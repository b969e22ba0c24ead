//! `A = K + σ²I` on a grid, by Fourier transforms or Kronecker products.

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::Prediction;
use super::likelihood::Posterior;
use crate::compute::filled;
use crate::gram::{self, Pairs};
use crate::learn::observations::check_points;
use crate::solve::grid::{Grid, GridFunction, GridSystem, Structure};
use crate::{Compute, Error, Kernel, Points, Result};

/// Rows from which a grid is used where everything on it has a closed form: with several axes, and
/// along one. A factor of 512 rows takes some milliseconds.
const PLANE_ROWS: usize = 512;
const LINE_ROWS: usize = 2048;
/// Rows from which it is used where the log determinant is estimated: a factor takes a minute.
const ESTIMATED_ROWS: usize = 14_000;
/// Points whose variances are computed together.
const STRIP: usize = 256;
/// The step of differences of the likelihood by the logarithm of a parameter, of which the square is
/// the relative error.
const DIFFERENCE: f64 = 1e-3;

/// The decomposition on a grid.
#[derive(Clone, Debug)]
pub(super) struct OnGrid {
    system: GridSystem,
    log_determinant: f64,
    /// A bound or a standard error of the log determinant; 0 where it is exact.
    pub(super) error: f64,
    /// The posterior mean at the cells; made when it is first needed.
    mean: OnceLock<Arc<GridFunction>>,
}

/// The grid that the points are, where a process on it is computed there.
pub(super) fn grid(kernel: &Kernel, noise: f64, x: Points<'_>) -> Option<Grid> {
    if noise.is_nan() || noise <= 0.0 || x.len() < PLANE_ROWS {
        return None;
    }
    let grid = Grid::of(kernel, x)?;
    let enough = match (grid.structure(), grid.is_complete(), grid.axes()) {
        (Structure::Kronecker, true, _) => PLANE_ROWS,
        (Structure::Toeplitz, true, 1) => LINE_ROWS,
        _ => ESTIMATED_ROWS,
    };
    (x.len() >= enough).then_some(grid)
}

/// Bytes of a fit on a grid.
pub(super) fn bytes(grid: &Grid, threads: usize) -> u64 {
    // Conjugate gradients, the data, and vectors of the evidence.
    grid.plan(threads).bytes + 8 * 24 * grid.cells() as u64
}

impl OnGrid {
    pub(super) fn new(kernel: &Kernel, noise: f64, grid: Grid, compute: &Compute) -> Result<Self> {
        let system = GridSystem::new(kernel, Arc::new(grid), None, noise, compute)?;
        let (log_determinant, error) = system.log_determinant(compute)?;
        Ok(Self { system, log_determinant, error, mean: OnceLock::new() })
    }

    /// The cells of the grid, missing ones included.
    pub(super) fn cells(&self) -> usize {
        self.system.grid().cells()
    }

    pub(super) fn log_determinant(&self) -> f64 {
        self.log_determinant
    }

    pub(super) fn solve(&self, right: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        Ok(self.system.solve(right, compute)?.solution)
    }

    pub(super) fn inverse_diagonal(&self, compute: &Compute) -> Result<Vec<f64>> {
        let found = self.system.inverse_diagonal(compute)?.ok_or_else(|| {
            Error::unsupported(
                "the diagonal of the inverse",
                format!("a grid of {}", self.system.grid()),
                "it has a closed form for grids without missing cells, along one axis or for a product over the columns",
                "use fewer rows",
            )
        })?;
        Ok(found.to_vec())
    }

    /// `CᵀA⁻¹C`.
    pub(super) fn explained(&self, cross: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let product = cross.t().dot(&self.solve(cross, compute)?);
        Ok((&product + &product.t()) * 0.5)
    }

    /// `½ Σ (αᵢαⱼ − (A⁻¹)ᵢⱼ) ∂Aᵢⱼ/∂θ` for the parameters of the kernel and the noise; none where it
    /// has no closed form.
    pub(super) fn gradient(
        &self,
        posterior: &Posterior,
        requested: &[bool],
        compute: &Compute,
    ) -> Result<Option<Vec<f64>>> {
        let kernel_part = &requested[..requested.len() - 1];
        let found = self.system.slopes(&posterior.kernel, posterior.alpha.view(), kernel_part, compute)?;
        Ok(found.map(|(slopes, by_noise)| slopes.into_iter().chain([by_noise]).map(|s| 0.5 * s).collect()))
    }

    /// The mean at every row of `x`.
    pub(super) fn mean(
        &self,
        posterior: &Posterior,
        points: Points<'_>,
        x: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        check_points(&posterior.kernel, points.columns(), x)?;
        let alpha = posterior.alpha.view().insert_axis(Axis(1));
        let pairwise = |x: Points<'_>| {
            let bound = posterior.kernel.bind(Pairs::Between(x.reborrow(), points.reborrow()), compute)?;
            gram::multiply(&bound, alpha, compute)
        };
        let function = match self.mean.get() {
            Some(function) => function.clone(),
            None => match GridFunction::new(&posterior.kernel, points, alpha, compute)? {
                Some(made) => filled(&self.mean, || Arc::new(made)).clone(),
                None => return Ok(pairwise(Points::Vectors(x))?.index_axis_move(Axis(1), 0)),
            },
        };
        Ok(function.values(x, pairwise)?.index_axis_move(Axis(1), 0))
    }

    /// Mean and variance at every row of `x`.
    ///
    /// # Formula
    /// At a cell of the data `σ² − σ⁴(A⁻¹)ᵢᵢ`; else `k(x, x) − k(x)ᵀA⁻¹k(x)`.
    pub(super) fn predict(
        &self,
        posterior: &Posterior,
        points: Points<'_>,
        x: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Prediction> {
        let mean = self.mean(posterior, points, x, compute)?;
        let elsewhere = |x: Points<'_>| Ok(self.variances(posterior, points, x, compute)?.insert_axis(Axis(1)));
        let noise = posterior.noise;
        let variance = match self.system.inverse_diagonal(compute)? {
            Some(diagonal) => {
                let at_rows = diagonal.mapv(|b| (noise - noise * noise * b).max(0.0)).insert_axis(Axis(1));
                let by_cell = self.system.grid().by_cell(at_rows.view());
                self.system.grid().at_cells(x, by_cell.view(), elsewhere)?
            }
            None => elsewhere(Points::Vectors(x))?,
        };
        Ok(Prediction { mean, variance: variance.index_axis_move(Axis(1), 0) })
    }

    /// Variances anywhere.
    fn variances(
        &self,
        posterior: &Posterior,
        points: Points<'_>,
        x: Points<'_>,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        let kernel = &posterior.kernel;
        let mut variance = kernel.bind(Pairs::Within(x), compute)?.diagonal()?;
        for start in (0..x.len()).step_by(STRIP) {
            let rows = start..x.len().min(start + STRIP);
            let part = x.part(rows.clone());
            let known: Array1<f64> = match self.system.explained(kernel, part.as_points().vectors()?, compute)? {
                Some(known) => known,
                None => {
                    let pairs = Pairs::Between(points.reborrow(), part.as_points());
                    let cross = gram::dense(&kernel.bind(pairs, compute)?, compute)?;
                    (&self.solve(cross.view(), compute)? * &cross).sum_axis(Axis(0))
                }
            };
            variance.slice_mut(ndarray::s![rows]).zip_mut_with(&known, |v, k| *v = (*v - k).max(0.0));
        }
        Ok(variance)
    }
}

/// `∂ log p(y)/∂ log θ` by central differences, for the parameters requested. The random vectors of
/// an estimated determinant are the same on both sides.
pub(super) fn differences(
    posterior: &Posterior,
    x: Points<'_>,
    y: ArrayView1<f64>,
    requested: &[bool],
    compute: &Compute,
) -> Result<Vec<f64>> {
    let parameters = posterior.kernel.parameters();
    let at = |p: usize, step: f64| {
        let mut values: Vec<f64> = parameters.iter().map(|p| p.value).chain([posterior.noise]).collect();
        let positive = parameters.get(p).is_none_or(|p| p.positive);
        values[p] = if positive { values[p] * step.exp() } else { values[p] + step };
        let (noise, rest) = values.split_last().expect("the noise is always there");
        Ok::<f64, Error>(
            Posterior::new(&posterior.kernel.with_parameters(rest)?, *noise, x, y, compute)?.log_likelihood,
        )
    };
    let slope = |p: usize| Ok((at(p, DIFFERENCE)? - at(p, -DIFFERENCE)?) / (2.0 * DIFFERENCE));
    requested.iter().enumerate().map(|(p, requested)| if *requested { slope(p) } else { Ok(0.0) }).collect()
}
