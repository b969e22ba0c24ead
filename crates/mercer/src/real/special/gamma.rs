//! The gamma function.

/// Taylor coefficients of `1/Γ(1 + x)` at 0; for `|x| ≤ 1/2` the rest is below `1e-25`.
const RECIPROCAL_GAMMA: [f64; 28] = [
    1.0,
    0.5772156649015329,
    -0.6558780715202539,
    -0.04200263503409524,
    0.16653861138229148,
    -0.04219773455554433,
    -0.009621971527876973,
    0.0072189432466631,
    -0.0011651675918590652,
    -0.00021524167411495098,
    0.0001280502823881162,
    -2.013485478078824e-05,
    -1.2504934821426706e-06,
    1.133027231981696e-06,
    -2.056338416977607e-07,
    6.116095104481416e-09,
    5.002007644469223e-09,
    -1.18127457048702e-09,
    1.0434267116911005e-10,
    7.782263439905071e-12,
    -3.696805618642206e-12,
    5.100370287454476e-13,
    -2.0583260535665066e-14,
    -5.348122539423018e-15,
    1.2267786282382608e-15,
    -1.1812593016974588e-16,
    1.1866922547516004e-18,
    1.4123806553180319e-18,
];

/// From here on Stirling's series with eight terms is exact to rounding.
const STIRLING_FROM: f64 = 13.0;

/// `B_{2n}/(2n(2n−1))`, the coefficients of Stirling's series.
const STIRLING: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// The combinations of `Γ(1 ± μ)` in Temme's series, for `|μ| ≤ 1/2`, without cancellation at
/// `μ = 0`.
pub(crate) struct Temme {
    /// `(1/Γ(1−μ) − 1/Γ(1+μ))/(2μ)`.
    pub difference: f64,
    /// `(1/Γ(1−μ) + 1/Γ(1+μ))/2`.
    pub mean: f64,
    /// `1/Γ(1+μ)`.
    pub reciprocal_plus: f64,
    /// `1/Γ(1−μ)`.
    pub reciprocal_minus: f64,
}

impl Temme {
    /// From the even and the odd part of the Taylor series.
    pub(crate) fn new(mu: f64) -> Self {
        let square = mu * mu;
        let part = |first: usize| {
            let terms = RECIPROCAL_GAMMA[first..].iter().step_by(2).rev();
            terms.fold(0.0, |sum, coefficient| sum * square + coefficient)
        };
        let (mean, difference) = (part(0), -part(1));
        let (reciprocal_plus, reciprocal_minus) = (mean - mu * difference, mean + mu * difference);
        Self { difference, mean, reciprocal_plus, reciprocal_minus }
    }
}

/// `ln Γ(x)` for `x > 0`.
///
/// # Formula
/// Below 13, `Γ(x) = (x−1)(x−2)…(1+y) Γ(1+y)` with `|y| ≤ 1/2` and the Taylor series of `1/Γ(1+y)`;
/// from 13 on, Stirling's series.
///
/// # Cost
/// Some 50 floating-point operations; error at most `1e-15 · max(1, |ln Γ(x)|)`. NaN for `x ≤ 0`.
///
/// # Example
/// ```
/// use mercer::real::special::ln_gamma;
/// mercer::assert_close!(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln(), abs = 1e-15);
/// mercer::assert_close!(ln_gamma(5.0), 24.0_f64.ln(), abs = 1e-15);
/// ```
pub fn ln_gamma(x: f64) -> f64 {
    match x {
        x if x >= STIRLING_FROM => stirling(x),
        x if x > 0.0 => by_recurrence(x),
        _ => f64::NAN,
    }
}

/// `(x − ½) ln x − x + ½ ln 2π + Σ B_{2n}/(2n(2n−1) x^{2n−1})`.
fn stirling(x: f64) -> f64 {
    let square = 1.0 / (x * x);
    let series = STIRLING.iter().rev().fold(0.0, |sum, coefficient| sum * square + coefficient) / x;
    let half_ln_two_pi = 0.918_938_533_204_672_8;
    (x - 0.5) * (x.ln() - 1.0) + (half_ln_two_pi - 0.5 + series)
}

/// `ln Γ` from `Γ(1 + y)`, `|y| ≤ 1/2`; logarithms of numbers near 1 are taken by `ln_1p`.
fn by_recurrence(x: f64) -> f64 {
    let y = x - x.round();
    let whole = x.round() as usize;
    let terms = RECIPROCAL_GAMMA[1..].iter().rev();
    let reciprocal_less_one = y * terms.fold(0.0, |sum, coefficient| sum * y + coefficient);
    let base = -reciprocal_less_one.ln_1p();
    match whole {
        0 => base - x.ln(),
        1 => base,
        2 => base + y.ln_1p(),
        _ => base + (1..whole).map(|k| y + k as f64).product::<f64>().ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::LN_GAMMA;
    use super::*;

    #[test]
    fn ln_gamma_matches_the_table() {
        for &(x, expected) in LN_GAMMA {
            let found = ln_gamma(x);
            assert_close!(
                found,
                expected,
                abs = 1e-15 * f64::max(1.0, expected.abs()),
                "ln Γ({x}) = {found} ≠ {expected}"
            );
        }
        assert!(ln_gamma(0.0).is_nan() && ln_gamma(-1.5).is_nan());
    }

    #[test]
    fn reflection_holds_for_the_temme_combinations() {
        for mu in [-0.5_f64, -0.3, 1e-9, 0.25, 0.5] {
            let temme = Temme::new(mu);
            let expected = (std::f64::consts::PI * mu).sin() / (std::f64::consts::PI * mu);
            assert_close!(temme.reciprocal_plus * temme.reciprocal_minus, expected, abs = 1e-15);
        }
    }
}
