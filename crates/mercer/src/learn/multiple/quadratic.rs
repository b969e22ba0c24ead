//! Small convex quadratic programs over non-negative variables.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use crate::solve::{Factored, factor};
use crate::{Compute, Result};

/// What is added to the diagonal of a matrix that is scaled to a diagonal of ones: kernels that are
/// equal are then weighted equally.
const JITTER: f64 = 1e-12;
/// A gradient counts as negative below this part of its own terms.
const SLACK: f64 = 1e-10;

/// `min ½xᵀHx + gᵀx` over `x ≥ 0` and, where there is one, a fixed sum: an active-set method that
/// begins at a feasible `x` (Lawson and Hanson 1974).
///
/// # Cost
/// A Cholesky factor of the variables that are not 0, for each that enters or leaves.
pub(super) fn minimize(
    hessian: &Array2<f64>,
    linear: ArrayView1<f64>,
    start: &[f64],
    sum: Option<f64>,
    compute: &Compute,
) -> Result<Vec<f64>> {
    let n = start.len();
    let largest = hessian.diag().iter().fold(0.0_f64, |m, v| m.max(*v));
    let least = if largest > 0.0 { f64::EPSILON * largest } else { 1.0 };
    let scales: Vec<f64> = hessian.diag().iter().map(|v| 1.0 / v.max(least).sqrt()).collect();
    let mut x = start.to_vec();
    let mut passive: Vec<usize> = (0..n).filter(|&i| x[i] > 0.0).collect();
    let mut entered = None;
    // Variables that left as soon as they entered, which rounding alone can do.
    let mut refused = vec![false; n];
    // Every round lowers the objective; the limit is for rounding alone.
    for _ in 0..20 * n + 20 {
        compute.check_canceled()?;
        let (target, multiplier) = if passive.is_empty() {
            (Vec::new(), 0.0)
        } else {
            restricted(hessian, linear, &passive, sum, &scales, compute)?
        };
        let blocking = passive.iter().zip(&target).filter(|(_, z)| **z <= 0.0);
        let step = blocking.map(|(&i, z)| x[i] / (x[i] - z)).fold(1.0, f64::min);
        let full = target.iter().all(|z| *z > 0.0);
        for (&i, z) in passive.iter().zip(&target) {
            x[i] = if full { *z } else { x[i] + step * (z - x[i]) };
        }
        if !full {
            let gone: Vec<usize> =
                passive.iter().zip(&target).filter(|(i, z)| **z <= 0.0 && x[**i] <= 1e-15).map(|(i, _)| *i).collect();
            gone.iter().for_each(|&i| x[i] = 0.0);
            passive.retain(|i| !gone.contains(i));
            if let Some(back) = entered.filter(|e| gone.contains(e)) {
                refused[back] = true;
            }
            if gone.is_empty() {
                break;
            }
            entered = None;
            continue;
        }
        entered = most_negative(hessian, linear, &x, multiplier, &scales, &refused);
        match entered {
            Some(next) => passive.push(next),
            None => break,
        }
    }
    Ok(x)
}

/// The minimum over some variables alone, with the multiplier of the sum.
fn restricted(
    hessian: &Array2<f64>,
    linear: ArrayView1<f64>,
    passive: &[usize],
    sum: Option<f64>,
    scales: &[f64],
    compute: &Compute,
) -> Result<(Vec<f64>, f64)> {
    let own: Array1<f64> = passive.iter().map(|&i| scales[i]).collect();
    let mut block = hessian.select(Axis(0), passive).select(Axis(1), passive);
    block *= &own;
    block *= &own.view().insert_axis(Axis(1));
    let mut right = Array2::ones((passive.len(), 2));
    right.column_mut(0).assign(&linear.select(Axis(0), passive));
    right *= &own.view().insert_axis(Axis(1));
    let mut added = JITTER;
    let solved = loop {
        let mut matrix = block.clone();
        matrix.diag_mut().mapv_inplace(|v| v + added);
        match factor(matrix, compute)? {
            Factored::Definite(factor) => break factor.solve(right.view(), compute)?,
            Factored::Singular(_) => added *= 100.0,
        }
    };
    let solved = solved * &own.insert_axis(Axis(1));
    let (against, ones) = (solved.column(0), solved.column(1));
    let multiplier = sum.map_or(0.0, |sum| (-against.sum() - sum) / ones.sum());
    let values = against.iter().zip(ones).map(|(a, o)| -a - multiplier * o).collect();
    Ok((values, multiplier))
}

/// The variable at 0 along which the objective falls most, if there is one that was not refused.
fn most_negative(
    hessian: &Array2<f64>,
    linear: ArrayView1<f64>,
    x: &[f64],
    multiplier: f64,
    scales: &[f64],
    refused: &[bool],
) -> Option<usize> {
    let image = hessian.dot(&ArrayView1::from(x));
    let sizes: Array1<f64> = hessian.mapv(f64::abs).dot(&ArrayView1::from(x));
    let slope = |j: usize| image[j] + linear[j] + multiplier;
    let size = |j: usize| sizes[j] + linear[j].abs() + multiplier.abs();
    let falling = (0..x.len()).filter(|&j| x[j] == 0.0 && !refused[j] && slope(j) < -SLACK * size(j));
    falling.min_by(|&a, &b| (scales[a] * slope(a)).total_cmp(&(scales[b] * slope(b))))
}
