//! Kernels of finite rank: an eigenproblem of the size of the rank.

use ndarray::{Array1, Array2};

use super::modes::Modes;
use crate::Compute;
use crate::Result;
use crate::function::norms::integrate;
use crate::kernel::elementary::finite_rank::{Basis, FiniteRank};
use crate::solve::symmetric_eigen;

/// Eigenvalues below this share of the first are rounding.
const NEGLIGIBLE: f64 = 1e-14;

/// `ψⱼ = Σₖ cₖⱼφₖ` for the functions `φₖ` of a basis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Combination {
    basis: Basis,
    /// A row per function of the basis, a column per mode.
    coefficients: Array2<f64>,
}

impl Combination {
    pub(super) fn at(&self, x: f64) -> Vec<f64> {
        self.coefficients.t().dot(&values(self.basis, self.coefficients.nrows(), x)).to_vec()
    }
}

fn values(basis: Basis, count: usize, x: f64) -> Array1<f64> {
    let mut values = Array1::zeros(count);
    basis.values(count, x, |k, value: f64| values[k] = value);
    values
}

pub(super) fn on_interval(
    kernel: &FiniteRank,
    factor: f64,
    from: f64,
    to: f64,
    count: usize,
) -> Result<(Vec<f64>, Modes, f64)> {
    let n = kernel.weights().len();
    let moment = |k: usize, l: usize| {
        integrate(from, to, |x| {
            let values = values(kernel.basis(), n, x);
            values[k] * values[l]
        })
    };
    solve(kernel, factor, Array2::from_shape_fn((n, n), |(k, l)| moment(k, l)), count)
}

pub(super) fn under_normal(
    kernel: &FiniteRank,
    factor: f64,
    deviation: f64,
    count: usize,
) -> Result<(Vec<f64>, Modes, f64)> {
    let n = kernel.weights().len();
    let moments = match kernel.basis() {
        Basis::Cosines => Array2::from_shape_fn((n, n), |(k, l)| cosine_moment(k, l, deviation)),
        Basis::Monomials | Basis::Hermite => polynomial_moments(kernel.basis(), n, deviation)?,
    };
    solve(kernel, factor, moments, count)
}

/// `E[φₖφₗ]` from `E cos ωX = exp(−ω²σ²/2)` and `2 cos a cos b = cos(a + b) + cos(a − b)`.
fn cosine_moment(k: usize, l: usize, deviation: f64) -> f64 {
    let mean = |m: f64| (-0.5 * (std::f64::consts::PI * m * deviation).powi(2)).exp();
    let size = |k: usize| if k == 0 { 1.0 } else { 2.0_f64.sqrt() };
    0.5 * size(k) * size(l) * (mean((k + l) as f64) + mean(k as f64 - l as f64))
}

/// `E[φₖφₗ]` of polynomials by Gauss–Hermite quadrature, exact for these degrees. The nodes are the
/// eigenvalues of the Jacobi matrix with `√j` beside the diagonal, the weights the squares of the
/// first entries of its eigenvectors.
fn polynomial_moments(basis: Basis, n: usize, deviation: f64) -> Result<Array2<f64>> {
    let jacobi =
        Array2::from_shape_fn((n + 1, n + 1), |(i, j)| if i.abs_diff(j) == 1 { (i.max(j) as f64).sqrt() } else { 0.0 });
    let rule = symmetric_eigen(jacobi.view(), &Compute::unlimited())?;
    let mut moments = Array2::zeros((n, n));
    for (node, vector) in rule.values.iter().zip(rule.vectors.columns()) {
        let values = values(basis, n, deviation * node);
        let weight = vector[0] * vector[0];
        for ((k, l), moment) in moments.indexed_iter_mut() {
            *moment += weight * values[k] * values[l];
        }
    }
    Ok(moments)
}

/// With `D = diag(η)` and the moments `G`: `D^{½}GD^{½}u = μu`, and the mode is `Σₖ √ηₖ uₖ φₖ/√μ`.
fn solve(kernel: &FiniteRank, factor: f64, moments: Array2<f64>, count: usize) -> Result<(Vec<f64>, Modes, f64)> {
    let roots = Array1::from_iter(kernel.weights().iter().map(|w| (factor * w).sqrt()));
    let matrix = Array2::from_shape_fn(moments.dim(), |(k, l)| roots[k] * moments[[k, l]] * roots[l]);
    let eigen = symmetric_eigen(matrix.view(), &Compute::unlimited())?;
    let least = NEGLIGIBLE * eigen.values.last().copied().unwrap_or(0.0);
    let chosen: Vec<usize> = (0..eigen.values.len()).rev().filter(|&j| eigen.values[j] > least).take(count).collect();
    let mut coefficients = eigen.vectors.select(ndarray::Axis(1), &chosen) * &roots.insert_axis(ndarray::Axis(1));
    for (mut column, &j) in coefficients.columns_mut().into_iter().zip(&chosen) {
        let largest = column.iter().fold(0.0_f64, |m, v| if v.abs() > m.abs() { *v } else { m });
        column /= eigen.values[j].sqrt() * largest.signum();
    }
    let values = chosen.iter().map(|&j| eigen.values[j]).collect();
    Ok((values, Modes::Combinations(Combination { basis: kernel.basis(), coefficients }), matrix.diag().sum()))
}
