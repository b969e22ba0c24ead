//! The Matérn kernels.

use crate::kernel::prelude::*;
use crate::real::MaternTable;
use crate::real::special::KeptTable;

/// Matérn kernel of smoothness ν on vectors.
///
/// # Formula
/// `k(x, y) = 2^{1−ν}/Γ(ν) zᵛ K_ν(z)` with `z = √(2ν) ‖x − y‖₂/ℓ` and `K_ν` the modified Bessel
/// function. `ν = 1/2`: `exp(−z)`; `ν = 3/2`: `(1 + z) exp(−z)`; `ν = 5/2`:
/// `(1 + z + z²/3) exp(−z)`.
///
/// # Theory
/// Positive definite on `ℝᵈ` for every `d` (Bochner: its spectral density is a Student-t). Its RKHS
/// is norm-equivalent to the Sobolev space `H^{ν+d/2}`; as `ν → ∞` it tends to the Gaussian kernel.
///
/// # Cost
/// `O(d)` per pair; one square root and one exponential for the three closed forms, a polynomial
/// more up to `ν = 20`, a Bessel function beyond.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "matern(nu=3/2, lengthscale=2)".parse()?;
/// let z = 3.0_f64.sqrt();
/// mercer::assert_close!(k.evaluate(&[0.0], &[2.0])?, (1.0 + z) * (-z).exp(), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Matern {
    nu: Positive,
    lengthscale: Lengthscale,
    table: KeptTable,
}

/// Smoothness beyond this is the Gaussian kernel to more digits than an `f64` holds differences in.
const MAX_NU: f64 = 1e4;
/// The smoothnesses with closed forms.
const CLOSED: [f64; 3] = [0.5, 1.5, 2.5];

impl Matern {
    /// The Matérn kernel of this smoothness and lengthscale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `0 < ν ≤ 10⁴`.
    pub fn new(nu: f64, lengthscale: Lengthscale) -> Result<Self> {
        if nu > MAX_NU {
            return Err(Error::parameter("nu", nu, "positive and at most 10000 (beyond that, use gaussian)"));
        }
        Ok(Self { nu: Positive::new("nu", nu)?, lengthscale, table: KeptTable::default() })
    }

    /// The smoothness.
    pub fn nu(&self) -> f64 {
        self.nu.get()
    }
}

impl Leaf for Matern {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("nu", number_text(self.nu.get())), ("lengthscale", self.lengthscale.text())]
    }

    fn facts(&self) -> Facts {
        let reason = "Bochner: its spectral density is a multivariate Student-t with 2ν degrees of freedom";
        Facts { differentiable: self.nu.get() > 0.5, ..Facts::full_spectrum(reason, 1.0) }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        vec![("nu", self.nu.get())]
    }

    fn choices(&self) -> &'static [&'static str] {
        &["nu"]
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values[0], self.lengthscale.clone())
    }

    fn lengthscale(&self) -> Option<&Lengthscale> {
        Some(&self.lengthscale)
    }

    fn with_lengthscale(&self, lengthscale: Lengthscale) -> Self {
        Self { lengthscale, ..self.clone() }
    }

    fn is_non_negative(&self) -> bool {
        true
    }

    fn spectral_law(&self) -> Option<SpectralLaw> {
        Some(SpectralLaw::unit(Frequencies::Normal(Mixing::Student(self.nu.get()))))
    }

    /// For the three closed forms, a process with `ν + ½` states.
    fn markov_process(&self) -> Option<MarkovProcess> {
        let nu = self.nu.get();
        let rate = (2.0 * nu).sqrt() / self.lengthscale.single_or_unit()?;
        CLOSED.contains(&nu).then_some(MarkovProcess::Matern { dimension: (nu + 0.5) as usize, rate })
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        let length = self.lengthscale.single()?;
        (self.nu.get() == 0.5).then_some(LineForm::Exponential { length })
    }
}

impl Profile for Matern {
    fn metric(&self) -> MetricKind {
        MetricKind::SquaredEuclidean
    }

    /// The general formula; [`HalfInteger`] holds the closed forms.
    #[inline(always)]
    fn profile<N: Real>(&self, p: Shape<N>, s: N) -> N {
        N::matern(p[0], (N::from_f64(2.0) * p[0] * s).sqrt())
    }

    fn visit_formula<V: FormulaVisitor>(&self, scale: f64, visitor: V) -> V::Output {
        match self.nu.get() {
            0.5 => visitor.visit(&HalfInteger::<1>(scale)),
            1.5 => visitor.visit(&HalfInteger::<3>(scale)),
            2.5 => visitor.visit(&HalfInteger::<5>(scale)),
            nu => match self.table.of(nu) {
                Some(table) => visitor.visit(&Tabulated { table, scale }),
                None => visitor.visit(&Scaled { profile: self, shape: [nu, 0.0], scale }),
            },
        }
    }
}

/// The general formula of a scaled metric, for one smoothness.
struct Tabulated<'t> {
    table: &'t MaternTable,
    scale: f64,
}

impl Formula for Tabulated<'_> {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        N::tabulated_matern(self.table, (N::from_f64(2.0 * self.table.nu()) * (s * N::from_f64(self.scale))).sqrt())
    }
}

/// The closed forms at `ν = 1/2, 3/2, 5/2` of a scaled metric.
struct HalfInteger<const TWICE_NU: u32>(f64);

impl<const TWICE_NU: u32> Formula for HalfInteger<TWICE_NU> {
    #[inline(always)]
    fn apply<N: Real>(&self, s: N) -> N {
        let z = (N::from_f64(f64::from(TWICE_NU)) * (s * N::from_f64(self.0))).sqrt();
        let decay = (-z).exp();
        match TWICE_NU {
            1 => decay,
            3 => (N::one() + z) * decay,
            _ => (N::one() + z + z * z * N::from_f64(1.0 / 3.0)) * decay,
        }
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "matern",
    family: Family::Radial,
    formula: "2^{1−ν}/Γ(ν) zᵛ K_ν(z), z = √(2ν)‖x−y‖/ℓ",
    domain: Domain::Vectors,
    parameters: &[
        ParameterEntry { name: "nu", default: Some("3/2"), range: "0 < ν ≤ 10000", meaning: "smoothness" },
        LENGTHSCALE,
    ],
    theory: "Positive definite in every dimension; its RKHS is the Sobolev space of order ν + d/2.",
    cost: "O(d), one exponential and one square root; a polynomial more for general ν, a Bessel function beyond 20",
    examples: &["matern(nu=1/2, lengthscale=0.9)", "matern(nu=3/2)", "matern(nu=5/2, lengthscale=2)", "matern(nu=0.8)"],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let nu = arguments.number("nu", 1.5)?;
    Ok(Matern::new(nu, arguments.lengthscale()?)?.into())
}
