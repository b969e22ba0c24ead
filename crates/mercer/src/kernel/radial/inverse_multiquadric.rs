//! The inverse multiquadric kernel.

use crate::kernel::prelude::*;

/// Inverse multiquadric kernel on vectors.
///
/// # Formula
/// `k(x, y) = (c² + ‖x − y‖²)^{−1/2}`.
///
/// # Theory
/// A mixture of Gaussian kernels (Laplace transform of `t^{−1/2}e^{−c²t}`), hence positive definite
/// in every dimension.
///
/// # Cost
/// `O(d)` per pair and one square root.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "inverse_multiquadric(offset=3)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0], &[4.0])?, 0.2, abs = 1e-16);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InverseMultiquadric {
    offset: Positive,
}

impl InverseMultiquadric {
    /// The inverse multiquadric kernel of offset `c`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `c` is finite and positive.
    pub fn new(offset: f64) -> Result<Self> {
        Ok(Self { offset: Positive::new("offset", offset)? })
    }
}

impl Leaf for InverseMultiquadric {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("offset", number_text(self.offset.get()))]
    }

    fn facts(&self) -> Facts {
        Facts::full_spectrum("a mixture of Gaussian kernels with non-negative weights", 1.0 / self.offset.get())
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("offset", self.offset.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0])
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    /// `1/c` times the rational quadratic kernel with `a = ½` and `ℓ = c`.
    fn spectral_law(&self) -> Option<SpectralLaw> {
        let inverse = 1.0 / self.offset.get();
        Some(SpectralLaw { mass: inverse, scale: inverse, frequencies: Frequencies::Normal(Mixing::Gamma(0.5)) })
    }

    fn stein_form(&self) -> Option<SteinForm> {
        Some(SteinForm::InverseMultiquadric { offset: self.offset.get() })
    }
}

impl Profile for InverseMultiquadric {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    #[inline(always)]
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N {
        N::one() / (p[0] * p[0] + s).sqrt()
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "inverse_multiquadric",
    family: Family::Radial,
    formula: "(c² + ‖x−y‖²)^(−1/2)",
    domain: Domain::Vectors,
    parameters: &[ParameterEntry { name: "offset", default: Some("1"), range: "> 0", meaning: "c" }],
    theory: "A mixture of Gaussian kernels: positive definite in every dimension, universal, characteristic.",
    cost: "O(d), one square root",
    examples: &["inverse_multiquadric(offset=1)", "inverse_multiquadric(offset=0.5)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    Ok(InverseMultiquadric::new(arguments.number("offset", 1.0)?)?.into())
}
