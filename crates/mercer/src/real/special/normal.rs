//! Quantiles of the normal distribution.

/// The quantile `Φ⁻¹(p)` of the standard normal distribution; infinite at 0 and 1, NaN outside.
///
/// # Formula
/// Wichura's rational approximations (algorithm AS 241): one around the median, two in the tails, all to about 16 digits.
///
/// # Example
/// ```
/// use mercer::real::special::normal_quantile;
/// assert!((normal_quantile(0.975) - 1.959963984540054).abs() < 1e-15);
/// assert_eq!(normal_quantile(0.5), 0.0);
/// ```
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let from_median = p - 0.5;
    if from_median.abs() <= 0.425 {
        return from_median * ratio(0.180625 - from_median * from_median, &CENTRE);
    }
    let tail = p.min(1.0 - p);
    if tail == 0.0 {
        return f64::INFINITY.copysign(from_median);
    }
    let r = (-tail.ln()).sqrt();
    let size = if r <= 5.0 { ratio(r - 1.6, &NEAR) } else { ratio(r - 5.0, &FAR) };
    size.copysign(from_median)
}

/// Numerator and denominator, from the highest power down.
struct Rational {
    numerator: [f64; 8],
    denominator: [f64; 8],
}

fn ratio(r: f64, rational: &Rational) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().fold(0.0, |value, a| value * r + a);
    horner(&rational.numerator) / horner(&rational.denominator)
}

const CENTRE: Rational = Rational {
    numerator: [
        2509.0809287301226727,
        33430.575583588128105,
        67265.770927008700853,
        45921.953931549871457,
        13731.693765509461125,
        1971.5909503065514427,
        133.14166789178437745,
        3.387132872796366608,
    ],
    denominator: [
        5226.495278852545925,
        28729.085735721942674,
        39307.89580009271061,
        21213.794301586595867,
        5394.1960214247511077,
        687.1870074920579083,
        42.313330701600911252,
        1.0,
    ],
};

const NEAR: Rational = Rational {
    numerator: [
        7.7454501427834140764e-4,
        0.0227238449892691845833,
        0.24178072517745061177,
        1.27045825245236838258,
        3.64784832476320460504,
        5.7694972214606914055,
        4.6303378461565452959,
        1.42343711074968357734,
    ],
    denominator: [
        1.05075007164441684324e-9,
        5.475938084995344946e-4,
        0.0151986665636164571966,
        0.14810397642748007459,
        0.68976733498510000455,
        1.6763848301838038494,
        2.05319162663775882187,
        1.0,
    ],
};

const FAR: Rational = Rational {
    numerator: [
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        0.0012426609473880784386,
        0.026532189526576123093,
        0.29656057182850489123,
        1.7848265399172913358,
        5.4637849111641143699,
        6.6579046435011037772,
    ],
    denominator: [
        2.04426310338993978564e-15,
        1.4215117583164458887e-7,
        1.8463183175100546818e-5,
        7.868691311456132591e-4,
        0.0148753612908506148525,
        0.13692988092273580531,
        0.59983220655588793769,
        1.0,
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    /// `Φ(−z)` for `z > 0` by its continued fraction, an independent way to the same number.
    fn tail(z: f64) -> f64 {
        let fraction = (1..400).rev().fold(z, |below, k| z + f64::from(k) / below);
        (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt() / fraction
    }

    #[test]
    fn quantiles_invert_the_distribution() {
        for z in [1.2_f64, 1.5, 1.959963984540054, 3.0, 5.0, 8.0, 12.0] {
            let found = normal_quantile(tail(z));
            assert!((found + z).abs() <= 1e-13 * z, "{found} is not −{z}");
        }
    }

    #[test]
    fn known_values_symmetry_and_ends() {
        for (p, z) in [(0.75, 0.6744897501960817), (0.9, 1.2815515655446004), (0.995, 2.5758293035489004)] {
            assert!((normal_quantile(p) - z).abs() <= 1e-14 && (normal_quantile(1.0 - p) + z).abs() <= 1e-14);
        }
        assert_eq!((normal_quantile(0.0), normal_quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(normal_quantile(-0.1).is_nan() && normal_quantile(f64::NAN).is_nan());
    }
}
