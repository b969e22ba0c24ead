//! The periodic kernel.

use crate::kernel::prelude::*;
use crate::kernel::radial::gaussian::Gaussian;

/// Periodic kernel on vectors, with the same period in every column.
///
/// # Formula
/// `k(x, y) = exp(−2 Σⱼ sin²(π(xⱼ − yⱼ)/p) / ℓ²)`.
///
/// # Theory
/// The Gaussian kernel on the circle: `x ↦ (cos 2πx/p, sin 2πx/p)` followed by a Gaussian of
/// lengthscale `ℓ`, hence positive semi-definite (space transformation). Points a whole period
/// apart are the same point to it.
///
/// # Cost
/// `O(d)` per pair and one exponential; sines and cosines once per point and column.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "periodic(period=4, lengthscale=2)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0], &[1.0])?, (-0.25_f64).exp(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    period: Positive,
    lengthscale: Lengthscale,
}

impl Periodic {
    /// The periodic kernel of this period and lengthscale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the period is finite and positive.
    pub fn new(period: f64, lengthscale: Lengthscale) -> Result<Self> {
        Ok(Self { period: Positive::new("period", period)?, lengthscale })
    }

    /// The period.
    pub fn period(&self) -> f64 {
        self.period.get()
    }
}

impl Leaf for Periodic {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("period", number_text(self.period.get())), ("lengthscale", self.lengthscale.text())]
    }

    fn facts(&self) -> Facts {
        let no = Fact::No("points a whole period apart cannot be told apart");
        Facts {
            strictly_pd: no,
            universal: no,
            characteristic: no,
            ..Facts::full_spectrum("space transformation: the Gaussian kernel on the circle", 1.0)
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("period", self.period.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0], self.lengthscale.clone())
    }

    fn lengthscale(&self) -> Option<&Lengthscale> {
        Some(&self.lengthscale)
    }

    fn with_lengthscale(&self, lengthscale: Lengthscale) -> Self {
        Self { lengthscale, ..*self }
    }

    fn longest_difference(&self) -> Option<f64> {
        Some(WHOLE_PERIODS * self.period.get())
    }

    fn circles(&self) -> Option<Circles> {
        let lengthscale = match &self.lengthscale {
            // Two coordinates per column.
            Lengthscale::PerColumn(l) => Lengthscale::PerColumn(l.iter().flat_map(|l| [*l, *l]).collect()),
            shared => shared.clone(),
        };
        Some(Circles { period: self.period.get(), gaussian: Gaussian::new(lengthscale).into() })
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn is_column_product(&self) -> bool {
        true
    }

    fn spectral_law(&self) -> Option<SpectralLaw> {
        let scale = std::f64::consts::TAU / self.period.get();
        Some(SpectralLaw { scale, ..SpectralLaw::unit(Frequencies::Whole) })
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        Some(LineForm::Periodic { period: self.period.get(), length: self.lengthscale.single()? })
    }
}

impl Columnwise for Periodic {
    fn start(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, p: Shape<N>, length: N, sum: N, x: N, y: N) -> N {
        // Parameters are divided by once, outside of the loop over the points.
        let (frequency, inverse) = (N::from_f64(std::f64::consts::PI) / p[0], N::one() / length);
        sum + ((frequency * (x - y)).sin() * inverse).squared()
    }

    #[inline(always)]
    fn finish<N: Real>(&self, _: Shape<N>, sum: N) -> N {
        (N::from_f64(-2.0) * sum).exp()
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "periodic",
    family: Family::Columnwise,
    formula: "exp(−2 Σⱼ sin²(π(xⱼ−yⱼ)/p) / ℓ²)",
    domain: Domain::Vectors,
    parameters: &[ParameterEntry { name: "period", default: Some("1"), range: "> 0", meaning: "p" }, LENGTHSCALE],
    theory: "The Gaussian kernel on the circle: positive semi-definite, the same for points a period apart.",
    cost: "O(d), one exponential",
    examples: &["periodic(period=7, lengthscale=1)", "periodic(period=0.5, lengthscale=2)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let period = arguments.number("period", 1.0)?;
    Ok(Periodic::new(period, arguments.lengthscale()?)?.into())
}
