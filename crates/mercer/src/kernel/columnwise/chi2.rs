//! The χ² kernel.

use crate::kernel::prelude::*;

/// Exponential χ² kernel on non-negative vectors.
///
/// # Formula
/// `k(x, y) = exp(−γ Σⱼ (xⱼ − yⱼ)²/(xⱼ + yⱼ))`, terms with `xⱼ + yⱼ = 0` counted as 0.
///
/// # Theory
/// `(s − t)²/(s + t)` is negative definite on `[0, ∞)`, so its exponential is positive definite
/// (Schoenberg).
///
/// # Cost
/// `O(d)` per pair, one division per column and one exponential.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "chi2(gamma=0.5)".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0, 0.0], &[3.0, 0.0])?, (-0.5_f64).exp(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chi2 {
    gamma: Positive,
}

impl Chi2 {
    /// The χ² kernel of this `γ`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `γ` is finite and positive.
    pub fn new(gamma: f64) -> Result<Self> {
        Ok(Self { gamma: Positive::new("gamma", gamma)? })
    }
}

impl Leaf for Chi2 {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("gamma", number_text(self.gamma.get()))]
    }

    fn facts(&self) -> Facts {
        let embedded =
            "a Gaussian kernel after an injective continuous map into a Hilbert space (Christmann, Steinwart 2010)";
        Facts {
            strictly_pd: Fact::Yes(embedded),
            universal: Fact::Yes(embedded),
            characteristic: Fact::Yes(
                "a Gaussian kernel after an injective continuous map into a Hilbert space (Ziegel, Ginsbourger, Dümbgen 2024)",
            ),
            bound: Some(1.0),
            differentiable: false,
            ..Facts::psd("Schoenberg on Σ (xⱼ−yⱼ)²/(xⱼ+yⱼ), which is negative definite on [0, ∞)ᵈ")
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("gamma", self.gamma.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0])
    }

    /// At the edge of the domain, in a column where both are 0: there `(x−y)²/(x+y) = x` ends.
    fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
        x.iter().zip(y).any(|(a, b)| *a == 0.0 && *b == 0.0)
    }

    fn is_non_negative(&self) -> bool {
        true
    }
}

impl Columnwise for Chi2 {
    fn start(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        let total = x + y;
        sum + N::select(total.value() > 0.0, (x - y).squared() / total, N::zero())
    }

    #[inline(always)]
    fn finish<N: Real>(&self, p: Shape<N>, sum: N) -> N {
        (-p[0] * sum).exp()
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "chi2",
    family: Family::Columnwise,
    formula: "exp(−γ Σⱼ (xⱼ−yⱼ)²/(xⱼ+yⱼ))",
    domain: Domain::NonNegativeVectors,
    parameters: &[ParameterEntry { name: "gamma", default: Some("1"), range: "> 0", meaning: "γ" }],
    theory: "Positive definite on non-negative vectors, by Schoenberg.",
    cost: "O(d) divisions, one exponential",
    examples: &["chi2(gamma=1)", "chi2(gamma=0.3)"],
    build: |arguments| Ok(Chi2::new(arguments.number("gamma", 1.0)?)?.into()),
};
