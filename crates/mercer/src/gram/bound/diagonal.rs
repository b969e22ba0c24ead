//! `k(x, x)`: from the formula for points, from the matrix for precomputed values.

use ndarray::{Array1, ArrayView2};
use rayon::prelude::*;

use super::Bound;
use super::fill::Tile;
use super::node::Node;
use super::slots::{Slot, Slots};
use crate::compute::in_pool;
use crate::error::PrecomputedNeed;
use crate::kernel::Kernel;
use crate::{Error, Result};

/// `k(xᵢ, xᵢ)` of the row points of a binding.
pub(super) fn rows(bound: &Bound<'_>) -> Result<Array1<f64>> {
    if !bound.precomputed {
        return Ok(of_sample(&bound.kernel, bound.slots.points[0].rows.view()).into());
    }
    if bound.symmetric {
        return Ok(of_matrix(&bound.root, bound.shape.0, &bound.slots).into());
    }
    Err(Error::precomputed("a matrix that is not symmetric", PrecomputedNeed::Diagonal))
}

/// `k(xᵢ, xᵢ)` and `k(yⱼ, yⱼ)` for a slot of points.
pub(super) fn of_points(kernel: &Kernel, slot: &Slot) -> (Vec<f64>, Vec<f64>) {
    let rows = of_sample(kernel, slot.rows.view());
    let cols = slot.cols.as_ref().map_or_else(|| rows.clone(), |c| of_sample(kernel, c.view()));
    (rows, cols)
}

fn of_sample(kernel: &Kernel, x: ArrayView2<f64>) -> Vec<f64> {
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
