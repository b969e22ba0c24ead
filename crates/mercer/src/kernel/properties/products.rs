//! Schur products and powers.

use super::{Derived, Property, Verdict};

const PSD: Property = Property::PositiveSemidefinite;
const STRICT: Property = Property::StrictlyPositiveDefinite;
const SHIFT: Property = Property::ShiftInvariant;

impl Derived {
    /// `k₁ · … · kₘ`.
    pub(super) fn product(&mut self, factors: &[Self]) {
        self.continuous = factors.iter().all(|k| k.continuous);
        self.differentiable = factors.iter().all(|k| k.differentiable);
        self.finite_rank = factors.iter().all(|k| k.finite_rank);
        self.magnitude = product(factors.iter().map(|k| k.magnitude));
        self.prove_if_all(PSD, factors, "Schur: a product of PSD kernels");
        self.prove_if_all(SHIFT, factors, "a product of shift-invariant kernels");
        self.prove_if_all(Property::Bounded, factors, "a product of bounded kernels");
        if self.psd.is_proven() {
            self.positive = factors.iter().all(|k| k.positive);
            self.diagonal = (
                factors.iter().map(|k| k.diagonal.0.clamp(0.0, f64::MAX)).product::<f64>(),
                product(factors.iter().map(|k| k.diagonal.1)),
            );
            self.product_of_psd(factors);
        }
    }

    fn product_of_psd(&mut self, factors: &[Self]) {
        let positive_beside = |k: &Self| factors.iter().all(|other| std::ptr::eq(other, k) || other.positive);
        if let Some(k) = factors.iter().find(|k| k.is(STRICT) && positive_beside(k)) {
            let rule = "Schur: a strictly PD kernel times PSD kernels with positive diagonals";
            self.prove(STRICT, rule, &beside(k, factors, STRICT));
        }
        if let Some(k) = factors.iter().find(|k| k.is(Property::Universal) && positive_beside(k))
            && self.continuous
        {
            let rule = "a universal kernel times continuous PSD kernels with positive diagonals: the products of their \
                        functions span an ideal of continuous functions without a common zero";
            self.prove(Property::Universal, rule, &beside(k, factors, Property::Universal));
        }
        self.product_of_spectra(factors);
        self.unbounded_product(factors);
    }

    /// On `ℝᵈ`, the spectral measure of a product is the convolution of the spectral measures.
    fn product_of_spectra(&mut self, factors: &[Self]) {
        let applies = self.unrestricted && self.continuous && self.positive && self.is(SHIFT);
        let Some(k) = factors.iter().find(|k| k.is(Property::Characteristic)) else { return };
        if applies {
            let rule = "Bochner: the spectral measure is a convolution, and one factor's has full support";
            self.prove(Property::Characteristic, rule, &beside(k, factors, Property::Characteristic));
        }
    }

    fn unbounded_product(&mut self, factors: &[Self]) {
        let away_from_zero = |k: &Self| factors.iter().all(|o| std::ptr::eq(o, k) || o.diagonal.0 > 0.0);
        let unbounded = factors.iter().find(|k| k.is_not(Property::Bounded) && away_from_zero(k));
        if let (Some(k), true) = (unbounded, self.unrestricted) {
            let rule = "one diagonal is unbounded and the others stay away from 0";
            self.refute(Property::Bounded, rule, &[k.get(Property::Bounded)]);
        }
    }

    /// `kᵐ`: a product of equal factors.
    pub(super) fn power(&mut self, m: u32, k: &Self) {
        let exponent = m as i32;
        (self.continuous, self.differentiable) = (k.continuous, k.differentiable);
        self.finite_rank = k.finite_rank;
        self.magnitude = k.magnitude.powi(exponent);
        self.positive = k.positive;
        self.carry_proof(PSD, k, "Schur: a whole power of a PSD kernel");
        self.carry_proof(SHIFT, k, "a power of a shift-invariant kernel");
        if m % 2 == 1 {
            self.carry(SHIFT, k, "odd powers are one-to-one");
        }
        self.carry(Property::Bounded, k, "a power is bounded exactly when its base is");
        if self.psd.is_proven() {
            self.diagonal = (k.diagonal.0.max(0.0).powi(exponent), k.diagonal.1.powi(exponent));
            self.power_of_psd(m, k);
        }
    }

    fn power_of_psd(&mut self, m: u32, k: &Self) {
        self.carry_proof(STRICT, k, "Schur: a product of strictly PD kernels");
        if k.continuous {
            self.carry_proof(Property::Universal, k, "a product of continuous universal kernels");
        }
        self.open(Property::Characteristic, "powers of characteristic kernels need a spectral argument");
        let spectral = self.unrestricted && k.continuous && k.is(SHIFT) && k.positive;
        if spectral || m == 1 {
            self.carry_proof(
                Property::Characteristic,
                k,
                "Bochner: the spectral measure is a convolution of full support",
            );
        }
    }
}

/// Premises: the property of one factor, positive semi-definiteness of the others.
fn beside<'a>(k: &'a Derived, factors: &'a [Derived], property: Property) -> Vec<&'a Verdict> {
    let others = factors.iter().filter(|other| !std::ptr::eq(*other, k)).map(|other| other.get(PSD));
    std::iter::once(k.get(property)).chain(others).collect()
}

/// A product of bounds in which 0 · ∞ is "nothing is known".
fn product(bounds: impl Iterator<Item = f64>) -> f64 {
    let total = bounds.product::<f64>();
    if total.is_nan() { f64::INFINITY } else { total }
}
