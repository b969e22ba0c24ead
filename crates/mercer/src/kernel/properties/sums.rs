//! The convex cone: multiples and sums.

use super::{Derived, Property, Verdict};

const PSD: Property = Property::PositiveSemidefinite;
const NSD: Property = Property::NegativeSemidefinite;

impl Derived {
    /// `a·k`: for `a > 0` nothing changes but the size; for `a = 0` it is the zero kernel.
    pub(super) fn scale(&mut self, a: f64, k: &Self) {
        if a == 0.0 {
            return self.zero();
        }
        for property in Property::ALL {
            self.carry(property, k, &scale_rule(property, k));
        }
        self.diagonal = (a * k.diagonal.0, a * k.diagonal.1);
        self.magnitude = a * k.magnitude;
        self.positive = k.positive;
        (self.continuous, self.differentiable) = (k.continuous, k.differentiable);
        (self.finite_rank, self.separates, self.strong_negative) = (k.finite_rank, k.separates, k.strong_negative);
    }

    fn zero(&mut self) {
        let rule = "the zero kernel";
        for property in [PSD, NSD, Property::ShiftInvariant, Property::Bounded] {
            self.prove(property, rule, &[]);
        }
        for property in [Property::StrictlyPositiveDefinite, Property::Universal, Property::Characteristic] {
            self.refute(property, rule, &[]);
        }
        (self.diagonal, self.magnitude) = ((0.0, 0.0), 0.0);
        (self.continuous, self.differentiable, self.finite_rank) = (true, true, true);
    }

    /// `k₁ + … + kₘ`.
    pub(super) fn sum(&mut self, terms: &[Self]) {
        let total = |part: fn(&Self) -> f64| terms.iter().map(part).sum::<f64>();
        self.diagonal = (total(|k| k.diagonal.0), total(|k| k.diagonal.1));
        self.magnitude = total(|k| k.magnitude);
        self.continuous = terms.iter().all(|k| k.continuous);
        self.differentiable = terms.iter().all(|k| k.differentiable);
        self.finite_rank = terms.iter().all(|k| k.finite_rank);
        self.prove_if_all(PSD, terms, "a sum of PSD kernels");
        self.prove_if_all(NSD, terms, "a sum of NSD kernels");
        self.prove_if_all(Property::ShiftInvariant, terms, "a sum of shift-invariant kernels");
        self.prove_if_all(Property::Bounded, terms, "a sum of bounded kernels");
        if self.nsd.is_proven() {
            self.separates = terms.iter().any(|k| k.separates);
            self.strong_negative = terms.iter().any(|k| k.strong_negative);
        }
        if self.psd.is_proven() {
            self.sum_of_psd(terms);
        }
        self.sum_not_shift_invariant(terms);
    }

    fn sum_of_psd(&mut self, terms: &[Self]) {
        self.separates |= terms.iter().any(|k| k.separates);
        self.positive = terms.iter().any(|k| k.positive);
        self.one_is_enough(Property::StrictlyPositiveDefinite, terms, "PSD kernels plus a strictly PD one");
        self.one_is_enough(
            Property::Characteristic,
            terms,
            "squared distances of embeddings add, and one term is characteristic",
        );
        if self.continuous {
            self.one_is_enough(
                Property::Universal,
                terms,
                "the RKHS of a sum contains that of each term; all are continuous and one is universal",
            );
        }
        if self.unrestricted {
            let unbounded = "diagonals of PSD kernels are not negative, and that of one term is unbounded";
            self.one_refutes(Property::Bounded, terms, unbounded);
            self.one_refutes(NSD, terms, "all terms are PSD and one of them is not NSD");
        }
    }

    /// Proves the property if every term has it.
    pub(super) fn prove_if_all(&mut self, property: Property, terms: &[Self], rule: &str) {
        match terms.iter().find(|k| !k.is(property)) {
            None => {
                let premises: Vec<&Verdict> = terms.iter().map(|k| k.get(property)).collect();
                self.prove(property, rule, &premises);
            }
            Some(k) => {
                self.open(property, &format!("{} is not known to be {}", k.text, property.adjective()));
            }
        }
    }

    fn one_is_enough(&mut self, property: Property, terms: &[Self], rule: &str) {
        if let Some(k) = terms.iter().find(|k| k.is(property)) {
            let mut premises = vec![k.get(property)];
            premises.extend(terms.iter().filter(|other| !std::ptr::eq(*other, k)).map(|other| other.get(PSD)));
            self.prove(property, rule, &premises);
        }
    }

    fn one_refutes(&mut self, property: Property, terms: &[Self], rule: &str) {
        if let Some(k) = terms.iter().find(|k| k.is_not(property)) {
            self.refute(property, rule, &[k.get(property)]);
        }
    }

    /// If all terms but one are shift-invariant, that one is the difference of the sum and of
    /// shift-invariant kernels.
    pub(super) fn sum_not_shift_invariant(&mut self, terms: &[Self]) {
        let property = Property::ShiftInvariant;
        let mut others = terms.iter().filter(|k| !k.is(property));
        if let (Some(k), None, true) = (others.next(), others.next(), self.unrestricted)
            && k.is_not(property)
        {
            self.refute(property, "all terms but one are shift-invariant", &[k.get(property)]);
        }
    }
}

fn scale_rule(property: Property, k: &Derived) -> String {
    let adjective = property.adjective();
    let article = if property == Property::NegativeSemidefinite { "an" } else { "a" };
    let not = if k.is_not(property) { "kernel that is not " } else { "" };
    match not {
        "" => format!("a positive multiple of {article} {adjective} kernel"),
        _ => format!("a positive multiple of a {not}{adjective}"),
    }
}
