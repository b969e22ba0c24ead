//! The points where `k(·, y)` is not differentiable.

use ndarray::ArrayView2;

use super::algebra::series::Series;
use super::evaluate::choose;
use super::{ConformalFactor, Kernel, PointMap, Property};
use crate::real::{Dual, Real};

impl Kernel {
    /// The first center, of those that count, for which `k(·, center)` has no gradient at `x`. All
    /// points are in the domain.
    pub(crate) fn first_kink(
        &self,
        x: &[f64],
        centers: ArrayView2<f64>,
        counts: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if self.is_differentiable() {
            return None;
        }
        (0..centers.nrows()).find(|&i| counts(i) && self.has_kink(x, &centers.row(i).to_vec()))
    }

    /// Whether `k(·, y)` has a kink or a jump at `x`.
    ///
    /// A part that is multiplied by zero there does not count. Parts that cancel each other's
    /// kinks, as in `minus(k, k)`, do.
    pub(crate) fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
        match self {
            Self::Base(base) => base.has_kink(x, y),
            Self::Scale(a, k) => a.get() != 0.0 && k.has_kink(x, y),
            Self::Sum(terms) => terms.iter().any(|k| k.has_kink(x, y)),
            Self::Minus(a, b) => a.has_kink(x, y) || b.has_kink(x, y),
            Self::Product(factors) => {
                let factors: Vec<&Kernel> = factors.iter().collect();
                let is_zero = |k: &Kernel| k.at(x, y) == 0.0;
                let alone = |i: usize| factors.iter().enumerate().all(|(j, k)| i == j || !is_zero(k));
                (0..factors.len()).any(|i| factors[i].has_kink(x, y) && alone(i))
            }
            Self::Power(k, m) => k.has_kink(x, y) && (m.get() == 1 || k.at(x, y) != 0.0),
            Self::Exp(k) | Self::Schoenberg(_, k) => k.has_kink(x, y),
            Self::Series(series, k) => k.has_kink(x, y) && slope(series, k.at(x, y)) != 0.0,
            Self::On(columns, k) => k.has_kink(&choose(columns, x), &choose(columns, y)),
            Self::Normalized(k) => {
                // Where k(y, y) = 0 the function is 0 everywhere; where k(x, x) = 0 it jumps.
                let jumps = k.at(x, x) <= 0.0;
                k.at(y, y) > 0.0 && (jumps || k.has_kink(x, y) || (k.at(x, y) != 0.0 && k.has_kink_on_diagonal(x)))
            }
            Self::Conformal(factor, k) => {
                let at_origin = matches!(factor, ConformalFactor::Norm) && is_origin(x) && k.at(x, y) != 0.0;
                let moved = factor.evaluate(x) != 0.0 && k.has_kink(x, y);
                factor.evaluate(y) != 0.0 && (at_origin || moved)
            }
            Self::Transformed(map, k) => {
                let (u, v) = (map.apply(x), map.apply(y));
                map_has_kink(map, x, |j| k.derivative(&u, &v, j) != 0.0) || k.has_kink(&u, &v)
            }
            Self::Based(at, k) => {
                // At y = x₀ the function is 0 everywhere.
                let base = at.coordinates();
                y != base && (k.has_kink(x, y) || k.has_kink(x, base))
            }
            Self::Induced(points, k) => points.rows().iter().any(|z| k.has_kink(x, z) && k.at(y, z) != 0.0),
            // Bags and graphs are no vectors.
            Self::Embedded(..) | Self::NodePaths(..) => true,
        }
    }

    /// Whether `k(x, x)` has a kink at `x`.
    pub(crate) fn has_kink_on_diagonal(&self, x: &[f64]) -> bool {
        match self {
            Self::Base(base) => base.has_kink_on_diagonal(x),
            Self::On(columns, k) => k.has_kink_on_diagonal(&choose(columns, x)),
            Self::Transformed(map, k) => {
                let constant = k.property(Property::ShiftInvariant).is_proven();
                !constant && (map_has_kink(map, x, |_| true) || k.has_kink_on_diagonal(&map.apply(x)))
            }
            Self::Normalized(k) => k.at(x, x) <= 0.0,
            Self::Based(at, k) => k.has_kink(x, at.coordinates()) || k.has_kink_on_diagonal(x),
            Self::Induced(points, k) => points.rows().iter().any(|z| k.has_kink(x, z) && k.at(x, z) != 0.0),
            _ => self.children().into_iter().any(|k| k.has_kink_on_diagonal(x)),
        }
    }

    fn at(&self, x: &[f64], y: &[f64]) -> f64 {
        self.value(&self.parameter_values::<f64>(), x, y)
    }

    /// `∂k/∂xⱼ`, where it exists.
    fn derivative(&self, x: &[f64], y: &[f64], j: usize) -> f64 {
        let lift = |v: &[f64]| v.iter().map(|&v| Dual::<f64>::from_f64(v)).collect::<Vec<_>>();
        let (mut x, y) = (lift(x), lift(y));
        x[j].derivative = 1.0;
        self.value(&self.parameter_values::<Dual<f64>>(), &x, &y).derivative
    }
}

fn slope(series: &Series, k: f64) -> f64 {
    series.evaluate(Dual::variable(k)).derivative
}

/// Whether the map has a kink at `x` in a coordinate that `matters`; the slope of the root is
/// infinite at 0.
fn map_has_kink(map: &PointMap, x: &[f64], matters: impl Fn(usize) -> bool) -> bool {
    match map {
        PointMap::Abs => (0..x.len()).any(|j| x[j] == 0.0 && matters(j)),
        PointMap::Sqrt => x.contains(&0.0),
        PointMap::Unit => is_origin(x),
        PointMap::Log1p | PointMap::Square | PointMap::Matrix(_) => false,
    }
}

fn is_origin(x: &[f64]) -> bool {
    x.iter().all(|v| *v == 0.0)
}
