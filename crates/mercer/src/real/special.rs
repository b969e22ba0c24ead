//! Special functions: the gamma function, tails of probability distributions, modified Bessel
//! functions of the second kind, the Matérn profile and normal quantiles.
//!
//! The Matérn profile of any smoothness is one formula with two independent ways to the Bessel
//! functions in it: Temme's series and Steed's continued fraction in `f64`, and quadrature in every
//! other arithmetic.

pub(crate) mod gamma;
mod incomplete;
mod matern;
mod matern_table;
mod normal;
pub(crate) mod quadrature;
pub(crate) mod temme;

#[cfg(test)]
mod reference;

pub use gamma::ln_gamma;
pub use incomplete::{erf, gamma_distribution, gamma_quantile, gamma_tail, normal_tail};
pub use matern::MaternProfile;
pub(crate) use matern_table::KeptTable;
pub use matern_table::MaternTable;
pub use normal::normal_quantile;

use super::Real;

/// `K_μ(z)` and `K_{μ+1}(z)`, scaled so that neither leaves the range: see the fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BesselPair<N> {
    /// `eᶻ K_μ(z)`.
    pub lower: N,
    /// `eᶻ (z/2) K_{μ+1}(z)`.
    pub upper: N,
}

/// `eᶻ K_ν(z)`, the modified Bessel function of the second kind without its decay, for `ν ≥ 0` and
/// `z > 0`.
///
/// # Formula
/// `K_ν(z) = ∫₀^∞ exp(−z cosh s) cosh(νs) ds`; computed at `ν − ⌈ν − ½⌉` and raised by
/// `K_{ν+1} = K_{ν−1} + (2ν/z) K_ν`.
///
/// # Cost
/// `O(ν)`; infinite where the value exceeds the range of `f64`.
///
/// # Example
/// ```
/// use mercer::real::special::bessel_k_scaled;
/// // K_{1/2}(z) = √(π/(2z)) e⁻ᶻ
/// let expected = (std::f64::consts::PI / 6.0).sqrt();
/// mercer::assert_close!(bessel_k_scaled(0.5, 3.0), expected, abs = 1e-15);
/// ```
pub fn bessel_k_scaled(nu: f64, z: f64) -> f64 {
    let steps = whole_steps(nu);
    let mu = nu - steps;
    let pair = f64::bessel_pair(mu, z);
    let (mut lower, mut upper, mut order) = (pair.lower, pair.upper / (0.5 * z), mu + 1.0);
    for _ in 0..steps as usize {
        (lower, upper) = (upper, lower + 2.0 * order / z * upper);
        order += 1.0;
    }
    lower
}

/// How many whole steps lead down from an order `ν > 0` to one in `(−½, ½]`.
fn whole_steps(nu: f64) -> f64 {
    (nu - 0.5).ceil().max(0.0)
}
