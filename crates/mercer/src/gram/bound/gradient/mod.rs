//! Sums `Σᵢⱼ wᵢⱼ ∂kᵢⱼ/∂θ` over a tile for all parameters at once: weights go down the expression,
//! slopes come out at the parameters.
//!
//! A sum hands its weights on, a product hands on weights times the other factors, a function of a
//! kernel weights times its slope. A base kernel needs one derivative by its metric, however many
//! lengthscales it has, and one by each of its shapes: its one formula over dual numbers.

pub(super) mod circles;
mod columnwise;
mod points;
pub(super) mod profile;

use std::ops::Range;

use super::Bound;
use super::fill::Tile;
use super::node::{Kind, Node, Pointwise};
use super::slots::Slots;
use super::tangent::Tangent;
use crate::gram::simd::{Mode, dot};
use crate::real::{Dual, Real};

impl Bound<'_> {
    /// Adds `Σᵢⱼ wᵢⱼ ∂kᵢⱼ/∂θ` over a tile to `sums`, for every parameter requested. The weights
    /// stand row after row.
    pub(crate) fn contract_tile(
        &self,
        rows: Range<usize>,
        cols: Range<usize>,
        weights: &[f64],
        requested: &[bool],
        sums: &mut [f64],
    ) {
        let tile = Tile::new(&self.slots, rows.clone(), cols.clone(), self.symmetric);
        let mut contract_tile =
            TileGradient { slots: &self.slots, symmetric: self.symmetric, rows, cols, requested, sums, tile };
        contract_tile.node(&self.root, weights, 1.0, false);
    }
}

struct TileGradient<'b> {
    slots: &'b Slots,
    symmetric: bool,
    rows: Range<usize>,
    cols: Range<usize>,
    requested: &'b [bool],
    sums: &'b mut [f64],
    tile: Tile<'b, f64>,
}

impl TileGradient<'_> {
    /// Adds `factor Σ w ∂k/∂θ` for the parameters of a node; returns `Σ w k` if `total` is set.
    fn node(&mut self, node: &Node<'_>, w: &[f64], factor: f64, total: bool) -> f64 {
        if !self.any_requested(&node.parameters) {
            return if total { dot(w, &self.values(node)) } else { 0.0 };
        }
        let own = node.parameters.start;
        match &node.kind {
            Kind::Profile { base, metric, scale } => self.profile(base, (*metric, *scale), own, w, factor, total),
            Kind::Columnwise { slot, band: Some(band), .. } => self.band(*band, *slot, own, w, factor),
            Kind::Columnwise { base, lengths, slot, .. } => match base.finite_sum() {
                Some(kernel) => self.finite_rank(kernel, *slot, own, w, factor),
                None => self.columnwise(base, lengths, *slot, own, w, factor),
            },
            Kind::Circles { period, lengths, slot, inner, .. } => {
                self.circles(inner, (*slot, *period), lengths, &node.parameters, w, factor)
            }
            Kind::Constant(value) => {
                let sum: f64 = w.iter().sum();
                self.add(own, factor * sum);
                value * sum
            }
            Kind::Scale(a, inner) => {
                let inner = self.node(inner, w, factor * a, total || self.requested[own]);
                self.add(own, factor * inner);
                a * inner
            }
            Kind::Sum(terms) => terms.iter().map(|term| self.node(term, w, factor, total)).sum(),
            Kind::Minus(a, b) => self.node(a, w, factor, total) - self.node(b, w, -factor, total),
            Kind::Product(factors) => self.product(factors, w, factor, total),
            Kind::Pointwise(function, inner) => self.pointwise(function, inner, own, w, factor),
            Kind::Object(_) => {
                self.by_tangents(node, w, factor);
                if total { dot(w, &self.values(node)) } else { 0.0 }
            }
            Kind::Outer { inner, .. } if inner.has_objects() => {
                self.by_tangents(node, w, factor);
                if total { dot(w, &self.values(node)) } else { 0.0 }
            }
            Kind::Outer { .. } | Kind::Based { .. } | Kind::Features { .. } => {
                self.by_points(node, w, factor);
                if total { dot(w, &self.values(node)) } else { 0.0 }
            }
            Kind::Brownian { .. } | Kind::Matrix(_) => {
                self.by_formula(node, w, factor);
                if total { dot(w, &self.values(node)) } else { 0.0 }
            }
        }
    }

    fn any_requested(&self, parameters: &Range<usize>) -> bool {
        self.requested[parameters.clone()].iter().any(|requested| *requested)
    }

    /// One derivative after the other: for normalized kernels on objects.
    fn by_tangents(&mut self, node: &Node<'_>, w: &[f64], factor: f64) {
        let mut slopes = vec![0.0; w.len()];
        for parameter in node.parameters.clone().filter(|p| self.requested[*p]) {
            let (rows, cols) = (self.rows.clone(), self.cols.clone());
            Tangent { slots: self.slots, symmetric: self.symmetric, parameter, rows, cols }.of(node, &mut slopes);
            self.sums[parameter] += factor * dot(w, &slopes);
        }
    }

    /// Adds to the sum of a parameter, if requested.
    fn add(&mut self, parameter: usize, value: f64) {
        if self.requested[parameter] {
            self.sums[parameter] += value;
        }
    }

    fn values(&mut self, node: &Node<'_>) -> Vec<f64> {
        let mut values = vec![0.0; self.tile.len()];
        self.tile.put(node, 1.0, Mode::Set, &mut values);
        values
    }

    fn product(&mut self, factors: &[Node<'_>], w: &[f64], factor: f64, total: bool) -> f64 {
        let mut sum = 0.0;
        for (i, inner) in factors.iter().enumerate() {
            if !self.any_requested(&inner.parameters) {
                continue;
            }
            let mut weights = w.to_vec();
            for (_, other) in factors.iter().enumerate().filter(|(j, _)| *j != i) {
                self.tile.put(other, 1.0, Mode::Multiply, &mut weights);
            }
            sum = self.node(inner, &weights, factor, total);
        }
        sum
    }

    /// `f(k)`: its slope goes into the weights.
    fn pointwise(&mut self, function: &Pointwise, inner: &Node<'_>, own: usize, w: &[f64], factor: f64) -> f64 {
        let values = self.values(inner);
        match function {
            Pointwise::Schoenberg(t) => {
                let slope: f64 = w.iter().zip(&values).map(|(w, v)| -w * v * (-t * v).exp()).sum();
                self.add(own, factor * slope);
            }
            Pointwise::Series(series) => {
                for n in 0..series.coefficients().len() {
                    let slope: f64 = w.iter().zip(&values).map(|(w, v)| w * v.powi(n as i32)).sum();
                    self.add(own + n, factor * slope);
                }
            }
            Pointwise::Power(_) | Pointwise::Exp => {}
        }
        let mut total = 0.0;
        let weigh = |(w, v): (&f64, &f64)| {
            let k = Dual::variable(*v);
            let at = match function {
                Pointwise::Power(m) => k.powi(*m as i32),
                Pointwise::Exp => k.exp(),
                Pointwise::Schoenberg(t) => (Dual::<f64>::from_f64(-t) * k).exp(),
                Pointwise::Series(series) => series.evaluate(k),
            };
            total += w * at.value;
            w * at.derivative
        };
        let weights: Vec<f64> = w.iter().zip(&values).map(weigh).collect();
        self.node(inner, &weights, factor, false);
        total
    }
}
