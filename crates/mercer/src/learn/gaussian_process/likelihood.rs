//! The marginal likelihood and its gradient.

use std::ops::Range;

use faer::MatRef;
use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use crate::gram::{self, Bound, Pairs};
use crate::kernel::Parameter;
use crate::solve::{Factor, Factored, factor};
use crate::{Compute, Error, Kernel, Result};

/// Rows of a strip of derivatives.
const STRIP: usize = 64;

/// `A = K + σ²I` factored, and `α = A⁻¹y`.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    pub(super) kernel: Kernel,
    pub(super) noise: f64,
    pub(super) factor: Factor,
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
        let bound = kernel.bind(Pairs::within(x), compute)?;
        let mut matrix = gram::dense(&bound, compute)?;
        matrix.diag_mut().mapv_inplace(|d| d + noise);
        let Factored::Definite(factor) = factor(matrix, compute)? else { return Err(singular(kernel, noise)) };
        let alpha = factor.solve(y.insert_axis(Axis(1)), compute)?.index_axis_move(Axis(1), 0);
        let n = x.nrows() as f64;
        let log_likelihood = -0.5 * (y.dot(&alpha) + factor.log_determinant() + n * (2.0 * std::f64::consts::PI).ln());
        Ok(Self { kernel: kernel.clone(), noise, factor, alpha, log_likelihood })
    }

    /// `∂ log p(y)/∂ log θ` for every parameter, in the order of [`names`]; by `θ` itself for a parameter that may be negative. Parameters that are
    /// not `wanted` get 0.
    ///
    /// # Formula
    /// `½ tr((ααᵀ − A⁻¹) ∂A/∂θ)`, for all parameters in one pass over blocks of columns of `A⁻¹`, which is not stored.
    pub(super) fn gradient(&self, x: ArrayView2<f64>, wanted: &[bool], compute: &Compute) -> Result<Vec<f64>> {
        let n = x.nrows() as u64;
        let bytes = 3 * 8 * n * n.min(192) * compute.threads() as u64;
        let advice = "use fewer rows, fewer threads or a higher memory limit";
        compute.reserve("columns of the inverse in the gradient of the likelihood", bytes, advice)?;
        let bound = self.kernel.bind(Pairs::within(x), compute)?;
        let block = |first: usize, inverse: MatRef<'_, f64>| self.traces(&bound, first, inverse, wanted);
        let blocks = self.factor.inverse_columns(block, compute)?;
        let trace = |p: usize| blocks.iter().map(|traces| traces[p]).sum::<f64>();
        let chains = self.kernel.parameters().iter().map(chain).chain([self.noise]).collect::<Vec<f64>>();
        Ok(chains.into_iter().enumerate().map(|(p, chain)| 0.5 * trace(p) * chain).collect())
    }

    /// The part of a block of columns of `A⁻¹`, from the diagonal down, in every `tr((ααᵀ − A⁻¹) ∂A/∂θ)`.
    fn traces(&self, bound: &Bound<'_>, first: usize, inverse: MatRef<'_, f64>, wanted: &[bool]) -> Result<Vec<f64>> {
        let cols = first..first + inverse.ncols();
        let mut traces = vec![0.0; wanted.len()];
        let (noise, parameters) = traces.split_last_mut().expect("the noise is always there");
        *noise = cols.clone().map(|j| self.alpha[j] * self.alpha[j] - inverse[(j - first, j - first)]).sum();
        for start in (first..self.alpha.len()).step_by(STRIP) {
            let rows = start..self.alpha.len().min(start + STRIP);
            let weights = self.weights(&rows, &cols, inverse);
            let mut slopes = Array1::zeros(weights.len());
            for (p, trace) in parameters.iter_mut().enumerate().filter(|(p, _)| wanted[*p]) {
                let target = slopes.as_slice_mut().expect("a new array is contiguous");
                bound.fill_derivative(p, rows.clone(), cols.clone(), target)?;
                *trace += weights.dot(&slopes);
            }
        }
        Ok(traces)
    }

    /// `αᵢαⱼ − (A⁻¹)ᵢⱼ`, row after row; twice that below the diagonal block, for the entries above it.
    fn weights(&self, rows: &Range<usize>, cols: &Range<usize>, inverse: MatRef<'_, f64>) -> Array1<f64> {
        let row = |i: usize| {
            let times = if i < cols.end { 1.0 } else { 2.0 };
            let line = inverse.row(i - cols.start);
            cols.clone().map(move |j| times * (self.alpha[i] * self.alpha[j] - line[j - cols.start]))
        };
        rows.clone().flat_map(row).collect()
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
