//! `A = K + σ²I` along a line, in linear time.

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::Prediction;
use super::likelihood::Posterior;
use crate::compute::filled;
use crate::learn::observations::check_points;
use crate::points::PointKind;
use crate::solve::state_space::{LineFunction, MarkovSystem, ProcessSum, line_function, system};
use crate::{Compute, Kernel, Points, Result};

/// The decomposition along a line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    process_sum: ProcessSum,
    pub(super) system: Arc<dyn MarkovSystem>,
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

    /// The numbers that the process carries from point to point.
    pub(super) fn states(&self) -> usize {
        self.process_sum.dimension()
    }

    /// `CᵀA⁻¹C`.
    pub(super) fn explained(&self, cross: ArrayView2<f64>, compute: &Compute) -> Array2<f64> {
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
