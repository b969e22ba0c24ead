//! The scale-space kernel on persistence diagrams.

use crate::kernel::prelude::*;

/// Persistence scale-space kernel.
///
/// # Formula
/// `k(F, G) = 1/(8πσ) Σ_{p ∈ F, q ∈ G} (exp(−‖p − q‖²/(8σ)) − exp(−‖p − q̄‖²/(8σ)))`, with `q̄` the
/// mirror image of `q` at the diagonal.
///
/// # Theory
/// The inner product in `L²` of the solutions of the heat equation above the diagonal with the two
/// diagrams as initial values: positive semi-definite. It is stable:
/// `‖Φ(F) − Φ(G)‖ ≤ W₁(F, G)/(2σ√(2π))` with the 1-Wasserstein distance (Reininghaus et al. 2015).
/// An interval of length 0 counts nothing.
///
/// # Cost
/// The pairs of intervals, two exponentials each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Persistence {
    scale: Option<Positive>,
}

impl Persistence {
    /// The kernel at a scale `σ`; at that of the data, the squared median distance of intervals
    /// over 4, without one.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `σ` is finite and positive.
    pub fn new(scale: Option<f64>) -> Result<Self> {
        Ok(Self { scale: scale.map(|scale| Positive::new("scale", scale)).transpose()? })
    }

    /// `σ`, where it is a number.
    pub(crate) fn scale(&self) -> Option<f64> {
        self.scale.map(Positive::get)
    }
}

impl Leaf for Persistence {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("scale", self.scale.map_or_else(|| "median".into(), |scale| number_text(scale.get())))]
    }

    fn facts(&self) -> Facts {
        Facts::counts("the inner product of two solutions of the heat equation (Reininghaus et al. 2015)")
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "persistence",
    family: Family::Bags,
    formula: "1/(8πσ) Σ (exp(−‖p − q‖²/(8σ)) − exp(−‖p − q̄‖²/(8σ)))",
    domain: Domain::Diagrams,
    parameters: &[ParameterEntry {
        name: "scale",
        default: Some("1"),
        range: "> 0, or median",
        meaning: "σ; the squared median distance of intervals over 4 for median",
    }],
    theory: "The inner product in L² of diagrams blurred by the heat equation, 0 on the diagonal: positive semi-definite and stable.",
    cost: "the pairs of intervals, two exponentials",
    examples: &["persistence(scale=0.5)", "normalized(persistence(scale=median))"],
    build: |arguments| {
        let scale = match arguments.named("scale")? {
            None => Some(1.0),
            Some(piece) if crate::kernel::text::piece_word(piece) == Some("median") => None,
            Some(piece) => Some(arguments.as_number("scale", piece)?),
        };
        Ok(Persistence::new(scale)?.into())
    },
};
