//! The marginal likelihood and its gradient.

use std::ops::Range;
use std::sync::OnceLock;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use crate::gram::{self, Bound, Pairs};
use crate::kernel::Parameter;
use crate::solve::{Factor, Factored, factor};
use crate::{Compute, Error, Kernel, Result};

/// Rows of a strip of derivatives.
const STRIP: usize = 64;

/// `α = A⁻¹y` for `A = K + σ²I`, with the factor of `A` once it was needed.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    pub(super) kernel: Kernel,
    pub(super) noise: f64,
    factor: OnceLock<Factor>,
    pub(super) alpha: Array1<f64>,
    pub(super) log_likelihood: f64,
}

/// The names of the parameters: those of the kernel in order, then `noise`.
pub(super) fn names(kernel: &Kernel) -> Vec<String> {
    kernel.parameters().into_iter().map(|p| p.name).chain(["noise".to_string()]).collect()
}

impl Posterior {
    pub(super) fn new(
        kernel: &Kernel,
        noise: f64,
        x: ArrayView2<f64>,
        y: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<Self> {
        let factor = factor_of(kernel, noise, x, compute)?;
        let alpha = factor.solve(y.insert_axis(Axis(1)), compute)?.index_axis_move(Axis(1), 0);
        let n = x.nrows() as f64;
        let log_likelihood = -0.5 * (y.dot(&alpha) + factor.log_determinant() + n * (2.0 * std::f64::consts::PI).ln());
        Ok(Self { kernel: kernel.clone(), noise, factor: factor.into(), alpha, log_likelihood })
    }

    /// From what was saved: everything but the factor.
    pub(super) fn from_parts(kernel: Kernel, noise: f64, alpha: Array1<f64>, log_likelihood: f64) -> Self {
        Self { kernel, noise, factor: OnceLock::new(), alpha, log_likelihood }
    }

    /// The factor of `A`: made again, with the same bytes, after the process was loaded.
    pub(super) fn factor(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<&Factor> {
        if let Some(factor) = self.factor.get() {
            return Ok(factor);
        }
        let factor = factor_of(&self.kernel, self.noise, x, compute)?;
        Ok(self.factor.get_or_init(|| factor))
    }

    /// `∂ log p(y)/∂ log θ` for every parameter, in the order of [`names`]; by `θ` itself for a parameter that may be negative.
    ///
    /// # Formula
    /// `½ tr((ααᵀ − A⁻¹) ∂A/∂θ)`.
    pub(super) fn gradient(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
        let n = x.nrows();
        let advice = "use fewer rows or a higher memory limit";
        compute.reserve("the inverse in the gradient of the likelihood", 3 * 8 * (n as u64).pow(2), advice)?;
        let inverse = self.factor(x, compute)?.solve(Array2::eye(n).view(), compute)?;
        let bound = self.kernel.bind(Pairs::within(x), compute)?;
        let mut gradient = Vec::new();
        for (p, parameter) in self.kernel.parameters().into_iter().enumerate() {
            let slope = 0.5 * self.trace(&bound, p, &inverse, compute)?;
            gradient.push(slope * chain(&parameter));
        }
        let noise = 0.5 * (self.alpha.dot(&self.alpha) - inverse.diag().sum());
        gradient.push(noise * self.noise);
        Ok(gradient)
    }

    /// `tr((ααᵀ − A⁻¹) ∂K/∂θ)`, strip by strip in parallel, summed in order.
    fn trace(&self, bound: &Bound<'_>, parameter: usize, inverse: &Array2<f64>, compute: &Compute) -> Result<f64> {
        let n = inverse.nrows();
        let strip = |s: usize| {
            compute.check_cancelled()?;
            let rows: Range<usize> = s * STRIP..n.min((s + 1) * STRIP);
            let mut slopes = vec![0.0; rows.len() * n];
            bound.fill_derivative(parameter, rows.clone(), 0..n, &mut slopes)?;
            let row = |(line, i): (&[f64], usize)| {
                let pairs = line.iter().zip(&self.alpha).zip(inverse.row(i));
                pairs.map(|((d, a), v)| d * (self.alpha[i] * a - v)).sum::<f64>()
            };
            Ok(slopes.chunks(n).zip(rows).map(row).sum::<f64>())
        };
        let parts: Result<Vec<f64>> = compute.install(|| (0..n.div_ceil(STRIP)).into_par_iter().map(strip).collect());
        Ok(parts?.iter().sum())
    }
}

/// The Cholesky factor of `K + σ²I`.
fn factor_of(kernel: &Kernel, noise: f64, x: ArrayView2<f64>, compute: &Compute) -> Result<Factor> {
    let mut matrix = gram::dense(&kernel.bind(Pairs::within(x), compute)?, compute)?;
    matrix.diag_mut().mapv_inplace(|d| d + noise);
    match factor(matrix, compute)? {
        Factored::Definite(factor) => Ok(factor),
        Factored::Singular(_) => Err(singular(kernel, noise)),
    }
}

/// `∂θ/∂ log θ`, or 1 for a parameter that is free of sign.
fn chain(parameter: &Parameter) -> f64 {
    if parameter.positive { parameter.value } else { 1.0 }
}

fn singular(kernel: &Kernel, noise: f64) -> Error {
    Error::Numerical(format!(
        "K + {noise}·I of {kernel} is singular to working precision on this data (repeated points, or a noise variance that is too small \
         beside the kernel): the likelihood is not defined; use a larger noise"
    ))
}
