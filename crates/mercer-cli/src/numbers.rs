//! Formatting of numbers for reports and JSON.

pub use mercer::wording::digits;
use serde_json::Value;

/// Six significant digits, without trailing zeros; very large and very small numbers in scientific
/// notation.
pub fn short(x: f64) -> String {
    digits(x, 6)
}

/// An integer with thin groups of three: `1 234 567`.
pub fn grouped(n: u64) -> String {
    let text = n.to_string();
    let first = text.len() % 3;
    let mut out = String::new();
    for (i, digit) in text.chars().enumerate() {
        if i > 0 && i % 3 == first {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A number for JSON, which has no NaN and no infinities: they become null.
pub fn json(x: f64) -> Value {
    serde_json::Number::from_f64(x).map_or(Value::Null, Value::Number)
}

/// Numbers for JSON.
pub fn json_list<'a>(values: impl IntoIterator<Item = &'a f64>) -> Value {
    values.into_iter().map(|&v| json(v)).collect()
}

/// The rows of a matrix for JSON.
pub fn json_rows(matrix: ndarray::ArrayView2<'_, f64>) -> Value {
    matrix.rows().into_iter().map(|row| json_list(row.iter())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_true() {
        let expected = [(0.0, "0"), (1.0, "1"), (1.0 / 3.0, "0.333333"), (-1234.5678, "-1234.57"), (2e-9, "2e-9")];
        for (x, text) in expected {
            assert_eq!(short(x), text);
        }
        assert_eq!(short(123_456_789.0), "1.23457e8");
        assert_eq!(short(150.0), "150");
        assert_eq!(short(f64::NAN), "NaN");
    }

    #[test]
    fn groups_of_three() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")] {
            assert_eq!(grouped(n), text);
        }
    }
}
