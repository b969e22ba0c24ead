//! Statistics of orders: `Σᵢⱼ PᵢⱼQ_{π(i)π(j)}` for many orders π at once.

use ndarray::Array2;

use super::engine::{Relabeled, Relabeling};
use super::groups::Orders;
use super::order_walk::Walk;
use crate::error::MemoryPurpose;
use crate::gram::simd::{Element, PADDING, Places, add_gathered};
use crate::gram::{self, Tiles};
use crate::measure::Centering;
use crate::{Compute, Result};

/// Points from which the matrices are stored in single precision.
/// Double precision takes 52 % more time at 1500 points.
pub(super) const SINGLE_FROM: usize = 1024;

/// Inner products of fixed and of permuted matrices, a column per pair of them (the permuted ones
/// vary fastest).
pub(super) struct OrderProducts {
    stored: Stored,
    orders: Orders,
    divisor: f64,
    rounding: Vec<f64>,
}

/// Symmetric matrices in the precision that they are stored in.
enum Stored {
    Double(Stack<f64>),
    Single(Stack<f32>),
}

/// The fixed matrices one after the other, and the permuted ones with the values of all of them at
/// every place.
struct Stack<T> {
    fixed: Vec<Array2<T>>,
    moved: Vec<T>,
    /// How many matrices are permuted.
    columns: usize,
}

/// Matrices that are permuted, with the values of all of them at every place. They are stored so
/// before the fixed ones are computed, so that no more than both are held at a time.
pub(super) struct Interleaved {
    values: Values,
    norms: Vec<f64>,
}

enum Values {
    Double(Vec<f64>),
    Single(Vec<f32>),
}

impl Interleaved {
    pub(super) fn new(matrices: Vec<Array2<f64>>) -> Self {
        let norms = matrices.iter().map(norm).collect();
        let values = match matrices.first().is_some_and(|m| m.nrows() >= SINGLE_FROM) {
            true => Values::Single(interleaved(matrices, |v| v as f32)),
            false => Values::Double(interleaved(matrices, |v| v)),
        };
        Self { values, norms }
    }
}

fn interleaved<T: Element>(matrices: Vec<Array2<f64>>, convert: fn(f64) -> T) -> Vec<T> {
    let columns = matrices.len();
    let mut mixed = vec![T::default(); matrices.first().map_or(0, |m| m.len()) * columns + PADDING];
    for (column, matrix) in matrices.into_iter().enumerate() {
        let places = mixed[column..].iter_mut().step_by(columns);
        places.zip(&matrix).for_each(|(place, value)| *place = convert(*value));
    }
    mixed
}

fn norm(matrix: &Array2<f64>) -> f64 {
    matrix.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl OrderProducts {
    /// Stores the matrices, centered; the sums are divided by `divisor`.
    pub(super) fn new(fixed: Vec<Array2<f64>>, moved: Interleaved, orders: Orders, divisor: f64) -> Self {
        let relative = if matches!(moved.values, Values::Single(_)) { 1e-8 } else { 1e-13 };
        let left: Vec<f64> = fixed.iter().map(norm).collect();
        let pairs = left.iter().flat_map(|a| moved.norms.iter().map(move |b| a * b));
        // |Σ PQ| ≤ ‖P‖‖Q‖; rounding is independent from entry to entry, so that its sum is smaller by far.
        let rounding = pairs.map(|scale| relative * scale / divisor).collect();
        let columns = moved.norms.len();
        let stored = match moved.values {
            Values::Single(moved) => {
                let fixed = fixed.into_iter().map(|m| m.mapv(|v| v as f32)).collect();
                Stored::Single(Stack { fixed, moved, columns })
            }
            Values::Double(moved) => Stored::Double(Stack { fixed, moved, columns }),
        };
        Self { stored, orders, divisor, rounding }
    }
}

impl<T: Element> Stack<T> {
    /// `Σᵢⱼ PᵢⱼQ_{π(i)π(j)}`: half of the pairs, in blocks of rows in parallel, totals in order.
    fn products(&self, orders: &[Vec<u32>], compute: &Compute) -> Result<Array2<f64>> {
        let n = self.fixed.first().map_or(0, |m| m.nrows());
        let width = self.fixed.len() * self.columns;
        let row = n * size_of::<T>();
        // Of the fixed rows one half is read in the mean.
        let bytes = [row * self.fixed.len() / 2, row * self.columns];
        let walk = Walk::new(n, bytes, |at| &orders[at], orders.len(), compute);
        let places: Vec<Places<'_>> = orders.iter().map(|order| Places::new(order)).collect();
        let task = |at: usize| {
            let mut sums = vec![0.0; orders.len() * width];
            let mut lines = Vec::with_capacity(self.fixed.len());
            walk.visit(at, compute, |meeting| {
                let (i, length) = (meeting.fixed, n * self.columns);
                let moved = &self.moved[meeting.moved * length..(meeting.moved + 1) * length + PADDING];
                lines.clear();
                lines.extend(self.fixed.iter().filter_map(|p| p.as_slice()).map(|p| &p[i * n..(i + 1) * n]));
                let sums = &mut sums[meeting.order * width..(meeting.order + 1) * width];
                add_row(&mut lines, moved, self.columns, places[meeting.order], (i, meeting.moved), sums);
            })?;
            Ok(sums)
        };
        let parts = compute.try_map_tasks(Walk::tasks(n), task)?;
        let total = |(b, c): (usize, usize)| parts.iter().map(|s| s[b * width + c]).sum();
        Ok(Array2::from_shape_fn((orders.len(), width), total))
    }
}

/// Adds row `i` from the diagonal on: the diagonal once, the rest twice.
fn add_row<T: Element>(
    fixed: &mut [&[T]],
    moved: &[T],
    columns: usize,
    places: Places<'_>,
    (i, place): (usize, usize),
    sums: &mut [f64],
) {
    let own = &moved[place * columns..(place + 1) * columns];
    for (line, sums) in fixed.iter_mut().zip(sums.chunks_exact_mut(columns.max(1))) {
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += line[i].to_f64() * own.to_f64());
        *line = &line[i + 1..];
    }
    add_gathered(fixed, moved, columns, places.from(i + 1), 2.0, sums);
}

/// The bytes of `count` matrices, of which so many are `moved`, with the copies that products read.
pub(super) fn matrix_bytes(n: usize, count: usize, moved: usize) -> u64 {
    let each = if n >= SINGLE_FROM { 12 * count } else { 8 * count.max(2 * moved) };
    (n as u64).saturating_mul(n as u64).saturating_mul(each as u64)
}

/// Reserves [`matrix_bytes`] before they are allocated.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn reserve(n: usize, count: usize, moved: usize, compute: &Compute) -> Result<()> {
    let bytes = matrix_bytes(n, count, moved);
    let suggestion = "use method gamma, fewer points, or a higher memory limit";
    compute.reserve(MemoryPurpose::Test, &format!("{count} centered matrices of {n} × {n} values"), bytes, suggestion)
}

/// The centered matrix, stored.
pub(super) fn centered(tiles: &dyn Tiles, centering: &Centering, compute: &Compute) -> Result<Array2<f64>> {
    let mut matrix = gram::dense(tiles, compute)?;
    let n = matrix.ncols();
    if let Some(values) = matrix.as_slice_mut() {
        compute.each_chunk(values, n, |i, row| {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = centering.value(i, j, *v));
        });
    }
    Ok(matrix)
}

impl Relabeled for OrderProducts {
    type Group = Orders;

    fn group(&self) -> &Orders {
        &self.orders
    }

    fn bytes_each(&self) -> usize {
        // An order, its inverse, and its sums over every task.
        let n = self.orders.0.points();
        4 * n + Walk::bytes_each(n) + 8 * self.rounding.len() * (Walk::tasks(n) + 1)
    }

    fn evaluate(&self, labels: &[Vec<u32>], compute: &Compute) -> Result<Relabeling> {
        let sums = match &self.stored {
            Stored::Double(stack) => stack.products(labels, compute)?,
            Stored::Single(stack) => stack.products(labels, compute)?,
        };
        Ok(Relabeling { values: sums / self.divisor, rounding: self.rounding.clone() })
    }
}
