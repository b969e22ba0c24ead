//! The constant kernel.

use crate::kernel::prelude::*;

/// Constant kernel on anything.
///
/// # Formula
/// `k(x, y) = c`, `c ≥ 0`.
///
/// # Theory
/// Positive semi-definite (one constant feature `√c`), and negative semi-definite too.
///
/// # Cost
/// `O(1)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "constant(value=2)".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0], &[5.0])?, 2.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    value: NonNegative,
}

impl Constant {
    /// The constant kernel of this value.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the value is finite and at least 0.
    pub fn new(value: f64) -> Result<Self> {
        Ok(Self { value: NonNegative::new("value", value)? })
    }

    pub(crate) fn from_checked(value: NonNegative) -> Self {
        Self { value }
    }

    /// The value.
    pub fn value(&self) -> f64 {
        self.value.get()
    }
}

impl Leaf for Constant {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("value", number_text(self.value.get()))]
    }

    fn facts(&self) -> Facts {
        Facts {
            nsd: Fact::Yes("Σ cᵢ = 0 makes cᵀKc = 0"),
            shift_invariant: Fact::Yes("it depends on nothing"),
            bound: Some(self.value.get()),
            ..Facts::finite_features("one constant feature √c")
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("value", self.value.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0])
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn spectral_law(&self) -> Option<SpectralLaw> {
        Some(SpectralLaw { mass: self.value.get(), ..SpectralLaw::unit(Frequencies::Zero) })
    }

    fn schoenberg_law(&self, t: f64) -> Option<SpectralLaw> {
        Some(SpectralLaw { mass: (-t * self.value.get()).exp(), ..SpectralLaw::unit(Frequencies::Zero) })
    }

    fn markov_process(&self) -> Option<MarkovProcess> {
        Some(MarkovProcess::Constant)
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "constant",
    family: Family::Elementary,
    formula: "c",
    domain: Domain::Anything,
    parameters: &[ParameterEntry { name: "value", default: Some("1"), range: "≥ 0", meaning: "c" }],
    theory: "Positive semi-definite; adding it adds an intercept.",
    cost: "O(1)",
    examples: &["constant(value=1)", "constant(value=0.5)"],
    build: |arguments| Ok(Constant::new(arguments.number("value", 1.0)?)?.into()),
};
