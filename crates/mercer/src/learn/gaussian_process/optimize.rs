//! The choice of parameters by the marginal likelihood: L-BFGS in logarithms, from several starts.

use ndarray::{ArrayView1, ArrayView2};

use super::GaussianProcess;
use super::likelihood::Posterior;
use crate::error::Remedy;
use crate::learn::parameter_space::{ParameterSpace, SearchOptions, search};
use crate::{Compute, Error, Kernel, Result};

/// How the parameters were chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimization {
    /// Whether the gradient was small at the end.
    pub converged: bool,
    /// Steps of the best run.
    pub iterations: usize,
    /// The log marginal likelihood that each start led to; negative infinity for a start at which
    /// it is not defined.
    pub likelihoods: Vec<f64>,
    /// Times that the likelihood was evaluated.
    pub evaluations: usize,
    /// Whether a time limit ended the search: the parameters are the best until then.
    pub interrupted: bool,
}

/// The kernel and the noise of the largest marginal likelihood that was found.
pub(super) fn optimize(
    process: &GaussianProcess,
    kernel: &Kernel,
    x: ArrayView2<f64>,
    y: ArrayView1<f64>,
    compute: &Compute,
) -> Result<(Kernel, f64, Optimization)> {
    let space = ParameterSpace::new(kernel, ("noise", process.noise), &process.fixed, &process.free);
    let start = space.start();
    let silent = compute.silent();
    let mut objective = |point: &[f64]| negative(&space, point, x, y, &silent);
    let options = SearchOptions {
        restarts: process.restarts,
        parameters: start.len(),
        tolerance: 1e-6,
        scale: x.nrows() as f64,
        work: &format!("parameters of {} on {} rows", process.kernel, x.nrows()),
        describe: |value| format!("log likelihood {:.4}", -value),
    };
    let found = search(&mut objective, &start, &options, compute)?;
    let Some(best) = found.best else {
        // The first start says what is wrong.
        Posterior::new(kernel, process.noise, x, y, compute)?;
        return Err(Error::undefined("the marginal likelihood at every start", Remedy::larger("noise")));
    };
    let (kernel, noise) = space.at(&best.point)?;
    let likelihoods = found.values.iter().map(|v| -v).collect();
    let (converged, iterations, evaluations) = (best.converged, best.iterations, found.evaluations);
    let interrupted = found.interrupted;
    Ok((kernel, noise, Optimization { converged, iterations, likelihoods, evaluations, interrupted }))
}

/// `−log p(y)` and its gradient by the free parameters; infinity where the matrix is singular or a
/// parameter leaves its range.
fn negative(
    space: &ParameterSpace<'_>,
    point: &[f64],
    x: ArrayView2<f64>,
    y: ArrayView1<f64>,
    compute: &Compute,
) -> Result<(f64, Vec<f64>)> {
    let undefined = (f64::INFINITY, vec![0.0; point.len()]);
    let Ok((kernel, noise)) = space.at(point) else { return Ok(undefined) };
    match Posterior::new(&kernel, noise, x, y, compute) {
        Ok(posterior) => {
            let requested = space.requested();
            let mut gradient = space.restrict(&posterior.gradient(x, y, &requested, compute)?);
            if gradient.iter().any(|g| g.is_nan()) {
                gradient = space.restrict(&posterior.dense_gradient(x, &requested, compute)?);
            }
            Ok((-posterior.log_likelihood, gradient.iter().map(|g| -g).collect()))
        }
        Err(Error::Singular { .. } | Error::Undefined { .. } | Error::Value { .. }) => Ok(undefined),
        Err(other) => Err(other),
    }
}
