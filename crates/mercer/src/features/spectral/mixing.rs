//! Radial distributions as scale mixtures of normal distributions: `ω = m·g` with `g` standard
//! normal.

use crate::features::sampling::Source;
use crate::kernel::closed_forms::Mixing;
use crate::real::special::gamma_quantile;

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
