//! Statistics of orders: `Σᵢⱼ PᵢⱼQ_{π(i)π(j)}` for many orders π at once.

use ndarray::{Array2, ArrayView2};

use super::engine::{Relabeled, Relabeling};
use super::groups::{Orders, SeveralOrders};
use crate::error::MemoryPurpose;
use crate::gram::simd::Element;
use crate::gram::{self, Tiles};
use crate::measure::Centering;
use crate::{Compute, Error, Result};

/// Points from which the matrices are stored in single precision.
/// Double precision takes 52 % more time at 1500 points.
const SINGLE_FROM: usize = 1024;
/// Rows that one task works on; never a function of the number of threads. 8 to 128 differ by less
/// than 11 % (500 points, 500 permutations).
const STRIP: usize = 32;

/// Inner products of fixed and of permuted matrices, a column per pair of them (the permuted ones
/// vary fastest).
pub(super) struct OrderProducts {
    fixed: Stored,
    moved: Stored,
    orders: Orders,
    divisor: f64,
    rounding: Vec<f64>,
}

/// Symmetric matrices in the precision that they are stored in.
enum Stored {
    Double(Vec<Array2<f64>>),
    Single(Vec<Array2<f32>>),
}

impl OrderProducts {
    /// Stores the matrices, centered; the sums are divided by `divisor`.
    ///
    /// # Errors
    /// [`Error::Memory`] when they do not fit the limit.
    pub(super) fn new(fixed: Vec<Array2<f64>>, moved: Vec<Array2<f64>>, orders: Orders, divisor: f64) -> Self {
        let norm = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>().sqrt();
        let (left, right): (Vec<f64>, Vec<f64>) = (fixed.iter().map(norm).collect(), moved.iter().map(norm).collect());
        let single = fixed.first().is_some_and(|m| m.nrows() >= SINGLE_FROM);
        let relative = if single { 1e-8 } else { 1e-13 };
        let pairs = left.iter().flat_map(|a| right.iter().map(move |b| a * b));
        // |Σ PQ| ≤ ‖P‖‖Q‖; rounding is independent from entry to entry, so that its sum is smaller by far.
        let rounding = pairs.map(|scale| relative * scale / divisor).collect();
        Self { fixed: Stored::new(fixed, single), moved: Stored::new(moved, single), orders, divisor, rounding }
    }
}

impl Stored {
    fn new(matrices: Vec<Array2<f64>>, single: bool) -> Self {
        if single {
            Self::Single(matrices.iter().map(|m| m.mapv(|v| v as f32)).collect())
        } else {
            Self::Double(matrices)
        }
    }
}

/// The bytes of `count` matrices with their copies in single precision, reserved before they are
/// allocated.
///
/// # Errors
/// [`Error::Memory`].
pub(super) fn reserve(n: usize, count: usize, compute: &Compute) -> Result<()> {
    let bytes =
        (n as u64).saturating_mul(n as u64).saturating_mul(count as u64 * if n >= SINGLE_FROM { 12 } else { 8 });
    let suggestion = "use method gamma, fewer points, or a higher memory limit";
    compute.reserve(MemoryPurpose::Test, &format!("{count} centered matrices of {n} × {n} values"), bytes, suggestion)
}

/// The centered matrix, stored.
pub(super) fn centered(tiles: &dyn Tiles, centering: &Centering, compute: &Compute) -> Result<Array2<f64>> {
    let mut matrix = gram::dense(tiles, compute)?;
    for (i, mut row) in matrix.rows_mut().into_iter().enumerate() {
        row.iter_mut().enumerate().for_each(|(j, v)| *v = centering.value(i, j, *v));
    }
    Ok(matrix)
}

impl Relabeled for OrderProducts {
    type Group = Orders;

    fn group(&self) -> &Orders {
        &self.orders
    }

    fn bytes_each(&self) -> usize {
        // An order, and its sums over every strip.
        let n = self.orders.0.points();
        4 * n + 8 * self.rounding.len() * (n.div_ceil(STRIP) + 1)
    }

    fn evaluate(&self, labels: &[Vec<u32>], compute: &Compute) -> Result<Relabeling> {
        let sums = match (&self.fixed, &self.moved) {
            (Stored::Double(p), Stored::Double(q)) => gathered(p, q, labels, compute)?,
            (Stored::Single(p), Stored::Single(q)) => gathered(p, q, labels, compute)?,
            _ => return Err(Error::request("matrices of one statistic are stored in one precision")),
        };
        Ok(Relabeling { values: sums / self.divisor, rounding: self.rounding.clone() })
    }
}

/// `Σᵢⱼ PᵢⱼQ_{π(i)π(j)}`: half of the pairs, strips of rows in parallel, totals in order.
fn gathered<T: Element>(
    fixed: &[Array2<T>],
    moved: &[Array2<T>],
    orders: &[Vec<u32>],
    compute: &Compute,
) -> Result<Array2<f64>> {
    let n = fixed.first().map_or(0, |m| m.nrows());
    let width = fixed.len() * moved.len();
    let strip = |at: usize| {
        let mut sums = vec![0.0; orders.len() * width];
        let mut buffer = vec![T::default(); n];
        for (order, sums) in orders.iter().zip(sums.chunks_exact_mut(width.max(1))) {
            compute.check_canceled()?;
            for i in at * STRIP..n.min((at + 1) * STRIP) {
                add_row(fixed, moved, order, i, &mut buffer, sums);
            }
        }
        Ok(sums)
    };
    let strips = compute.try_map_tasks(n.div_ceil(STRIP), strip)?;
    let total = |(b, c): (usize, usize)| strips.iter().map(|s| s[b * width + c]).sum();
    Ok(Array2::from_shape_fn((orders.len(), width), total))
}

/// Adds row `i` from the diagonal on: the diagonal once, the rest twice.
fn add_row<T: Element>(
    fixed: &[Array2<T>],
    moved: &[Array2<T>],
    order: &[u32],
    i: usize,
    buffer: &mut [T],
    sums: &mut [f64],
) {
    for (c, q) in moved.iter().enumerate() {
        let Some(source) = row(q, order[i] as usize) else { continue };
        let gathered = &mut buffer[..order.len() - i];
        gathered.iter_mut().zip(&order[i..]).for_each(|(out, &j)| *out = source[j as usize]);
        for (p, sums) in fixed.iter().zip(sums.chunks_exact_mut(moved.len())) {
            let Some(line) = row(p, i) else { continue };
            let own = line[i].to_f64() * gathered[0].to_f64();
            sums[c] += own + 2.0 * dot(&line[i + 1..], &gathered[1..]);
        }
    }
}

fn row<T>(matrix: &Array2<T>, at: usize) -> Option<&[T]> {
    let width = matrix.ncols();
    matrix.as_slice().map(|values| &values[at * width..(at + 1) * width])
}

/// `Σ aᵢbᵢ`: products in the precision of the elements, eight chains, chunks added in `f64`.
fn dot<T: Element>(a: &[T], b: &[T]) -> f64 {
    let mut total = 0.0;
    for (a, b) in a.chunks(256).zip(b.chunks(256)) {
        let (a_lanes, a_rest) = a.as_chunks::<8>();
        let (b_lanes, b_rest) = b.as_chunks::<8>();
        let mut sums = [T::default(); 8];
        for (a, b) in a_lanes.iter().zip(b_lanes) {
            for lane in 0..8 {
                sums[lane] += a[lane] * b[lane];
            }
        }
        total += sums.iter().map(|s| s.to_f64()).sum::<f64>();
        total += a_rest.iter().zip(b_rest).map(|(a, b)| a.to_f64() * b.to_f64()).sum::<f64>();
    }
    total
}

/// The joint criterion of several variables, all but the first permuted independently of one
/// another.
pub(super) struct JointOrders {
    matrices: Vec<Array2<f64>>,
    /// The row means of each matrix.
    means: Vec<Vec<f64>>,
    orders: SeveralOrders,
}

impl JointOrders {
    pub(super) fn new(matrices: Vec<Array2<f64>>, orders: Orders) -> Self {
        let n = orders.0.points() as f64;
        let orders = SeveralOrders { each: orders, count: matrices.len().saturating_sub(1) };
        let means = matrices.iter().map(|m| m.rows().into_iter().map(|r| r.sum() / n).collect()).collect();
        Self { matrices, means, orders }
    }

    /// `dHSIC` with variable `q` in the order `orders[q − 1]`.
    fn value(&self, orders: &[Vec<u32>], compute: &Compute) -> Result<f64> {
        let n = self.means[0].len();
        let views: Vec<ArrayView2<'_, f64>> = self.matrices.iter().map(|m| m.view()).collect();
        let (mut joint, mut mixed) = (0.0, 0.0);
        let mut products = vec![0.0; n];
        for i in 0..n {
            if i % STRIP == 0 {
                compute.check_canceled()?;
            }
            products.iter_mut().zip(views[0].row(i)).for_each(|(p, v)| *p = *v);
            let mut means = self.means[0][i];
            for ((matrix, order), row_means) in views[1..].iter().zip(orders).zip(&self.means[1..]) {
                let line = matrix.row(order[i] as usize);
                products.iter_mut().zip(order).for_each(|(p, &j)| *p *= line[j as usize]);
                means *= row_means[order[i] as usize];
            }
            joint += gram::sum(&products);
            mixed += means;
        }
        let n = n as f64;
        let product: f64 = self.means.iter().map(|m| m.iter().sum::<f64>() / n).product();
        Ok(joint / (n * n) + product - 2.0 * mixed / n)
    }
}

impl Relabeled for JointOrders {
    type Group = SeveralOrders;

    fn group(&self) -> &SeveralOrders {
        &self.orders
    }

    fn evaluate(&self, labels: &[Vec<Vec<u32>>], compute: &Compute) -> Result<Relabeling> {
        let values = compute.try_map_tasks(labels.len(), |at| self.value(&labels[at], compute))?;
        let scale = self.means.iter().map(|m| m.iter().fold(0.0_f64, |a, v| a.max(v.abs()))).product::<f64>();
        let values = Array2::from_shape_vec((labels.len(), 1), values)
            .map_err(|e| Error::shape("values of the statistic", labels.len(), e))?;
        Ok(Relabeling { values, rounding: vec![1e-13 * scale] })
    }
}
