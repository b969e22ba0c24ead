//! The Cauchy kernel.

use crate::kernel::prelude::*;

/// Cauchy kernel on vectors, a product over the columns.
///
/// # Formula
/// `k(x, y) = Πⱼ 1/(1 + (xⱼ − yⱼ)²/ℓ²)`.
///
/// # Theory
/// Positive definite: each factor pairs with the Laplace density `½ℓe^{−ℓ|ω|}` by Bochner, and
/// products keep it (Schur).
///
/// # Cost
/// `O(d)` per pair, one division per column.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "cauchy(lengthscale=2)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0, 0.0], &[2.0, 2.0])?, 0.25, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cauchy {
    lengthscale: Lengthscale,
}

impl Cauchy {
    /// The Cauchy kernel of this lengthscale.
    pub fn new(lengthscale: Lengthscale) -> Self {
        Self { lengthscale }
    }
}

impl Leaf for Cauchy {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("lengthscale", self.lengthscale.text())]
    }

    fn facts(&self) -> Facts {
        Facts::full_spectrum("Bochner: its spectral density is a product of Laplace densities", 1.0)
    }

    fn lengthscale(&self) -> Option<&Lengthscale> {
        Some(&self.lengthscale)
    }

    fn with_lengthscale(&self, lengthscale: Lengthscale) -> Self {
        Self { lengthscale }
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn is_column_product(&self) -> bool {
        true
    }

    fn spectral_law(&self) -> Option<SpectralLaw> {
        Some(SpectralLaw::unit(Frequencies::Laplace))
    }
}

impl Columnwise for Cauchy {
    fn start(&self) -> f64 {
        1.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, length: N, sum: N, x: N, y: N) -> N {
        // The reciprocal is the same for a whole pass; a division less for each pair.
        sum / (N::one() + ((x - y) * (N::one() / length)).squared())
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "cauchy",
    family: Family::Columnwise,
    formula: "Πⱼ 1/(1 + (xⱼ−yⱼ)²/ℓ²)",
    domain: Domain::Vectors,
    parameters: &[LENGTHSCALE],
    theory: "Positive definite; its spectral density is a product of Laplace densities.",
    cost: "O(d), one division per column",
    examples: &["cauchy(lengthscale=1)", "cauchy(lengthscale=0.4)"],
    build: |arguments| Ok(Cauchy::new(arguments.lengthscale()?).into()),
};
