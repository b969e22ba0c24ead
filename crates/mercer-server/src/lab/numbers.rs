//! Numbers as JSON: what is not finite is null, and pictures need no more than six digits.

use ndarray::{ArrayView, Dimension};
use serde_json::Value;

/// A number in full; null where it is not finite.
pub fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Numbers in full.
pub fn numbers<'a>(values: impl IntoIterator<Item = &'a f64>) -> Value {
    values.into_iter().map(|&v| number(v)).collect()
}

/// A number with the digits that a picture shows.
pub fn drawn(value: f64) -> Value {
    const DIGITS: i32 = 6;
    if value == 0.0 || !value.is_finite() {
        return number(value);
    }
    let shift = DIGITS - 1 - value.abs().log10().floor() as i32;
    // Powers of ten beyond these would leave the range of the numbers.
    if !(-300..=300).contains(&shift) {
        return number(value);
    }
    let factor = 10_f64.powi(shift.abs());
    number(if shift >= 0 { (value * factor).round() / factor } else { (value / factor).round() * factor })
}

/// Numbers for a picture.
pub fn drawn_all<D: Dimension>(values: ArrayView<'_, f64, D>) -> Value {
    values.iter().map(|&v| drawn(v)).collect()
}

/// Numbers for a picture.
pub fn drawn_list(values: &[f64]) -> Value {
    values.iter().map(|&v| drawn(v)).collect()
}

/// Equal steps from one end to the other, both included.
pub fn steps(from: f64, to: f64, count: usize) -> Vec<f64> {
    let last = count.max(2) - 1;
    (0..=last).map(|i| if i == last { to } else { from + (to - from) * i as f64 / last as f64 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pictures_have_six_digits_and_no_nan() {
        assert_eq!(drawn(0.123_456_78), json!(0.123457));
        assert_eq!(drawn(-123_456_789.0), json!(-123_457_000.0));
        assert_eq!(drawn(f64::NAN), Value::Null);
        assert_eq!(drawn(0.0), json!(0.0));
        assert_eq!(drawn(1e-310), json!(1e-310));
    }

    #[test]
    fn steps_reach_both_ends() {
        assert_eq!(steps(0.0, 1.0, 3), [0.0, 0.5, 1.0]);
    }
}
