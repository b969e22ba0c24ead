//! Quantiles of the normal distribution.

/// The quantile `Φ⁻¹(p)` of the standard normal distribution; infinite at 0 and 1, NaN outside.
///
/// # Formula
/// Wichura's rational approximations (algorithm AS 241): one around the median, two in the tails,
/// all to about 16 digits.
///
/// # Example
/// ```
/// use mercer::real::special::normal_quantile;
/// mercer::assert_close!(normal_quantile(0.975), 1.959963984540054, abs = 1e-15);
/// assert_eq!(normal_quantile(0.5), 0.0);
/// ```
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let from_median = p - 0.5;
    if from_median.abs() <= 0.425 {
        return from_median * ratio(0.180625 - from_median * from_median, &CENTER);
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

const CENTER: Rational = Rational {
    numerator: [
        2509.0809287301227,
        33430.57558358813,
        67265.7709270087,
        45921.95393154987,
        13731.69376550946,
        1971.5909503065513,
        133.14166789178438,
        3.3871328727963665,
    ],
    denominator: [
        5226.495278852546,
        28729.085735721943,
        39307.89580009271,
        21213.794301586597,
        5394.196021424751,
        687.1870074920579,
        42.31333070160091,
        1.0,
    ],
};

const NEAR: Rational = Rational {
    numerator: [
        0.0007745450142783414,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835,
    ],
    denominator: [
        1.0507500716444169e-09,
        0.0005475938084995345,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0,
    ],
};

const FAR: Rational = Rational {
    numerator: [
        2.0103343992922881e-07,
        2.7115555687434876e-05,
        0.0012426609473880784,
        0.026532189526576124,
        0.29656057182850487,
        1.7848265399172913,
        5.463784911164114,
        6.657904643501103,
    ],
    denominator: [
        2.0442631033899397e-15,
        1.421511758316446e-07,
        1.8463183175100548e-05,
        0.0007868691311456133,
        0.014875361290850615,
        0.1369298809227358,
        0.599832206555888,
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
            assert_close!(found, -z, abs = 1e-13 * z, "{found} is not −{z}");
        }
    }

    #[test]
    fn known_values_symmetry_and_ends() {
        for (p, z) in [(0.75, 0.6744897501960817), (0.9, 1.2815515655446004), (0.995, 2.5758293035489004)] {
            assert_close!(normal_quantile(p), z, abs = 1e-14);
            assert_close!(normal_quantile(1.0 - p), -z, abs = 1e-14);
        }
        assert_eq!((normal_quantile(0.0), normal_quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(normal_quantile(-0.1).is_nan() && normal_quantile(f64::NAN).is_nan());
    }
}
