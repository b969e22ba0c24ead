//! Tails of probability distributions: gamma, normal, and the error function.

use super::ln_gamma;

/// Terms of a series or a continued fraction before it counts as converged anyway.
const MAX_TERMS: usize = 100_000;

/// `P(G > x)` for `G` of the gamma distribution of shape `a` and scale 1: the regularized upper
/// incomplete gamma function.
///
/// # Formula
/// `Q(a, x) = (1/Γ(a)) ∫ₓ^∞ t^{a−1} e^{−t} dt`; below `x = a + 1` by the series of `P = 1 − Q`,
/// from there on by the continued fraction of `Q`, so that small tails keep their digits.
///
/// # Cost
/// `O(√a)` terms. NaN unless `a > 0`; 1 for `x ≤ 0`.
///
/// # Example
/// ```
/// use mercer::real::special::gamma_tail;
/// // Shape 1 is the exponential law.
/// mercer::assert_close!(gamma_tail(1.0, 3.0), (-3.0_f64).exp(), abs = 1e-16);
/// ```
pub fn gamma_tail(a: f64, x: f64) -> f64 {
    match (a > 0.0, x > 0.0) {
        (false, _) => f64::NAN,
        (_, false) if x.is_nan() => f64::NAN,
        (_, false) => 1.0,
        _ if x < a + 1.0 => 1.0 - series(a, x),
        _ => fraction(a, x),
    }
}

/// `P(G ≤ x)` for `G` of the gamma distribution of shape `a` and scale 1, with all its digits where
/// it is small.
///
/// # Example
/// ```
/// use mercer::real::special::gamma_distribution;
/// mercer::assert_close!(gamma_distribution(1.0, 1e-20), 1e-20, abs = 1e-34);
/// ```
pub fn gamma_distribution(a: f64, x: f64) -> f64 {
    match (a > 0.0, x > 0.0) {
        (false, _) => f64::NAN,
        (_, false) if x.is_nan() => f64::NAN,
        (_, false) => 0.0,
        _ if x < a + 1.0 => series(a, x),
        _ => 1.0 - fraction(a, x),
    }
}

/// The quantile of the gamma distribution of shape `a` and scale 1: `x` with `P(G ≤ x) = p`; 0 and
/// infinity at the ends, NaN outside.
///
/// # Formula
/// Newton's method for `ln P(a, eᵗ) = ln p`, or for the logarithm of the upper tail above the
/// median, kept between bounds that close in. Quantiles below the range of `f64` become its
/// smallest normal number.
///
/// # Example
/// ```
/// use mercer::real::special::gamma_quantile;
/// // Shape 1 is the exponential law.
/// mercer::assert_close!(gamma_quantile(1.0, 0.75), 4.0_f64.ln(), abs = 1e-14);
/// ```
pub fn gamma_quantile(a: f64, p: f64) -> f64 {
    if a.is_nan() || a <= 0.0 || !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return if p == 0.0 { 0.0 } else { f64::INFINITY };
    }
    let lower = p < 0.5;
    let goal = if lower { p.ln() } else { (-p).ln_1p() };
    let (mut low, mut high) = (f64::MIN_POSITIVE.ln(), (a + 40.0 * a.sqrt() + 800.0).ln());
    // Near 0 the distribution is xᵃ/Γ(a + 1): a start that is exact for small quantiles.
    let mut t = ((p.ln() + ln_gamma(a + 1.0)) / a).clamp(low, high);
    for _ in 0..200 {
        let x = t.exp();
        let value = if lower { gamma_distribution(a, x) } else { gamma_tail(a, x) };
        let excess = if lower { value.ln() - goal } else { goal - value.ln() };
        if excess < 0.0 {
            low = t
        } else {
            high = t
        }
        let next = t - excess * value / front(a, x);
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - t).abs() <= 1e-15 * t.abs().max(1.0) {
            return next.exp();
        }
        t = next;
    }
    t.exp()
}

/// `erf(x) = (2/√π) ∫₀ˣ e^{−t²} dt`.
///
/// # Example
/// ```
/// mercer::assert_close!(mercer::real::special::erf(0.5), 0.520_499_877_813_046_5, abs = 1e-15);
/// ```
pub fn erf(x: f64) -> f64 {
    let square = x * x;
    let size = if square < 1.5 { series(0.5, square) } else { 1.0 - fraction(0.5, square) };
    if x.is_nan() { x } else { size.copysign(x) }
}

/// `P(Z > z)` for a standard normal `Z`.
///
/// # Example
/// ```
/// mercer::assert_close!(mercer::real::special::normal_tail(1.959_963_984_540_054), 0.025, abs = 1e-15);
/// ```
pub fn normal_tail(z: f64) -> f64 {
    let half = 0.5 * gamma_tail(0.5, 0.5 * z * z);
    if z < 0.0 { 1.0 - half } else { half }
}

/// `e^{−x} xᵃ/Γ(a)`.
fn front(a: f64, x: f64) -> f64 {
    (a * x.ln() - x - ln_gamma(a)).exp()
}

/// `P(a, x)` by its series, all terms positive.
fn series(a: f64, x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for n in 1..MAX_TERMS {
        term *= x / (a + n as f64);
        sum += term;
        if term < sum * f64::EPSILON * 0.25 {
            break;
        }
    }
    (front(a, x) * sum).min(1.0)
}

/// `Q(a, x)` by its continued fraction (Lentz's method).
fn fraction(a: f64, x: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    let tiny = f64::MIN_POSITIVE / f64::EPSILON;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / if b.abs() < tiny { tiny } else { b };
    let mut h = d;
    for n in 1..MAX_TERMS {
        let n = n as f64;
        let numerator = -n * (n - a);
        b += 2.0;
        let (lower, upper) = (numerator * d + b, b + numerator / c);
        d = 1.0 / if lower.abs() < tiny { tiny } else { lower };
        c = if upper.abs() < tiny { tiny } else { upper };
        h *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    (front(a, x) * h).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Erlang: `Q(n, x) = e^{−x} Σ_{k<n} xᵏ/k!`, summed directly.
    #[test]
    fn whole_shapes_are_poisson_sums() {
        for n in [1_u32, 2, 5, 20] {
            for x in [0.1, 1.0, 4.9, 5.1, 19.0, 22.0, 60.0] {
                let mut term = f64::exp(-x);
                let mut sum = term;
                for k in 1..n {
                    term *= x / f64::from(k);
                    sum += term;
                }
                let found = gamma_tail(f64::from(n), x);
                assert_close!(found, sum, abs = 2e-14 * sum.max(1e-3), "Q({n}, {x}) = {found} ≠ {sum}");
            }
        }
    }

    #[test]
    fn quantiles_invert_the_gamma_distribution() {
        for a in [0.05, 0.5, 1.0, 2.5, 40.0, 1e4] {
            for p in [1e-12, 1e-3, 0.2, 0.5, 0.8, 0.999_999] {
                let x = gamma_quantile(a, p);
                let (low, high) = (gamma_distribution(a, x), gamma_tail(a, x));
                // A rounding of ln x moves the logarithm of a tail by about a times as much.
                let tolerance = 1e-12 + 1e-14 * a;
                assert_close!(low, p, abs = tolerance * p, "a = {a}, p = {p}: {low}");
                assert_close!(high, (1.0 - p), abs = 10.0 * tolerance * (1.0 - p), "a = {a}, p = {p}: {high}");
            }
        }
        // 10⁻⁶⁰⁰ is below the range.
        assert!(gamma_quantile(0.02, 1e-12) <= 2.0 * f64::MIN_POSITIVE);
        assert_eq!((gamma_quantile(2.0, 0.0), gamma_quantile(2.0, 1.0)), (0.0, f64::INFINITY));
        assert!(gamma_quantile(-1.0, 0.5).is_nan() && gamma_quantile(1.0, 1.5).is_nan());
    }

    #[test]
    fn edges() {
        assert_eq!(gamma_tail(2.0, 0.0), 1.0);
        assert_eq!(gamma_tail(2.0, -1.0), 1.0);
        assert_eq!(gamma_tail(2.0, f64::INFINITY), 0.0);
        assert!(gamma_tail(0.0, 1.0).is_nan() && gamma_tail(1.0, f64::NAN).is_nan());
        assert_close!(normal_tail(0.0), 0.5, abs = 1e-16);
        assert_close!(normal_tail(-1.0) + normal_tail(1.0), 1.0, abs = 1e-15);
        // ½ erfc(5/√2), from a table.
        assert_close!(normal_tail(5.0) / 2.866_515_718_791_939_4e-7, 1.0, abs = 1e-13);
        assert_close!(erf(-1.0), -0.842_700_792_949_714_9, abs = 1e-15);
        assert_close!(erf(3.0), 0.999_977_909_503_001_4, abs = 1e-15);
    }
}
