//! Squared distance.

use crate::kernel::prelude::*;

/// Squared Euclidean distance: the first negative-definite kernel.
///
/// # Formula
/// `κ(x, y) = ‖x − y‖²`.
///
/// # Theory
/// `Σ cᵢ = 0` gives `cᵀκc = −2‖Σ cᵢxᵢ‖² ≤ 0`: negative semi-definite.
///
/// # Cost
/// `O(d)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "sqdist()".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0, 1.0], &[4.0, 5.0])?, 25.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquaredDistance;

impl Leaf for SquaredDistance {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        Facts::nsd("Σ cᵢ = 0 makes cᵀκc = −2‖Σ cᵢxᵢ‖²")
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn growth(&self) -> Growth {
        Growth::Increasing { power: 2.0 }
    }

    /// A Gaussian kernel.
    fn schoenberg_law(&self, t: f64) -> Option<SpectralLaw> {
        let scale = (2.0 * t).sqrt();
        Some(SpectralLaw { scale, ..SpectralLaw::unit(Frequencies::Normal(Mixing::Fixed)) })
    }
}

impl Profile for SquaredDistance {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    #[inline(always)]
    fn profile<N: Real>(&self, _: Shape<N>, s: N) -> N {
        s
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "sqdist",
    family: Family::Negative,
    formula: "‖x−y‖²",
    domain: Domain::Vectors,
    parameters: &[],
    theory: "Negative semi-definite; exp(−tκ) is the Gaussian kernel.",
    cost: "O(d)",
    examples: &["sqdist()", "2*sqdist()"],
    build: |_| Ok(SquaredDistance.into()),
};
