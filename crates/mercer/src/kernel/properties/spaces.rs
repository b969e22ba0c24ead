//! Changes of the space and of the features: columns, maps, factors, normalization, empirical maps.

use super::{Derived, Property};
use crate::kernel::{ConformalFactor, PointMap};

const PSD: Property = Property::PositiveSemidefinite;
const NSD: Property = Property::NegativeSemidefinite;
const STRICT: Property = Property::StrictlyPositiveDefinite;
const RICH: [Property; 3] = [STRICT, Property::Universal, Property::Characteristic];

impl Derived {
    /// `k` on some of the columns.
    pub(super) fn on(&mut self, k: &Self) {
        self.same_values(k);
        (self.continuous, self.differentiable) = (k.continuous, k.differentiable);
        for property in [PSD, NSD, Property::ShiftInvariant, Property::Bounded] {
            self.carry(property, k, "a kernel on some of the columns takes the same values");
        }
        for property in RICH {
            if k.is_not(property) {
                self.refute(property, "it fails already on the chosen columns", &[k.get(property)]);
            } else {
                self.open(property, "it depends on whether there are columns that were not chosen");
            }
        }
    }

    /// What is inherited by a kernel that takes no other values than `k`.
    fn same_values(&mut self, k: &Self) {
        (self.diagonal, self.magnitude, self.positive) = (k.diagonal, k.magnitude, k.positive);
        self.finite_rank = k.finite_rank;
    }

    /// `k(s(x), s(y))`.
    pub(super) fn transformed(&mut self, map: &PointMap, k: &Self) {
        self.same_values(k);
        self.continuous = k.continuous && !matches!(map, PointMap::Unit);
        self.differentiable =
            k.differentiable && matches!(map, PointMap::Log1p | PointMap::Square | PointMap::Matrix(_));
        for property in [PSD, NSD, Property::Bounded] {
            self.carry_proof(property, k, "a space transformation k(s(x), s(y))");
        }
        if let PointMap::Matrix(_) = map {
            self.carry_proof(Property::ShiftInvariant, k, "A(x + h) − A(y + h) = Ax − Ay");
        }
        match injective(map) {
            Some(true) => {
                self.separates = k.separates;
                RICH.into_iter().for_each(|p| self.carry_proof(p, k, "s is one-to-one and continuous"));
            }
            Some(false) => RICH.into_iter().for_each(|p| self.refute(p, "s maps distinct points to one", &[])),
            None => RICH.into_iter().for_each(|p| self.open(p, "it depends on the rank of the matrix")),
        }
    }

    /// `f(x)k(x, y)f(y)`.
    pub(super) fn conformal(&mut self, factor: &ConformalFactor, k: &Self) {
        let never_zero = matches!(factor, ConformalFactor::Gaussian(_) | ConformalFactor::Quadratic);
        self.continuous = k.continuous;
        self.differentiable = k.differentiable && !matches!(factor, ConformalFactor::Norm);
        self.finite_rank = k.finite_rank;
        self.positive = k.positive && never_zero;
        self.conformal_size(factor, k);
        let congruent = "cᵀ(fKf)c = (fc)ᵀK(fc)";
        if never_zero {
            self.carry(PSD, k, "cᵀ(fKf)c = (fc)ᵀK(fc), and f has no zero");
            self.carry(STRICT, k, "cᵀ(fKf)c = (fc)ᵀK(fc), and f has no zero");
            if k.continuous {
                self.carry(Property::Universal, k, "multiplication by a continuous f without zeros is onto C(Z)");
            }
        } else {
            self.carry_proof(PSD, k, congruent);
            self.vanishing_factor();
        }
    }

    fn vanishing_factor(&mut self) {
        if self.unrestricted && self.psd.is_proven() {
            self.refute(STRICT, "f vanishes at 0, so k(0, 0) = 0", &[]);
            self.refute(Property::Universal, "every function of its RKHS vanishes where f does", &[]);
        }
    }

    fn conformal_size(&mut self, factor: &ConformalFactor, k: &Self) {
        if let ConformalFactor::Gaussian(_) = factor {
            self.magnitude = k.magnitude;
            self.diagonal = (k.diagonal.0.min(0.0), k.diagonal.1.max(0.0));
            self.carry_proof(Property::Bounded, k, "a bounded kernel times f(x)f(y) ≤ 1");
        } else if self.unrestricted && k.diagonal.0 > 0.0 {
            self.refute(Property::Bounded, "f is unbounded and k(x, x) stays away from 0", &[]);
        }
    }

    /// `k(x, y)/√(k(x, x)k(y, y))`.
    pub(super) fn normalized(&mut self, k: &Self) {
        self.carry_proof(PSD, k, "conformal with f(x) = k(x, x)^(−1/2), 0 where the diagonal is 0");
        if !k.is(PSD) {
            let missing = format!("{} is not known to be PSD", k.text);
            return RICH.into_iter().for_each(|p| self.open(p, &missing));
        }
        self.continuous = k.continuous && k.positive;
        self.differentiable = k.differentiable && k.positive;
        self.finite_rank = k.finite_rank;
        self.positive = k.positive;
        (self.diagonal, self.magnitude) = ((if k.positive { 1.0 } else { 0.0 }, 1.0), 1.0);
        self.prove(Property::Bounded, "Cauchy–Schwarz: |k(x, y)| ≤ √(k(x, x)k(y, y))", &[k.get(PSD)]);
        self.carry(STRICT, k, "conformal: rows and columns are rescaled");
        if k.continuous && k.is(Property::Universal) {
            self.carry_proof(
                Property::Universal,
                k,
                "normalization of a universal kernel (Steinwart, Christmann 2008)",
            );
        }
        self.carry_proof(Property::ShiftInvariant, k, "a shift-invariant kernel has a constant diagonal");
        if k.is(Property::ShiftInvariant) && k.positive {
            self.carry(Property::Characteristic, k, "its diagonal is constant: a multiple of the kernel");
        }
    }

    /// `Σₗ k(x, zₗ)k(y, zₗ)`.
    pub(super) fn induced(&mut self, count: usize, k: &Self) {
        (self.continuous, self.differentiable) = (k.continuous, k.differentiable);
        self.finite_rank = true;
        self.magnitude = count as f64 * k.magnitude * k.magnitude;
        self.diagonal = (0.0, self.magnitude);
        self.prove(PSD, "the inner product of the features k(·, z₁), …, k(·, zₘ), whatever k is", &[]);
    }
}

/// Whether distinct points of the domain stay distinct; `None` for a matrix that may have any rank.
fn injective(map: &PointMap) -> Option<bool> {
    match map {
        PointMap::Log1p | PointMap::Sqrt => Some(true),
        PointMap::Square | PointMap::Abs | PointMap::Unit => Some(false),
        PointMap::Matrix(rows) if rows.rows().len() < rows.width() => Some(false),
        PointMap::Matrix(_) => None,
    }
}
