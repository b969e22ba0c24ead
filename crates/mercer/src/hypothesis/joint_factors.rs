//! The joint criterion of smooth kernels: low-rank factors instead of matrices.

use ndarray::{Array2, Axis, s};

use super::engine::{Relabeled, Relabeling};
use super::groups::{Orders, SeveralOrders};
use super::joint_orders::criterion;
use super::orders::SINGLE_FROM;
use crate::gram::Bound;
use crate::gram::simd::matmul::{Target, matmul};
use crate::solve::pivoted_cholesky;
use crate::{Compute, Error, Result};

/// The share of the trace that a factor may leave out.
const TOLERANCE: f64 = 1e-11;
/// Rows of one product; never a function of the number of threads. Not tuned.
const ROWS: usize = 256;
/// The product of the ranks, per point and permuted variable, up to which factors are used. Not
/// tuned.
const RANKS: usize = 8;

/// `Σᵢⱼ Πᵥ Kᵥ(i, j) = ‖Σᵢ f₁(i) ⊗ … ⊗ f_d(i)‖²` for `Kᵥ = FᵥFᵥᵀ` with the rows `fᵥ(i)`.
pub(super) struct JointFactors {
    factors: Vec<Array2<f64>>,
    /// The row means of each matrix.
    means: Vec<Vec<f64>>,
    orders: SeveralOrders,
    rounding: f64,
}

impl JointFactors {
    /// The factors, when all matrices are positive semi-definite by proof, there are many points, and
    /// the ranks are small enough to gain by it.
    ///
    /// # Errors
    /// As [`pivoted_cholesky`].
    pub(super) fn new(bounds: &[Bound<'_>], orders: &Orders, compute: &Compute) -> Result<Option<Self>> {
        let n = orders.0.points();
        if n < SINGLE_FROM || !bounds.iter().all(|b| b.is_proven_psd()) {
            return Ok(None);
        }
        let most = 2 * (n as f64).sqrt() as usize;
        let (mut factors, mut left, mut largest) = (Vec::new(), Vec::new(), Vec::new());
        for bound in bounds {
            let diagonal = bound.diagonal()?;
            let found = pivoted_cholesky(bound, most, TOLERANCE, compute)?;
            if found.trace_left > TOLERANCE * diagonal.iter().sum::<f64>() || found.pivots.is_empty() {
                return Ok(None);
            }
            factors.push(found.factor.as_standard_layout().into_owned());
            left.push(found.trace_left / n as f64);
            largest.push(diagonal.into_iter().fold(0.0, f64::max));
        }
        let ranks = factors.iter().fold(1_usize, |product, f| product.saturating_mul(f.ncols()));
        if ranks > RANKS * n * (factors.len() - 1) {
            return Ok(None);
        }
        let mean = |f: &Array2<f64>| f.dot(&(f.sum_axis(Axis(0)) / n as f64)).to_vec();
        let means = factors.iter().map(mean).collect();
        // What is left out of one matrix is at most its trace times the largest value of the others.
        let bound: f64 = largest.iter().product();
        let shares: f64 = left.iter().zip(&largest).map(|(left, largest)| left / largest).sum();
        let orders = SeveralOrders { each: orders.clone(), count: factors.len() - 1 };
        Ok(Some(Self { factors, means, orders, rounding: bound * (shares + 1e-13) }))
    }

    /// `‖Σᵢ f₁(i) ⊗ … ⊗ f_d(πᵥ(i))‖²`.
    fn joint(&self, orders: &[Vec<u32>], compute: &Compute) -> Result<f64> {
        let (n, first) = self.factors[0].dim();
        let width = self.factors[1..].iter().map(|f| f.ncols()).product();
        let mut sums = Array2::<f64>::zeros((first, width));
        let mut products = Array2::<f64>::zeros((ROWS.min(n), width));
        for start in (0..n).step_by(ROWS) {
            compute.check_canceled()?;
            let rows = start..n.min(start + ROWS);
            for (i, mut line) in rows.clone().zip(products.rows_mut()) {
                if let Some(line) = line.as_slice_mut() {
                    self.tensor(i, orders, line);
                }
            }
            let left = self.factors[0].slice(s![rows.clone(), ..]);
            matmul(sums.view_mut(), Target::Add, left.t(), products.slice(s![..rows.len(), ..]), 1.0);
        }
        Ok(sums.iter().map(|v| v * v).sum())
    }

    /// The products of the entries of the permuted factors in one row, those of the last vary fastest.
    fn tensor(&self, i: usize, orders: &[Vec<u32>], out: &mut [f64]) {
        let mut filled = 1;
        out[0] = 1.0;
        for (factor, order) in self.factors[1..].iter().zip(orders) {
            let row = factor.row(order[i] as usize);
            for at in (0..filled).rev() {
                let value = out[at];
                for (k, f) in row.iter().enumerate() {
                    out[at * row.len() + k] = value * f;
                }
            }
            filled *= row.len();
        }
    }
}

impl Relabeled for JointFactors {
    type Group = SeveralOrders;

    fn group(&self) -> &SeveralOrders {
        &self.orders
    }

    fn evaluate(&self, labels: &[Vec<Vec<u32>>], compute: &Compute) -> Result<Relabeling> {
        let value = |at: usize| Ok(criterion(&self.means, self.joint(&labels[at], compute)?, &labels[at]));
        let values = compute.try_map_tasks(labels.len(), value)?;
        let values = Array2::from_shape_vec((labels.len(), 1), values)
            .map_err(|e| Error::shape("values of the statistic", labels.len(), e))?;
        Ok(Relabeling { values, rounding: vec![self.rounding] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{Pairs, dense};
    use crate::hypothesis::engine::Group;
    use crate::hypothesis::groups::Strata;
    use crate::hypothesis::joint_orders::JointOrders;
    use crate::{Kernel, Seed};

    #[test]
    fn factors_give_the_criterion_of_the_matrices() {
        let (n, compute, kernel): (_, _, Kernel) = (1030, Compute::new(), "gaussian(lengthscale=2)".parse().unwrap());
        let mut random = Seed(6).stream("points", 0);
        let points: Vec<Array2<f64>> = (0..3).map(|_| Array2::from_shape_fn((n, 1), |_| random.normal())).collect();
        let bounds: Vec<Bound<'_>> =
            points.iter().map(|x| kernel.bind(Pairs::within(x.view()), &compute).unwrap()).collect();
        let orders = Orders(Strata::one(n));
        let factors = JointFactors::new(&bounds, &orders, &compute).unwrap().unwrap();
        let matrices = bounds.iter().map(|b| dense(b, &compute).unwrap()).collect();
        let stored = JointOrders::new(matrices, orders);
        let group = factors.group();
        let labels: Vec<_> = [group.identity(), group.draw(&mut random), group.draw(&mut random)].into();
        let found = factors.evaluate(&labels, &compute).unwrap();
        let expected = stored.evaluate(&labels, &compute).unwrap();
        assert_close!(&found.values, &expected.values, each = 2e-9);
    }
}
