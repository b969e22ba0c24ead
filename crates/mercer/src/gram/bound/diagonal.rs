//! `k(x, x)`: from the formula for vectors, from the nodes for objects and precomputed values.

use ndarray::{Array1, ArrayView2};
use rayon::prelude::*;

use super::Bound;
use super::fill::Tile;
use super::node::{Kind, Node, Pointwise};
use super::slots::{Slot, Slots};
use crate::compute::in_pool;
use crate::error::PrecomputedNeed;
use crate::kernel::Kernel;
use crate::{Error, Result};

/// Values at the row points, and at the column points.
pub(super) type Both = (Vec<f64>, Vec<f64>);

/// `k(xᵢ, xᵢ)` of the row points of a binding.
pub(super) fn rows(bound: &Bound<'_>) -> Result<Array1<f64>> {
    if bound.root.has_objects() {
        return Ok(of_node(&bound.root, &bound.slots).0.into());
    }
    if !bound.precomputed {
        return Ok(of_sample(&bound.kernel, bound.slots.points[0].rows.view()).into());
    }
    if bound.symmetric {
        return Ok(of_matrix(&bound.root, bound.shape.0, &bound.slots).into());
    }
    Err(Error::precomputed("a matrix that is not symmetric", PrecomputedNeed::Diagonal))
}

/// `k(xᵢ, xᵢ)` and `k(yⱼ, yⱼ)` of a node on points.
pub(super) fn of_node(node: &Node<'_>, slots: &Slots) -> Both {
    if !node.has_objects() {
        return of_points(&node.kernel, &slots.points[node.slot]);
    }
    match &node.kind {
        Kind::Object(tiles) => {
            let (rows, cols) = tiles.diagonals();
            (rows.to_vec(), cols.unwrap_or(rows).to_vec())
        }
        Kind::Scale(a, inner) => each(of_node(inner, slots), |v| a * v),
        Kind::Sum(nodes) => fold(nodes, slots, |a, b| a + b),
        Kind::Product(nodes) => fold(nodes, slots, |a, b| a * b),
        Kind::Minus(a, b) => combine(of_node(a, slots), &of_node(b, slots), |a, b| a - b),
        Kind::Pointwise(function, inner) => each(of_node(inner, slots), |v| function.value(v)),
        // Normalized: the only function of objects that multiplies rows and columns.
        Kind::Outer { inner, .. } => each(of_node(inner, slots), |v| if v > 0.0 { 1.0 } else { 0.0 }),
        _ => unreachable!("every other node is on vectors"),
    }
}

pub(super) fn each(mut both: Both, f: impl Fn(f64) -> f64) -> Both {
    both.0.iter_mut().chain(&mut both.1).for_each(|v| *v = f(*v));
    both
}

pub(super) fn combine(mut both: Both, other: &Both, f: impl Fn(f64, f64) -> f64) -> Both {
    both.0.iter_mut().zip(&other.0).for_each(|(v, w)| *v = f(*v, *w));
    both.1.iter_mut().zip(&other.1).for_each(|(v, w)| *v = f(*v, *w));
    both
}

fn fold(nodes: &[Node<'_>], slots: &Slots, f: fn(f64, f64) -> f64) -> Both {
    let mut diagonals = nodes.iter().map(|node| of_node(node, slots));
    let first = diagonals.next().unwrap_or_default();
    diagonals.fold(first, |both, other| combine(both, &other, f))
}

impl Pointwise {
    fn value(&self, k: f64) -> f64 {
        match self {
            Self::Power(m) => k.powi(*m as i32),
            Self::Exp => k.exp(),
            Self::Series(series) => series.evaluate(k),
            Self::Schoenberg(t) => (-t * k).exp(),
        }
    }
}

/// `k(xᵢ, xᵢ)` and `k(yⱼ, yⱼ)` for a slot of vectors.
fn of_points(kernel: &Kernel, slot: &Slot) -> Both {
    let rows = of_sample(kernel, slot.rows.view());
    let cols = slot.cols.as_ref().map_or_else(|| rows.clone(), |c| of_sample(kernel, c.view()));
    (rows, cols)
}

pub(super) fn of_sample(kernel: &Kernel, x: ArrayView2<f64>) -> Vec<f64> {
    let p = kernel.parameter_values::<f64>();
    let value = |i: usize| {
        let point = x.row(i).to_vec();
        kernel.value(&p, &point, &point)
    };
    in_pool(|| (0..x.nrows()).into_par_iter().map(value).collect())
}

/// The diagonal of a node that stands on a symmetric matrix.
pub(super) fn of_matrix(node: &Node<'_>, n: usize, slots: &Slots) -> Vec<f64> {
    let value = |i: usize| {
        let mut out = [0.0_f64];
        Tile::new(slots, i..i + 1, i..i + 1, true).fill(node, &mut out);
        out[0]
    };
    (0..n).map(value).collect()
}
