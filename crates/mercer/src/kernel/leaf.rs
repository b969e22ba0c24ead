//! The traits of base kernels, and the three forms of their computation.

use super::closed_forms::{
    Circles, Formula, FormulaVisitor, Growth, LineForm, MarkovProcess, PowerSeries, SpectralLaw, SteinForm,
};
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

    /// What is known of it, on as many columns as it is meant for.
    fn facts(&self) -> Facts;

    /// What is known of it on so many columns, where that depends on their number.
    fn facts_on(&self, _columns: usize) -> Facts {
        self.facts()
    }

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

    /// The Gaussian kernel on circles that this kernel is, if it is one.
    fn circles(&self) -> Option<Circles> {
        None
    }

    /// `a`, if this kernel is the product of `sin(a(xⱼ − yⱼ))/(a(xⱼ − yⱼ))`.
    fn bandlimit(&self) -> Option<f64> {
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

    /// Whether its shape parameters may be negative.
    fn has_signed_shape(&self) -> bool {
        false
    }

    /// Whether no value is negative.
    fn is_non_negative(&self) -> bool {
        false
    }

    /// Whether it is a product of kernels of single columns.
    fn is_column_product(&self) -> bool {
        false
    }

    /// How its profile changes with the metric.
    fn growth(&self) -> Growth {
        Growth::Regular
    }

    /// Roundings in one evaluation of the formula, in units of the last place: 16 for an elementary function and the
    /// arithmetic around it.
    fn roundings(&self) -> f64 {
        16.0
    }

    /// Its spectral measure, if random frequencies can be drawn from it.
    fn spectral_law(&self) -> Option<SpectralLaw> {
        None
    }

    /// The spectral measure of `exp(−tκ)`, for a negative-definite `κ`.
    fn schoenberg_law(&self, _t: f64) -> Option<SpectralLaw> {
        None
    }

    /// The Markov process whose covariance it is on one column. A median that is not resolved counts as 1.
    fn markov_process(&self) -> Option<MarkovProcess> {
        None
    }

    /// What it is on one column, where closed forms are known.
    fn line_form(&self) -> Option<LineForm<'_>> {
        None
    }

    /// Its power series in `⟨x, y⟩`.
    fn power_series(&self) -> Option<PowerSeries> {
        None
    }

    /// What its Stein kernel is made from.
    fn stein_form(&self) -> Option<SteinForm> {
        None
    }
}

/// `k(x, y) = profile(metric(x, y))`, the metric taken after division by the lengthscale.
pub(crate) trait Profile: Leaf + Sync {
    /// The metric that the profile acts on.
    fn metric(&self) -> MetricKind;

    /// The formula. `p` holds the shape parameters in the order of [`Leaf::shape`].
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N;

    /// Calls the visitor with the formula of `profile(scale · metric)` for the parameters as they are; a kernel with a
    /// shorter one for some of them says so here.
    fn visit_formula<V: FormulaVisitor>(&self, scale: f64, visitor: V) -> V::Output {
        visitor.visit(&Scaled { profile: self, shape: shape_array(self.shape()), scale })
    }
}

/// A profile of a scaled metric.
pub(crate) struct Scaled<'p, P> {
    pub profile: &'p P,
    pub shape: Shape<f64>,
    pub scale: f64,
}

impl<P: Profile> Formula for Scaled<'_, P> {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        self.profile.profile(self.shape.map(N::from_f64), s * N::from_f64(self.scale))
    }
}

/// `exp(as)`.
pub(crate) struct ExponentialOf(pub(crate) f64);

impl Formula for ExponentialOf {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        (N::from_f64(self.0) * s).exp()
    }
}

/// The shape parameters in a fixed-size array, unused places at 0.
pub(crate) fn shape_array<N: Real>(parameters: Vec<(&'static str, f64)>) -> Shape<N> {
    let mut shape = [N::zero(); 2];
    for (place, (_, value)) in shape.iter_mut().zip(parameters) {
        *place = N::from_f64(value);
    }
    shape
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
