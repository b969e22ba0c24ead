//! One axis with equal steps: the inverse of a Toeplitz matrix from one of its columns.

use ndarray::{Array2, ArrayView2};

use super::convolution::Spectrum;
use super::toeplitz::Toeplitz;
use crate::operator::{ByProduct, Shifted};
use crate::solve::{ConjugateGradientOptions, conjugate_gradients};
use crate::{Compute, Error, Result};

/// Steps of the recursion for the determinant, at most: half a second.
const MAX_STEPS: usize = 1 << 14;

/// `A⁻¹` for a symmetric Toeplitz matrix `A = T + λI`, from its first column `x`.
///
/// # Formula
/// `x₀A⁻¹ = L(x)L(x)ᵀ − L(y)L(y)ᵀ` with `y = (0, xₙ₋₁, …, x₁)` and `L(v)` lower triangular Toeplitz
/// with the first column `v` (Gohberg and Semencul 1972).
#[derive(Clone, Debug)]
pub(super) struct LineInverse {
    x: Vec<f64>,
    forward: Spectrum,
    backward: Spectrum,
}

impl LineInverse {
    pub(super) fn new(toeplitz: &Toeplitz, n: usize, lambda: f64, compute: &Compute) -> Result<Self> {
        let x = first_column(toeplitz, n, lambda, compute)?;
        let mut y = vec![0.0; n];
        (1..n).for_each(|i| y[i] = x[n - i]);
        let forward = causal(toeplitz, &x, compute)?;
        let backward = causal(toeplitz, &y, compute)?;
        Ok(Self { x, forward, backward })
    }

    /// `A⁻¹v`.
    pub(super) fn apply(&self, toeplitz: &Toeplitz, v: &[f64], compute: &Compute) -> Result<Vec<f64>> {
        let half = |spectrum: &Spectrum| {
            let inner = toeplitz.convolved(spectrum, true, v, compute)?;
            toeplitz.convolved(spectrum, false, &inner, compute)
        };
        let (plus, minus) = (half(&self.forward)?, half(&self.backward)?);
        Ok(plus.iter().zip(&minus).map(|(p, m)| (p - m) / self.x[0]).collect())
    }

    /// The diagonal of `A⁻¹`: sums of the squares of `x` less those of `y`.
    pub(super) fn diagonal(&self) -> Vec<f64> {
        let n = self.x.len();
        let mut sum = 0.0;
        let next = |i: usize| {
            sum += self.x[i] * self.x[i] - if i > 0 { self.x[n - i] * self.x[n - i] } else { 0.0 };
            sum / self.x[0]
        };
        (0..n).map(next).collect()
    }

    /// The sums of the diagonals of `A⁻¹`, from the main one up.
    ///
    /// # Formula
    /// `Σᵢ (A⁻¹)ᵢ,ᵢ₊ₖ = Σⱼ (n − k − 2j)xⱼxⱼ₊ₖ/x₀`.
    pub(super) fn diagonal_sums(&self, toeplitz: &Toeplitz, compute: &Compute) -> Result<Vec<f64>> {
        let n = self.x.len();
        let plain = toeplitz.convolved(&self.forward, true, &self.x, compute)?;
        let by_index: Vec<f64> = self.x.iter().enumerate().map(|(j, x)| j as f64 * x).collect();
        let weighted = toeplitz.convolved(&causal(toeplitz, &by_index, compute)?, true, &self.x, compute)?;
        Ok((0..n).map(|k| ((n - k) as f64 * plain[k] - 2.0 * weighted[k]) / self.x[0]).collect())
    }

    /// `log det A` and a bound of its error.
    ///
    /// # Formula
    /// `log det A = Σ log Eₖ` over the variances `Eₖ` of predictions from the `k` neighbors before
    /// (Levinson and Durbin), which decrease to `Eₙ₋₁ = 1/x₀`: once `Eₖ` has arrived there, so have
    /// the others; where it has not, all of them lie between.
    pub(super) fn log_determinant(&self, lags: &[f64], lambda: f64, compute: &Compute) -> Result<(f64, f64)> {
        let (n, last) = (lags.len(), 1.0 / self.x[0]);
        let mut variance = lags[0] + lambda;
        let mut sum = variance.ln();
        let mut filter: Vec<f64> = Vec::new();
        for k in 1..n {
            if variance <= last * (1.0 + 1e-15) || k > MAX_STEPS {
                let (left, high, low) = ((n - k) as f64, variance.max(last).ln(), last.ln());
                return Ok((sum + left * 0.5 * (high + low), left * 0.5 * (high - low)));
            }
            let product: f64 = filter.iter().zip(lags[1..k].iter().rev()).map(|(f, t)| f * t).sum();
            let reflection = -(lags[k] + product) / variance;
            let reversed: Vec<f64> = filter.iter().rev().copied().collect();
            filter.iter_mut().zip(&reversed).for_each(|(f, r)| *f += reflection * r);
            filter.push(reflection);
            variance *= 1.0 - reflection * reflection;
            if variance.is_nan() || variance <= 0.0 {
                return Err(Error::singular("the kernel matrix on a grid", "use a larger noise"));
            }
            sum += variance.ln();
            if k % 256 == 0 {
                compute.check_canceled()?;
            }
        }
        Ok((sum, 0.0))
    }

    /// `Σ vᵢvᵢ₊ₖ` for every `k`.
    pub(super) fn autocorrelation(toeplitz: &Toeplitz, v: &[f64], compute: &Compute) -> Result<Vec<f64>> {
        toeplitz.convolved(&causal(toeplitz, v, compute)?, true, v, compute)
    }
}

/// `A⁻¹e₁` by conjugate gradients, with the inverse of the circulant embedding as preconditioner.
fn first_column(toeplitz: &Toeplitz, n: usize, lambda: f64, compute: &Compute) -> Result<Vec<f64>> {
    let column = |values: Vec<f64>| Array2::from_shape_vec((n, 1), values).map_err(|e| Error::shape("a grid", n, e));
    let list = |v: ArrayView2<f64>| v.iter().copied().collect::<Vec<f64>>();
    let toeplitz_product = ByProduct::new(n, |v| column(toeplitz.multiplied(&list(v), compute)?));
    let near = ByProduct::new(n, |v| column(toeplitz.near_inverse(&list(v), compute)?));
    let mut right = Array2::zeros((n, 1));
    right[[0, 0]] = 1.0;
    let system = Shifted::new(&toeplitz_product, lambda);
    let found = conjugate_gradients(&system, &near, right.view(), &ConjugateGradientOptions::default())?;
    Ok(found.solution.into_raw_vec_and_offset().0)
}

/// The spectrum of the lower triangular Toeplitz matrix with this first column.
fn causal(toeplitz: &Toeplitz, column: &[f64], compute: &Compute) -> Result<Spectrum> {
    let mut padded = column.to_vec();
    padded.resize(toeplitz.torus.cells_of_torus(), 0.0);
    toeplitz.torus.spectrum(&padded, false, compute)
}
