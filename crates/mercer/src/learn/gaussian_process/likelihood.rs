//! The marginal likelihood and its gradient.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::decomposition::Decomposition;
use super::features::{FeatureRows, InFeatures};
use super::grid::{self, OnGrid};
use super::state_space::{Line, process_sum};
use crate::error::{MemoryPurpose, Remedy};
use crate::gram::{self, Bound, Pairs};
use crate::kernel::Parameter;
use crate::solve::{CholeskyFactor, Factored, factor};
use crate::wording::number_text;
use crate::{Compute, Error, Kernel, Points, Result};

/// Points against which a block of columns of the inverse is looked at together. 64 to 1024 differ
/// by less than 2 % (1000 rows, 5 columns).
const STRIP: usize = 256;

/// `α = A⁻¹y` for `A = K + σ²I`, with the decomposition of `A` once it was needed.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    pub(super) kernel: Kernel,
    pub(super) noise: f64,
    decomposition: OnceLock<Decomposition>,
    pub(super) alpha: Array1<f64>,
    pub(super) log_likelihood: f64,
    /// A bound or a standard error of the likelihood on a grid; 0 where it is exact.
    pub(super) error: f64,
}

/// The names of the parameters: those of the kernel in order, then `noise`.
pub(super) fn names(kernel: &Kernel) -> Vec<String> {
    kernel.parameters().into_iter().map(|p| p.name).chain(["noise".to_string()]).collect()
}

impl Posterior {
    pub(super) fn new(
        kernel: &Kernel,
        noise: f64,
        x: Points<'_>,
        y: ArrayView1<f64>,
        compute: &Compute,
    ) -> Result<Self> {
        Ok(Self::bound(kernel, noise, x, y, None, compute)?.0)
    }

    /// The same with the features of the posterior `before` it where they are of use, and with the
    /// bound kernel that the matrix was computed by, if one was: slopes at the same parameters use it
    /// again.
    pub(super) fn bound<'x>(
        kernel: &Kernel,
        noise: f64,
        x: Points<'x>,
        y: ArrayView1<f64>,
        before: Option<&Arc<FeatureRows>>,
        compute: &Compute,
    ) -> Result<(Self, Option<Bound<'x>>)> {
        let (decomposition, bound) = decompose(kernel, noise, x, before, compute)?;
        compute.check_canceled()?;
        let alpha = decomposition.solve(y, compute)?;
        let n = x.len() as f64;
        let log_likelihood =
            -0.5 * (y.dot(&alpha) + decomposition.log_determinant() + n * (2.0 * std::f64::consts::PI).ln());
        let error = match &decomposition {
            Decomposition::Grid(grid) => 0.5 * grid.error,
            _ => 0.0,
        };
        let posterior =
            Self { kernel: kernel.clone(), noise, decomposition: decomposition.into(), alpha, log_likelihood, error };
        Ok((posterior, bound))
    }

    /// From what was saved: everything but the decomposition.
    pub(super) fn from_parts(
        kernel: Kernel,
        noise: f64,
        alpha: Array1<f64>,
        (log_likelihood, error): (f64, f64),
    ) -> Self {
        Self { kernel, noise, decomposition: OnceLock::new(), alpha, log_likelihood, error }
    }

    /// The decomposition, if it has been made.
    pub(super) fn known(&self) -> Option<&Decomposition> {
        self.decomposition.get()
    }

    /// The features in which it was found, if it was.
    pub(super) fn feature_rows(&self) -> Option<&Arc<FeatureRows>> {
        match self.known() {
            Some(Decomposition::Features(found)) => Some(found.rows()),
            _ => None,
        }
    }

    /// The decomposition of `A`: made again, with the same bytes, after the process was loaded.
    pub(super) fn decomposition(&self, x: Points<'_>, compute: &Compute) -> Result<&Decomposition> {
        if let Some(decomposition) = self.decomposition.get() {
            return Ok(decomposition);
        }
        let (decomposition, _) = decompose(&self.kernel, self.noise, x, None, compute)?;
        Ok(self.decomposition.get_or_init(|| decomposition))
    }

    /// `∂ log p(y)/∂ log θ` for every parameter, in the order of [`names`]; by `θ` itself for a
    /// parameter that may be negative. Parameters that are not `requested` may get 0. Along a line,
    /// NaN for a parameter that changes the number of states. The kernel is bound to the points
    /// unless it is given.
    pub(super) fn gradient<'x>(
        &self,
        x: Points<'x>,
        y: ArrayView1<f64>,
        requested: &[bool],
        bound: Option<&Bound<'x>>,
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        match self.decomposition(x, compute)? {
            Decomposition::Dense(factor) => self.gradient_by(factor, x, requested, bound, compute),
            Decomposition::Line(line) => Ok(line.gradient(self, y)),
            Decomposition::Grid(grid) => match grid.gradient(self, requested, compute)? {
                Some(slopes) => Ok(slopes.iter().zip(self.chains()).map(|(s, chain)| s * chain).collect()),
                None => grid::differences(self, x, y, requested, compute),
            },
            Decomposition::Features(found) => found.gradient(self, x, requested, compute),
        }
    }

    /// `∂θ/∂ log θ` for every parameter, the noise last.
    fn chains(&self) -> Vec<f64> {
        self.kernel.parameters().iter().map(chain).chain([self.noise]).collect()
    }

    /// The same from the matrix.
    pub(super) fn dense_gradient(&self, x: Points<'_>, requested: &[bool], compute: &Compute) -> Result<Vec<f64>> {
        match self.decomposition(x, compute)? {
            Decomposition::Dense(factor) => self.gradient_by(factor, x, requested, None, compute),
            _ => {
                let (factor, bound) = dense(&self.kernel, self.noise, x, compute)?;
                self.gradient_by(&factor, x, requested, Some(&bound), compute)
            }
        }
    }

    /// # Formula
    /// `½ tr((ααᵀ − A⁻¹) ∂A/∂θ)`, for all parameters in one pass over blocks of columns of `A⁻¹`,
    /// which is not stored.
    fn gradient_by<'x>(
        &self,
        factor: &CholeskyFactor,
        x: Points<'x>,
        requested: &[bool],
        bound: Option<&Bound<'x>>,
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        let n = x.len() as u64;
        let bytes = 3 * 8 * n * n.min(192) * compute.threads() as u64;
        let advice = "use fewer rows, fewer threads or a higher memory limit";
        compute.reserve(
            MemoryPurpose::Factorization,
            "columns of the inverse in the gradient of the likelihood",
            bytes,
            advice,
        )?;
        let own;
        let bound = match bound {
            Some(bound) => bound,
            None => {
                own = self.kernel.bind(Pairs::Within(x), compute)?;
                &own
            }
        };
        let block = |first: usize, inverse: ArrayView2<f64>| Ok(self.traces(bound, first, inverse, requested));
        let blocks = factor.inverse_columns(block, compute)?;
        let trace = |p: usize| blocks.iter().map(|traces| traces[p]).sum::<f64>();
        Ok(self.chains().into_iter().enumerate().map(|(p, chain)| 0.5 * trace(p) * chain).collect())
    }

    /// The average information of Gilmour, Thompson and Cullis (1995), of the parameters requested:
    /// the mean of the negative Hessian of `log p(y)` and its expectation, without second
    /// derivatives; by the logarithms as [`Self::gradient`].
    ///
    /// # Formula
    /// `½ (∂A/∂θᵢ α)ᵀ A⁻¹ (∂A/∂θⱼ α)`.
    pub(super) fn information<'x>(
        &self,
        x: Points<'x>,
        requested: &[bool],
        bound: Option<&Bound<'x>>,
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        if let Decomposition::Features(found) = self.decomposition(x, compute)? {
            return found.information(self, x, requested, compute);
        }
        let alpha = self.alpha.as_slice().unwrap_or_default();
        let (noise, parameters) = requested.split_last().map_or((false, requested), |(noise, rest)| (*noise, rest));
        let mut slopes = match bound {
            Some(bound) => bound.row_slopes(alpha, parameters, compute)?,
            None => self.kernel.bind(Pairs::Within(x), compute)?.row_slopes(alpha, parameters, compute)?,
        };
        let chains = self.kernel.parameters();
        for (mut column, (parameter, _)) in
            slopes.columns_mut().into_iter().zip(chains.iter().zip(parameters).filter(|(_, r)| **r))
        {
            column *= chain(parameter);
        }
        if noise {
            slopes.push_column((&self.alpha * self.noise).view()).expect("one entry per row");
        }
        let solved = match self.decomposition(x, compute)? {
            Decomposition::Dense(factor) => factor.solve(slopes.view(), compute)?,
            _ => dense(&self.kernel, self.noise, x, compute)?.0.solve(slopes.view(), compute)?,
        };
        Ok(0.5 * slopes.t().dot(&solved))
    }

    /// The part of a block of columns of `A⁻¹`, from the diagonal down, in every
    /// `tr((ααᵀ − A⁻¹) ∂A/∂θ)`.
    fn traces(&self, bound: &Bound<'_>, first: usize, inverse: ArrayView2<f64>, requested: &[bool]) -> Vec<f64> {
        let cols = first..first + inverse.ncols();
        let mut traces = vec![0.0; requested.len()];
        let (noise, parameters) = traces.split_last_mut().expect("the noise is always there");
        *noise = cols.clone().map(|j| self.alpha[j] * self.alpha[j] - inverse[[j - first, j - first]]).sum();
        let Some((_, requested)) = requested.split_last() else { return traces };
        for start in (first..self.alpha.len()).step_by(STRIP) {
            let rows = start..self.alpha.len().min(start + STRIP);
            let weights = self.weights(&rows, &cols, inverse);
            // The columns of A⁻¹ stand one after the other, and A⁻¹ is symmetric: they are the rows
            // of the tile.
            bound.contract_tile(cols.clone(), rows, &weights, requested, parameters);
        }
        traces
    }

    /// `αᵢαⱼ − (A⁻¹)ᵢⱼ`, column after column; twice that below the diagonal block, for the entries
    /// above it.
    fn weights(&self, rows: &Range<usize>, cols: &Range<usize>, inverse: ArrayView2<f64>) -> Vec<f64> {
        let alpha = self.alpha.as_slice().unwrap_or_default();
        let mut weights = Vec::with_capacity(rows.len() * cols.len());
        for (j, line) in cols.clone().zip(inverse.columns()) {
            // The columns of a block stand in memory one after the other.
            let line = line.to_slice().unwrap_or_default();
            let line = &line[rows.start - cols.start..rows.end - cols.start];
            weights.extend(alpha[rows.clone()].iter().zip(line).map(|(a, inverse)| a * alpha[j] - inverse));
            let below = rows.len() - (cols.end.max(rows.start) - rows.start).min(rows.len());
            let end = weights.len();
            weights[end - below..].iter_mut().for_each(|w| *w *= 2.0);
        }
        weights
    }
}

/// `K + σ²I` by the first way of [`Route`](super::decomposition::Route) there is; by its Cholesky
/// factor with the bound kernel.
fn decompose<'x>(
    kernel: &Kernel,
    noise: f64,
    x: Points<'x>,
    before: Option<&Arc<FeatureRows>>,
    compute: &Compute,
) -> Result<(Decomposition, Option<Bound<'x>>)> {
    if let Some(process_sum) = process_sum(kernel, noise, x) {
        return Ok((Decomposition::Line(Line::new(process_sum, noise, x.vectors()?)), None));
    }
    if let Some(grid) = grid::grid(kernel, noise, x) {
        return Ok((Decomposition::Grid(Box::new(OnGrid::new(kernel, noise, grid, compute)?)), None));
    }
    if let Some(found) = InFeatures::new(kernel, noise, x, before, compute)? {
        return Ok((Decomposition::Features(Arc::new(found)), None));
    }
    let (factor, bound) = dense(kernel, noise, x, compute)?;
    Ok((Decomposition::Dense(factor), Some(bound)))
}

/// The Cholesky factor of `K + σ²I`, and the bound kernel.
fn dense<'x>(kernel: &Kernel, noise: f64, x: Points<'x>, compute: &Compute) -> Result<(CholeskyFactor, Bound<'x>)> {
    let bound = kernel.bind(Pairs::Within(x), compute)?;
    let mut matrix = gram::dense(&bound, compute)?;
    matrix.diag_mut().mapv_inplace(|d| d + noise);
    match factor(matrix, compute)? {
        Factored::Definite(factor) => Ok((factor, bound)),
        Factored::Singular(_) => Err(singular(kernel, noise)),
    }
}

/// `∂θ/∂ log θ`, or 1 for a parameter that is free of sign.
fn chain(parameter: &Parameter) -> f64 {
    if parameter.positive { parameter.value } else { 1.0 }
}

pub(super) fn singular(kernel: &Kernel, noise: f64) -> Error {
    Error::singular(
        format!(
            "K + {}·I of {kernel} on this data (repeated points, or a noise variance that is too small beside the kernel)",
            number_text(noise)
        ),
        Remedy::larger("noise"),
    )
}
