//! The Laplacian kernel.

use crate::kernel::prelude::*;

/// Laplacian kernel on vectors, with the Euclidean or the city-block norm.
///
/// # Formula
/// `k(x, y) = exp(−‖x − y‖/ℓ)`, with `‖·‖₂` (`norm=l2`) or `‖·‖₁` (`norm=l1`, scikit-learn's
/// `laplacian`).
///
/// # Theory
/// Positive definite: both norms are negative definite. Spectral density: multivariate Cauchy (l2),
/// product of Cauchy densities (l1). Its RKHS is a Sobolev space of order `(d+1)/2` (l2).
///
/// # Cost
/// `O(d)` per pair, one exponential, and one square root for l2.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "laplacian(lengthscale=2, norm=l1)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0, 0.0], &[1.0, 3.0])?, (-2.0_f64).exp(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Laplacian {
    lengthscale: Lengthscale,
    norm: Norm,
}

/// The norm under a Laplacian kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// Euclidean.
    L2,
    /// City block.
    L1,
}

impl Laplacian {
    /// The Laplacian kernel of this lengthscale and norm.
    pub fn new(lengthscale: Lengthscale, norm: Norm) -> Self {
        Self { lengthscale, norm }
    }
}

impl Leaf for Laplacian {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        let norm = if self.norm == Norm::L1 { "l1" } else { "l2" };
        vec![("lengthscale", self.lengthscale.text()), ("norm", norm.into())]
    }

    fn facts(&self) -> Facts {
        let reason = "Schoenberg on distance: exp(−tκ) with κ = ‖x−y‖ negative definite";
        Facts { differentiable: false, ..Facts::full_spectrum(reason, 1.0) }
    }

    /// At the center; with the norm `l1` in every column that a point shares with it.
    fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
        match self.norm {
            Norm::L2 => x == y,
            Norm::L1 => x.iter().zip(y).any(|(a, b)| a == b),
        }
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

    fn is_column_product(&self) -> bool {
        self.norm == Norm::L1
    }

    fn spectral_law(&self) -> Option<SpectralLaw> {
        Some(SpectralLaw::unit(match self.norm {
            Norm::L2 => Frequencies::Normal(Mixing::Student(0.5)),
            Norm::L1 => Frequencies::Cauchy,
        }))
    }

    /// The Ornstein–Uhlenbeck process.
    fn markov_process(&self) -> Option<MarkovProcess> {
        Some(MarkovProcess::Matern { dimension: 1, rate: 1.0 / self.lengthscale.single_or_unit()? })
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        Some(LineForm::Exponential { length: self.lengthscale.single()? })
    }
}

impl Profile for Laplacian {
    fn metric(&self) -> MetricKind {
        match self.norm {
            Norm::L2 => MetricKind::SquaredEuclidean,
            Norm::L1 => MetricKind::Manhattan,
        }
    }

    #[inline(always)]
    fn profile<N: Real>(&self, _: Shape<N>, s: N) -> N {
        match self.norm {
            Norm::L2 => (-s.sqrt()).exp(),
            Norm::L1 => (-s).exp(),
        }
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "laplacian",
    family: Family::Radial,
    formula: "exp(−‖x−y‖ / ℓ)",
    domain: Domain::Vectors,
    parameters: &[
        LENGTHSCALE,
        ParameterEntry { name: "norm", default: Some("l2"), range: "l2 or l1", meaning: "the norm of x − y" },
    ],
    theory: "Positive definite in every dimension, continuous but not differentiable, universal, characteristic.",
    cost: "O(d), one exponential (and one square root for l2)",
    examples: &["laplacian(lengthscale=1.5)", "laplacian(lengthscale=0.5, norm=l1)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let norm = if arguments.choice("norm", &["l2", "l1"], "l2")? == "l1" { Norm::L1 } else { Norm::L2 };
    Ok(Laplacian::new(arguments.lengthscale()?, norm).into())
}
