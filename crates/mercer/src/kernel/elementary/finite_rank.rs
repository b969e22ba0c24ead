//! Kernels of finite rank.

use crate::kernel::prelude::*;

/// Finite-rank kernel on the line.
///
/// # Formula
/// `k(x, y) = Σₖ ηₖ φₖ(x) φₖ(y)`, `k = 0, 1, …`, with `φₖ` one of
/// monomials `xᵏ` · cosines `1, √2 cos(πx), √2 cos(2πx), …` (orthonormal on `[0, 1]`) ·
/// hermite `Heₖ(x)/√k!` (orthonormal for the standard normal distribution).
///
/// # Theory
/// A sum of `ηₖ φₖ(x)φₖ(y)` with `ηₖ ≥ 0`: positive semi-definite, with an RKHS of dimension at
/// most the number of weights and `‖Σ aₖφₖ‖² = Σ aₖ²/ηₖ`.
///
/// # Cost
/// `O(rank)` per pair.
///
/// # Example
/// ```
/// use mercer::Kernel;
/// let k: Kernel = "finite_rank(weights=[1, 2], basis=monomials)".parse()?;
/// assert_eq!(k.evaluate(&[2.0], &[3.0])?, 13.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FiniteRank {
    weights: Vec<NonNegative>,
    basis: Basis,
}

/// The functions that span a finite-rank kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// `xᵏ`.
    Monomials,
    /// `1, √2 cos(kπx)`.
    Cosines,
    /// `Heₖ(x)/√k!`.
    Hermite,
}

impl Basis {
    fn name(self) -> &'static str {
        match self {
            Self::Monomials => "monomials",
            Self::Cosines => "cosines",
            Self::Hermite => "hermite",
        }
    }

    /// Calls `visit(k, φₖ(x))` for the first `count` functions.
    #[inline(always)]
    pub(crate) fn values<N: Real>(self, count: usize, x: N, mut visit: impl FnMut(usize, N)) {
        let (mut previous, mut current) = (N::zero(), N::one());
        for k in 0..count {
            let next_index = N::from_f64((k + 1) as f64);
            match self {
                Self::Monomials => visit(k, current),
                Self::Cosines if k == 0 => visit(k, N::one()),
                Self::Cosines => {
                    let angle = N::from_f64(std::f64::consts::PI * k as f64) * x;
                    visit(k, N::from_f64(2.0).sqrt() * angle.cos());
                }
                Self::Hermite => visit(k, current),
            }
            let next = match self {
                Self::Hermite => (x * current - N::from_f64(k as f64).sqrt() * previous) / next_index.sqrt(),
                _ => current * x,
            };
            (previous, current) = (current, next);
        }
    }
}

impl FiniteRank {
    /// The finite-rank kernel with these weights on the first functions of a basis.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there is at least one weight and all are finite and not
    /// negative.
    pub fn new(weights: &[f64], basis: Basis) -> Result<Self> {
        if weights.is_empty() {
            return Err(Error::parameter("weights", "[]", "a list of at least one number"));
        }
        let weights = weights.iter().map(|&w| NonNegative::new("weights", w)).collect::<Result<_>>()?;
        Ok(Self { weights, basis })
    }

    /// The functions that span its space.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// `ηₖ`.
    pub fn weights(&self) -> Vec<f64> {
        self.weights.iter().map(|w| w.get()).collect()
    }

    /// `√ηₖ φₖ(x)`: its features.
    pub(crate) fn features(&self, x: f64) -> Vec<f64> {
        let mut values: Vec<f64> = self.weights.iter().map(|w| w.get().sqrt()).collect();
        self.basis.values(self.weights.len(), x, |k, phi| values[k] *= phi);
        values
    }

    /// `sup k(x, x)`.
    fn bound(&self) -> f64 {
        let weights = self.weights();
        match self.basis {
            Basis::Cosines => weights[0] + 2.0 * weights[1..].iter().sum::<f64>(),
            _ if weights[1..].iter().all(|&w| w == 0.0) => weights[0],
            _ => f64::INFINITY,
        }
    }
}

impl Leaf for FiniteRank {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn arguments(&self) -> Vec<(&'static str, String)> {
        vec![("weights", list_text(&self.weights())), ("basis", self.basis.name().into())]
    }

    fn facts(&self) -> Facts {
        Facts {
            nsd: Fact::Open("only if it is constant"),
            shift_invariant: Fact::Open("only if it is constant"),
            bound: Some(self.bound()),
            ..Facts::finite_features("a sum of ηφ(x)φ(y) with η ≥ 0")
        }
    }

    fn shape(&self) -> Vec<(&'static str, f64)> {
        self.weights().into_iter().map(|w| ("weights", w)).collect()
    }

    fn with_shape(&self, values: &[f64]) -> Result<Self> {
        Self::new(values, self.basis)
    }

    fn line_form(&self) -> Option<LineForm<'_>> {
        Some(LineForm::FiniteRank(self))
    }
}

impl FiniteRank {
    /// `Σₖ ηₖ φₖ(x) φₖ(y)` with the weights in any arithmetic.
    #[inline(always)]
    pub(crate) fn sum<N: Real>(&self, weights: impl Fn(usize) -> N, x: N, y: N) -> N {
        let rank = self.weights.len();
        let mut left = Vec::with_capacity(rank);
        self.basis.values(rank, x, |_, value| left.push(value));
        let mut total = N::zero();
        self.basis.values(rank, y, |k, value| total = total + weights(k) * left[k] * value);
        total
    }
}

impl Columnwise for FiniteRank {
    fn start(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn step<N: Real>(&self, _: Shape<N>, _: N, sum: N, x: N, y: N) -> N {
        sum + self.sum(|k| N::from_f64(self.weights[k].get()), x, y)
    }
}

/// The page of the catalogue.
pub const ENTRY: Entry = Entry {
    name: "finite_rank",
    family: Family::Elementary,
    formula: "Σₖ ηₖ φₖ(x) φₖ(y)",
    domain: Domain::Line,
    parameters: &[
        ParameterEntry {
            name: "weights", default: None, range: "a list of numbers ≥ 0", meaning: "η₀, η₁, …"
        },
        ParameterEntry {
            name: "basis",
            default: Some("monomials"),
            range: "monomials, cosines or hermite",
            meaning: "the functions φₖ",
        },
    ],
    theory: "Positive semi-definite with an RKHS of finite dimension, ‖Σ aₖφₖ‖² = Σ aₖ²/ηₖ.",
    cost: "O(rank)",
    examples: &[
        "finite_rank(weights=[1, 0.5, 0.25])",
        "finite_rank(weights=[0, 1, 2], basis=cosines)",
        "finite_rank(weights=[1, 1, 1], basis=hermite)",
    ],
    build,
};

fn build(arguments: &mut Arguments<'_>) -> Result<Kernel> {
    let Some(weights) = arguments.numbers("weights")? else {
        return Err(arguments.refuse("finite_rank needs weights=[…]"));
    };
    let basis = match arguments.choice("basis", &["monomials", "cosines", "hermite"], "monomials")? {
        "cosines" => Basis::Cosines,
        "hermite" => Basis::Hermite,
        _ => Basis::Monomials,
    };
    Ok(FiniteRank::new(&weights, basis)?.into())
}
