//! The sinc kernel.

use crate::kernel::prelude::*;

/// Sinc kernel, a product over the columns.
///
/// # Formula
/// `k(x, y) = Πⱼ sin(a(xⱼ − yⱼ))/(a(xⱼ − yⱼ))`, 1 where `xⱼ = yⱼ`.
///
/// # Theory
/// Bochner with the uniform density on `[−a, a]ᵈ`: positive definite. Its RKHS is the Paley–Wiener
/// space of functions band-limited to `[−a, a]ᵈ`, with `‖f‖² = (a/π) ∫f²` on the line. Universal on
/// compact sets, but not characteristic on `ℝᵈ`: measures that differ only at frequencies beyond
/// `a` have the same embedding.
///
/// # Cost
/// `O(d)` per pair; a sine and a cosine per column of every point, and a sine per column of every
/// pair where phases `a|xⱼ − yⱼ|` are long.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "sinc(bandlimit=3)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0], &[0.5])?, 1.5_f64.sin() / 1.5, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sinc {
    bandlimit: Positive,
}

impl Sinc {
    /// The sinc kernel of bandlimit `a`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `a` is finite and positive.
    pub fn new(bandlimit: f64) -> Result<Self> {
        Ok(Self { bandlimit: Positive::new("bandlimit", bandlimit)? })
    }
}

/// `sin(t)/t`, by its series near 0, where the derivative of the quotient would lose digits. Both
/// are computed, so that loops have no branches.
#[inline(always)]
fn sinc<N: Real>(t: N) -> N {
    let square = t * t;
    let mut series = N::one();
    // Factors, not divisors: divisions are most of the time otherwise.
    for factor in [1.0 / 72.0, 1.0 / 42.0, 1.0 / 20.0, 1.0 / 6.0] {
        series = N::one() - square * N::from_f64(factor) * series;
    }
    let small = t.value().abs() < 1e-3;
    N::select(small, series, t.sin() * (N::one() / t))
}

impl Leaf for Sinc {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("bandlimit", number_text(self.bandlimit.get()))]
    }

    fn facts(&self) -> Facts {
        Facts {
            strictly_pd: Fact::Yes("Bochner: its spectral measure has an interior point"),
            universal: Fact::Yes(
                "the support of its spectral measure has an interior point (Micchelli, Xu, Zhang 2006)",
            ),
            characteristic: Fact::No("its spectral measure has bounded support (Sriperumbudur et al. 2010)"),
            ..Facts::full_spectrum("Bochner: its spectral density is uniform on a cube", 1.0)
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("bandlimit", self.bandlimit.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0])
    }

    fn is_column_product(&self) -> bool {
        true
    }

    fn bandlimit(&self) -> Option<f64> {
        Some(self.bandlimit.get())
    }

    fn longest_difference(&self) -> Option<f64> {
        Some(WHOLE_PERIODS / self.bandlimit.get())
    }

    fn spectral_law(&self) -> Option<SpectralLaw> {
        Some(SpectralLaw { scale: self.bandlimit.get(), ..SpectralLaw::unit(Frequencies::Uniform) })
    }
}

impl Columnwise for Sinc {
    fn start(&self) -> f64 {
        1.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, p: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        sum * sinc(p[0] * (x - y))
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "sinc",
    family: Family::Columnwise,
    formula: "Πⱼ sin(a(xⱼ−yⱼ)) / (a(xⱼ−yⱼ))",
    domain: Domain::Vectors,
    parameters: &[ParameterEntry {
        name: "bandlimit",
        default: Some("1"),
        range: "> 0",
        meaning: "a, the highest angular frequency",
    }],
    theory: "Positive definite; the RKHS is the band-limited functions.",
    cost: "O(d) sines",
    examples: &["sinc(bandlimit=3)", "sinc()"],
    build: |arguments| Ok(Sinc::new(arguments.number("bandlimit", 1.0)?)?.into()),
};
