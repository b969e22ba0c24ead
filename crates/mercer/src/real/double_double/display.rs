//! Decimal text of double-double numbers.

use super::DoubleDouble;
use crate::real::Real;
use std::fmt;

/// Digits after the point if the format specifies none.
const DIGITS: usize = 31;

/// Scientific notation, `d.ddd…e±k`, with 31 digits after the point or as many as the precision
/// specifies (at most 31).
impl fmt::Display for DoubleDouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.high == 0.0 || !self.high.is_finite() {
            return write!(formatter, "{}", self.high);
        }
        let positions = formatter.precision().unwrap_or(DIGITS).min(DIGITS);
        let (digits, exponent) = decimal(self.abs(), positions);
        let (first, rest) = digits.split_at(1);
        let (sign, point) = (if self.high < 0.0 { "-" } else { "" }, if rest.is_empty() { "" } else { "." });
        write!(formatter, "{sign}{first}{point}{rest}e{exponent}")
    }
}

/// The `positions + 1` leading digits of a positive number, rounded, and the exponent of the first
/// one.
fn decimal(x: DoubleDouble, positions: usize) -> (String, i32) {
    let ten = DoubleDouble::from(10.0);
    let mut exponent = x.high.log10().floor() as i32;
    let scale = |exponent: i32| x * ten.powi(-exponent / 2) * ten.powi(-exponent - (-exponent / 2));
    let mut digits = rounded(scale(exponent), positions);
    if digits.len() != positions + 1 {
        exponent += if digits.len() > positions + 1 { 1 } else { -1 };
        digits = rounded(scale(exponent), positions);
    }
    (digits, exponent)
}

/// The whole number nearest to `x · 10^positions`, for `0.1 < x < 100`.
fn rounded(x: DoubleDouble, positions: usize) -> String {
    let scaled = x * DoubleDouble::from(10.0).powi(positions as i32);
    // Both parts are below 2¹²⁷ in size; the high part's fraction joins the low part before
    // rounding.
    let whole = scaled.high.trunc();
    let rest = ((scaled.high - whole) + scaled.low).round();
    (whole as i128 + rest as i128).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_the_digits() {
        let third = DoubleDouble::from(1.0) / 3.0.into();
        assert_eq!(format!("{third:.20}"), "3.33333333333333333333e-1");
        assert_eq!(format!("{:.3}", DoubleDouble::from(-12345.0)), "-1.235e4");
        assert_eq!(format!("{:.2}", DoubleDouble::from(9.999)), "1.00e1");
        assert_eq!(format!("{:.0}", DoubleDouble::from(2e-300)), "2e-300");
        assert_eq!(format!("{}", DoubleDouble::from(0.0)), "0");
        assert_eq!(format!("{}", DoubleDouble::from(f64::INFINITY)), "inf");
    }
}
