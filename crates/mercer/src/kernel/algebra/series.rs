//! Power series of a kernel with non-negative coefficients, and the exponential.

use crate::kernel::prelude::*;
use crate::kernel::text::piece_word;

/// A power series `Σ aₙ kⁿ` with `aₙ ≥ 0`.
#[derive(Clone, Debug, PartialEq)]
pub enum Series {
    /// Finitely many coefficients `a₀, a₁, …`.
    Coefficients(Vec<NonNegative>),
    /// `Σ kⁿ = 1/(1 − k)`, `|k| < 1`.
    Geometric,
    /// `Σ kⁿ/n = −ln(1 − k)`, `|k| < 1`.
    Logarithm,
    /// `Σ k²ⁿ/(2n)! = cosh k`.
    Cosh,
    /// `Σ k²ⁿ⁺¹/(2n+1)! = sinh k`.
    Sinh,
}

impl Series {
    /// A series with these coefficients.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there is at least one and all are finite and not negative.
    pub fn new(coefficients: &[f64]) -> Result<Self> {
        if coefficients.is_empty() {
            return Err(Error::parameter("coefficients", "[]", "a list of at least one number"));
        }
        let checked = coefficients.iter().map(|&a| NonNegative::new("coefficients", a)).collect::<Result<_>>()?;
        Ok(Self::Coefficients(checked))
    }

    /// The radius of convergence.
    pub fn radius(&self) -> f64 {
        match self {
            Self::Geometric | Self::Logarithm => 1.0,
            Self::Coefficients(_) | Self::Cosh | Self::Sinh => f64::INFINITY,
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Coefficients(a) => list_text(&a.iter().map(|a| a.get()).collect::<Vec<_>>()),
            Self::Geometric => "geometric".into(),
            Self::Logarithm => "logarithm".into(),
            Self::Cosh => "cosh".into(),
            Self::Sinh => "sinh".into(),
        }
    }

    /// The sum of the series at `k`.
    #[inline(always)]
    pub(crate) fn evaluate<N: Real>(&self, k: N) -> N {
        let half = N::from_f64(0.5);
        match self {
            Self::Coefficients(a) => a.iter().rev().fold(N::zero(), |sum, a| sum * k + N::from_f64(a.get())),
            Self::Geometric => N::one() / (N::one() - k),
            Self::Logarithm => -(-k).ln_1p(),
            Self::Cosh => half * (k.exp() + (-k).exp()),
            Self::Sinh => half * (k.exp_m1() - (-k).exp_m1()),
        }
    }

    /// The coefficients, where there are finitely many.
    pub(crate) fn coefficients(&self) -> &[NonNegative] {
        if let Self::Coefficients(a) = self { a } else { &[] }
    }

    /// The sum of the series at `k` with coefficients in any arithmetic (none for the named
    /// series).
    pub(crate) fn evaluate_with<N: Real>(&self, coefficients: &[N], k: N) -> N {
        match self {
            Self::Coefficients(_) => coefficients.iter().rev().fold(N::zero(), |sum, &a| sum * k + a),
            named => named.evaluate(k),
        }
    }

    fn read(arguments: &mut Arguments<'_>) -> Result<Self> {
        let expected = "a list of coefficients [a0, a1, …], geometric, logarithm, cosh or sinh";
        let piece = arguments.unnamed(expected)?;
        match piece_word(piece) {
            Some("geometric") => Ok(Self::Geometric),
            Some("logarithm") => Ok(Self::Logarithm),
            Some("cosh") => Ok(Self::Cosh),
            Some("sinh") => Ok(Self::Sinh),
            Some(_) => Err(arguments.refuse(format!("the series must be {expected}"))),
            None => Self::new(&arguments.as_numbers("coefficients", piece)?),
        }
    }
}

/// The page of `exp`.
pub const EXP: Entry = Entry {
    name: "exp",
    family: Family::Algebra,
    formula: "exp(k(x, y)) = Σ kⁿ/n!",
    domain: Domain::Inherited,
    parameters: &[KERNEL],
    theory: "A pointwise limit of sums of products: keeps positive semi-definiteness.",
    cost: "that of k, one exponential",
    examples: &["exp(linear())", "exp(0.5*gaussian(lengthscale=0.8))"],
    build: |arguments| Ok(Kernel::Exp(Box::new(arguments.kernel()?))),
};

/// The page of `series`.
pub const SERIES: Entry = Entry {
    name: "series",
    family: Family::Algebra,
    formula: "Σₙ aₙ k(x, y)ⁿ, aₙ ≥ 0",
    domain: Domain::Inherited,
    parameters: &[
        ParameterEntry {
            name: "",
            default: None,
            range: "[a0, a1, …] ≥ 0, geometric (radius 1), logarithm (radius 1), cosh or sinh",
            meaning: "the coefficients",
        },
        KERNEL,
    ],
    theory: "Keeps positive semi-definiteness inside the radius of convergence, which is checked on the data.",
    cost: "that of k, O(length of the series)",
    examples: &["series([1, 0.5, 0.25], linear())", "series(geometric, 0.5*gaussian(lengthscale=1))"],
    build: |arguments| {
        let series = Series::read(arguments)?;
        Ok(Kernel::Series(series, Box::new(arguments.kernel()?)))
    },
};
