//! Profiles of a metric: one derivative by the metric gives the slopes by all lengthscales.

use super::TileGradient;
use crate::gram::MetricKind;
use crate::gram::bound::formula::{self, FormulaVisitor};
use crate::gram::simd::{
    self, Formula, ShapeSlopes, SlopeTiles, differentiate, differentiate_with_shapes, dot, weighted_differences,
};
use crate::kernel::leaf::{Profile, Shape};
use crate::kernel::{Base, Lengthscale, ProfileVisitor};
use crate::real::{Dual, Real};

impl TileGradient<'_> {
    /// `κ(scale · metric)`.
    pub(super) fn profile(
        &mut self,
        base: &Base,
        (metric, scale): (usize, f64),
        own: usize,
        w: &[f64],
        factor: f64,
        total: bool,
    ) -> f64 {
        let lengths = base.lengthscale().map_or(0, Lengthscale::count);
        let shared = matches!(base.lengthscale(), Some(Lengthscale::Shared(_)));
        let by_lengths = total || self.any_requested(&(own..own + lengths));
        let shapes = own + lengths..own + lengths + base.shape().len();
        let (values, mut slopes) = if by_lengths && self.any_requested(&shapes) {
            let (values, slopes, by_shapes) = by_metric_and_shapes(base, scale, shared, self.tile.metric(metric));
            for (parameter, by_shape) in shapes.zip(&by_shapes) {
                self.add(parameter, factor * dot(w, by_shape));
            }
            (values, slopes)
        } else {
            for (k, parameter) in shapes.enumerate().filter(|(_, parameter)| self.requested[*parameter]) {
                let slopes = by_shape(base, scale, k, self.tile.metric(metric));
                self.sums[parameter] += factor * dot(w, &slopes);
            }
            if !by_lengths {
                return 0.0;
            }
            by_metric(base, scale, shared, self.tile.metric(metric))
        };
        match base.lengthscale() {
            Some(Lengthscale::Shared(l)) => {
                let degree = degree(self.slots.metrics[metric].metric.kind());
                self.add(own, -degree * factor / l.get() * dot(w, &slopes));
            }
            Some(Lengthscale::PerColumn(l)) => {
                slopes.iter_mut().zip(w).for_each(|(slope, w)| *slope *= w);
                for (column, l) in l.iter().enumerate() {
                    if self.requested[own + column] {
                        self.sums[own + column] += factor * self.by_length(metric, column, l.get(), &slopes);
                    }
                }
            }
            _ => {}
        }
        dot(w, &values)
    }

    /// `Σ wᵢⱼ ∂u/∂ℓ` of a metric `u` with a lengthscale per column.
    fn by_length(&self, metric: usize, column: usize, length: f64, w: &[f64]) -> f64 {
        let slot = self.slots.metrics[metric].slot();
        match self.slots.metrics[metric].metric.kind() {
            MetricKind::SquaredEuclidean => {
                -2.0 * self.weighted_differences(slot, column, w, true) / (length * length * length)
            }
            _ => -self.weighted_differences(slot, column, w, false) / (length * length),
        }
    }

    /// `Σᵢⱼ wᵢⱼ (xᵢ − yⱼ)²` of a column, or `Σᵢⱼ wᵢⱼ |xᵢ − yⱼ|`.
    pub(super) fn weighted_differences(&self, slot: usize, column: usize, w: &[f64], squared: bool) -> f64 {
        let slot = &self.slots.points[slot];
        let x: Vec<f64> = self.rows.clone().map(|i| slot.rows[[i, column]]).collect();
        let transposed = slot.transposed().row(column);
        let y = &transposed.as_slice().unwrap_or_default()[self.cols.clone()];
        weighted_differences(w, &x, y, squared)
    }
}

/// The power of a common factor of the coordinates that the metric is multiplied by.
pub(in crate::gram::bound) fn degree(metric: MetricKind) -> f64 {
    if metric == MetricKind::SquaredEuclidean { 2.0 } else { 1.0 }
}

/// `κ(scale·u)` and its derivative by `u`, or by the logarithm of `u`, over a tile of a metric `u`.
pub(in crate::gram::bound) fn by_metric(
    base: &Base,
    scale: f64,
    logarithm: bool,
    metric: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let (mut values, mut slopes) = (vec![0.0; metric.len()], vec![0.0; metric.len()]);
    formula::visit(base, scale, ByMetric { logarithm, metric, values: &mut values, slopes: &mut slopes });
    settle(metric, &mut slopes);
    (values, slopes)
}

/// A metric that has left the range of the numbers: the profile is at its limit there, with slope
/// 0, where the chain rule gives 0·∞.
fn settle(metric: &[f64], slopes: &mut [f64]) {
    for (slope, u) in slopes.iter_mut().zip(metric) {
        if u.is_infinite() {
            *slope = 0.0;
        }
    }
}

/// The derivative by a shape over a tile of a metric.
pub(in crate::gram::bound) fn by_shape(base: &Base, scale: f64, k: usize, metric: &[f64]) -> Vec<f64> {
    let mut slopes = vec![0.0; metric.len()];
    let visitor = ByShape { base, scale, k, metric, out: &mut slopes };
    base.visit_profile(visitor).expect("a node of this kind is made from a profile");
    settle(metric, &mut slopes);
    slopes
}

/// `κ(scale·u)`, its derivative by `u` or by the logarithm of `u`, and those by its shapes, whose
/// logarithms, exponentials and powers are shared.
fn by_metric_and_shapes(
    base: &Base,
    scale: f64,
    logarithm: bool,
    metric: &[f64],
) -> (Vec<f64>, Vec<f64>, Vec<Vec<f64>>) {
    let (mut values, mut slopes) = (vec![0.0; metric.len()], vec![0.0; metric.len()]);
    let mut by_shapes = vec![vec![0.0; metric.len()]; base.shape().len()];
    let out = (&mut values[..], &mut slopes[..], &mut by_shapes[..]);
    let visitor = ByMetricAndShapes { base, scale, logarithm, metric, out };
    base.visit_profile(visitor).expect("a node of this kind is made from a profile");
    settle(metric, &mut slopes);
    by_shapes.iter_mut().for_each(|slopes| settle(metric, slopes));
    (values, slopes, by_shapes)
}

struct ByMetric<'m> {
    logarithm: bool,
    metric: &'m [f64],
    values: &'m mut [f64],
    slopes: &'m mut [f64],
}

impl FormulaVisitor for ByMetric<'_> {
    type Output = ();

    fn visit<F: Formula>(self, formula: &F) {
        differentiate(formula, self.logarithm, self.metric, self.values, self.slopes);
    }
}

struct ByShape<'m> {
    base: &'m Base,
    scale: f64,
    k: usize,
    metric: &'m [f64],
    out: &'m mut [f64],
}

impl ProfileVisitor for ByShape<'_> {
    type Output = ();

    fn visit<P: Profile>(self, profile: &P) {
        let formula = ShapeSlope { profile, shape: self.base.shape_array::<f64>(), scale: self.scale, k: self.k };
        simd::map(&formula, 1.0, simd::Mode::Set, self.metric, self.out);
    }
}

/// The derivative of a profile by one of its shapes.
struct ShapeSlope<'p, P> {
    profile: &'p P,
    shape: Shape<f64>,
    scale: f64,
    k: usize,
}

impl<P: Profile> Formula for ShapeSlope<'_, P> {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        let mut shape = self.shape.map(|v| Dual::constant(N::from_f64(v)));
        shape[self.k].derivative = N::one();
        self.profile.profile(shape, Dual::constant(s * N::from_f64(self.scale))).derivative
    }
}

struct ByMetricAndShapes<'m> {
    base: &'m Base,
    scale: f64,
    logarithm: bool,
    metric: &'m [f64],
    out: (&'m mut [f64], &'m mut [f64], &'m mut [Vec<f64>]),
}

impl ProfileVisitor for ByMetricAndShapes<'_> {
    type Output = ();

    fn visit<P: Profile>(self, profile: &P) {
        let formula = ProfileSlopes { profile, shape: self.base.shape_array::<f64>(), scale: self.scale };
        let (values, by_metric, by_shapes) = self.out;
        // A profile has at most two shapes.
        match by_shapes {
            [] => {
                let out = SlopeTiles { values, by_metric, by_shape: [] };
                differentiate_with_shapes(&formula, self.logarithm, self.metric, out);
            }
            [first] => {
                let out = SlopeTiles { values, by_metric, by_shape: [first] };
                differentiate_with_shapes(&formula, self.logarithm, self.metric, out);
            }
            [first, second, ..] => {
                let out = SlopeTiles { values, by_metric, by_shape: [first, second] };
                differentiate_with_shapes(&formula, self.logarithm, self.metric, out);
            }
        }
    }
}

/// A profile with its slopes by the metric and by its shapes.
struct ProfileSlopes<'p, P> {
    profile: &'p P,
    shape: Shape<f64>,
    scale: f64,
}

impl<P: Profile> ShapeSlopes for ProfileSlopes<'_, P> {
    #[inline(always)]
    fn slopes<N: Real>(&self, metric: N) -> [N; 4] {
        let scale = N::from_f64(self.scale);
        let [first, second] = self.shape.map(N::from_f64);
        let still = Dual::constant;
        let moving = |value: N| Dual { value, derivative: N::one() };
        let by_metric =
            self.profile.profile([still(first), still(second)], Dual { value: metric * scale, derivative: scale });
        let by_first = self.profile.profile([moving(first), still(second)], still(metric * scale));
        let by_second = self.profile.profile([still(first), moving(second)], still(metric * scale));
        [by_metric.value, by_metric.derivative, by_first.derivative, by_second.derivative]
    }
}
