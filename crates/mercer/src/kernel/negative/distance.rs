//! Powers of the distance.

use crate::kernel::prelude::*;

/// A power of the Euclidean distance.
///
/// # Formula
/// `κ(x, y) = ‖x − y‖^β`, `β > 0`.
///
/// # Theory
/// Negative semi-definite for `0 < β ≤ 2` (Schoenberg); for `β > 2` three equally spaced points on
/// a line refute it.
///
/// # Cost
/// `O(d)` per pair, one power.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "distance(power=1)".parse()?;
/// mercer::assert_close!(k.evaluate(&[1.0, 1.0], &[4.0, 5.0])?, 5.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    power: Positive,
}

impl Distance {
    /// The distance to this power.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the power is finite and positive.
    pub fn new(power: f64) -> Result<Self> {
        Ok(Self { power: Positive::new("power", power)? })
    }

    /// The power β.
    pub fn power(&self) -> f64 {
        self.power.get()
    }
}

impl Leaf for Distance {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("power", number_text(self.power.get()))]
    }

    fn facts(&self) -> Facts {
        let known = Facts {
            differentiable: self.power.get() > 1.0,
            strong_negative: self.power.get() < 2.0,
            ..Facts::nsd("Schoenberg: ‖x−y‖^β is negative semi-definite for 0 < β ≤ 2")
        };
        if self.power.get() <= 2.0 {
            return known;
        }
        Facts { nsd: Fact::No("for β > 2 the points 0, 1, 2 with weights 1, −2, 1 give 2(2^β − 4) > 0"), ..known }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("power", self.power.get())]
    }

    fn choices(&self) -> &'static [&'static str] {
        &["power"]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0])
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn growth(&self) -> Growth {
        Growth::Increasing { power: self.power.get().max(2.0) }
    }

    /// `exp(−t r^β)`: a stable law of index `β`, normal for `β = 2`, Cauchy for `β = 1`.
    fn schoenberg_law(&self, t: f64) -> Option<SpectralLaw> {
        let power = self.power.get();
        let scale = t.powf(1.0 / power);
        let (scale, mixing) = match power {
            2.0 => (2.0_f64.sqrt() * scale, Mixing::Fixed),
            1.0 => (scale, Mixing::Student(0.5)),
            p if p < 2.0 => (scale, Mixing::Stable(p / 2.0)),
            _ => return None,
        };
        Some(SpectralLaw { scale, ..SpectralLaw::unit(Frequencies::Normal(mixing)) })
    }
}

impl Profile for Distance {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    #[inline(always)]
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N {
        s.powf(N::from_f64(0.5) * p[0])
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "distance",
    family: Family::Negative,
    formula: "‖x−y‖^β",
    domain: Domain::Vectors,
    parameters: &[ParameterEntry {
        name: "power",
        default: Some("1"),
        range: "> 0 (negative definite for ≤ 2)",
        meaning: "β",
    }],
    theory: "Negative semi-definite for 0 < β ≤ 2, not beyond.",
    cost: "O(d), one power",
    examples: &["distance(power=1)", "distance(power=1.5)", "distance(power=3)"],
    build: |arguments| Ok(Distance::new(arguments.number("power", 1.0)?)?.into()),
};
