//! Exponentials and power series with non-negative coefficients.

use super::{Derived, Property};
use crate::kernel::Series;

const PSD: Property = Property::PositiveSemidefinite;
const STRICT: Property = Property::StrictlyPositiveDefinite;

/// All coefficients positive over an injective continuous feature map into a Hilbert space.
const ALL_POSITIVE: &str = "a power series with all coefficients positive of a continuous PSD kernel that separates points \
                            (Christmann, Steinwart 2010)";

impl Derived {
    /// `exp(k) = Σ kⁿ/n!`.
    pub(super) fn exp(&mut self, k: &Self) {
        (self.continuous, self.differentiable) = (k.continuous, k.differentiable);
        self.diagonal = (k.diagonal.0.exp(), k.diagonal.1.exp());
        self.magnitude = k.magnitude.exp();
        self.positive = true;
        self.carry(Property::ShiftInvariant, k, "the exponential is one-to-one");
        self.carry_proof(PSD, k, "a limit of sums of powers of a PSD kernel");
        self.carry_proof(Property::Bounded, k, "the exponential of a bounded kernel");
        if k.is(PSD) {
            self.bounded_with(k, "k(x, x) → ∞ makes exp(k(x, x)) → ∞");
            self.series_of_psd(k, true, true);
        }
    }

    /// `Σ aₙkⁿ`, inside its radius.
    pub(super) fn series(&mut self, series: &Series, k: &Self) {
        let bound = if k.is(PSD) { k.diagonal.1 } else { k.magnitude };
        if series.radius().is_finite() && !(k.is(PSD) && bound < series.radius()) {
            let missing =
                format!("needs a PSD kernel with k(x, x) < {}; the radius is checked on data", series.radius());
            return Property::ALL.into_iter().for_each(|p| self.open(p, &missing));
        }
        (self.continuous, self.differentiable) = (k.continuous, k.differentiable);
        self.finite_rank = k.finite_rank && matches!(series, Series::Coefficients(_));
        self.carry_proof(Property::ShiftInvariant, k, "a function of a shift-invariant kernel");
        self.carry_proof(
            PSD,
            k,
            "non-negative coefficients, inside the radius: a limit of sums of powers of a PSD kernel",
        );
        self.carry_proof(Property::Bounded, k, "a power series inside its radius of a bounded kernel");
        self.magnitude = at(series, bound);
        if k.is(PSD) {
            self.diagonal = (at_zero(series, k.diagonal.0.max(0.0)), at(series, k.diagonal.1));
            self.positive = constant_term(series) > 0.0 || (k.positive && has_powers(series));
            if has_powers(series) {
                self.bounded_with(k, "k(x, x) → ∞ makes the series → ∞");
                self.series_of_psd(k, *series == Series::Geometric, has_first_power(series));
            }
        }
    }

    fn bounded_with(&mut self, k: &Self, rule: &str) {
        if k.is_not(Property::Bounded) {
            self.refute(Property::Bounded, rule, &[k.get(Property::Bounded)]);
        }
    }

    /// `all`: every coefficient is positive; `first`: that of `k¹` is.
    fn series_of_psd(&mut self, k: &Self, all: bool, first: bool) {
        let premises = [k.get(PSD)];
        self.separates = k.separates && first;
        self.carry_proof(STRICT, k, "it has a power of a strictly PD kernel as a term");
        if k.continuous {
            self.carry_proof(Property::Universal, k, "it has a power of a universal kernel as a term");
        }
        if first {
            self.carry_proof(Property::Characteristic, k, "it has a characteristic kernel as a term");
        }
        if all && k.separates && !self.is(STRICT) {
            self.prove(
                STRICT,
                "a power series with all coefficients positive of a PSD kernel that separates points",
                &premises,
            );
        }
        if all && k.separates && k.continuous {
            if !self.is(Property::Universal) {
                self.prove(Property::Universal, ALL_POSITIVE, &premises);
            }
            if !self.is(Property::Characteristic) {
                let rule = "all moments of the embedded measure enter: a power series with all coefficients positive of a \
                            continuous PSD kernel that separates points";
                self.prove(Property::Characteristic, rule, &premises);
            }
        }
    }
}

/// The sum at the upper end of a bound; infinite where nothing is known.
fn at(series: &Series, bound: f64) -> f64 {
    let total = if bound.is_finite() { series.evaluate(bound) } else { f64::INFINITY };
    if total.is_nan() { f64::INFINITY } else { total }
}

/// The sum at the lower end, which is not negative.
fn at_zero(series: &Series, low: f64) -> f64 {
    let total = series.evaluate(low);
    if total.is_finite() { total } else { 0.0 }
}

fn constant_term(series: &Series) -> f64 {
    series.evaluate(0.0)
}

fn has_powers(series: &Series) -> bool {
    match series {
        Series::Coefficients(a) => a.iter().skip(1).any(|a| a.get() > 0.0),
        _ => true,
    }
}

fn has_first_power(series: &Series) -> bool {
    match series {
        Series::Coefficients(a) => a.get(1).is_some_and(|a| a.get() > 0.0),
        Series::Cosh => false,
        Series::Geometric | Series::Logarithm | Series::Sinh => true,
    }
}
