//! How far a tile in single precision can be from the kernel: a bound derived over the expression.
//!
//! Each node gives the largest magnitude `M` of its values on the data and the largest error `E` of
//! a single-precision tile. A radial profile `κ(s)` that is convex and decreasing has
//! `|s κ′(s)| ≤ κ(0)`, so a relative error `δ` of the metric moves its value by at most `δκ(0)`;
//! sums and products propagate as usual; every operation adds its rounding.

use ndarray::ArrayView2;

use super::Bound;
use super::diagonal;
use super::node::{Kind, Node, Pointwise};
use super::slots::Slots;
use crate::gram::{MetricKind, simd::Element};
use crate::kernel::closed_forms::Growth;
use crate::kernel::leaf::Profile;
use crate::kernel::{Base, ProfileVisitor};
use crate::real::Dual;

/// Unit roundoff of `f32`.
const U: f64 = <f32 as Element>::UNIT_ROUNDOFF;
/// Roundings in an elementary function and the arithmetic around it, in units of `U`.
const FUNCTION: f64 = 16.0;

/// The bound for a whole binding, or `None` where it leaves the range of numbers.
pub(super) fn single(bound: &Bound<'_>) -> Option<f64> {
    let range = of(&bound.root, &bound.slots);
    range.error.is_finite().then_some(range.error)
}

/// Magnitude and error of the values of a node.
#[derive(Clone, Copy, Debug)]
struct Spread {
    magnitude: f64,
    error: f64,
    nonnegative: bool,
}

impl Spread {
    fn exact(magnitude: f64, nonnegative: bool) -> Self {
        Self { magnitude, error: U * magnitude, nonnegative }
    }

    fn scaled(self, factor: f64) -> Self {
        let magnitude = factor.abs() * self.magnitude;
        let nonnegative = self.nonnegative && factor >= 0.0;
        Self { magnitude, error: factor.abs() * self.error + U * magnitude, nonnegative }
    }

    fn plus(self, other: Self) -> Self {
        let magnitude = self.magnitude + other.magnitude;
        let nonnegative = self.nonnegative && other.nonnegative;
        Self { magnitude, error: self.error + other.error + 2.0 * U * magnitude, nonnegative }
    }

    fn times(self, other: Self) -> Self {
        let magnitude = self.magnitude * other.magnitude;
        let error = self.error * other.magnitude + other.error * self.magnitude + self.error * other.error;
        Self { magnitude, error: error + 2.0 * U * magnitude, nonnegative: self.nonnegative && other.nonnegative }
    }
}

fn of(node: &Node<'_>, slots: &Slots) -> Spread {
    match &node.kind {
        Kind::Constant(value) => Spread::exact(*value, true),
        Kind::Matrix(matrix) => Spread::exact(matrix.iter().fold(0.0, |m, v| m.max(v.abs())), false),
        Kind::Object(tiles) => Spread::exact(tiles.largest(), false),
        Kind::Columnwise { .. } => Spread::exact(largest_diagonal(node, slots), false),
        Kind::Profile { base, metric, scale } => profile(base, slots, *metric, *scale),
        Kind::Circles { inner, .. } => of(inner, slots),
        Kind::Features { metric } => dot(slots, *metric),
        Kind::Brownian { metric, hurst, rows, cols } => {
            let largest = largest_metric(slots, *metric).powf(*hurst);
            let relative = hurst * slots.metrics[*metric].metric.relative_error::<f32>() + FUNCTION * U;
            let power = Spread { magnitude: largest, error: relative * largest, nonnegative: true };
            outer_sum(rows, cols, 0.0).plus(power.scaled(-1.0)).scaled(0.5)
        }
        Kind::Scale(a, inner) => of(inner, slots).scaled(*a),
        Kind::Sum(terms) => fold(terms, slots, Spread::plus),
        Kind::Product(factors) => fold(factors, slots, Spread::times),
        Kind::Minus(a, b) => of(a, slots).plus(of(b, slots).scaled(-1.0)),
        Kind::Pointwise(function, inner) => pointwise(function, of(inner, slots)),
        Kind::Outer { rows, cols, inner, .. } => {
            let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let nonnegative = rows.iter().chain(cols.iter()).all(|&v| v >= 0.0);
            of(inner, slots).times(Spread::exact(largest(rows) * largest(cols), nonnegative))
        }
        Kind::Based { rows, cols, origin, inner } => outer_sum(rows, cols, *origin).plus(of(inner, slots).scaled(-1.0)),
    }
}

fn fold(nodes: &[Node<'_>], slots: &Slots, combine: fn(Spread, Spread) -> Spread) -> Spread {
    nodes.iter().map(|node| of(node, slots)).reduce(combine).unwrap_or(Spread::exact(0.0, true))
}

fn outer_sum(rows: &[f64], cols: &[f64], origin: f64) -> Spread {
    let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    Spread::exact(largest(rows) + largest(cols) + origin.abs(), false)
}

/// Cauchy–Schwarz: no value of a positive semi-definite kernel is above the largest of its
/// diagonal.
fn largest_diagonal(node: &Node<'_>, slots: &Slots) -> f64 {
    let (rows, cols) = diagonal::of_node(node, slots);
    rows.into_iter().chain(cols).fold(0.0, f64::max)
}

fn largest_norm(x: ArrayView2<f64>) -> f64 {
    x.rows().into_iter().map(|r| r.dot(&r)).fold(0.0, f64::max).sqrt()
}

fn dot(slots: &Slots, metric: usize) -> Spread {
    let shared = &slots.metrics[metric];
    let slot = &slots.points[shared.slot()];
    let largest = largest_norm(slot.rows.view()) * largest_norm(slot.columns().view());
    let error = (shared.metric.relative_error::<f32>() + 2.0 * U) * largest;
    Spread { magnitude: largest, error, nonnegative: false }
}

/// The largest distance that the bounding box of the points allows.
fn largest_metric(slots: &Slots, metric: usize) -> f64 {
    let shared = &slots.metrics[metric];
    let slot = &slots.points[shared.slot()];
    let sides = (0..slot.rows.ncols()).map(|j| {
        let values = slot.rows.column(j).into_iter().chain(slot.columns().column(j)).copied().collect::<Vec<_>>();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (high - low).max(0.0) * shared.weight(j)
    });
    match shared.metric.kind() {
        MetricKind::SquaredEuclidean => sides.map(|s| s * s).sum(),
        _ => sides.sum(),
    }
}

fn profile(base: &Base, slots: &Slots, metric: usize, scale: f64) -> Spread {
    let kind = slots.metrics[metric].metric.kind();
    if kind == MetricKind::Dot {
        return inner_product(base, dot(slots, metric).scaled(scale));
    }
    let relative = slots.metrics[metric].metric.relative_error::<f32>() + base.roundings() * U;
    let at = |s: f64| base.visit_profile(At { base, s }).map_or(f64::INFINITY, |d: Dual<f64>| d.value);
    let nonnegative = base.is_non_negative();
    match base.growth() {
        // Decided in double precision.
        Growth::Step => Spread::exact(at(0.0), nonnegative),
        // |s κ′(s)| ≤ power · κ(s) at the largest distance.
        Growth::Increasing { power } => {
            let magnitude = at(largest_metric(slots, metric) * scale);
            Spread { magnitude, error: power * relative * magnitude.max(1.0), nonnegative }
        }
        Growth::Regular | Growth::Saturating { .. } => {
            Spread { magnitude: at(0.0), error: relative * at(0.0), nonnegative }
        }
    }
}

/// A profile of `⟨x, y⟩`: the slope is largest where `|⟨x, y⟩|` is, or at the origin of tanh.
fn inner_product(base: &Base, s: Spread) -> Spread {
    let ends = [s.magnitude, -s.magnitude].map(|s| base.visit_profile(At { base, s }));
    let largest = |f: fn(Dual<f64>) -> f64| ends.into_iter().flatten().map(|d| f(d).abs()).fold(0.0, f64::max);
    let (magnitude, slope) = match base.growth() {
        Growth::Saturating { slope } => (1.0, slope),
        _ => (largest(|d| d.value), largest(|d| d.derivative)),
    };
    let rounding = base.roundings() * U * (magnitude + slope * s.magnitude);
    Spread { magnitude, error: slope * s.error + rounding, nonnegative: base.is_non_negative() }
}

fn pointwise(function: &Pointwise, k: Spread) -> Spread {
    let grow = |f: &dyn Fn(f64) -> f64, nonnegative| {
        let (low, high) = (f(k.magnitude), f(k.magnitude + k.error));
        let error = (high - low).abs() + FUNCTION * U * high.abs() * (1.0 + k.magnitude);
        Spread { magnitude: low.abs(), error, nonnegative }
    };
    match function {
        Pointwise::Power(m) => {
            let grown = grow(&|v| v.powi(*m as i32), k.nonnegative || m % 2 == 0);
            Spread { error: grown.error + f64::from(*m) * U * grown.magnitude, ..grown }
        }
        Pointwise::Exp => grow(&f64::exp, true),
        Pointwise::Series(series) => grow(&|v| series.evaluate(v), k.nonnegative),
        Pointwise::Schoenberg(t) if k.nonnegative => Spread {
            magnitude: 1.0,
            error: t * k.error + FUNCTION * U * (1.0 + t * k.magnitude.min(1.0)),
            nonnegative: true,
        },
        Pointwise::Schoenberg(t) => grow(&|v| (t * v).exp(), true),
    }
}

/// The profile and its slope at one value of the metric.
struct At<'b> {
    base: &'b Base,
    s: f64,
}

impl ProfileVisitor for At<'_> {
    type Output = Dual<f64>;

    fn visit<P: Profile>(self, profile: &P) -> Dual<f64> {
        let s = Dual { value: self.s, derivative: 1.0 };
        profile.profile(self.base.shape_array::<Dual<f64>>(), s)
    }
}
