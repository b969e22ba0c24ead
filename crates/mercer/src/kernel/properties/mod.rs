//! Properties of kernels, derived by rule through the whole algebra, each with its proof.
//!
//! A property that is proven on a set is proven on every subset, so proofs go through every
//! operation. Refutations do not: `linear()` is unbounded on the line and bounded on `[0, 1]`. A
//! rule refutes only where the points that refute its premise are known to lie in the domain of the
//! whole expression.

mod base;
mod derived;
mod embeddings;
mod negative;
mod products;
mod proof;
mod series;
mod spaces;
mod sums;

pub(crate) use derived::Derived;
pub use proof::{Proof, Verdict};

use super::Kernel;

/// A property that a kernel may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// `cᵀKc ≥ 0` for all points and weights.
    PositiveSemidefinite,
    /// `cᵀKc > 0` for distinct points and `c ≠ 0`.
    StrictlyPositiveDefinite,
    /// `cᵀKc ≤ 0` for all points and weights with `Σ cᵢ = 0` (also called conditionally negative
    /// definite).
    NegativeSemidefinite,
    /// Positive semi-definite, continuous, and its RKHS is dense in the continuous functions on
    /// every compact set of the domain.
    Universal,
    /// Positive semi-definite, and probability measures (that have a mean embedding) differ if and
    /// only if their embeddings do.
    Characteristic,
    /// `k(x + h, y + h) = k(x, y)`.
    ShiftInvariant,
    /// `sup |k(x, y)| < ∞`; for a positive semi-definite kernel, `sup k(x, x) < ∞`.
    Bounded,
}

impl Property {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::PositiveSemidefinite,
        Self::StrictlyPositiveDefinite,
        Self::NegativeSemidefinite,
        Self::Universal,
        Self::Characteristic,
        Self::ShiftInvariant,
        Self::Bounded,
    ];

    /// The name in results: `psd`, `strictly_pd`, `nsd`, `universal`, `characteristic`,
    /// `shift_invariant`, `bounded`.
    pub fn name(self) -> &'static str {
        match self {
            Self::PositiveSemidefinite => "psd",
            Self::StrictlyPositiveDefinite => "strictly_pd",
            Self::NegativeSemidefinite => "nsd",
            Self::Universal => "universal",
            Self::Characteristic => "characteristic",
            Self::ShiftInvariant => "shift_invariant",
            Self::Bounded => "bounded",
        }
    }

    /// The adjective in proofs, to be read after "is".
    pub fn adjective(self) -> &'static str {
        match self {
            Self::PositiveSemidefinite => "PSD",
            Self::StrictlyPositiveDefinite => "strictly PD",
            Self::NegativeSemidefinite => "NSD",
            Self::ShiftInvariant => "shift-invariant",
            other => other.name(),
        }
    }
}

impl Kernel {
    /// The result of the rules for one property.
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// use mercer::kernel::Property;
    /// let k: Kernel = "schoenberg(distance(power=1) + sqdist(), t=2)".parse()?;
    /// assert_eq!(k.property(Property::PositiveSemidefinite).as_option(), Some(true));
    /// let k: Kernel = "tanh()".parse()?;
    /// assert_eq!(k.property(Property::PositiveSemidefinite).as_option(), None);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn property(&self, property: Property) -> Verdict {
        Derived::of(self, None).take(property)
    }

    /// What the rules say of one property on vectors of so many columns. It differs from [`Kernel::property`] for kernels
    /// that are positive definite up to a dimension.
    ///
    /// # Example
    /// ```
    /// use mercer::Kernel;
    /// use mercer::kernel::Property;
    /// let k: Kernel = "gaussian() + 1".parse()?;
    /// assert!(k.property_on(Property::PositiveSemidefinite, 7).is_proven());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn property_on(&self, property: Property, columns: usize) -> Verdict {
        Derived::of(self, Some(columns)).take(property)
    }

    /// The results of the rules for every property, in the order of [`Property::ALL`].
    pub fn properties(&self) -> Vec<(Property, Verdict)> {
        let derived = Derived::of(self, None);
        Property::ALL.into_iter().map(|p| (p, derived.get(p).clone())).collect()
    }

    /// Every property with its proof tree, its refutation, or what is missing, as text.
    ///
    /// # Example
    /// ```
    /// let k: mercer::Kernel = "gaussian(lengthscale=0.5)".parse()?;
    /// assert!(k.proof().starts_with("gaussian(lengthscale=0.5) is PSD: Schoenberg on squared distance"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn proof(&self) -> String {
        let line = |(property, verdict): (Property, Verdict)| match verdict {
            Verdict::Proven(proof) | Verdict::Refuted(proof) => proof.to_string(),
            Verdict::Unknown(missing) => format!("{} is {}? Unknown: {missing}", self.short(), property.adjective()),
        };
        self.properties().into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// An upper bound of `k(x, x)` over the domain, sharp where the diagonal is constant: infinity
    /// if `k` is proven to be unbounded, `None` if no rule applies.
    ///
    /// # Example
    /// ```
    /// let k: mercer::Kernel = "2*gaussian() + 1".parse()?;
    /// assert_eq!(k.bound(), Some(3.0));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn bound(&self) -> Option<f64> {
        let derived = Derived::of(self, None);
        match (derived.diagonal.1, &derived.bounded) {
            (high, _) if high.is_finite() => Some(high),
            (_, Verdict::Refuted(_)) => Some(f64::INFINITY),
            _ => None,
        }
    }

    /// Whether `k(·, y)` is known to have a continuous gradient everywhere in the domain.
    pub fn is_differentiable(&self) -> bool {
        Derived::of(self, None).differentiable
    }

    /// Whether `k` is known to be continuous.
    pub fn is_continuous(&self) -> bool {
        Derived::of(self, None).continuous
    }
}
