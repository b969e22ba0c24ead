//! HSICAgg: many pairs of lengthscales at once.

use ndarray::Array2;

use super::Independence;
use crate::gram::{KernelFamily, MetricKind, Pairs};
use crate::hypothesis::TestOutcome;
use crate::hypothesis::engine::{Resampling, resample};
use crate::hypothesis::groups::Orders;
use crate::hypothesis::labels::{Matrices, SignForms};
use crate::hypothesis::orders::{Interleaved, OrderProducts, reserve};
use crate::hypothesis::precomputed::check_symmetric;
use crate::hypothesis::two_sample::{of_objects, quantiles, smallest_p};
use crate::kernel::Kernel;
use crate::measure::{HsicEstimator, check_same_rows};
use crate::{Compute, Result};

/// Lengthscales of a variable, in multiples of the median distance.
pub(in crate::hypothesis) const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

impl Independence {
    /// The smallest p-value over all pairs of kernels, against its own distribution under
    /// permutation; the unbiased statistic, all pairs with the same weight.
    pub(super) fn aggregate(&self, x: Pairs<'_>, y: Pairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        let (kx, ky) = (several(&self.kernel_x, x, compute)?, several(&self.kernel_y, y, compute)?);
        kx[0].resolve(x.rows(), compute)?;
        ky[0].resolve(y.rows(), compute)?;
        let n = x.rows().len();
        check_same_rows(&[("x", n), ("y", y.rows().len())])?;
        reserve(n, kx.len() + ky.len(), ky.len(), compute)?;
        let unbiased = Self { estimator: HsicEstimator::Unbiased, ..self.clone() };
        let (mut resolved, mut of_y) = (Vec::new(), Vec::new());
        let moved = Interleaved::new(unbiased.matrices(&ky, y, &mut of_y, compute)?);
        let fixed = unbiased.matrices(&kx, x, &mut resolved, compute)?;
        resolved.extend(of_y);
        let statistic = OrderProducts::new(fixed, moved, Orders(self.strata(n)?), unbiased.divisor(n));
        let found = resample(&statistic, &Resampling::new(self.permutations), compute)?;
        let count = kx.len() * ky.len();
        let weights = vec![1.0 / count as f64; count];
        Ok(smallest_p("aggregated", &found, &weights, &resolved, self.level, compute)
            .0
            .with_detail("kernels_of_x", kx.len() as f64)
            .with_detail("kernels_of_y", ky.len() as f64))
    }

    /// The same with the statistic of the authors: point `i` is paired with `i + N/2` (the last of
    /// an odd number is left out), and the sum of the products of the paired cores takes random
    /// signs.
    ///
    /// # Formula
    /// `(1/4q(q−1)) Σ_{i≠j} εᵢεⱼ hₖ(i, j) hₗ(i, j)` with `q = ⌊N/2⌋` and
    /// `h(i, j) = k(xᵢ, xⱼ) + k(x′ᵢ, x′ⱼ) − k(xᵢ, x′ⱼ) − k(x′ᵢ, xⱼ)`, whose mean is HSIC.
    ///
    /// # Theory
    /// `εᵢ = −1` is the exchange of `yᵢ` and `y′ᵢ`, which does not change the distribution of the
    /// data when `x` and `y` are independent: the level is exact.
    pub(super) fn aggregate_pairs(&self, x: Pairs<'_>, y: Pairs<'_>, compute: &Compute) -> Result<TestOutcome> {
        let (kx, ky) = (several(&self.kernel_x, x, compute)?, several(&self.kernel_y, y, compute)?);
        let (of_x, of_y) = (KernelFamily::new(&kx, x, compute)?, KernelFamily::new(&ky, y, compute)?);
        check_same_rows(&[("x", of_x.size()), ("y", of_y.size())])?;
        let pairs = of_x.size() / 2;
        let divisor = 4.0 * pairs as f64 * (pairs as f64 - 1.0);
        let statistic = SignForms::new(Matrices::PairProducts(&of_x, &of_y, pairs), true, divisor);
        let found = resample(&statistic, &Resampling::new(self.permutations), compute)?;
        let count = kx.len() * ky.len();
        let weights = vec![1.0 / count as f64; count];
        let resolved = [of_x.kernels(), of_y.kernels()].concat();
        Ok(smallest_p("aggregated, wild bootstrap", &found, &weights, &resolved, self.level, compute)
            .0
            .with_detail("kernels_of_x", kx.len() as f64)
            .with_detail("kernels_of_y", ky.len() as f64))
    }

    /// The centered matrix of every kernel on a sample; the kernels with medians resolved are added
    /// to a list.
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
            self.centered(&bound, compute)
        };
        kernels.iter().map(matrix).collect()
    }
}

/// The kernels requested (the terms of a sum are taken apart), or Gaussian ones around the median
/// distance.
fn several(kernel: &Option<Kernel>, pairs: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    match kernel {
        Some(Kernel::Sum(terms)) => Ok(terms.iter().cloned().collect()),
        Some(kernel) => Ok(vec![kernel.clone()]),
        None if pairs.rows().kind().is_object() => of_objects(pairs, compute),
        None => {
            let [median] = quantiles(pairs, MetricKind::SquaredEuclidean, [0.5], compute)?;
            MULTIPLES.iter().map(|m| Kernel::gaussian(m * median)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::hypothesis::IndependenceMethod;

    /// The paired statistic by its definition.
    fn statistic(x: &[f64], y: &[f64]) -> f64 {
        let q = x.len() / 2;
        let k = |v: &[f64], i: usize, j: usize, scale: f64| (-((v[i] - v[j]) / scale).powi(2) / 2.0).exp();
        let core = |v: &[f64], scale: f64, i: usize, j: usize| {
            k(v, i, j, scale) + k(v, i + q, j + q, scale) - k(v, i, j + q, scale) - k(v, i + q, j, scale)
        };
        let pairs = (0..q).flat_map(|i| (0..q).filter(move |&j| j != i).map(move |j| (i, j)));
        pairs.map(|(i, j)| core(x, 0.5, i, j) * core(y, 2.0, i, j)).sum()
    }

    #[test]
    fn signs_are_exchanges_within_pairs() {
        let mut random = Seed(5).stream("pairs", 0);
        for n in [12, 13] {
            let x: Vec<f64> = (0..n).map(|_| random.normal()).collect();
            let y: Vec<f64> = x.iter().map(|v| v * v + 0.3 * random.normal()).collect();
            let q = n / 2;
            let exchanged = |flips: usize| {
                let mut other = y[..2 * q].to_vec();
                (0..q).filter(|i| flips >> i & 1 == 1).for_each(|i| other.swap(i, i + q));
                statistic(&x[..2 * q], &other)
            };
            let observed = exchanged(0);
            let above = (0..1_usize << q).filter(|&flips| exchanged(flips) >= observed - 1e-12).count();
            let column = |v: &[f64]| Array2::from_shape_vec((n, 1), v.to_vec()).unwrap();
            let test = Independence {
                kernel_x: Some(Kernel::gaussian(0.5).unwrap()),
                kernel_y: Some(Kernel::gaussian(2.0).unwrap()),
                permutations: 1000,
                ..Independence::with_method(IndependenceMethod::Aggregated { wild: true })
            };
            let outcome = test.test(&column(&x), &column(&y), &Compute::new()).unwrap();
            assert!(outcome.exact);
            assert_close!(outcome.p_value, above as f64 / (1_usize << q) as f64, abs = 1e-12, "{n}: {outcome}");
            let strata = Some(vec![0; n]);
            assert!(Independence { strata, ..test }.test(&column(&x), &column(&y), &Compute::new()).is_err());
        }
    }
}
