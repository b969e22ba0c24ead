//! The marginal likelihood and its gradient.

use std::ops::Range;
use std::sync::OnceLock;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rayon::prelude::*;

use super::state_space::{Decomposition, Line, law};
use crate::gram::{self, Bound, Pairs};
use crate::kernel::Parameter;
use crate::solve::{Factor, Factored, factor};
use crate::{Compute, Error, Kernel, Result};

/// Rows of a strip of derivatives.
const STRIP: usize = 64;

/// `α = A⁻¹y` for `A = K + σ²I`, with the decomposition of `A` once it was needed.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    pub(super) kernel: Kernel,
    pub(super) noise: f64,
    decomposition: OnceLock<Decomposition>,
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
        let decomposition = decompose(kernel, noise, x, compute)?;
        compute.check_cancelled()?;
        let alpha = decomposition.solve(y, compute)?;
        let n = x.nrows() as f64;
        let log_likelihood =
            -0.5 * (y.dot(&alpha) + decomposition.log_determinant() + n * (2.0 * std::f64::consts::PI).ln());
        Ok(Self { kernel: kernel.clone(), noise, decomposition: decomposition.into(), alpha, log_likelihood })
    }

    /// From what was saved: everything but the decomposition.
    pub(super) fn from_parts(kernel: Kernel, noise: f64, alpha: Array1<f64>, log_likelihood: f64) -> Self {
        Self { kernel, noise, decomposition: OnceLock::new(), alpha, log_likelihood }
    }

    /// The decomposition of `A`: made again, with the same bytes, after the process was loaded.
    pub(super) fn decomposition(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<&Decomposition> {
        if let Some(decomposition) = self.decomposition.get() {
            return Ok(decomposition);
        }
        let decomposition = decompose(&self.kernel, self.noise, x, compute)?;
        Ok(self.decomposition.get_or_init(|| decomposition))
    }

    /// `∂ log p(y)/∂ log θ` for every parameter, in the order of [`names`]; by `θ` itself for a parameter that may be negative. Along a line, NaN for
    /// a parameter that changes the number of states.
    pub(super) fn gradient(&self, x: ArrayView2<f64>, y: ArrayView1<f64>, compute: &Compute) -> Result<Vec<f64>> {
        match self.decomposition(x, compute)? {
            Decomposition::Dense(factor) => self.gradient_by(factor, x, compute),
            Decomposition::Line(line) => Ok(line.gradient(self, y)),
        }
    }

    /// The same from the matrix, for every parameter.
    pub(super) fn dense_gradient(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
        match self.decomposition(x, compute)? {
            Decomposition::Dense(factor) => self.gradient_by(factor, x, compute),
            Decomposition::Line(_) => self.gradient_by(&dense(&self.kernel, self.noise, x, compute)?, x, compute),
        }
    }

    /// # Formula
    /// `½ tr((ααᵀ − A⁻¹) ∂A/∂θ)`.
    fn gradient_by(&self, factor: &Factor, x: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
        let n = x.nrows();
        let advice = "use fewer rows or a higher memory limit";
        compute.reserve("the inverse in the gradient of the likelihood", 3 * 8 * (n as u64).pow(2), advice)?;
        let inverse = factor.solve(Array2::eye(n).view(), compute)?;
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

/// `K + σ²I`, along a line where the kernel is that of a Markov process, else by its Cholesky factor.
fn decompose(kernel: &Kernel, noise: f64, x: ArrayView2<f64>, compute: &Compute) -> Result<Decomposition> {
    Ok(match law(kernel, noise, x.ncols()) {
        Some(law) => Decomposition::Line(Line::new(law, noise, x)),
        None => Decomposition::Dense(dense(kernel, noise, x, compute)?),
    })
}

/// The Cholesky factor of `K + σ²I`.
fn dense(kernel: &Kernel, noise: f64, x: ArrayView2<f64>, compute: &Compute) -> Result<Factor> {
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
