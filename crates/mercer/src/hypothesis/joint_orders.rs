//! The joint criterion of several variables, all but the first permuted independently of one another.

use ndarray::Array2;

use super::engine::{Relabeled, Relabeling};
use super::groups::{Orders, SeveralOrders};
use super::order_walk::Walk;
use super::orders::SINGLE_FROM;
use crate::gram::simd::{Element, Places, gathered_product};
use crate::{Compute, Error, Result};

/// `dHSIC` of several matrices, all but the first permuted.
pub(super) struct JointOrders {
    stored: Stored,
    /// The row means of each matrix.
    means: Vec<Vec<f64>>,
    orders: SeveralOrders,
    /// The size of rounding.
    rounding: f64,
}

/// The matrices in the precision that they are stored in.
enum Stored {
    Double(Vec<Array2<f64>>),
    Single(Vec<Array2<f32>>),
}

impl JointOrders {
    /// Stores the matrices, in single precision from [`SINGLE_FROM`] rows on.
    pub(super) fn new(matrices: Vec<Array2<f64>>, orders: Orders) -> Self {
        let n = orders.0.points();
        let orders = SeveralOrders { each: orders, count: matrices.len().saturating_sub(1) };
        let mean = |m: &Array2<f64>| m.rows().into_iter().map(|r| r.sum() / n as f64).collect();
        let means: Vec<Vec<f64>> = matrices.iter().map(mean).collect();
        let scale = means.iter().map(|m| m.iter().fold(0.0_f64, |a, v| a.max(v.abs()))).product::<f64>();
        let single = n >= SINGLE_FROM;
        let stored = match single {
            true => Stored::Single(matrices.into_iter().map(|m| m.mapv(|v| v as f32)).collect()),
            false => Stored::Double(matrices),
        };
        // Rounding of products in single precision is independent from entry to entry, so that its sum
        // is smaller by far: the criteria of 2 000 points in three variables differed from those in
        // double precision by 2e-11 and 3e-11 (two data sets). The factor is not tuned.
        Self { stored, means, orders, rounding: scale * if single { 4e-9 } else { 1e-13 } }
    }
}

/// `dHSIC` from `Σᵢⱼ Πᵥ Kᵥ(i, j)` and the row means, with variable `v` in the order `orders[v − 1]`.
pub(super) fn criterion(means: &[Vec<f64>], joint: f64, orders: &[Vec<u32>]) -> f64 {
    let n = means[0].len();
    let row = |i: usize| {
        let others = means[1..].iter().zip(orders).map(|(means, order)| means[order[i] as usize]);
        others.fold(means[0][i], |product, mean| product * mean)
    };
    let mixed: f64 = (0..n).map(row).sum();
    let n = n as f64;
    let product: f64 = means.iter().map(|m| m.iter().sum::<f64>() / n).product();
    joint / (n * n) + product - 2.0 * mixed / n
}

/// `Σᵢⱼ Πᵥ Kᵥ(i, j)`: half of the pairs, in blocks of rows in parallel, totals in order.
fn sums<T: Element>(matrices: &[Array2<T>], orders: &[Vec<Vec<u32>>], compute: &Compute) -> Result<Vec<f64>> {
    let n = matrices.first().map_or(0, |m| m.nrows());
    let bytes = [n * size_of::<T>() / 2, n * size_of::<T>()];
    let walk = Walk::new(n, bytes, |at| &orders[at][0], orders.len(), compute);
    let values: Vec<&[T]> = matrices.iter().filter_map(|m| m.as_slice()).collect();
    let places: Vec<Vec<Places<'_>>> =
        orders.iter().map(|several| several.iter().map(|order| Places::new(order)).collect()).collect();
    let task = |at: usize| {
        let mut sums = vec![0.0; orders.len()];
        let mut moved = Vec::with_capacity(values.len());
        walk.visit(at, compute, |meeting| {
            let (i, places) = (meeting.fixed, &places[meeting.order]);
            let fixed = &values[0][i * n..(i + 1) * n];
            let mut own = fixed[i].to_f64();
            moved.clear();
            for (matrix, places) in values[1..].iter().zip(places) {
                let place = places.of(i);
                let row = &matrix[place * n..(place + 1) * n];
                own *= row[place].to_f64();
                moved.push((row, places.from(i + 1)));
            }
            sums[meeting.order] += own + 2.0 * gathered_product(&fixed[i + 1..], &moved);
        })?;
        Ok(sums)
    };
    let parts = compute.try_map_tasks(Walk::tasks(n), task)?;
    Ok((0..orders.len()).map(|b| parts.iter().map(|part| part[b]).sum()).collect())
}

impl Relabeled for JointOrders {
    type Group = SeveralOrders;

    fn group(&self) -> &SeveralOrders {
        &self.orders
    }

    fn bytes_each(&self) -> usize {
        // The orders, the inverse of one, and the sums over every task.
        let n = self.means[0].len();
        4 * n * self.orders.count + Walk::bytes_each(n) + 8 * (Walk::tasks(n) + 1)
    }

    fn evaluate(&self, labels: &[Vec<Vec<u32>>], compute: &Compute) -> Result<Relabeling> {
        let joint = match &self.stored {
            Stored::Double(matrices) => sums(matrices, labels, compute)?,
            Stored::Single(matrices) => sums(matrices, labels, compute)?,
        };
        let values = compute.map_tasks(labels.len(), |at| criterion(&self.means, joint[at], &labels[at]));
        let values = Array2::from_shape_vec((labels.len(), 1), values)
            .map_err(|e| Error::shape("values of the statistic", labels.len(), e))?;
        Ok(Relabeling { values, rounding: vec![self.rounding] })
    }
}
