//! The choice of parameters, and of inducing points, by the objective.

use ndarray::{Array1, Array2, Axis};

use super::SparseGaussianProcess;
use super::posterior::{Posterior, SparseData};
use super::spec::SparseParameters;
use crate::error::Remedy;
use crate::learn::gaussian_process::Optimization;
use crate::learn::parameter_space::{ParameterSpace, SearchOptions, Target, search};
use crate::{Compute, Error, Result};

/// The parameters that move and, where they move too, the inducing points in units of the spread of
/// each column.
struct Space<'a> {
    spec: &'a SparseGaussianProcess,
    parameters: ParameterSpace<'a>,
    points: &'a Array2<f64>,
    units: Array1<f64>,
    data: SparseData<'a>,
}

impl Space<'_> {
    fn start(&self) -> Vec<f64> {
        let mut start = self.parameters.start();
        if self.spec.move_inducing {
            start.extend((self.points / &self.units).iter());
        }
        start
    }

    fn at(&self, point: &[f64]) -> Result<SparseParameters> {
        let (parameters, positions) = point.split_at(self.parameters.start().len());
        let (kernel, noise) = self.parameters.at(parameters)?;
        let points = match Array2::from_shape_vec(self.points.dim(), positions.to_vec()) {
            Ok(scaled) => scaled * &self.units,
            Err(_) => self.points.clone(),
        };
        Ok((kernel, noise, points))
    }

    /// Minus the objective and its gradient; infinity where it is not defined.
    fn negative(&self, point: &[f64], compute: &Compute) -> Result<(f64, Vec<f64>)> {
        let undefined = (f64::INFINITY, vec![0.0; point.len()]);
        let Ok((kernel, noise, points)) = self.at(point) else { return Ok(undefined) };
        match self.spec.posterior(&kernel, noise, points.view(), self.data, compute) {
            Ok(posterior) => {
                let gradient = self.gradient(&posterior, compute)?;
                Ok((-posterior.objective, gradient.iter().map(|g| -g).collect()))
            }
            Err(Error::Singular { .. } | Error::Undefined { .. } | Error::Value { .. }) => Ok(undefined),
            Err(other) => Err(other),
        }
    }

    fn gradient(&self, posterior: &Posterior, compute: &Compute) -> Result<Vec<f64>> {
        let requested = self.parameters.requested();
        let slopes = posterior.slopes(self.data, &requested, self.spec.move_inducing, compute)?;
        let mut gradient = self.parameters.restrict(&slopes.parameters);
        if let Some(moved) = slopes.inducing {
            // Points that are left out do not move.
            let mut all = Array2::zeros(self.points.dim());
            for (row, &j) in moved.rows().into_iter().zip(&posterior.basis.kept) {
                all.row_mut(j).assign(&(&row * &self.units));
            }
            gradient.extend(all.iter());
        }
        Ok(gradient)
    }
}

/// The place of the largest objective that was found.
pub(super) fn optimize(
    spec: &SparseGaussianProcess,
    start: SparseParameters,
    data: SparseData<'_>,
    compute: &Compute,
) -> Result<(SparseParameters, Optimization)> {
    let (kernel, noise, points) = start;
    let parameters = ParameterSpace::new(&kernel, ("noise", noise), &spec.fixed, &spec.free);
    let units = data.x.std_axis(Axis(0), 0.0).mapv(|s| if s > 0.0 { s } else { 1.0 });
    let moving = parameters.start().len();
    let space = Space { spec, parameters, points: &points, units, data: data.view() };
    let silent = compute.silent();
    let mut objective = |point: &[f64]| space.negative(point, &silent);
    let options = SearchOptions {
        restarts: spec.restarts,
        parameters: moving,
        tolerance: 1e-6,
        scale: data.x.nrows() as f64,
        work: &format!("parameters of {} by {} inducing points", spec.kernel, points.nrows()),
        describe: |value| format!("log likelihood {:.4}", -value),
    };
    let found = search(Target::Smooth(&mut objective), &space.start(), &options, compute)?;
    let Some(best) = found.best else {
        // Only the error of the first start is returned.
        spec.posterior(&kernel, noise, points.view(), data, compute)?;
        return Err(Error::undefined("the objective at every start", Remedy::larger("noise")));
    };
    let likelihoods = found.values.iter().map(|v| -v).collect();
    let (converged, iterations, evaluations) = (best.converged, best.iterations, found.evaluations);
    let interrupted = found.interrupted;
    Ok((space.at(&best.point)?, Optimization { converged, iterations, likelihoods, evaluations, interrupted }))
}
