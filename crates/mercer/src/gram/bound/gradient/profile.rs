//! Profiles of a metric: one derivative by the metric gives the slopes by all lengthscales.

use super::TileGradient;
use crate::gram::MetricKind;
use crate::gram::bound::formula::{self, FormulaVisitor};
use crate::gram::simd::{self, Formula, differentiate, dot, weighted_differences};
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
        for (k, parameter) in (own + lengths..own + lengths + base.shape().len()).enumerate() {
            if self.requested[parameter] {
                let slopes = by_shape(base, scale, k, self.tile.metric(metric));
                self.sums[parameter] += factor * dot(w, &slopes);
            }
        }
        if !total && !self.any_requested(&(own..own + lengths)) {
            return 0.0;
        }
        let shared = matches!(base.lengthscale(), Some(Lengthscale::Shared(_)));
        let (values, mut slopes) = by_metric(base, scale, shared, self.tile.metric(metric));
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
        let slot = &self.slots.points[self.slots.metrics[metric].slot()];
        let x: Vec<f64> = self.rows.clone().map(|i| slot.rows[[i, column]]).collect();
        let transposed = slot.transposed().row(column);
        let y = &transposed.as_slice().unwrap_or_default()[self.cols.clone()];
        match self.slots.metrics[metric].metric.kind() {
            MetricKind::SquaredEuclidean => -2.0 * weighted_differences(w, &x, y, true) / (length * length * length),
            _ => -weighted_differences(w, &x, y, false) / (length * length),
        }
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
    (values, slopes)
}

/// The derivative by a shape over a tile of a metric.
pub(in crate::gram::bound) fn by_shape(base: &Base, scale: f64, k: usize, metric: &[f64]) -> Vec<f64> {
    let mut slopes = vec![0.0; metric.len()];
    let visitor = ByShape { base, scale, k, metric, out: &mut slopes };
    base.visit_profile(visitor).expect("a node of this kind is made from a profile");
    slopes
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
