//! Wendland's kernels of compact support.

use crate::kernel::prelude::*;

/// Wendland kernel of compact support on vectors of at most `dimension` columns.
///
/// # Formula
/// With `r = ‖x − y‖₂/ρ`, `m = ⌊d/2⌋ + s + 1` for the dimension `d` and the smoothness `s`, and `(·)₊ = max(·, 0)`:
/// `s = 0`: `(1 − r)₊^m`; `s = 1`: `(1 − r)₊^{m+1}((m + 1)r + 1)`;
/// `s = 2`: `(1 − r)₊^{m+2}((m² + 4m + 3)r²/3 + (m + 2)r + 1)`.
///
/// # Theory
/// Positive definite on `ℝⁿ` exactly for `n ≤ 2⌊d/2⌋ + 1`, so for every `n ≤ d` [Askey 1973; Wendland 1995; Wendland 2005,
/// ch. 9], and `2s` times continuously differentiable at `r = 0`. Its RKHS on `ℝᵈ` is norm-equivalent to the Sobolev space of
/// order `(d + 1)/2 + s` (for `d ≥ 3` if `s = 0`). It is 0 from distance `ρ` on: Gram matrices are sparse.
///
/// # Cost
/// `O(d)` per pair, one square root and `O(log m)` products.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "wendland(smoothness=1, dimension=3, radius=2)".parse()?;
/// mercer::assert_close!(k.evaluate(&[0.0, 0.0, 0.0], &[0.0, 1.0, 0.0])?, 0.1875, abs = 1e-15);
/// assert_eq!(k.evaluate(&[0.0, 0.0, 0.0], &[0.0, 2.5, 0.0])?, 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Wendland {
    smoothness: u8,
    dimension: Whole,
    radius: Positive,
}

/// Beyond this dimension the kernel is a spike: at a tenth of its radius it is below 1e-22.
const MAX_DIMENSION: u32 = 1000;

impl Wendland {
    /// The Wendland kernel of this smoothness, dimension and radius.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the smoothness is 0, 1 or 2, the dimension a whole number from 1 to 1000, and the radius
    /// finite and positive.
    pub fn new(smoothness: f64, dimension: f64, radius: f64) -> Result<Self> {
        if ![0.0, 1.0, 2.0].contains(&smoothness) {
            return Err(Error::parameter("smoothness", smoothness, "0, 1 or 2"));
        }
        let dimension = Whole::new("dimension", dimension, MAX_DIMENSION)?;
        Ok(Self { smoothness: smoothness as u8, dimension, radius: Positive::new("radius", radius)? })
    }

    /// The exponent `m` of the formula.
    fn exponent(&self) -> u32 {
        self.dimension.get() / 2 + u32::from(self.smoothness) + 1
    }
}

impl Leaf for Wendland {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![
            ("smoothness", self.smoothness.to_string()),
            ("dimension", self.dimension.get().to_string()),
            ("radius", number_text(self.radius.get())),
        ]
    }

    fn facts(&self) -> Facts {
        let reason =
            "positive definite on ℝⁿ for n ≤ 2⌊dimension/2⌋ + 1 (Askey 1973; Wendland 1995; Wendland 2005, ch. 9)";
        Facts {
            strictly_pd: Fact::Yes("Bochner: its spectral density is continuous and not 0"),
            universal: Fact::Yes("a spectral density that is continuous and not 0 (Micchelli, Xu, Zhang 2006)"),
            characteristic: Fact::Yes(
                "the spectral measure of a compactly supported kernel has full support (Sriperumbudur et al. 2010)",
            ),
            differentiable: self.smoothness > 0,
            ..Facts::full_spectrum(reason, 1.0)
        }
    }

    /// Integrating `s` times lowers the dimension by `2s`, and `(1 − r)₊^m` is positive definite on `ℝᴺ` only for
    /// `m ≥ (N + 1)/2`.
    fn facts_on(&self, columns: usize) -> Facts {
        if columns <= 2 * (self.dimension.get() as usize / 2) + 1 {
            return self.facts();
        }
        let no = Fact::No("positive definite on ℝⁿ only for n ≤ 2⌊dimension/2⌋ + 1 (Golubov 1981; Zastavnyi 2006)");
        let open = Fact::Open("defined for positive semi-definite kernels");
        let nsd = Fact::No("its diagonal is 1 and far points give 0");
        Facts { psd: no, strictly_pd: no, nsd, universal: open, characteristic: open, ..self.facts() }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("radius", self.radius.get())]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Ok(Self { radius: Positive::new("radius", values[0])?, ..self.clone() })
    }

    /// At the center for smoothness 0; at the edge of the support where the exponent is 1.
    fn has_kink(&self, x: &[f64], y: &[f64]) -> bool {
        let squared: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
        let at_edge = self.exponent() == 1 && squared.sqrt() == self.radius.get();
        self.smoothness == 0 && (x == y || at_edge)
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    /// A power to `m` multiplies the rounding of its argument by `m`.
    fn roundings(&self) -> f64 {
        16.0 + 2.0 * f64::from(self.exponent() + u32::from(self.smoothness))
    }

    fn spectral_law(&self) -> Option<SpectralLaw> {
        let tail = f64::from(2 * self.smoothness + 1);
        Some(SpectralLaw { scale: 1.0 / self.radius.get(), ..SpectralLaw::unit(Frequencies::Compact { tail }) })
    }
}

impl Profile for Wendland {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    #[inline(always)]
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N {
        let exponent = self.exponent();
        let (m, r) = (N::from_f64(f64::from(exponent)), s.sqrt() / p[0]);
        let inside = (N::one() - r).max(N::zero());
        let polynomial = match self.smoothness {
            0 => N::one(),
            1 => (m + N::one()) * r + N::one(),
            _ => {
                let square = (m * m + N::from_f64(4.0) * m + N::from_f64(3.0)) / N::from_f64(3.0);
                (square * r + m + N::from_f64(2.0)) * r + N::one()
            }
        };
        inside.powi((exponent + u32::from(self.smoothness)) as i32) * polynomial
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "wendland",
    family: Family::Radial,
    formula: "(1 − r)₊^{m+s} p(r), r = ‖x−y‖/ρ, m = ⌊d/2⌋ + s + 1; p = 1, (m+1)r + 1 or (m²+4m+3)r²/3 + (m+2)r + 1",
    domain: Domain::Vectors,
    parameters: &[
        ParameterEntry {
            name: "smoothness",
            default: Some("1"),
            range: "0, 1 or 2",
            meaning: "s: 2s times differentiable",
        },
        ParameterEntry {
            name: "dimension",
            default: Some("3"),
            range: "whole, 1 to 1000",
            meaning: "d: the most columns on which it is positive definite",
        },
        ParameterEntry { name: "radius", default: Some("1"), range: "> 0", meaning: "ρ: from here on it is 0" },
    ],
    theory: "Compactly supported; positive definite on ℝⁿ for n ≤ d and not beyond 2⌊d/2⌋ + 1, universal, characteristic.",
    cost: "O(d), one square root, O(log d) products",
    examples: &[
        "wendland(smoothness=0, dimension=3, radius=2)",
        "wendland(smoothness=1, dimension=3, radius=1.5)",
        "wendland(smoothness=2, dimension=5, radius=3)",
    ],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let smoothness = arguments.number("smoothness", 1.0)?;
    let dimension = arguments.number("dimension", 3.0)?;
    Ok(Wendland::new(smoothness, dimension, arguments.number("radius", 1.0)?)?.into())
}
