//! The traits of base kernels, and the three forms of their computation.

use super::domain::Domain;
use super::facts::Facts;
use super::{Lengthscale, catalogue::Entry};
use crate::Result;
use crate::real::Real;

/// Continuous parameters of a formula beyond its lengthscale. No formula has more than two; the
/// weights of a finite-rank kernel are read by its own sum.
pub(crate) type Shape<N> = [N; 2];

/// Periods in a difference beyond which nothing is left of its phase.
pub(crate) const WHOLE_PERIODS: f64 = (1_u64 << 50) as f64;

/// The quantity between two points that a profile acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetricKind {
    /// `‖x − y‖₂²`.
    SquaredEuclidean,
    /// `‖x − y‖₁`.
    Manhattan,
    /// `⟨x, y⟩`.
    Dot,
}

/// A base kernel: its page in the catalogue, its parameters, and the properties of it.
pub(crate) trait Leaf: Clone {
    /// Its page in the catalogue.
    fn entry(&self) -> &'static Entry;

    /// All parameters as they stand in the text.
    fn arguments(&self) -> Vec<(&'static str, String)>;

    /// What is known of it.
    fn facts(&self) -> Facts;

    /// Where it is defined, if that depends on its parameters.
    fn domain(&self) -> Domain {
        self.entry().domain
    }

    /// Names and values of the continuous parameters beyond the lengthscale.
    fn shape(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The shape parameters that are a choice of how smooth the functions are: searches keep them
    /// unless they are declared free.
    fn choices(&self) -> &'static [&'static str] {
        &[]
    }

    /// The same kernel with other continuous parameters.
    fn with_shape(&self, _values: &[f64]) -> Result<Self> {
        Ok(self.clone())
    }

    /// Whether `k(·, y)` has a kink or a jump at `x`. A kernel that is not differentiable has one
    /// at its center by default.
    fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
        !self.facts().differentiable && x == y
    }

    /// The largest `|xⱼ − yⱼ|` at which the formula has digits left, where there is one: sines lose
    /// their phase.
    fn longest_difference(&self) -> Option<f64> {
        None
    }

    /// Whether `k(x, x)` has a kink at `x`.
    fn has_kink_on_diagonal(&self, _x: &[f64]) -> bool {
        false
    }

    /// The lengthscale, where there is one.
    fn lengthscale(&self) -> Option<&Lengthscale> {
        None
    }

    /// The same kernel with another lengthscale.
    fn with_lengthscale(&self, _lengthscale: Lengthscale) -> Self {
        self.clone()
    }
}

/// `k(x, y) = profile(metric(x, y))`, the metric taken after division by the lengthscale.
pub(crate) trait Profile: Leaf + Sync {
    /// The metric that the profile acts on.
    fn metric(&self) -> MetricKind;

    /// The formula. `p` holds the shape parameters in the order of [`Leaf::shape`].
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N;
}

/// `k(x, y) = finish(step(… step(start, x₁, y₁) …, x_d, y_d))`: one pass over the columns.
pub(crate) trait Columnwise: Leaf + Sync {
    /// The value before the first column.
    fn start(&self) -> f64;

    /// Takes in one column; `length` is that column's lengthscale (1 where there is none).
    fn step<N: Real>(&self, p: Shape<N>, length: N, sum: N, x: N, y: N) -> N;

    /// The kernel's value after the last column.
    fn finish<N: Real>(&self, _p: Shape<N>, sum: N) -> N {
        sum
    }
}
