//! Modified Bessel functions of the second kind in `f64`: Temme's series for `z ≤ 2`, Steed's
//! continued fraction beyond.

use super::BesselPair;
use super::gamma::Temme;
use std::f64::consts::{FRAC_PI_2, PI};

/// Enough terms for either method; both stop by themselves after at most some 80.
const MAX_TERMS: usize = 1000;

/// `K_μ(z)` and `K_{μ+1}(z)` for `|μ| ≤ 1/2`, `z > 0`, scaled as in [`BesselPair`].
pub(crate) fn bessel_pair(mu: f64, z: f64) -> BesselPair<f64> {
    if z <= 2.0 { series(mu, z) } else { continued_fraction(mu, z) }
}

/// Temme's series of 1975: `K_μ = Σ cₖ fₖ`, `(z/2) K_{μ+1} = Σ cₖ (pₖ − k fₖ)`, `cₖ = (z/2)²ᵏ/k!`.
fn series(mu: f64, z: f64) -> BesselPair<f64> {
    let gamma = Temme::new(mu);
    let (mut f, mut p, mut q) = first_terms(mu, (2.0 / z).ln(), &gamma);
    let quarter = 0.25 * z * z;
    let (mut c, mut lower, mut upper) = (1.0, f, p);
    for k in (1..MAX_TERMS).map(|k| k as f64) {
        f = (k * f + p + q) / (k * k - mu * mu);
        p /= k - mu;
        q /= k + mu;
        c *= quarter / k;
        let (lower_term, upper_term) = (c * f, c * (p - k * f));
        lower += lower_term;
        upper += upper_term;
        if negligible(lower_term, lower) && negligible(upper_term, upper) {
            break;
        }
    }
    let scale = z.exp();
    BesselPair { lower: lower * scale, upper: upper * scale }
}

/// Whether a term adds nothing more to its sum.
fn negligible(term: f64, sum: f64) -> bool {
    term.abs() <= 0.1 * f64::EPSILON * sum.abs()
}

/// `f₀`, `p₀ = ½ (z/2)^{−μ} Γ(1+μ)` and `q₀ = ½ (z/2)^μ Γ(1−μ)`, from `ln(2/z)`.
fn first_terms(mu: f64, log: f64, gamma: &Temme) -> (f64, f64, f64) {
    let sigma = mu * log;
    let angle = PI * mu;
    let sine_ratio = if angle.abs() < 1e-9 { 1.0 } else { angle / angle.sin() };
    let sinh_ratio = if sigma.abs() < 1e-9 { 1.0 } else { sigma.sinh() / sigma };
    let f = sine_ratio * (gamma.difference * sigma.cosh() + gamma.mean * sinh_ratio * log);
    let power = sigma.exp();
    (f, 0.5 * power / gamma.reciprocal_plus, 0.5 / (power * gamma.reciprocal_minus))
}

/// Steed's algorithm for the second continued fraction, with Temme's normalizing sum.
fn continued_fraction(mu: f64, z: f64) -> BesselPair<f64> {
    let first = 0.25 - mu * mu;
    let (mut a, mut b) = (-first, 2.0 * (1.0 + z));
    let (mut d, mut h, mut step) = (1.0 / b, 1.0 / b, 1.0 / b);
    let (mut q_before, mut q_now, mut q, mut c) = (0.0, 1.0, first, first);
    let mut sum = 1.0 + q * step;
    for k in (2..MAX_TERMS).map(|k| k as f64) {
        a -= 2.0 * (k - 1.0);
        c *= -a / k;
        (q_before, q_now) = (q_now, (q_before - b * q_now) / a);
        q += c * q_now;
        b += 2.0;
        d = 1.0 / (b + a * d);
        step *= b * d - 1.0;
        h += step;
        sum += q * step;
        if negligible(q * step, sum) {
            break;
        }
    }
    let lower = (FRAC_PI_2 / z).sqrt() / sum;
    BesselPair { lower, upper: 0.5 * lower * (mu + z + 0.5 - first * h) }
}

#[cfg(test)]
mod tests {
    use super::super::{bessel_k_scaled, quadrature};
    use super::*;
    use crate::real::{DoubleDouble, Real};

    /// The two ways have nothing in common but the function.
    #[test]
    fn agrees_with_quadrature() {
        for mu in [-0.5, -0.499, -0.2, 0.0, 1e-6, 0.3, 0.5] {
            for z in [1e-300, 1e-12, 1e-3, 0.5, 1.99, 2.0, 2.01, 3.0, 20.0, 700.0, 1e5] {
                let found = bessel_pair(mu, z);
                let expected = quadrature::bessel_pair(DoubleDouble::from_f64(mu), DoubleDouble::from_f64(z));
                let (lower, upper) = (expected.lower.value(), expected.upper.value());
                assert_close!(found.lower / lower, 1.0, abs = 2e-14, "K_{mu}({z}): {} ≠ {lower}", found.lower);
                assert_close!(found.upper / upper, 1.0, abs = 2e-14, "K_{mu}+1({z}): {} ≠ {upper}", found.upper);
            }
        }
    }

    /// `K_{n+1/2}` is elementary: `K_{5/2}(z) = √(π/2z) e⁻ᶻ (1 + 3/z + 3/z²)`.
    #[test]
    fn half_integer_orders_are_elementary() {
        for z in [0.1, 1.0, 2.5, 40.0] {
            let root = (FRAC_PI_2 / z).sqrt();
            let expected = root * (1.0 + 3.0 / z + 3.0 / (z * z));
            assert_close!(bessel_k_scaled(2.5, z) / expected, 1.0, abs = 1e-14);
            assert_close!(bessel_k_scaled(0.5, z) / root, 1.0, abs = 1e-14);
            assert_close!(bessel_k_scaled(1.5, z) / (root * (1.0 + 1.0 / z)), 1.0, abs = 1e-14);
        }
    }
}
