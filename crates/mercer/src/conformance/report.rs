//! The laws by name, and what came out.

use std::fmt;

use crate::wording::shortened;
use crate::{Error, Result};

/// Something that holds for every kernel, or for every kernel that claims it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Law {
    /// Values are finite numbers at points of the domain.
    FiniteValues,
    /// `k(x, y) = k(y, x)`: values up to rounding, matrices to the last bit.
    Symmetric,
    /// Matrices hold the values pair by pair.
    Tiles,
    /// The matrix between two samples is the block of the matrix of their union.
    CrossTiles,
    /// The diagonal is that of the matrix.
    Diagonal,
    /// Samples without points and with one point have matrices.
    SmallSamples,
    /// Values in single precision are within the bound that is stated for them.
    SinglePrecision,
    /// `∂k/∂θ` is the limit of differences.
    Derivatives,
    /// `Σ gᵢⱼ ∂kᵢⱼ/∂θ` is what the matrices of derivatives give.
    ContractedDerivatives,
    /// The text makes the same kernel again.
    TextRoundTrip,
    /// The number of threads changes no bit.
    Threads,
    /// A kernel that claims to be positive semi-definite has no negative eigenvalue.
    PositiveSemidefinite,
    /// A kernel that claims to be negative semi-definite has `cᵀKc ≤ 0` for `Σ cᵢ = 0`.
    NegativeSemidefinite,
    /// A kernel that claims to be shift-invariant has the same values at points that are moved.
    ShiftInvariant,
    /// No `k(x, x)` is above the bound that is claimed.
    Bounded,
}

impl Law {
    /// Every law, in the order of testing.
    pub const ALL: [Self; 15] = [
        Self::FiniteValues,
        Self::Symmetric,
        Self::Tiles,
        Self::CrossTiles,
        Self::Diagonal,
        Self::SmallSamples,
        Self::SinglePrecision,
        Self::Derivatives,
        Self::ContractedDerivatives,
        Self::TextRoundTrip,
        Self::Threads,
        Self::PositiveSemidefinite,
        Self::NegativeSemidefinite,
        Self::ShiftInvariant,
        Self::Bounded,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::FiniteValues => "finite values",
            Self::Symmetric => "symmetric",
            Self::Tiles => "tiles",
            Self::CrossTiles => "tiles between samples",
            Self::Diagonal => "diagonal",
            Self::SmallSamples => "small samples",
            Self::SinglePrecision => "single precision",
            Self::Derivatives => "derivatives",
            Self::ContractedDerivatives => "contracted derivatives",
            Self::TextRoundTrip => "text round trip",
            Self::Threads => "threads",
            Self::PositiveSemidefinite => "positive semi-definite",
            Self::NegativeSemidefinite => "negative semi-definite",
            Self::ShiftInvariant => "shift-invariant",
            Self::Bounded => "bounded",
        }
    }
}

/// What a test of a law gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It holds on these points.
    Held,
    /// The kernel does not claim it, has no method for it, or has values that are no numbers.
    NotApplicable,
    /// It does not hold: where, and by how much.
    Violated(String),
}

/// The outcomes of all laws for one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The name of the kernel.
    pub kernel: String,
    /// Every law with its outcome, in the order of [`Law::ALL`].
    pub outcomes: Vec<(Law, Outcome)>,
}

impl Report {
    /// Whether no law is violated.
    pub fn passed(&self) -> bool {
        self.violations().next().is_none()
    }

    /// The laws that are violated, each with what was found.
    pub fn violations(&self) -> impl Iterator<Item = (Law, &str)> {
        self.outcomes.iter().filter_map(|(law, outcome)| match outcome {
            Outcome::Violated(found) => Some((*law, found.as_str())),
            Outcome::Held | Outcome::NotApplicable => None,
        })
    }

    /// The outcome of one law.
    pub fn outcome(&self, law: Law) -> &Outcome {
        self.outcomes.iter().find(|(l, _)| *l == law).map_or(&Outcome::NotApplicable, |(_, outcome)| outcome)
    }

    /// Nothing, if every law holds.
    ///
    /// # Errors
    /// [`Error::Request`] with every law that is violated.
    pub fn into_result(self) -> Result<()> {
        if self.passed() { Ok(()) } else { Err(Error::request(self.to_string())) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.outcomes.iter().filter(|(_, outcome)| *outcome == Outcome::Held).count();
        let violated = self.violations().count();
        let rest = self.outcomes.len() - held - violated;
        write!(f, "{}: {held} laws hold, {violated} violated, {rest} not applicable", shortened(self.kernel.as_str()))?;
        for (law, found) in self.violations() {
            write!(f, "\n  {}: {found}", law.name())?;
        }
        Ok(())
    }
}
