//! The choice of parameters by the marginal likelihood: L-BFGS in logarithms, from several starts.

use ndarray::{ArrayView1, ArrayView2};

use super::GaussianProcess;
use super::likelihood::{Posterior, names};
use crate::solve::{LbfgsOptions, Minimum, minimise};
use crate::{Compute, Error, Kernel, Result};

/// The logarithm of a parameter stays this close to where it started: a factor of 10¹⁰.
const REACH: f64 = 23.0;
/// The spread of the logarithms of the random starts.
const SPREAD: f64 = 1.5;

/// How the parameters were chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimisation {
    /// Whether the gradient was small at the end.
    pub converged: bool,
    /// Steps of the best run.
    pub iterations: usize,
    /// The log marginal likelihood that each start led to; negative infinity for a start at which it is not defined.
    pub likelihoods: Vec<f64>,
    /// Times that the likelihood was evaluated.
    pub evaluations: usize,
}

/// Which of the parameters move, and what the others are.
struct Space<'a> {
    kernel: &'a Kernel,
    /// Values of all parameters, the noise last.
    values: Vec<f64>,
    /// The places of those that move, and whether they move in the logarithm.
    free: Vec<(usize, bool)>,
}

impl<'a> Space<'a> {
    fn new(process: &GaussianProcess, kernel: &'a Kernel) -> Self {
        let parameters = kernel.parameters();
        let values: Vec<f64> = parameters.iter().map(|p| p.value).chain([process.noise]).collect();
        let positive: Vec<bool> = parameters.iter().map(|p| p.positive).chain([true]).collect();
        let movable = |i: &usize, name: &String| !(process.fixed.contains(name) || (positive[*i] && values[*i] == 0.0));
        let free = names(kernel).into_iter().enumerate().filter(|(i, name)| movable(i, name));
        let free = free.map(|(i, _)| (i, positive[i])).collect();
        Self { kernel, values, free }
    }

    fn start(&self) -> Vec<f64> {
        self.free.iter().map(|&(i, log)| if log { self.values[i].ln() } else { self.values[i] }).collect()
    }

    /// The kernel and the noise at a point.
    fn at(&self, point: &[f64]) -> Result<(Kernel, f64)> {
        let mut values = self.values.clone();
        for (&(i, log), &v) in self.free.iter().zip(point) {
            values[i] = if log { v.exp() } else { v };
        }
        let (noise, parameters) = values.split_last().expect("the noise is always there");
        Ok((self.kernel.with_parameters(parameters)?, *noise))
    }
}

/// The kernel and the noise of the largest marginal likelihood that was found.
pub(super) fn optimise(
    process: &GaussianProcess,
    kernel: &Kernel,
    x: ArrayView2<f64>,
    y: ArrayView1<f64>,
    compute: &Compute,
) -> Result<(Kernel, f64, Optimisation)> {
    let space = Space::new(process, kernel);
    let start = space.start();
    let mut evaluations = 0;
    let mut objective = |point: &[f64]| {
        evaluations += 1;
        let far = point.iter().zip(&start).any(|(p, s)| (p - s).abs() > REACH);
        if far { Ok((f64::INFINITY, vec![0.0; point.len()])) } else { negative(&space, point, x, y, compute) }
    };
    let mut runs: Vec<Minimum> = Vec::new();
    for restart in 0..=process.restarts {
        let from = perturbed(&start, restart, compute);
        runs.push(minimise(&mut objective, &from, &LbfgsOptions::default())?);
        compute.report("marginal likelihood", restart as u64 + 1, process.restarts as u64 + 1);
    }
    let likelihoods = runs.iter().map(|run| -run.value).collect();
    let best = runs.into_iter().filter(|run| run.value.is_finite()).min_by(|a, b| a.value.total_cmp(&b.value));
    let Some(best) = best else {
        // The first start says what is wrong.
        Posterior::new(kernel, process.noise, x, y, compute)?;
        return Err(Error::Numerical("the marginal likelihood is not defined at any start".into()));
    };
    let (kernel, noise) = space.at(&best.point)?;
    let (converged, iterations) = (best.converged, best.iterations);
    Ok((kernel, noise, Optimisation { converged, iterations, likelihoods, evaluations }))
}

/// `−log p(y)` and its gradient by the free parameters; infinity where the matrix is singular or a parameter leaves its range.
fn negative(
    space: &Space<'_>,
    point: &[f64],
    x: ArrayView2<f64>,
    y: ArrayView1<f64>,
    compute: &Compute,
) -> Result<(f64, Vec<f64>)> {
    let undefined = (f64::INFINITY, vec![0.0; point.len()]);
    let Ok((kernel, noise)) = space.at(point) else { return Ok(undefined) };
    match Posterior::new(&kernel, noise, x, y, compute) {
        Ok(posterior) => {
            let mut wanted = vec![false; space.values.len()];
            space.free.iter().for_each(|&(i, _)| wanted[i] = true);
            let gradient = posterior.gradient(x, &wanted, compute)?;
            Ok((-posterior.log_likelihood, space.free.iter().map(|&(i, _)| -gradient[i]).collect()))
        }
        Err(Error::Numerical(_) | Error::Value { .. }) => Ok(undefined),
        Err(other) => Err(other),
    }
}

/// The first start itself, then points around it.
fn perturbed(start: &[f64], restart: usize, compute: &Compute) -> Vec<f64> {
    if restart == 0 {
        return start.to_vec();
    }
    let mut stream = compute.seed().stream("restarts", restart as u64);
    start.iter().map(|s| s + SPREAD * stream.normal()).collect()
}
