//! Facts about base kernels, from their own files.

use super::{Derived, Property, Verdict};
use crate::kernel::Base;
use crate::kernel::closed_forms::Growth;
use crate::kernel::facts::{Fact, Facts};

impl Derived {
    /// A leaf of a proof: a result of the literature.
    pub(super) fn base(&mut self, base: &Base, columns: Option<usize>) {
        let facts = columns.map_or_else(|| base.facts(), |columns| base.facts_on(columns));
        self.fact(Property::PositiveSemidefinite, facts.psd);
        self.fact(Property::StrictlyPositiveDefinite, facts.strictly_pd);
        self.fact(Property::NegativeSemidefinite, facts.nsd);
        self.fact(Property::Universal, facts.universal);
        self.fact(Property::Characteristic, facts.characteristic);
        self.fact(Property::ShiftInvariant, facts.shift_invariant);
        self.continuous = facts.continuous;
        self.differentiable = facts.differentiable;
        self.finite_rank = base.has_finite_rank();
        self.separates = facts.separates;
        self.strong_negative = facts.strong_negative;
        self.base_diagonal(base.growth(), &facts);
    }

    fn fact(&mut self, property: Property, fact: Fact) {
        match fact {
            Fact::Yes(rule) => self.prove(property, rule, &[]),
            Fact::No(rule) => self.refute(property, rule, &[]),
            Fact::Open(missing) => self.open(property, missing),
        }
    }

    fn base_diagonal(&mut self, growth: Growth, facts: &Facts) {
        match (growth, facts.bound) {
            (Growth::Increasing { .. }, _) => {
                self.diagonal = (0.0, 0.0);
                self.refute(Property::Bounded, "it grows without limit with the distance of x and y", &[]);
            }
            (Growth::Saturating { .. }, _) => (self.diagonal, self.magnitude) = ((-1.0, 1.0), 1.0),
            (Growth::Step, Some(b)) => (self.diagonal, self.magnitude) = ((b, b), b),
            (_, Some(b)) if b.is_infinite() => {
                self.refute(Property::Bounded, "k(x, x) has no upper bound on the domain", &[]);
                self.positive = facts.positive;
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
