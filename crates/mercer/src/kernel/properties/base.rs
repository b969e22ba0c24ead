//! Facts about base kernels, from their own files.

use super::{Derived, Property, Verdict};
use crate::kernel::Base;
use crate::kernel::facts::Fact;

impl Derived {
    /// A leaf of a proof: a result of the literature.
    pub(super) fn base(&mut self, base: &Base) {
        let facts = base.facts();
        self.fact(Property::PositiveSemidefinite, facts.psd);
        self.fact(Property::StrictlyPositiveDefinite, facts.strictly_pd);
        self.fact(Property::NegativeSemidefinite, facts.nsd);
        self.fact(Property::Universal, facts.universal);
        self.fact(Property::Characteristic, facts.characteristic);
        self.fact(Property::ShiftInvariant, facts.shift_invariant);
        self.continuous = facts.continuous;
        self.differentiable = facts.differentiable;
        self.finite_rank =
            matches!(base, Base::Linear(_) | Base::Polynomial(_) | Base::Constant(_) | Base::FiniteRank(_));
        self.separates = separates(base);
        self.strong_negative =
            matches!(base, Base::LogDistance(_)) || matches!(base, Base::Distance(d) if d.power() < 2.0);
        self.base_diagonal(base, facts.bound);
    }

    fn fact(&mut self, property: Property, fact: Fact) {
        match fact {
            Fact::Yes(rule) => self.prove(property, rule, &[]),
            Fact::No(rule) => self.refute(property, rule, &[]),
            Fact::Open(missing) => self.open(property, missing),
        }
    }

    fn base_diagonal(&mut self, base: &Base, bound: Option<f64>) {
        match (base, bound) {
            (Base::SquaredDistance(_) | Base::Distance(_) | Base::LogDistance(_), _) => {
                self.diagonal = (0.0, 0.0);
                self.refute(Property::Bounded, "it grows without limit with the distance of x and y", &[]);
            }
            (Base::Tanh(_), _) => (self.diagonal, self.magnitude) = ((-1.0, 1.0), 1.0),
            (Base::Ball(_), Some(b)) => (self.diagonal, self.magnitude) = ((b, b), b),
            (_, Some(b)) if b.is_infinite() => {
                self.refute(Property::Bounded, "k(x, x) has no upper bound on the domain", &[]);
                self.positive = has_offset(base);
            }
            (_, Some(b)) => self.bounded_diagonal(b),
            (_, None) => {}
        }
    }

    /// `k(x, x) ≤ b`, with equality everywhere for a shift-invariant kernel.
    fn bounded_diagonal(&mut self, b: f64) {
        let constant = matches!(self.shift_invariant, Verdict::Proven(_));
        self.diagonal = (if constant { b } else { f64::NEG_INFINITY }, b);
        if self.psd.is_proven() {
            self.magnitude = b;
            self.prove(Property::Bounded, &format!("|k(x, y)| ≤ √(k(x, x)k(y, y)) ≤ {b}"), &[]);
        }
    }
}

/// Whether a polynomial kernel has a constant feature, so that `k(x, x) > 0`.
fn has_offset(base: &Base) -> bool {
    matches!(base, Base::Polynomial(_)) && base.shape().iter().any(|&(name, value)| name == "offset" && value > 0.0)
}

/// Whether `k(x, x) + k(y, y) − 2k(x, y)` is 0 for `x = y` alone. Strictly PD and characteristic
/// kernels are covered by the general conclusions.
fn separates(base: &Base) -> bool {
    match base {
        Base::Linear(_) | Base::Wiener(_) | Base::HistogramIntersection(_) | Base::Brownian(_) => true,
        Base::SquaredDistance(_) | Base::Distance(_) | Base::LogDistance(_) => true,
        // x ↦ x^{⊗m} is one-to-one for odd m, and an offset adds the features of every lower
        // degree.
        Base::Polynomial(p) => p.degree() % 2 == 1 || has_offset(base),
        _ => false,
    }
}
