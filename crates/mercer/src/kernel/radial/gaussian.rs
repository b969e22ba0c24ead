//! The Gaussian kernel.

use crate::kernel::prelude::*;

/// Gaussian kernel on vectors.
///
/// # Formula
/// `k(x, y) = exp(−‖x − y‖² / (2ℓ²))`. The same number under other names: `γ = 1/(2ℓ²)` and
/// `σ² = 2ℓ²`, with `k = exp(−γ‖x − y‖²) = exp(−‖x − y‖²/σ²)`.
///
/// # Theory
/// Positive definite on `ℝᵈ` for every `d` (Schoenberg: squared distance is negative definite);
/// universal and characteristic, since its spectral density is a normal density.
///
/// # Cost
/// `O(d)` per pair and one exponential.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "gaussian(lengthscale=2)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0], &[2.0])?, (-0.5_f64).exp(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    lengthscale: Lengthscale,
}

impl Gaussian {
    /// The Gaussian kernel of this lengthscale.
    pub fn new(lengthscale: Lengthscale) -> Self {
        Self { lengthscale }
    }

    /// The three names of its width, `(ℓ, γ, σ²)`, for each lengthscale.
    pub fn widths(&self) -> Vec<(f64, f64, f64)> {
        self.lengthscale.values().into_iter().map(|l| (l, 0.5 / (l * l), 2.0 * l * l)).collect()
    }
}

impl Leaf for Gaussian {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("lengthscale", self.lengthscale.text())]
    }

    fn facts(&self) -> Facts {
        Facts::full_spectrum("Schoenberg on squared distance: exp(−tκ) with κ = ‖x−y‖² negative definite", 1.0)
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
        Some(SpectralLaw::unit(Frequencies::Normal(Mixing::Fixed)))
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        Some(LineForm::Gaussian { length: self.lengthscale.single()? })
    }

    fn stein_form(&self) -> Option<SteinForm> {
        Some(SteinForm::Gaussian { length: self.lengthscale.single()? })
    }
}

impl Profile for Gaussian {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    #[inline(always)]
    fn profile<N: Real>(&self, _: Shape<N>, s: N) -> N {
        (N::from_f64(-0.5) * s).exp()
    }

    fn visit_formula<V: FormulaVisitor>(&self, scale: f64, visitor: V) -> V::Output {
        visitor.visit(&ExponentialOf(-0.5 * scale))
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "gaussian",
    family: Family::Radial,
    formula: "exp(−‖x−y‖² / (2ℓ²))",
    domain: Domain::Vectors,
    parameters: &[
        LENGTHSCALE,
        ParameterEntry {
            name: "gamma", default: None, range: "> 0", meaning: "instead of lengthscale: γ = 1/(2ℓ²)"
        },
        ParameterEntry {
            name: "sigma2", default: None, range: "> 0", meaning: "instead of lengthscale: σ² = 2ℓ²"
        },
    ],
    theory: "Positive definite in every dimension, infinitely smooth, universal, characteristic.",
    cost: "O(d), one exponential",
    examples: &["gaussian(lengthscale=0.7)", "gaussian(gamma=0.5)", "gaussian(sigma2=3)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let gamma = arguments.named("gamma")?;
    let sigma2 = arguments.named("sigma2")?;
    let lengthscale = match (gamma, sigma2) {
        (None, None) => arguments.lengthscale()?,
        (Some(piece), None) => arguments.as_lengthscale("gamma", piece, |g| (0.5 / g).sqrt())?,
        (None, Some(piece)) => arguments.as_lengthscale("sigma2", piece, |s| (0.5 * s).sqrt())?,
        _ => return Err(arguments.refuse("give one of lengthscale, gamma and sigma2")),
    };
    if (gamma.is_some() || sigma2.is_some()) && arguments.named("lengthscale")?.is_some() {
        return Err(arguments.refuse("give one of lengthscale, gamma and sigma2"));
    }
    Ok(Gaussian::new(lengthscale).into())
}
