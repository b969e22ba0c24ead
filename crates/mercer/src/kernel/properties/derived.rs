//! All properties of a kernel that the rules derive, and the conclusions that hold for every
//! kernel.

use super::{Proof, Property, Verdict};
use crate::kernel::{Domain, Kernel, PointMap};

/// Verdicts and the side facts that rules need of their arguments.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    pub text: String,
    pub psd: Verdict,
    pub strictly_pd: Verdict,
    pub nsd: Verdict,
    pub universal: Verdict,
    pub characteristic: Verdict,
    pub shift_invariant: Verdict,
    pub bounded: Verdict,
    /// `low ≤ k(x, x) ≤ high`; infinite ends where nothing is known.
    pub diagonal: (f64, f64),
    /// `|k(x, y)|` is at most this; infinite where nothing is known.
    pub magnitude: f64,
    /// `k(x, x) > 0` everywhere.
    pub positive: bool,
    pub continuous: bool,
    pub differentiable: bool,
    /// Finitely many features (of either sign), whatever the sample.
    pub finite_rank: bool,
    /// `k(x, x) + k(y, y) − 2k(x, y) ≠ 0` for `x ≠ y`.
    pub separates: bool,
    /// NSD, and `∫∫ κ d(P−Q)² = 0` only for `P = Q`.
    pub strong_negative: bool,
    /// Defined for every vector of a suitable number of columns, so that no refuting point is out
    /// of reach.
    pub unrestricted: bool,
}

impl Derived {
    /// Applies the rules from the leaves up, on so many columns where the number is known.
    pub(crate) fn of(kernel: &Kernel, columns: Option<usize>) -> Self {
        let inner = columns_inside(kernel, columns);
        let children: Vec<Self> = kernel.children().into_iter().map(|k| Self::of(k, inner)).collect();
        let mut derived = Self::nothing(kernel);
        derived.unrestricted = is_unrestricted(kernel, &children);
        derived.apply(kernel, &children, columns);
        derived.conclude();
        derived
    }

    fn apply(&mut self, kernel: &Kernel, children: &[Self], columns: Option<usize>) {
        match (kernel, children) {
            (Kernel::Base(base), _) => self.base(base, columns),
            (Kernel::Scale(a, _), [k]) => self.scale(a.get(), k),
            (Kernel::Sum(_), terms) => self.sum(terms),
            (Kernel::Product(_), factors) => self.product(factors),
            (Kernel::Power(_, m), [k]) => self.power(m.get(), k),
            (Kernel::Exp(_), [k]) => self.exp(k),
            (Kernel::Series(series, _), [k]) => self.series(series, k),
            (Kernel::Normalized(_), [k]) => self.normalized(k),
            (Kernel::On(..), [k]) => self.on(k),
            (Kernel::Minus(..), [a, b]) => self.minus(a, b),
            (Kernel::Conformal(factor, _), [k]) => self.conformal(factor, k),
            (Kernel::Transformed(map, _), [k]) => self.transformed(map, k),
            (Kernel::Schoenberg(t, _), [k]) => self.schoenberg(t.get(), k),
            (Kernel::Based(..), [k]) => self.based(k),
            (Kernel::Induced(points, _), [k]) => self.induced(points.rows().len(), k),
            (Kernel::Embedded(form, _), [k]) => self.embedded(form, k),
            (Kernel::NodePaths(..), [k]) => self.node_paths(k),
            // `children` has as many entries as the node has kernels inside.
            _ => {}
        }
    }

    /// The start: nothing is known.
    fn nothing(kernel: &Kernel) -> Self {
        let open = || Verdict::Unknown("no rule applies".into());
        Self {
            text: kernel.short(),
            psd: open(),
            strictly_pd: open(),
            nsd: open(),
            universal: open(),
            characteristic: open(),
            shift_invariant: open(),
            bounded: open(),
            diagonal: (f64::NEG_INFINITY, f64::INFINITY),
            magnitude: f64::INFINITY,
            positive: false,
            continuous: false,
            differentiable: false,
            finite_rank: false,
            separates: false,
            strong_negative: false,
            unrestricted: false,
        }
    }

    /// What holds for every kernel, whatever it is made of.
    fn conclude(&mut self) {
        self.conclude_strictness();
        self.conclude_rank();
        if self.is(Property::StrictlyPositiveDefinite) {
            self.positive = true;
            self.separates = true;
        }
        if self.psd.is_proven() {
            self.diagonal.0 = self.diagonal.0.max(0.0);
            self.magnitude = self.magnitude.min(self.diagonal.1);
            self.separates |= self.characteristic.is_proven();
        }
        self.diagonal = (self.diagonal.0.max(-self.magnitude), self.diagonal.1.min(self.magnitude));
        self.positive |= self.diagonal.0 > 0.0;
        if self.psd.is_proven() && self.separates && self.nsd.is_unknown() {
            self.refute(
                Property::NegativeSemidefinite,
                "a kernel both PSD and NSD is constant; this one is PSD and not",
                &[],
            );
        }
        if self.bounded.is_unknown() && self.magnitude.is_finite() {
            self.prove(Property::Bounded, &format!("|k(x, y)| ≤ {}", self.magnitude), &[]);
        }
    }

    fn conclude_strictness(&mut self) {
        if self.psd.is_refuted() && !self.strictly_pd.is_refuted() {
            let premise = self.psd.refuted().cloned();
            self.refute_with(
                Property::StrictlyPositiveDefinite,
                "strictly PD kernels are PSD",
                premise.into_iter().collect(),
            );
        }
        if !self.psd.is_proven() {
            let missing = "defined for PSD kernels, which this one is not known to be";
            for property in [Property::Universal, Property::Characteristic] {
                if self.get(property).is_unknown() {
                    *self.slot(property) = Verdict::Unknown(missing.into());
                }
            }
        }
    }

    fn conclude_rank(&mut self) {
        if !self.finite_rank {
            return;
        }
        let rule = "finitely many features, and there are more points than that";
        if self.strictly_pd.is_unknown() {
            self.refute(Property::StrictlyPositiveDefinite, rule, &[]);
        }
        for property in [Property::Universal, Property::Characteristic] {
            if self.psd.is_proven() && self.get(property).is_unknown() {
                self.refute(property, "its RKHS has finite dimension", &[]);
            }
        }
    }

    /// The verdict on a property.
    pub(crate) fn get(&self, property: Property) -> &Verdict {
        match property {
            Property::PositiveSemidefinite => &self.psd,
            Property::StrictlyPositiveDefinite => &self.strictly_pd,
            Property::NegativeSemidefinite => &self.nsd,
            Property::Universal => &self.universal,
            Property::Characteristic => &self.characteristic,
            Property::ShiftInvariant => &self.shift_invariant,
            Property::Bounded => &self.bounded,
        }
    }

    /// The verdict on a property, by value.
    pub(crate) fn take(mut self, property: Property) -> Verdict {
        std::mem::replace(self.slot(property), Verdict::Unknown(String::new()))
    }

    pub(super) fn slot(&mut self, property: Property) -> &mut Verdict {
        match property {
            Property::PositiveSemidefinite => &mut self.psd,
            Property::StrictlyPositiveDefinite => &mut self.strictly_pd,
            Property::NegativeSemidefinite => &mut self.nsd,
            Property::Universal => &mut self.universal,
            Property::Characteristic => &mut self.characteristic,
            Property::ShiftInvariant => &mut self.shift_invariant,
            Property::Bounded => &mut self.bounded,
        }
    }

    /// Whether the property is proven.
    pub(super) fn is(&self, property: Property) -> bool {
        self.get(property).is_proven()
    }

    /// Whether the property is refuted.
    pub(super) fn is_not(&self, property: Property) -> bool {
        self.get(property).is_refuted()
    }

    /// Records a proof; `premises` are verdicts on the arguments, of which the decided ones become
    /// premises.
    pub(super) fn prove(&mut self, property: Property, rule: &str, premises: &[&Verdict]) {
        let claim = format!("{} is {}", self.text, property.adjective());
        *self.slot(property) = Verdict::Proven(Proof { claim, rule: rule.into(), premises: proofs(premises) });
    }

    /// Records a refutation.
    pub(super) fn refute(&mut self, property: Property, rule: &str, premises: &[&Verdict]) {
        self.refute_with(property, rule, proofs(premises));
    }

    fn refute_with(&mut self, property: Property, rule: &str, premises: Vec<Proof>) {
        let claim = format!("{} is not {}", self.text, property.adjective());
        *self.slot(property) = Verdict::Refuted(Proof { claim, rule: rule.into(), premises });
    }

    /// Says what is missing.
    pub(super) fn open(&mut self, property: Property, missing: &str) {
        *self.slot(property) = Verdict::Unknown(missing.into());
    }

    /// The property holds here exactly when it holds for the argument.
    pub(super) fn carry(&mut self, property: Property, k: &Self, rule: &str) {
        self.carry_proof(property, k, rule);
        if k.is_not(property) {
            self.refute(property, rule, &[k.get(property)]);
        }
    }

    /// The property holds here if it holds for the argument.
    pub(super) fn carry_proof(&mut self, property: Property, k: &Self, rule: &str) {
        match k.get(property) {
            Verdict::Proven(_) => self.prove(property, rule, &[k.get(property)]),
            Verdict::Refuted(_) => self.open(property, "what fails for the kernel inside may hold here"),
            Verdict::Unknown(missing) => self.open(property, &format!("open for {}: {missing}", k.text)),
        }
    }
}

fn proofs(verdicts: &[&Verdict]) -> Vec<Proof> {
    verdicts.iter().filter_map(|v| v.proven().or(v.refuted()).cloned()).collect()
}

/// The number of columns that the kernels inside are given.
fn columns_inside(kernel: &Kernel, columns: Option<usize>) -> Option<usize> {
    match kernel {
        Kernel::On(chosen, _) => Some(chosen.len()),
        Kernel::Transformed(PointMap::Matrix(rows), _) => Some(rows.rows().len()),
        Kernel::Based(at, _) => Some(at.coordinates().len()),
        Kernel::Induced(points, _) => Some(points.width()),
        // The columns of instances and vertices are not those of the bags and graphs.
        Kernel::Embedded(..) | Kernel::NodePaths(..) => None,
        _ => columns,
    }
}

/// Whether the expression is defined on the whole of `ℝᵈ` for the number of columns that it takes.
fn is_unrestricted(kernel: &Kernel, children: &[Derived]) -> bool {
    let here = match kernel {
        Kernel::Base(base) => matches!(base.domain(), Domain::Anything | Domain::Vectors | Domain::Line),
        Kernel::Transformed(map, _) => !matches!(map, PointMap::Log1p | PointMap::Sqrt),
        Kernel::Series(series, _) => series.radius().is_infinite(),
        Kernel::Embedded(..) | Kernel::NodePaths(..) => false,
        _ => true,
    };
    here && children.iter().all(|k| k.unrestricted)
}
