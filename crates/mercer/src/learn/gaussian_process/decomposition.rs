//! `A = K + σ²I` decomposed: by Cholesky, along a line, on a grid, or in features.

use std::fmt;
use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::features::{self, InFeatures, feature_count};
use super::grid::{self, OnGrid, grid};
use super::state_space::{self, Line, process_sum};
use crate::solve::CholeskyFactor;
use crate::solve::grid::Grid;
use crate::solve::state_space::ProcessSum;
use crate::{Compute, Kernel, Points, Result};

/// Up to this many rows a derivative that the state space does not provide is computed from the
/// matrix.
pub(super) const DENSE_ROWS: usize = 4096;

/// Steps of conjugate gradients on a grid that a plan counts with.
const STEPS: f64 = 30.0;

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
    /// In the features of a kernel with few: exact, in time and memory linear in the rows.
    Features {
        /// The number of features.
        features: usize,
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
            Self::Features { features } => write!(f, "in {features} features: O(n)"),
            Self::Grid { cells } => write!(f, "grid of {cells} cells"),
            Self::StateSpace { states } => write!(f, "state space: O(n), {states} states"),
        }
    }
}

/// The decomposition that is chosen for a kernel and points.
pub(super) enum Route {
    Line(ProcessSum),
    Grid(Grid),
    /// With so many features.
    Features(usize),
    Dense,
}

impl Route {
    /// Along a line where the kernel is that of a Markov process, on a grid where the points are a
    /// large one, in features where the kernel has few, else by a Cholesky factor.
    ///
    /// # Errors
    /// As [`Kernel::bind`].
    pub(super) fn new(kernel: &Kernel, noise: f64, x: Points<'_>, compute: &Compute) -> Result<Self> {
        if let Some(process_sum) = process_sum(kernel, noise, x) {
            return Ok(Self::Line(process_sum));
        }
        if let Some(grid) = grid(kernel, noise, x) {
            return Ok(Self::Grid(grid));
        }
        Ok(feature_count(kernel, noise, x, compute)?.map_or(Self::Dense, Self::Features))
    }

    /// The most bytes that a fit allocates at a time.
    pub(super) fn bytes(&self, x: Points<'_>, compute: &Compute) -> u64 {
        match self {
            Self::Line(process_sum) => state_space::bytes(process_sum, x.len()),
            Self::Grid(grid) => grid::bytes(grid, compute.threads()),
            Self::Features(count) => features::bytes(x.len(), *count) + x.object_bytes(),
            Self::Dense => 8 * (x.len() as u64).pow(2) + x.object_bytes(),
        }
    }

    /// Operations of an evaluation of the likelihood, about.
    pub(super) fn operations(&self, rows: usize, gradient: bool, compute: &Compute) -> f64 {
        let (n, passes) = (rows as f64, if gradient { 3.0 } else { 1.0 });
        match self {
            Self::Line(process_sum) => passes * n * (30.0 * (process_sum.dimension() as f64).powi(3) + 100.0),
            Self::Grid(grid) => {
                let plan = grid.plan(compute.threads());
                passes * plan.preparation + STEPS * plan.step
            }
            Self::Features(count) => passes * n * (*count as f64).powi(2),
            Self::Dense => passes * n.powi(3) / 3.0,
        }
    }

    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Line(_) => "the kernel is that of a Markov process along one column",
            Self::Grid(_) => "the points are a grid",
            Self::Features(_) => "the kernel has few features on these points",
            Self::Dense => "the posterior is exact",
        }
    }

    pub(super) fn method(&self) -> ProcessMethod {
        match self {
            Self::Line(process_sum) => ProcessMethod::StateSpace { states: process_sum.dimension() },
            Self::Grid(grid) => ProcessMethod::Grid { cells: grid.cells() },
            Self::Features(features) => ProcessMethod::Features { features: *features },
            Self::Dense => ProcessMethod::Cholesky,
        }
    }
}

/// `A = K + σ²I`, decomposed.
#[derive(Clone, Debug)]
pub(super) enum Decomposition {
    Dense(CholeskyFactor),
    Line(Line),
    Grid(Box<OnGrid>),
    Features(Arc<InFeatures>),
}

impl Decomposition {
    pub(super) fn method(&self) -> ProcessMethod {
        match self {
            Self::Dense(_) => ProcessMethod::Cholesky,
            Self::Line(line) => ProcessMethod::StateSpace { states: line.states() },
            Self::Grid(grid) => ProcessMethod::Grid { cells: grid.cells() },
            Self::Features(found) => ProcessMethod::Features { features: found.count() },
        }
    }

    /// `A⁻¹y`.
    pub(super) fn solve(&self, y: ArrayView1<f64>, compute: &Compute) -> Result<Array1<f64>> {
        match self {
            Self::Dense(factor) => Ok(factor.solve(y.insert_axis(Axis(1)), compute)?.index_axis_move(Axis(1), 0)),
            Self::Line(line) => Ok(line.system.solve(y).into()),
            Self::Grid(grid) => Ok(grid.solve(y.insert_axis(Axis(1)), compute)?.index_axis_move(Axis(1), 0)),
            Self::Features(found) => Ok(found.solve(y.insert_axis(Axis(1)), compute)?.index_axis_move(Axis(1), 0)),
        }
    }

    pub(super) fn log_determinant(&self) -> f64 {
        match self {
            Self::Dense(factor) => factor.log_determinant(),
            Self::Line(line) => line.system.log_determinant(),
            Self::Grid(grid) => grid.log_determinant(),
            Self::Features(found) => found.log_determinant(),
        }
    }

    /// The diagonal of `A⁻¹`.
    pub(super) fn inverse_diagonal(&self, compute: &Compute) -> Result<Vec<f64>> {
        match self {
            Self::Dense(factor) => factor.inverse_diagonal(compute),
            Self::Line(line) => Ok(line.system.inverse_diagonal()),
            Self::Grid(grid) => grid.inverse_diagonal(compute),
            Self::Features(found) => found.inverse_diagonal(compute),
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
            Self::Features(found) => found.explained(cross, compute),
        }
    }
}
