//! Functions drawn from a posterior.

use ndarray::{Array1, Array2};

use crate::solve::symmetric_eigen;
use crate::{Compute, Result};

/// `count` draws from `N(mean, covariance)`, one per column; column `s` draws from its own stream
/// of the seed. What rounding made negative of the covariance counts as 0.
pub(super) fn draw(
    mean: &Array1<f64>,
    covariance: &Array2<f64>,
    count: usize,
    compute: &Compute,
) -> Result<Array2<f64>> {
    let root = symmetric_eigen(covariance.view(), compute)?.map(|v| v.max(0.0).sqrt());
    let mut samples = Array2::zeros((mean.len(), count));
    for (index, mut column) in samples.columns_mut().into_iter().enumerate() {
        let mut stream = compute.seed().stream("posterior sample", index as u64);
        let normal = Array1::from_shape_fn(mean.len(), |_| stream.normal());
        column.assign(&(mean + &root.dot(&normal)));
    }
    Ok(samples)
}
