//! The exponential kernel.

use crate::kernel::prelude::*;

/// Exponential kernel on vectors.
///
/// # Formula
/// `k(x, y) = exp(⟨x, y⟩/s)`.
///
/// # Theory
/// A power series in `⟨x, y⟩` with positive coefficients: positive definite, and universal on
/// compact sets (Steinwart 2001). Normalized, it is the Gaussian kernel with `ℓ = √s`.
///
/// # Cost
/// `O(d)` per pair and one exponential.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "exponential(scale=2)".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0, 1.0], &[3.0, 1.0])?, 2.0_f64.exp(), abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Exponential {
    scale: Positive,
}

impl Exponential {
    /// The exponential kernel of scale `s`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `s` is finite and positive.
    pub fn new(scale: f64) -> Result<Self> {
        Ok(Self { scale: Positive::new("scale", scale)? })
    }
}

impl Leaf for Exponential {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("scale", number_text(self.scale.get()))]
    }

    fn facts(&self) -> Facts {
        let steinwart = "a power series in ⟨x,y⟩ with all coefficients positive (Steinwart 2001)";
        Facts {
            strictly_pd: Fact::Yes(steinwart),
            universal: Fact::Yes(steinwart),
            characteristic: Fact::Yes("g(x)g(y) times a Gaussian kernel with g > 0, which tells finite measures apart"),
            bound: Some(f64::INFINITY),
            ..Facts::psd("a power series in ⟨x,y⟩ with non-negative coefficients")
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("scale", self.scale.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0])
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn power_series(&self) -> Option<PowerSeries> {
        Some(PowerSeries::Exponential { scale: self.scale.get() })
    }
}

impl Profile for Exponential {
    fn metric(&self) -> MetricKind {
        MetricKind::Dot
    }

    #[inline(always)]
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N {
        (s / p[0]).exp()
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "exponential",
    family: Family::InnerProduct,
    formula: "exp(⟨x, y⟩ / s)",
    domain: Domain::Vectors,
    parameters: &[ParameterEntry { name: "scale", default: Some("1"), range: "> 0", meaning: "s" }],
    theory: "Positive definite, universal on compact sets; normalized it is the Gaussian kernel with ℓ = √s.",
    cost: "O(d), one exponential",
    examples: &["exponential(scale=2)", "exponential()"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    Ok(Exponential::new(arguments.number("scale", 1.0)?)?.into())
}
