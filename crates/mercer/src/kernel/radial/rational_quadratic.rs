//! The rational quadratic kernel.

use crate::kernel::prelude::*;

/// Rational quadratic kernel on vectors.
///
/// # Formula
/// `k(x, y) = (1 + ‖x − y‖²/(2aℓ²))^{−a}`.
///
/// # Theory
/// A mixture of Gaussian kernels over Gamma-distributed inverse squared lengthscales, hence
/// positive definite in every dimension; as `a → ∞` it tends to the Gaussian kernel (computed
/// through `ln(1+·)`, so it does so in `f64` too).
///
/// # Cost
/// `O(d)` per pair, one logarithm and one exponential.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "rational_quadratic(lengthscale=1, shape=2)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0], &[2.0])?, 0.25, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RationalQuadratic {
    lengthscale: Lengthscale,
    shape: Positive,
}

impl RationalQuadratic {
    /// The rational quadratic kernel of this lengthscale and shape `a`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `a` is finite and positive.
    pub fn new(lengthscale: Lengthscale, shape: f64) -> Result<Self> {
        Ok(Self { lengthscale, shape: Positive::new("shape", shape)? })
    }
}

/// The closed form for a whole shape `a` of a scaled metric: no logarithm, no exponential.
struct WholeShape {
    shape: i32,
    scale: f64,
}

impl Formula for WholeShape {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        let s = s * N::from_f64(self.scale);
        N::one() / (N::one() + s * N::from_f64(0.5 / f64::from(self.shape))).powi(self.shape)
    }
}

impl Leaf for RationalQuadratic {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("lengthscale", self.lengthscale.text()), ("shape", number_text(self.shape.get()))]
    }

    fn facts(&self) -> Facts {
        Facts::full_spectrum("a mixture of Gaussian kernels with non-negative weights", 1.0)
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("shape", self.shape.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(self.lengthscale.clone(), values[0])
    }

    fn lengthscale(&self) -> Option<&Lengthscale> {
        Some(&self.lengthscale)
    }

    fn with_lengthscale(&self, lengthscale: Lengthscale) -> Self {
        Self { lengthscale, ..*self }
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn spectral_law(&self) -> Option<SpectralLaw> {
        Some(SpectralLaw::unit(Frequencies::Normal(Mixing::Gamma(self.shape.get()))))
    }
}

impl Profile for RationalQuadratic {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    #[inline(always)]
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N {
        let a = p[0];
        (-a * (s / (N::from_f64(2.0) * a)).ln_1p()).exp()
    }

    /// Small whole shapes have the closed form of a reciprocal power.
    fn visit_formula<V: FormulaVisitor>(&self, scale: f64, visitor: V) -> V::Output {
        let a = self.shape.get();
        if a.fract() == 0.0 && a <= 8.0 {
            visitor.visit(&WholeShape { shape: a as i32, scale })
        } else {
            visitor.visit(&Scaled { profile: self, shape: [a, 0.0], scale })
        }
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "rational_quadratic",
    family: Family::Radial,
    formula: "(1 + ‖x−y‖²/(2aℓ²))^(−a)",
    domain: Domain::Vectors,
    parameters: &[
        LENGTHSCALE,
        ParameterEntry { name: "shape", default: Some("1"), range: "> 0", meaning: "a: small means heavy tails" },
    ],
    theory: "A Gamma mixture of Gaussian kernels: positive definite in every dimension, universal, characteristic.",
    cost: "O(d), one logarithm and one exponential",
    examples: &["rational_quadratic(lengthscale=1.2, shape=0.75)", "rational_quadratic(shape=2)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let shape = arguments.number("shape", 1.0)?;
    Ok(RationalQuadratic::new(arguments.lengthscale()?, shape)?.into())
}
