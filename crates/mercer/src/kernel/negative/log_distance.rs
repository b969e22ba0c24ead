//! The logarithmic distance.

use crate::kernel::prelude::*;

/// Logarithm of the squared distance.
///
/// # Formula
/// `κ(x, y) = ln(1 + ‖x − y‖²)`.
///
/// # Theory
/// A Bernstein function of a negative-definite kernel: negative semi-definite.
/// `exp(−tκ) = (1 + ‖x−y‖²)^{−t}`.
///
/// # Cost
/// `O(d)` per pair, one logarithm.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "log_distance()".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0], &[2.0])?, 5.0_f64.ln(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogDistance;

impl Leaf for LogDistance {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn facts(&self) -> Facts {
        Facts { strong_negative: true, ..Facts::nsd("ln(1 + ·) is a Bernstein function of the squared distance") }
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn growth(&self) -> Growth {
        Growth::Increasing { power: 2.0 }
    }

    /// `(1 + r²)^{−t}`: the rational quadratic kernel with `a = t` and `2aℓ² = 1`.
    fn schoenberg_law(&self, t: f64) -> Option<SpectralLaw> {
        let scale = (2.0 * t).sqrt();
        Some(SpectralLaw { scale, ..SpectralLaw::unit(Frequencies::Normal(Mixing::Gamma(t))) })
    }
}

impl Profile for LogDistance {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    #[inline(always)]
    fn profile<N: Real>(&self, _: Shape<N>, s: N) -> N {
        s.ln_1p()
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "log_distance",
    family: Family::Negative,
    formula: "ln(1 + ‖x−y‖²)",
    domain: Domain::Vectors,
    parameters: &[],
    theory: "Negative semi-definite: a Bernstein function of the squared distance.",
    cost: "O(d), one logarithm",
    examples: &["log_distance()", "0.5*log_distance()"],
    build: |_| Ok(LogDistance.into()),
};
