//! HSICAgg: many pairs of lengthscales at once.

use ndarray::Array2;

use super::Independence;
use crate::gram::{MetricKind, Pairs, Tiles};
use crate::hypothesis::TestOutcome;
use crate::hypothesis::engine::{Resampling, resample};
use crate::hypothesis::given::check_symmetric;
use crate::hypothesis::groups::Orders;
use crate::hypothesis::orders::{OrderProducts, reserve};
use crate::hypothesis::two_sample::{quantiles, smallest_p};
use crate::kernel::Kernel;
use crate::measure::{HsicEstimator, check_same_rows};
use crate::{Compute, Result};

/// Lengthscales of a variable, in multiples of the median distance.
const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

impl Independence {
    /// The smallest p-value over all pairs of kernels, against its own law under permutation; the unbiased statistic, all pairs with the same weight.
    pub(super) fn aggregate(&self, x: Pairs<'_>, y: Pairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        let (kx, ky) = (several(&self.kernel_x, x, compute)?, several(&self.kernel_y, y, compute)?);
        let n = kx[0].bind(x, compute)?.shape().0;
        check_same_rows(&[("x", n), ("y", ky[0].bind(y, compute)?.shape().0)])?;
        reserve(n, kx.len() + ky.len(), compute)?;
        let unbiased = Self { estimator: HsicEstimator::Unbiased, ..self.clone() };
        let mut resolved = Vec::new();
        let fixed = unbiased.matrices(&kx, x, &mut resolved, compute)?;
        let moved = unbiased.matrices(&ky, y, &mut resolved, compute)?;
        let statistic = OrderProducts::new(fixed, moved, Orders(self.strata(n)?), unbiased.divisor(n));
        let found = resample(&statistic, &Resampling::new(self.permutations), compute)?;
        let count = kx.len() * ky.len();
        let weights = vec![1.0 / count as f64; count];
        Ok(smallest_p("aggregated", &found, &weights, &resolved, self.level, compute)
            .0
            .with_detail("kernels_of_x", kx.len() as f64)
            .with_detail("kernels_of_y", ky.len() as f64))
    }

    /// The centred matrix of every kernel on a sample; the kernels with medians resolved are added to a list.
    fn matrices(
        &self,
        kernels: &[Kernel],
        pairs: Pairs<'_>,
        resolved: &mut Vec<Kernel>,
        compute: &Compute,
    ) -> Result<Vec<Array2<f64>>> {
        let matrix = |kernel: &Kernel| {
            let bound = kernel.bind(pairs, compute)?;
            check_symmetric(&bound)?;
            resolved.push(bound.kernel().clone());
            self.centred(&bound, compute)
        };
        kernels.iter().map(matrix).collect()
    }
}

/// The kernels that were asked for (the terms of a sum are taken apart), or Gaussian ones around the median distance.
fn several(kernel: &Option<Kernel>, pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    match kernel {
        Some(Kernel::Sum(terms)) => Ok(terms.iter().cloned().collect()),
        Some(kernel) => Ok(vec![kernel.clone()]),
        None => {
            let [median] = quantiles(pairs, MetricKind::SquaredEuclidean, [0.5], compute)?;
            MULTIPLES.iter().map(|m| Kernel::gaussian(m * median)).collect()
        }
    }
}
