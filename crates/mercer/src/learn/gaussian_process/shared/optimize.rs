//! The kernel of several targets by their marginal likelihood.

use ndarray::{Array1, ArrayView2};

use super::SharedGaussianProcess;
use super::evidence::gradient_bytes;
use crate::learn::parameter_space::{ParameterSpace, SearchOptions, Target, search};
use crate::{Compute, Error, Kernel, Points, Result};

impl SharedGaussianProcess {
    /// The bytes of an evaluation of the likelihood with its gradient: the matrix, which becomes its
    /// factor, and columns of the inverse.
    pub(crate) fn search_bytes(n: usize, compute: &Compute) -> u64 {
        8 * (n as u64).pow(2) + gradient_bytes(n, compute)
    }

    /// The kernel and the noise variance of the largest marginal likelihood that is found from here,
    /// with the same variance for all rows; `None` where the likelihood is not defined at the start.
    ///
    /// # Cost
    /// At most 100 evaluations of `n³` and the derivatives.
    ///
    /// # Errors
    /// As [`SharedGaussianProcess::fit`].
    pub(crate) fn optimized(
        &self,
        x: Points<'_>,
        y: ArrayView2<f64>,
        noise: f64,
        compute: &Compute,
    ) -> Result<Option<(Kernel, f64)>> {
        let space = ParameterSpace::new(&self.kernel, ("noise", noise), &[], &[]);
        let (start, silent) = (space.start(), compute.silent());
        let mut objective = |point: &[f64]| {
            let undefined = || (f64::INFINITY, vec![0.0; point.len()]);
            let Ok((kernel, noise)) = space.at(point) else { return Ok(undefined()) };
            match negative_likelihood(kernel, noise, (x.reborrow(), y.view()), &space, &silent) {
                Err(Error::Singular { .. } | Error::Undefined { .. } | Error::Value { .. }) => Ok(undefined()),
                found => found,
            }
        };
        let options = SearchOptions {
            restarts: 0,
            parameters: start.len(),
            tolerance: 1e-4,
            scale: y.len() as f64,
            work: &format!("parameters of {} on {} rows", self.kernel.short(), x.len()),
            describe: |value| format!("log likelihood {:.4}", -value),
        };
        let found = search(Target::Smooth(&mut objective), &start, &options, compute)?;
        found.best.map(|best| space.at(&best.point)).transpose()
    }
}

/// `−log p(Y)` and its gradient by the free parameters, those in their logarithms that are positive.
fn negative_likelihood(
    kernel: Kernel,
    noise: f64,
    (x, y): (Points<'_>, ArrayView2<f64>),
    space: &ParameterSpace<'_>,
    compute: &Compute,
) -> Result<(f64, Vec<f64>)> {
    let requested = space.requested();
    let of_kernel = &requested[..requested.len() - 1];
    let values: Vec<(f64, bool)> = kernel.parameters().iter().map(|p| (p.value, p.positive)).collect();
    let variances = Array1::from_elem(y.nrows(), noise);
    let process = SharedGaussianProcess::new(kernel);
    let (value, slopes) = process.likelihood_gradient(x, y, variances.view(), of_kernel, compute)?;
    let in_logarithm =
        |(slope, &(value, positive)): (&f64, &(f64, bool))| if positive { slope * value } else { *slope };
    let mut gradient: Vec<f64> = slopes.parameters.iter().zip(&values).map(in_logarithm).collect();
    gradient.push(slopes.noise * noise);
    Ok((-value, space.restrict(&gradient).into_iter().map(|g| -g).collect()))
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::Seed;

    fn data() -> (Array2<f64>, Array2<f64>) {
        let mut random = Seed(2).stream("relevance", 0);
        let x = Array2::from_shape_fn((90, 3), |_| random.normal());
        let y = Array2::from_shape_fn((90, 2), |(i, t)| (x[[i, 1]] * (1.0 + t as f64)).sin() + 0.1 * random.normal());
        (x, y)
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let (x, y) = data();
        let kernel: Kernel = "2*gaussian(lengthscale=[1, 2, 0.7])".parse().unwrap();
        let space = ParameterSpace::new(&kernel, ("noise", 0.3), &[], &[]);
        let at = |point: &[f64]| {
            let (kernel, noise) = space.at(point).unwrap();
            let compute = Compute::new();
            negative_likelihood(kernel, noise, (Points::Vectors(x.view()), y.view()), &space, &compute).unwrap()
        };
        let start = space.start();
        let (_, gradient) = at(&start);
        assert_eq!(gradient.len(), 5);
        for (i, &slope) in gradient.iter().enumerate() {
            let shifted = |h: f64| {
                let mut point = start.clone();
                point[i] += h;
                at(&point).0
            };
            crate::assert_close!(slope, (shifted(1e-5) - shifted(-1e-5)) / 2e-5, 1e-5);
        }
    }

    #[test]
    fn columns_without_influence_get_long_lengthscales() {
        let (x, y) = data();
        let start = SharedGaussianProcess::new("1*gaussian(lengthscale=[2, 2, 2])".parse().unwrap());
        let found = start.optimized(Points::Vectors(x.view()), y.view(), 0.5, &Compute::new()).unwrap();
        let (kernel, noise) = found.unwrap();
        let values: Vec<f64> = kernel.parameters().iter().map(|p| p.value).collect();
        let [_, first, second, third] = values[..] else { panic!("{kernel}") };
        assert!(second < 3.0 && first > 5.0 * second && third > 5.0 * second, "{kernel}");
        assert!((0.003..0.03).contains(&noise), "{noise}");
    }
}
