//! Log determinants of matrices that are known by their products.

use ndarray::{Array1, Array2, Axis};

use crate::operator::Operator;
use crate::solve::symmetric_eigen;
use crate::{Compute, Result};

/// Random vectors. The standard error falls with their root.
const PROBES: usize = 16;
/// Steps for each, at most.
const STEPS: usize = 120;
/// Steps between two looks at the estimate, and the change at which it has converged.
const LOOK: usize = 10;
const CONVERGED: f64 = 1e-9;

/// `log det A` for a positive definite matrix of `n` rows, and the standard error of it.
///
/// # Formula
/// `tr log A` as the mean of `zᵀ(log A)z` over random signs `z` (Hutchinson 1990), each by a Gauss
/// quadrature whose nodes are the eigenvalues of a Lanczos matrix (Ubaru, Chen, Saad 2017). The
/// signs depend on the seed alone.
pub(super) fn log_determinant(operator: &dyn Operator, compute: &Compute) -> Result<(f64, f64)> {
    let n = operator.shape().0;
    let mut found = Vec::with_capacity(PROBES);
    for probe in 0..PROBES {
        compute.report("log determinant", probe as u64, PROBES as u64);
        let mut stream = compute.seed().stream("log determinant", probe as u64);
        let z = Array1::from_shape_fn(n, |_| if stream.uniform() < 0.5 { -1.0 } else { 1.0 });
        found.push(quadrature(z, operator, compute)?);
    }
    compute.report("log determinant", PROBES as u64, PROBES as u64);
    let mean = found.iter().sum::<f64>() / PROBES as f64;
    let squares: f64 = found.iter().map(|v| (v - mean) * (v - mean)).sum();
    Ok((mean, (squares / (PROBES * (PROBES - 1)) as f64).sqrt()))
}

/// `zᵀ(log A)z`.
fn quadrature(z: Array1<f64>, operator: &dyn Operator, compute: &Compute) -> Result<f64> {
    let square = z.dot(&z);
    let mut q = &z / square.sqrt();
    let mut before = Array1::zeros(z.len());
    let (mut diagonal, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut last = f64::INFINITY;
    for step in 1..=STEPS.min(z.len()) {
        compute.check_canceled()?;
        let mut next = operator.apply(q.view().insert_axis(Axis(1)))?.index_axis_move(Axis(1), 0);
        diagonal.push(q.dot(&next));
        next.scaled_add(-diagonal[step - 1], &q);
        next.scaled_add(-beside.last().copied().unwrap_or(0.0), &before);
        let norm = next.dot(&next).sqrt();
        let ended = norm <= 1e-13 * diagonal[0].abs();
        if ended || step % LOOK == 0 || step == STEPS.min(z.len()) {
            let value = square * gauss(&diagonal, &beside, compute)?;
            if ended || (value - last).abs() <= CONVERGED * value.abs().max(1.0) {
                return Ok(value);
            }
            last = value;
        }
        beside.push(norm);
        before = std::mem::replace(&mut q, next / norm);
    }
    Ok(last)
}

/// `e₁ᵀ(log T)e₁` for a tridiagonal matrix.
fn gauss(diagonal: &[f64], beside: &[f64], compute: &Compute) -> Result<f64> {
    let m = diagonal.len();
    let mut matrix = Array2::zeros((m, m));
    for i in 0..m {
        matrix[[i, i]] = diagonal[i];
        if i + 1 < m {
            matrix[[i, i + 1]] = beside[i];
            matrix[[i + 1, i]] = beside[i];
        }
    }
    let eigen = symmetric_eigen(matrix.view(), compute)?;
    let node = |(value, u): (&f64, &f64)| u * u * value.max(f64::MIN_POSITIVE).ln();
    Ok(eigen.values.iter().zip(eigen.vectors.row(0)).map(node).sum())
}
