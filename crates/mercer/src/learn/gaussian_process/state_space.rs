//! `A = K + σ²I` decomposed: by Cholesky, or along a line in linear time.

use std::fmt;
use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::Prediction;
use super::grid::OnGrid;
use super::likelihood::Posterior;
use crate::compute::filled;
use crate::learn::observations::check_points;
use crate::points::PointKind;
use crate::solve::CholeskyFactor;
use crate::solve::state_space::{LineFunction, MarkovSystem, ProcessSum, line_function, system};
use crate::{Compute, Kernel, Points, Result};

/// Up to this many rows a derivative that the state space does not provide is computed from the
/// matrix.
pub(super) const DENSE_ROWS: usize = 4096;

/// How the posterior of a Gaussian process was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessMethod {
    /// By a Cholesky factor of `K + σ²I`.
    Cholesky,
    /// Along one column by a Kalman filter and its adjoint, for kernels of Markov processes: exact,
    /// in linear time and memory.
    StateSpace {
        /// The numbers that the process carries from point to point.
        states: usize,
    },
    /// On a grid, by Fourier transforms or Kronecker products.
    Grid {
        /// The cells of the grid, missing ones included.
        cells: usize,
    },
}

impl fmt::Display for ProcessMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cholesky => f.write_str("Cholesky"),
            Self::StateSpace { states: 1 } => f.write_str("state space: O(n), 1 state"),
            Self::Grid { cells } => write!(f, "grid of {cells} cells"),
            Self::StateSpace { states } => write!(f, "state space: O(n), {states} states"),
        }
    }
}

/// `A = K + σ²I`, decomposed.
#[derive(Clone, Debug)]
pub(super) enum Decomposition {
    Dense(CholeskyFactor),
    Line(Line),
    Grid(Box<OnGrid>),
}

/// The decomposition along a line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    process_sum: ProcessSum,
    system: Arc<dyn MarkovSystem>,
    /// The posterior mean; made when it is first needed.
    mean: OnceLock<Arc<dyn LineFunction>>,
}

/// The distribution of the process along one column of the data, where there is one and the noise
/// is positive.
pub(super) fn process_sum(kernel: &Kernel, noise: f64, x: Points<'_>) -> Option<ProcessSum> {
    ProcessSum::of(kernel, x.columns()).filter(|_| noise > 0.0 && x.kind() != PointKind::Sparse)
}

/// Bytes of a fit along the line.
pub(super) fn bytes(process_sum: &ProcessSum, rows: usize) -> u64 {
    let states = process_sum.dimension() as u64;
    8 * rows as u64 * (2 * states * states + 4 * states + 16)
}

/// The data in ascending order along the line, so that it is sorted once and not in every step of
/// an optimization; none without a line.
pub(super) fn ascending(
    kernel: &Kernel,
    noise: f64,
    x: Points<'_>,
    y: ArrayView1<f64>,
) -> Option<(Array2<f64>, Array1<f64>)> {
    let process_sum = process_sum(kernel, noise, x)?;
    let Points::Vectors(x) = x else { return None };
    let position = x.column(process_sum.column());
    let mut rows: Vec<usize> = (0..x.nrows()).collect();
    rows.sort_unstable_by(|&a, &b| position[a].total_cmp(&position[b]).then(a.cmp(&b)));
    Some((x.select(Axis(0), &rows), y.select(Axis(0), &rows)))
}

impl Decomposition {
    /// `A⁻¹y`.
    pub(super) fn solve(&self, y: ArrayView1<f64>, compute: &Compute) -> Result<Array1<f64>> {
        match self {
            Self::Dense(factor) => Ok(factor.solve(y.insert_axis(Axis(1)), compute)?.index_axis_move(Axis(1), 0)),
            Self::Line(line) => Ok(line.system.solve(y).into()),
            Self::Grid(grid) => Ok(grid.solve(y.insert_axis(Axis(1)), compute)?.index_axis_move(Axis(1), 0)),
        }
    }

    pub(super) fn log_determinant(&self) -> f64 {
        match self {
            Self::Dense(factor) => factor.log_determinant(),
            Self::Line(line) => line.system.log_determinant(),
            Self::Grid(grid) => grid.log_determinant(),
        }
    }

    /// The diagonal of `A⁻¹`.
    pub(super) fn inverse_diagonal(&self, compute: &Compute) -> Result<Vec<f64>> {
        match self {
            Self::Dense(factor) => factor.inverse_diagonal(compute),
            Self::Line(line) => Ok(line.system.inverse_diagonal()),
            Self::Grid(grid) => grid.inverse_diagonal(compute),
        }
    }

    /// `CᵀA⁻¹C`.
    pub(super) fn explained(&self, cross: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        match self {
            Self::Dense(factor) => {
                let half = factor.half_solve(cross, compute)?;
                Ok(half.t().dot(&half))
            }
            Self::Line(line) => Ok(line.explained(cross, compute)),
            Self::Grid(grid) => grid.explained(cross, compute),
        }
    }
}

impl Line {
    pub(super) fn new(process_sum: ProcessSum, noise: f64, x: ArrayView2<f64>) -> Self {
        let system = system(&process_sum, x.column(process_sum.column()), None, noise);
        Self { process_sum, system, mean: OnceLock::new() }
    }

    /// `∂ log p(y)/∂ log θ` for the parameters of the kernel and the noise; NaN for parameters
    /// without a state-space derivative.
    pub(super) fn gradient(&self, posterior: &Posterior, y: ArrayView1<f64>) -> Vec<f64> {
        let slopes = self.system.slopes(&posterior.kernel, y);
        slopes.by_parameters.into_iter().chain([slopes.by_noise * posterior.noise]).collect()
    }

    /// Mean and variance at every row of `x`.
    pub(super) fn predict(
        &self,
        posterior: &Posterior,
        points: ArrayView2<f64>,
        x: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Prediction> {
        let mean = self.mean(posterior, points, x, compute)?;
        let variance = compute.install(|| self.system.variances(x.column(self.process_sum.column())));
        Ok(Prediction { mean, variance: variance.into() })
    }

    /// The mean at every row of `x`.
    pub(super) fn mean(
        &self,
        posterior: &Posterior,
        points: ArrayView2<f64>,
        x: ArrayView2<f64>,
        compute: &Compute,
    ) -> Result<Array1<f64>> {
        check_points(&posterior.kernel, points.ncols(), x)?;
        let column = self.process_sum.column();
        let alpha = posterior.alpha.view().insert_axis(Axis(1));
        let mean = filled(&self.mean, || line_function(&self.process_sum, points.column(column), alpha));
        Ok(compute.install(|| mean.values(x.column(column))).index_axis_move(Axis(1), 0))
    }

    fn explained(&self, cross: ArrayView2<f64>, compute: &Compute) -> Array2<f64> {
        let columns: Vec<ArrayView1<f64>> = cross.columns().into_iter().collect();
        let column = |c: ArrayView1<f64>| cross.t().dot(&Array1::from(self.system.solve(c)));
        let found: Vec<Array1<f64>> = compute.install(|| columns.into_par_iter().map(column).collect());
        let mut product = Array2::zeros((cross.ncols(), cross.ncols()));
        for (mut row, values) in product.rows_mut().into_iter().zip(&found) {
            row.assign(values);
        }
        (&product + &product.t()) * 0.5
    }
}
