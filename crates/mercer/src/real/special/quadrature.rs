//! Bessel and gamma functions by the trapezoidal rule, in any arithmetic.
//!
//! The integrands are analytic in the strip `|Im s| < π/2` and fall off doubly exponentially, so
//! the rule with step `h` errs by about `exp(−π²/h)`: a few dozen nodes give 32 digits. Everything
//! is differentiable under the sum, because the nodes do not depend on the arguments.

use super::BesselPair;
use crate::real::Real;
use std::f64::consts::PI;

/// Terms are dropped when they are below this fraction of the precision.
const NEGLIGIBLE: f64 = 1e-5;
/// More nodes than any admissible argument needs.
const MAX_NODES: usize = 100_000;

/// A step `h` for which the rule errs by less than the precision of `N`, when the integrand has
/// curvature `c` at its peak.
///
/// Shifting the line of integration by `d` turns the integrand at frequency `ω = 2π/h` into at most
/// `exp(−ωd − c ln cos d)` of itself; the best `d` is `atan(ω/c)`. Newton's iteration finds the `ω`
/// that suffices. The step is cut to 8 bits, so that its multiples are exact.
fn step<N: Real>(curvature: f64) -> f64 {
    let (c, requested) = (curvature.max(1e-3), 8.0 - N::EPSILON.ln());
    let mut frequency = (2.0 * c * requested).sqrt() + requested;
    for _ in 0..8 {
        let angle = (frequency / c).atan();
        let gained = frequency * angle - 0.5 * c * (frequency / c).powi(2).ln_1p();
        frequency += (requested - gained) / angle;
    }
    let step = 2.0 * PI / frequency;
    f64::from_bits(step.to_bits() & !((1 << 44) - 1))
}

/// `h (first + Σ_{k ≥ 1} term(kh))`, until the terms are negligible beside each of the sums.
fn trapezoid<N: Real, const M: usize>(h: f64, first: [N; M], term: impl Fn(N) -> [N; M]) -> [N; M] {
    let mut sums = first;
    for k in 1..MAX_NODES {
        let terms = term(N::from_f64(k as f64 * h));
        let mut significant = false;
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum = *sum + term;
            significant |= term.value() > N::EPSILON * NEGLIGIBLE * sum.value();
        }
        if !significant {
            break;
        }
    }
    sums.map(|sum| sum * N::from_f64(h))
}

/// `K_μ(z)` and `K_{μ+1}(z)` for `|μ| ≤ 1/2`, `z > 0`, from
/// `eᶻ K_ν(z) = ∫₀^∞ exp(−2z sinh²(s/2)) cosh(νs) ds`.
pub(crate) fn bessel_pair<N: Real>(mu: N, z: N) -> BesselPair<N> {
    let half = N::from_f64(0.5);
    let root = (z * half).sqrt();
    let [lower, upper] = trapezoid(step::<N>(z.value()), [half, half * half * z], |s| {
        let growth = (s * half).exp();
        // (z/2) eˢ and (z/2) e⁻ˢ as squares, since eˢ alone may leave the range.
        let (rising, falling) = ((root * growth).squared(), (root / growth).squared());
        let sine = root * sinh_half(s);
        let weight = half * (-(sine * sine) * N::from_f64(4.0)).exp();
        let (power, inverse) = ((mu * s).exp(), (-(mu * s)).exp());
        [weight * (power + inverse), weight * (rising * power + falling * inverse)]
    });
    BesselPair { lower, upper }
}

/// `sinh(s/2)` for `s > 0`.
fn sinh_half<N: Real>(s: N) -> N {
    let half = N::from_f64(0.5);
    let power = (s * half).exp_m1();
    half * (power + power / (power + N::one()))
}

/// `∫ exp(νw − E(eʷ − 1) − Q(e⁻ʷ − 1)) dw` over the real line, for `ν = E − Q > 0`: the peak, of
/// height 1, is at 0.
pub(crate) fn peak_integral<N: Real>(nu: N, rising: N, falling: N) -> N {
    let [sum] = trapezoid(step::<N>((rising + falling).value()), [N::one()], |w| {
        let up = w.exp_m1();
        let down = -up / (N::one() + up);
        let lean = nu * w;
        let right = (lean - rising * up - falling * down).exp();
        let left = (-lean - rising * down - falling * up).exp();
        [right + left]
    });
    sum
}

/// `1/Γ(1 + μ)` for `|μ| ≤ 1/2`: `Γ(x) = xˣ e⁻ˣ ∫ exp(xw − x(eʷ − 1)) dw` at `x = 17 + μ`, and down
/// by `Γ(x) = Γ(x+1)/x`.
pub(crate) fn reciprocal_gamma<N: Real>(mu: N) -> N {
    const STEPS: usize = 16;
    let x = mu + N::from_f64(STEPS as f64 + 1.0);
    let gamma = (x * x.ln() - x).exp() * peak_integral(x, x, N::zero());
    let factors = (1..=STEPS).map(|k| mu + N::from_f64(k as f64));
    factors.fold(N::one(), |product, factor| product * factor) / gamma
}

#[cfg(test)]
mod tests {
    use super::super::gamma;
    use super::*;
    use crate::real::DoubleDouble;

    #[test]
    fn gamma_agrees_with_its_series_and_with_exact_values() {
        for mu in [-0.5, -0.1, 0.0, 0.2, 0.5] {
            let expected = gamma::Temme::new(mu).reciprocal_plus;
            assert_close!(reciprocal_gamma(mu), expected, abs = 2e-14);
            assert_close!(reciprocal_gamma(DoubleDouble::from_f64(mu)).value(), expected, abs = 1e-15);
        }
        let one = reciprocal_gamma(DoubleDouble::from_f64(0.0)) - DoubleDouble::one();
        assert!(one.value().abs() <= 1e-29, "{one}");
    }

    /// `(n−1)! = nⁿ e⁻ⁿ ∫ exp(nw − n(eʷ − 1)) dw`: the step and the range suffice for 29 digits.
    #[test]
    fn integrals_at_whole_numbers_are_factorials() {
        let mut factorial = DoubleDouble::one();
        for n in 1..60 {
            let x = DoubleDouble::from(f64::from(n));
            let found = (x * x.ln() - x).exp() * peak_integral(x, x, DoubleDouble::zero());
            let error = ((found - factorial) / factorial).abs().value();
            assert!(error <= 1e-29, "Γ({n}) = {found}, expected {factorial}: {error:.1e}");
            factorial = factorial * x;
        }
    }

    /// For large `c` the integral is `√(2π/c) (1 + 1/(12c) + 1/(288c²) + O(c⁻³))`.
    #[test]
    fn narrow_peaks_are_resolved() {
        for c in [1e5, 1e7, 1e10] {
            let expected = (2.0 * PI / c).sqrt() * (1.0 + 1.0 / (12.0 * c) + 1.0 / (288.0 * c * c));
            let found = peak_integral(DoubleDouble::from(c), c.into(), DoubleDouble::zero()).value();
            assert_close!(found / expected, 1.0, abs = 5e-16, "c = {c}: {found} ≠ {expected}");
        }
    }
}
