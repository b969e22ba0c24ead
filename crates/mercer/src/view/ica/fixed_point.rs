//! Rotations to begin with.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::seed::Stream;
use crate::solve::symmetric_eigen;
use crate::{Compute, Result};

/// Steps of the fixed point, which need not converge: it is only a start.
const STEPS: usize = 50;
/// The change of a row at which the steps end.
const SMALL: f64 = 1e-4;

/// The symmetric fixed point of FastICA with the function `tanh` on whitened data, from the identity.
///
/// # Formula
/// `W ← (WWᵀ)^{−1/2}W` after `wᵢ ← E[z tanh(wᵢᵀz)] − E[1 − tanh²(wᵢᵀz)]wᵢ` [Hyvärinen 1999].
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(super) fn fixed_point(z: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let (n, m) = (z.nrows() as f64, z.ncols());
    let mut w = Array2::eye(m);
    for _ in 0..STEPS {
        compute.check_canceled()?;
        let g = z.dot(&w.t()).mapv(f64::tanh);
        let slopes: Array1<f64> = g.axis_iter(Axis(1)).map(|g| 1.0 - g.dot(&g) / n).collect();
        let next = orthogonal(g.t().dot(&z) / n - &w * &slopes.insert_axis(Axis(1)), compute)?;
        let change = (&next * &w).sum_axis(Axis(1)).fold(0.0_f64, |most, cos| most.max((1.0 - cos.abs()).abs()));
        w = next;
        if change < SMALL {
            break;
        }
    }
    Ok(w)
}

/// A random rotation or reflection.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(super) fn random_rotation(m: usize, stream: &mut Stream, compute: &Compute) -> Result<Array2<f64>> {
    orthogonal(Array2::from_shape_simple_fn((m, m), || stream.normal()), compute)
}

/// `(WWᵀ)^{−1/2}W`; the identity where `W` is singular.
fn orthogonal(w: Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let eigen = symmetric_eigen(w.dot(&w.t()).view(), compute)?;
    let (least, most) = (eigen.values[0], eigen.values[eigen.values.len() - 1]);
    if least.is_nan() || least <= 1e-12 * most {
        return Ok(Array2::eye(w.nrows()));
    }
    Ok(eigen.map(|value| 1.0 / value.sqrt()).dot(&w))
}
