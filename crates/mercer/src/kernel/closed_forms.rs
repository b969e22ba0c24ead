//! Facts about base kernels as plain data. A base kernel states them in its own file; other rooms turn them into
//! random frequencies, filters along a line, eigenvalues, feature maps and error bounds.

use super::Kernel;
use super::elementary::finite_rank::FiniteRank;
use crate::real::Real;

/// The spectral measure of a shift-invariant kernel: `mass` times the law of `scale·ω/ℓ` (`ℓ = 1` without a lengthscale).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SpectralLaw {
    /// `k(x, x)`.
    pub mass: f64,
    /// What the frequencies are multiplied by.
    pub scale: f64,
    /// The law of `ω`.
    pub frequencies: Frequencies,
}

impl SpectralLaw {
    /// The measure of a kernel with `k(x, x) = 1`.
    pub(crate) const fn unit(frequencies: Frequencies) -> Self {
        Self { mass: 1.0, scale: 1.0, frequencies }
    }
}

/// A Gaussian kernel on points of circles, one per column: `xⱼ ↦ (cos 2πxⱼ/p, sin 2πxⱼ/p)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Circles {
    /// The period `p`.
    pub period: f64,
    /// The kernel between points of the circles, two coordinates per column.
    pub gaussian: Kernel,
}

/// The law of a random frequency `ω`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Frequencies {
    /// `ω = 0`: the constant kernel.
    Zero,
    /// `ω = m·g` with `g` standard normal: radial kernels that are mixtures of Gaussian kernels.
    Normal(Mixing),
    /// Independent coordinates with the density `1/(π(1 + ω²))`: `exp(−|δ|)`.
    Cauchy,
    /// Independent coordinates with the density `½e^{−|ω|}`: `1/(1 + δ²)`.
    Laplace,
    /// Independent coordinates, uniform on `[−1, 1]`: `sin δ/δ`.
    Uniform,
    /// Independent whole numbers `n` with probabilities `e^{−b}Iₙ(b)`, `b = 1/ℓ²`: `exp(b(cos δ − 1))`. The
    /// lengthscale does not divide them.
    Whole,
    /// A radial law of a profile that is 0 from distance 1 on; `P(‖ω‖ > w)` falls like `w^{−tail}`. Sampled from a table.
    Compact {
        /// The exponent of the tail.
        tail: f64,
    },
}

/// The law of the factor `m`. A radial kernel that is positive definite in every dimension is `E exp(−m²r²/2)` (Schoenberg).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mixing {
    /// `m = 1`: the Gaussian kernel.
    Fixed,
    /// `m² = ν/G` with `G ~ Gamma(ν)`: Student's t with `2ν` degrees of freedom, the Matérn kernels.
    Student(f64),
    /// `m² = G/a` with `G ~ Gamma(a)`: the rational quadratic kernels.
    Gamma(f64),
    /// `m² = 2S` with `S` positive stable of index `α < 1`, `E e^{−uS} = e^{−u^α}`: `exp(−r^{2α})`.
    Stable(f64),
}

/// A Markov process of unit variance on one column whose covariance the kernel is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MarkovProcess {
    /// Matérn of smoothness `dimension − ½`; `rate` is `√(2ν)/ℓ`.
    Matern {
        /// The number of states.
        dimension: usize,
        /// Inverse length.
        rate: f64,
    },
    /// Brownian motion integrated `order − 1` times from 0 on the half line; with `free`, the first `order` derivatives
    /// at 0 are normal too.
    Integrated {
        /// The number of states.
        order: usize,
        /// Whether the start is random.
        free: bool,
    },
    /// Two independent Brownian motions from 0, one on each side.
    Brownian,
    /// Brownian motion on `[0, 1]` that ends at 0.
    Bridge,
    /// A constant.
    Constant,
    /// A multiple of `x`.
    Linear,
}

/// What a kernel is on one column, where its integral operator or its mean embeddings have closed forms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LineForm<'k> {
    /// `constant + min(x, y)` on the half line.
    Minimum {
        /// The constant.
        constant: f64,
    },
    /// `min(x, y) − xy` on `[0, 1]`.
    Bridge,
    /// `exp(−|x − y|/length)`.
    Exponential {
        /// ℓ.
        length: f64,
    },
    /// `exp(−(x − y)²/(2 length²))`.
    Gaussian {
        /// ℓ.
        length: f64,
    },
    /// `exp(−2 sin²(π(x − y)/period)/length²)`.
    Periodic {
        /// p.
        period: f64,
        /// ℓ.
        length: f64,
    },
    /// `Σ ηₖφₖ(x)φₖ(y)`.
    FiniteRank(&'k FiniteRank),
}

/// A kernel that is a power series in `⟨x, y⟩`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PowerSeries {
    /// `(offset + scale·⟨x, y⟩)^degree`.
    Power {
        /// m.
        degree: u32,
        /// c.
        offset: f64,
        /// s.
        scale: f64,
    },
    /// `exp(⟨x, y⟩/scale)`.
    Exponential {
        /// s.
        scale: f64,
    },
}

impl PowerSeries {
    /// The coefficient of `⟨x, y⟩ⁿ`.
    pub(crate) fn coefficient(self, n: usize) -> f64 {
        match self {
            Self::Power { degree, .. } if n > degree as usize => 0.0,
            Self::Power { degree, offset, scale } => {
                let m = degree as usize;
                let binomial = (0..n).fold(1.0, |b, i| b * (m - i) as f64 / (i + 1) as f64);
                binomial * offset.powi((m - n) as i32) * scale.powi(n as i32)
            }
            Self::Exponential { scale } => 1.0 / ((1..=n).map(|k| k as f64).product::<f64>() * scale.powi(n as i32)),
        }
    }
}

/// A kernel on vectors whose Stein kernel has a closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SteinForm {
    /// `exp(−‖x − y‖²/(2 length²))`.
    Gaussian {
        /// ℓ.
        length: f64,
    },
    /// `(offset² + ‖x − y‖²)^{−1/2}`.
    InverseMultiquadric {
        /// c.
        offset: f64,
    },
}

/// How the profile of a kernel changes with its metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Growth {
    /// A profile `κ` of a distance `s` with `|sκ′(s)| ≤ κ(0)`, as convex decreasing ones have; a profile of `⟨x, y⟩` whose
    /// value and slope are largest at the ends of its range.
    Regular,
    /// A jump: which side a pair is on has to be decided in double precision.
    Step,
    /// It grows without limit with the distance: `|sκ′(s)| ≤ power·κ(s)`.
    Increasing {
        /// The exponent.
        power: f64,
    },
    /// No value above 1 in size, no slope above this.
    Saturating {
        /// The largest slope.
        slope: f64,
    },
}

/// A formula in one variable, written once for every arithmetic.
///
/// Mark `apply` `#[inline(always)]`: only then is it compiled, and vectorized, inside the loop over the tile.
///
/// # Example
/// ```
/// use mercer::gram::simd::{self, Formula, Mode};
/// use mercer::real::Real;
///
/// /// `exp(−s/2)`.
/// struct Gaussian;
/// impl Formula for Gaussian {
///     #[inline(always)]
///     fn apply<N: Real>(&self, s: N) -> N {
///         (N::from_f64(-0.5) * s).exp()
///     }
/// }
///
/// let mut tile = [1.0_f64, 1.0];
/// simd::map(&Gaussian, 2.0, Mode::Add, &[0.0, 2.0], &mut tile);
/// assert_eq!(tile[0], 3.0);
/// mercer::assert_close!(tile[1], 1.735_758_882_342_884_6, abs = 1e-15);
/// ```
pub trait Formula: Sync {
    /// The value at `s`.
    fn apply<N: Real>(&self, s: N) -> N;
}

/// Receives a formula with its own type, so that loops over tiles are compiled for each.
pub(crate) trait FormulaVisitor {
    /// What comes out.
    type Output;
    /// Takes the formula.
    fn visit<F: Formula>(self, formula: &F) -> Self::Output;
}
