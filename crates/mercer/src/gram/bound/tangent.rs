//! Derivatives of tiles with respect to a parameter: the chain rule over the expression.

use std::ops::Range;

use ndarray::Axis;

use super::Bound;
use super::diagonal_slopes;
use super::fill::Tile;
use super::gradient::profile::{by_metric, by_shape, degree};
use super::node::{Kind, Node, Pointwise};
use super::slots::Slots;
use crate::gram::MetricKind;
use crate::gram::simd::Mode;
use crate::kernel::{Base, Lengthscale};
use crate::real::{Dual, Real};

/// `out = ∂k/∂θ` for the parameter with this number in the whole expression.
pub(super) fn fill(bound: &Bound<'_>, parameter: usize, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
    let tangent = Tangent { slots: &bound.slots, symmetric: bound.symmetric, parameter, rows, cols };
    tangent.of(&bound.root, out);
}

/// The derivative of nodes on a tile.
pub(super) struct Tangent<'b> {
    pub slots: &'b Slots,
    pub symmetric: bool,
    pub parameter: usize,
    pub rows: Range<usize>,
    pub cols: Range<usize>,
}

impl Tangent<'_> {
    fn values(&self, node: &Node<'_>) -> Vec<f64> {
        let mut values = vec![0.0; self.rows.len() * self.cols.len()];
        Tile::new(self.slots, self.rows.clone(), self.cols.clone(), self.symmetric).fill(node, &mut values);
        values
    }

    /// `out = ∂node/∂θ`.
    pub(super) fn of(&self, node: &Node<'_>, out: &mut [f64]) {
        if !node.parameters.contains(&self.parameter) {
            return out.fill(0.0);
        }
        let own = self.parameter - node.parameters.start;
        match &node.kind {
            Kind::Profile { base, metric, scale } => self.profile(base, *metric, *scale, own, out),
            Kind::Object(tiles) => {
                tiles.fill_derivative(own, &self.rows.clone().collect::<Vec<_>>(), self.cols.clone(), out)
            }
            Kind::Constant(_) => out.fill(1.0),
            Kind::Scale(_, inner) if own == 0 => out.copy_from_slice(&self.values(inner)),
            Kind::Scale(a, inner) => self.scaled(*a, inner, out),
            Kind::Sum(terms) => self.sum(terms, out),
            Kind::Product(factors) => self.product(factors, out),
            Kind::Minus(a, b) if a.parameters.contains(&self.parameter) => self.scaled(1.0, a, out),
            Kind::Minus(_, b) => self.scaled(-1.0, b, out),
            Kind::Pointwise(function, inner) => self.pointwise(function, inner, own, out),
            Kind::Outer { rows, cols, unit: false, inner } if inner.parameters.contains(&self.parameter) => {
                self.of(inner, out);
                self.each(out, |i, j, value| *value *= rows[i] * cols[j]);
            }
            Kind::Outer { rows, cols, inner, .. } if inner.has_objects() => self.normalized(rows, cols, inner, out),
            _ => self.by_formula(node, own, out),
        }
    }

    fn each(&self, out: &mut [f64], mut visit: impl FnMut(usize, usize, &mut f64)) {
        for (i, line) in self.rows.clone().zip(out.chunks_exact_mut(self.cols.len().max(1))) {
            for (j, value) in self.cols.clone().zip(line) {
                visit(i, j, value);
            }
        }
    }

    fn scaled(&self, factor: f64, inner: &Node<'_>, out: &mut [f64]) {
        self.of(inner, out);
        out.iter_mut().for_each(|v| *v *= factor);
    }

    fn sum(&self, terms: &[Node<'_>], out: &mut [f64]) {
        match terms.iter().find(|t| t.parameters.contains(&self.parameter)) {
            Some(term) => self.of(term, out),
            None => out.fill(0.0),
        }
    }

    fn product(&self, factors: &[Node<'_>], out: &mut [f64]) {
        self.sum(factors, out);
        for factor in factors.iter().filter(|f| !f.parameters.contains(&self.parameter)) {
            let mut tile = Tile::new(self.slots, self.rows.clone(), self.cols.clone(), self.symmetric);
            tile.put(factor, 1.0, Mode::Multiply, out);
        }
    }

    /// `d/dθ f(k)`: the value and the tangent of `k` go through `f` as a dual number.
    fn pointwise(&self, function: &Pointwise, inner: &Node<'_>, own: usize, out: &mut [f64]) {
        self.of(inner, out);
        for (o, v) in out.iter_mut().zip(self.values(inner)) {
            *o = function.slope(own, v, *o);
        }
    }

    /// `d/dθ k(x, y)/√(k(x, x)k(y, y))` of a kernel on objects; `a` and `b` are the inverse roots.
    fn normalized(&self, a: &[f64], b: &[f64], inner: &Node<'_>, out: &mut [f64]) {
        self.of(inner, out);
        let values = self.values(inner);
        let (rows, cols) = diagonal_slopes::of(inner, self.parameter, self.slots);
        let mut at = 0;
        self.each(out, |i, j, slope| {
            let relative = 0.5 * (rows[i] * a[i] * a[i] + cols[j] * b[j] * b[j]);
            *slope = a[i] * b[j] * (*slope - values[at] * relative);
            at += 1;
        });
    }

    /// Pair by pair, by the formula in dual numbers: for the rarer nodes.
    fn by_formula(&self, node: &Node<'_>, own: usize, out: &mut [f64]) {
        let mut p = node.kernel.parameter_values::<Dual<f64>>();
        p[own].derivative = 1.0;
        let lift = |v: Vec<f64>| v.into_iter().map(Dual::<f64>::from_f64).collect::<Vec<_>>();
        let points: Vec<_> = self.cols.clone().map(|j| lift(self.slots.column(node.slot, j))).collect();
        for (i, line) in self.rows.clone().zip(out.chunks_exact_mut(self.cols.len().max(1))) {
            let x = lift(self.slots.row(node.slot, i));
            for (y, value) in points.iter().zip(line) {
                *value = node.kernel.value(&p, &x, y).derivative;
            }
        }
    }

    fn profile(&self, base: &Base, metric: usize, scale: f64, own: usize, out: &mut [f64]) {
        let shared = &self.slots.metrics[metric];
        shared.metric.fill(self.rows.clone(), self.cols.clone(), out);
        match base.lengthscale() {
            Some(Lengthscale::Shared(l)) if own == 0 => {
                let chain = -degree(shared.metric.kind()) / l.get();
                let slopes = by_metric(base, scale, true, out).1;
                out.iter_mut().zip(slopes).for_each(|(out, slope)| *out = chain * slope);
            }
            Some(Lengthscale::PerColumn(l)) if own < l.len() => {
                out.copy_from_slice(&by_metric(base, scale, false, out).1);
                self.times_metric_derivative(metric, own, l[own].get(), out);
            }
            lengthscale => {
                let k = own - lengthscale.map_or(0, Lengthscale::count);
                out.copy_from_slice(&by_shape(base, scale, k, out));
            }
        }
    }

    /// `out ← out · ∂u/∂ℓⱼ` for a metric `u` with a lengthscale per column.
    fn times_metric_derivative(&self, metric: usize, column: usize, length: f64, out: &mut [f64]) {
        let slot = &self.slots.points[self.slots.metrics[metric].slot()];
        let (x, columns) = (slot.rows.index_axis(Axis(1), column), slot.columns());
        let y = columns.index_axis(Axis(1), column);
        let squared = self.slots.metrics[metric].metric.kind() == MetricKind::SquaredEuclidean;
        self.each(out, |i, j, value| {
            let z = (x[i] - y[j]) / length;
            *value *= if squared { -2.0 * z * z / length } else { -z.abs() / length };
        });
    }
}
