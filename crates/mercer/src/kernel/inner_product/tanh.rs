//! The hyperbolic tangent "kernel".

use crate::kernel::prelude::*;

/// Hyperbolic tangent (sigmoid) on vectors. Not positive semi-definite in general.
///
/// # Formula
/// `k(x, y) = tanh(s⟨x, y⟩ + c)`.
///
/// # Theory
/// The power series of tanh has negative coefficients, so no choice of `s` and `c` makes it
/// positive semi-definite on `ℝᵈ`: already `x = 1, 2` on the line gives a negative determinant for
/// `s = 1, c = 0`. Writable because people use it; methods that need a positive semi-definite
/// kernel refuse it and show the counterexample.
///
/// # Cost
/// `O(d)` per pair and one hyperbolic tangent.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "tanh(scale=1, offset=-1)".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0], &[3.0])?, 2.0_f64.tanh(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tanh {
    scale: Finite,
    offset: Finite,
}

impl Tanh {
    /// The hyperbolic tangent of this scale and offset.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless both are finite.
    pub fn new(scale: f64, offset: f64) -> Result<Self> {
        Ok(Self { scale: Finite::new("scale", scale)?, offset: Finite::new("offset", offset)? })
    }
}

impl Tanh {
    /// At scale 0 it is the constant `tanh(c)`.
    fn constant_facts(&self) -> Facts {
        let side = Fact::No("at scale 0 it is the negative constant tanh(c)");
        let constant = Facts {
            nsd: Fact::Yes("at scale 0 it is constant, and Σ cᵢ = 0 makes cᵀKc = 0"),
            shift_invariant: Fact::Yes("at scale 0 it depends on nothing"),
            bound: Some(self.offset.get().tanh()),
            ..Facts::finite_features("at scale 0 it is the constant tanh(c) ≥ 0")
        };
        let open = Fact::Open("defined for positive semi-definite kernels");
        if self.offset.get() >= 0.0 {
            constant
        } else {
            Facts { psd: side, strictly_pd: side, universal: open, characteristic: open, ..constant }
        }
    }
}

impl Leaf for Tanh {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("scale", number_text(self.scale.get())), ("offset", number_text(self.offset.get()))]
    }

    fn facts(&self) -> Facts {
        if self.scale.get() == 0.0 {
            return self.constant_facts();
        }
        let open = Fact::Open("tanh has negative coefficients in its power series; ask for a counterexample");
        Facts {
            psd: open,
            strictly_pd: open,
            nsd: open,
            universal: open,
            characteristic: open,
            bound: Some(1.0),
            ..Facts::psd("")
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("scale", self.scale.get()), ("offset", self.offset.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0], values[1])
    }

    fn has_signed_shape(&self) -> bool {
        true
    }

    fn growth(&self) -> Growth {
        Growth::Saturating { slope: self.scale.get().abs() }
    }
}

impl Profile for Tanh {
    fn metric(&self) -> MetricKind {
        MetricKind::Dot
    }

    #[inline(always)]
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N {
        (p[0] * s + p[1]).tanh()
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "tanh",
    family: Family::InnerProduct,
    formula: "tanh(s⟨x, y⟩ + c)",
    domain: Domain::Vectors,
    parameters: &[
        ParameterEntry { name: "scale", default: Some("1"), range: "any number", meaning: "s" },
        ParameterEntry { name: "offset", default: Some("0"), range: "any number", meaning: "c" },
    ],
    theory: "Not positive semi-definite in general; kept because it is in use.",
    cost: "O(d), one hyperbolic tangent",
    examples: &["tanh(scale=0.5, offset=0.1)", "tanh(scale=1, offset=-1)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let scale = arguments.number("scale", 1.0)?;
    Ok(Tanh::new(scale, arguments.number("offset", 0.0)?)?.into())
}
