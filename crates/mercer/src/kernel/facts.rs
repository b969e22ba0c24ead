//! Properties of base kernels from the literature.

/// Something known, known to be false, or open, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// True, and why.
    Yes(&'static str),
    /// False, and why.
    No(&'static str),
    /// Not decided by any rule, and why.
    Open(&'static str),
}

/// The facts about a base kernel with its parameters as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    /// Positive semi-definite on its domain.
    pub psd: Fact,
    /// Gram matrices of distinct points are positive definite.
    pub strictly_pd: Fact,
    /// Negative semi-definite: `Σ cᵢ = 0 ⇒ cᵀKc ≤ 0`.
    pub nsd: Fact,
    /// The RKHS is dense in the continuous functions on every compact subset of the domain.
    pub universal: Fact,
    /// The mean embedding of probability measures is injective.
    pub characteristic: Fact,
    /// `k(x, y)` depends on `x − y` alone.
    pub shift_invariant: Fact,
    /// `sup k(x, x)` over the domain: a number, infinity, or not known.
    pub bound: Option<f64>,
    /// `k(·, y)` has a continuous gradient everywhere.
    pub differentiable: bool,
    /// `k` is continuous.
    pub continuous: bool,
    /// `k(x, x) > 0` everywhere, though it has no upper bound.
    pub positive: bool,
    /// `k(x, x) + k(y, y) − 2k(x, y)` is 0 for `x = y` alone; strictly PD and characteristic kernels need not say it.
    pub separates: bool,
    /// Negative semi-definite, and `∫∫ κ d(P−Q)² = 0` for `P = Q` alone.
    pub strong_negative: bool,
}

const NOT_BOTH: Fact = Fact::No("a kernel that is both positive and negative semi-definite is constant");

impl Facts {
    /// A positive semi-definite kernel without further known properties: a base for `..`.
    pub(crate) const fn psd(reason: &'static str) -> Self {
        Self {
            psd: Fact::Yes(reason),
            strictly_pd: Fact::Open("no rule"),
            nsd: NOT_BOTH,
            universal: Fact::Open("no rule"),
            characteristic: Fact::Open("no rule"),
            shift_invariant: Fact::No("its values change when both points are moved"),
            bound: None,
            differentiable: true,
            continuous: true,
            positive: false,
            separates: false,
            strong_negative: false,
        }
    }

    /// A continuous shift-invariant kernel with a spectral density that is positive everywhere.
    pub(crate) const fn full_spectrum(reason: &'static str, bound: f64) -> Self {
        let full = Fact::Yes("Bochner: its spectral density is positive everywhere");
        Self {
            psd: Fact::Yes(reason),
            strictly_pd: full,
            nsd: NOT_BOTH,
            universal: Fact::Yes("spectral density positive everywhere (Micchelli, Xu, Zhang 2006)"),
            characteristic: Fact::Yes("spectral measure with full support (Sriperumbudur et al. 2010)"),
            shift_invariant: Fact::Yes("it depends on x − y alone"),
            bound: Some(bound),
            differentiable: true,
            continuous: true,
            positive: false,
            separates: false,
            strong_negative: false,
        }
    }

    /// A kernel with finitely many features: not strictly PD, not universal, not characteristic.
    pub(crate) const fn finite_features(reason: &'static str) -> Self {
        let no = Fact::No("its RKHS has finite dimension");
        Self { strictly_pd: no, universal: no, characteristic: no, ..Self::psd(reason) }
    }

    /// An inner product of counts of parts of objects.
    pub(crate) const fn counts(reason: &'static str) -> Self {
        let apart = Fact::Open("different objects may have the same counts");
        Self {
            strictly_pd: apart,
            universal: Fact::Open("there is no rule for it"),
            characteristic: apart,
            shift_invariant: Fact::Open("objects cannot be shifted"),
            bound: Some(f64::INFINITY),
            differentiable: false,
            ..Self::psd(reason)
        }
    }

    /// An inner product of counts that different objects have in common, for the reason given last.
    pub(crate) const fn shared_counts(reason: &'static str, same: &'static str) -> Self {
        let no = Fact::No(same);
        Self { strictly_pd: no, universal: no, characteristic: no, ..Self::counts(reason) }
    }

    /// A negative semi-definite kernel.
    pub(crate) const fn nsd(reason: &'static str) -> Self {
        let side = Fact::No("its diagonal is 0 and it is not constant");
        Self {
            psd: side,
            strictly_pd: side,
            nsd: Fact::Yes(reason),
            universal: Fact::Open("defined for positive semi-definite kernels"),
            characteristic: Fact::Open("defined for positive semi-definite kernels"),
            shift_invariant: Fact::Yes("it depends on x − y alone"),
            bound: Some(0.0),
            differentiable: true,
            continuous: true,
            positive: false,
            separates: true,
            strong_negative: false,
        }
    }
}
