//! The negative-definite side: differences, Schoenberg's exponential, the base-point kernel.

use super::{Derived, Property};

const PSD: Property = Property::PositiveSemidefinite;
const NSD: Property = Property::NegativeSemidefinite;
const STRICT: Property = Property::StrictlyPositiveDefinite;

impl Derived {
    /// `k₁ − k₂`: never proven PSD; NSD if `k₁` is NSD (for example a constant) and `k₂` is PSD.
    pub(super) fn minus(&mut self, a: &Self, b: &Self) {
        self.continuous = a.continuous && b.continuous;
        self.differentiable = a.differentiable && b.differentiable;
        self.finite_rank = a.finite_rank && b.finite_rank;
        self.magnitude = a.magnitude + b.magnitude;
        self.diagonal = (a.diagonal.0 - b.diagonal.1, a.diagonal.1 - b.diagonal.0);
        let open = "a difference is never assumed to be PSD; ask for a counterexample";
        self.open(PSD, open);
        self.open(STRICT, open);
        self.open(NSD, "needs an NSD kernel (or a constant) minus a PSD one");
        if a.is(NSD) && b.is(PSD) {
            self.separates = a.separates || b.separates;
            self.strong_negative = a.strong_negative || b.is(Property::Characteristic);
            self.prove(NSD, "an NSD kernel minus a PSD one", &[a.get(NSD), b.get(PSD)]);
        }
        self.minus_shift_and_bound(a, b);
    }

    fn minus_shift_and_bound(&mut self, a: &Self, b: &Self) {
        let (shift, bounded) = (Property::ShiftInvariant, Property::Bounded);
        if a.is(shift) && b.is(shift) {
            self.prove(shift, "a difference of shift-invariant kernels", &[a.get(shift), b.get(shift)]);
        } else if self.unrestricted && ((a.is(shift) && b.is_not(shift)) || (a.is_not(shift) && b.is(shift))) {
            self.refute(shift, "one of the two is shift-invariant and the other is not", &[a.get(shift), b.get(shift)]);
        }
        if a.is(bounded) && b.is(bounded) {
            self.prove(bounded, "a difference of bounded kernels", &[a.get(bounded), b.get(bounded)]);
        } else if self.unrestricted && ((a.is(bounded) && b.is_not(bounded)) || (a.is_not(bounded) && b.is(bounded))) {
            self.refute(bounded, "one of the two is bounded and the other is not", &[a.get(bounded), b.get(bounded)]);
        }
    }

    /// `exp(−tκ)`: PSD for every `t > 0` if κ is NSD. Then
    /// `exp(−tκ(x, y)) = g(x)g(y)exp(−t‖Φ(x) − Φ(y)‖²)` with `g > 0`.
    pub(super) fn schoenberg(&mut self, t: f64, k: &Self) {
        (self.continuous, self.differentiable) = (k.continuous, k.differentiable);
        self.diagonal = ((-t * k.diagonal.1).exp(), (-t * k.diagonal.0).exp());
        self.magnitude = (t * k.magnitude).exp();
        self.positive = true;
        self.carry(Property::ShiftInvariant, k, "the exponential is one-to-one");
        if !k.is(NSD) {
            let missing = format!("Schoenberg's theorem needs an NSD argument, which {} is not known to be", k.text);
            return [PSD, STRICT].into_iter().for_each(|p| self.open(p, &missing));
        }
        let premises = [k.get(NSD)];
        self.prove(PSD, "Schoenberg: exp(−tκ) with κ NSD", &premises);
        if k.separates {
            let rule = "a Gaussian kernel on a Hilbert space, and κ separates points";
            self.prove(STRICT, rule, &premises);
            if k.continuous {
                let rule = "a Gaussian kernel after a one-to-one continuous map into a Hilbert space";
                self.prove(Property::Universal, &format!("{rule} (Christmann, Steinwart 2010)"), &premises);
                self.prove(Property::Characteristic, &format!("{rule} (Ziegel, Ginsbourger, Dümbgen 2024)"), &premises);
            }
        }
    }

    /// `κ(x, x₀) + κ(y, x₀) − κ(x, y) − κ(x₀, x₀)`: PSD if and only if κ is NSD.
    pub(super) fn based(&mut self, k: &Self) {
        (self.continuous, self.differentiable) = (k.continuous, k.differentiable);
        self.magnitude = 4.0 * k.magnitude;
        self.finite_rank = k.finite_rank;
        self.separates = k.separates;
        self.refute(STRICT, "k(x₀, x₀) = 0", &[]);
        self.carry_proof(Property::Bounded, k, "four values of a bounded kernel");
        if k.is(NSD) {
            self.based_on_nsd(k);
        } else if k.is_not(NSD) {
            self.refute(PSD, "the base-point kernel of κ is PSD if and only if κ is NSD", &[k.get(NSD)]);
        } else {
            self.open(PSD, &format!("{} is not known to be NSD", k.text));
        }
    }

    fn based_on_nsd(&mut self, k: &Self) {
        let premises = [k.get(NSD)];
        self.prove(PSD, "the base-point kernel of κ is PSD if and only if κ is NSD", &premises);
        self.refute(Property::Universal, "every function of its RKHS vanishes at x₀", &[]);
        if k.strong_negative {
            let rule = "κ is of strong negative type: −∫∫κ d(P−Q)² vanishes for P = Q alone";
            self.prove(Property::Characteristic, rule, &premises);
        }
        if k.is_not(Property::Bounded) && k.diagonal.0.is_finite() && k.diagonal.1.is_finite() {
            self.refute(Property::Bounded, "κ is unbounded and its diagonal is not", &[k.get(Property::Bounded)]);
        }
    }
}
