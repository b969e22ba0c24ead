//! Radial distributions as scale mixtures of normal distributions: `ω = m·g` with `g` standard
//! normal.

use crate::features::sampling::Source;
use crate::real::special::gamma_quantile;

/// The distribution of the factor `m`. A radial kernel that is positive definite in every dimension
/// is `E exp(−m²r²/2)` (Schoenberg).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mixing {
    /// `m = 1`: the Gaussian kernel.
    Fixed,
    /// `m² = ν/G` with `G ~ Gamma(ν)`: Student's t with `2ν` degrees of freedom, the Matérn
    /// kernels.
    Student(f64),
    /// `m² = G/a` with `G ~ Gamma(a)`: the rational quadratic kernels.
    Gamma(f64),
    /// `m² = 2S` with `S` positive stable of index `α < 1`, `E e^{−uS} = e^{−u^α}`: `exp(−r^{2α})`.
    Stable(f64),
}

impl Mixing {
    pub(crate) fn draw(self, source: &mut Source) -> f64 {
        match self {
            Self::Fixed => 1.0,
            Self::Student(nu) => (nu / gamma(nu, source)).sqrt(),
            Self::Gamma(a) => (gamma(a, source) / a).sqrt(),
            Self::Stable(alpha) => (2.0 * stable(alpha, source)).sqrt(),
        }
    }
}

/// Gamma of this shape, never 0: a quotient by it stays finite.
fn gamma(shape: f64, source: &mut Source) -> f64 {
    gamma_quantile(shape, source.uniform()).max(f64::MIN_POSITIVE)
}

/// Positive stable of index `α`, by Kanter's formula; kept in the range of numbers whose products
/// with data are finite.
fn stable(alpha: f64, source: &mut Source) -> f64 {
    let (angle, exponential) = (std::f64::consts::PI * source.uniform(), -source.uniform().ln());
    let shape = (alpha * angle).sin() / angle.sin().powf(1.0 / alpha);
    let tail = (((1.0 - alpha) * angle).sin() / exponential).powf((1.0 - alpha) / alpha);
    (shape * tail).clamp(1e-300, 1e300)
}
