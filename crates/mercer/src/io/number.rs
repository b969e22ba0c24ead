//! Numbers as text, in both directions.

/// A cell without the space around it.
pub(super) fn trim(cell: &[u8]) -> &[u8] {
    cell.trim_ascii()
}

/// The number that a trimmed cell holds: decimal or scientific notation with a point, `inf`, or
/// NaN.
pub(super) fn parse_number(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// Whether a trimmed cell marks a missing value.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    matches!(cell, b"" | b"NA" | b"N/A" | b"NaN" | b"nan" | b"null" | b"?")
}

/// Whether a cell is a number but for a decimal comma, such as `3,14`.
pub(super) fn has_decimal_comma(cell: &str) -> bool {
    cell.matches(',').count() == 1 && cell.replace(',', ".").parse::<f64>().is_ok_and(f64::is_finite)
}

/// The shortest text that reads back as exactly this number; nothing for NaN.
///
/// # Example
/// ```
/// use mercer::io::format_number;
/// assert_eq!(format_number(0.1), "0.1");
/// assert_eq!(format_number(3.0), "3");
/// assert_eq!(format_number(1e300), "1e300");
/// assert_eq!(format_number(f64::NAN), "");
/// ```
pub fn format_number(x: f64) -> String {
    let size = x.abs();
    if x.is_nan() {
        String::new()
    } else if size == 0.0 || (1e-5..1e16).contains(&size) || x.is_infinite() {
        x.to_string()
    } else {
        format!("{x:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn numbers_read_back_exactly() {
        let mut stream = Seed(1).stream("numbers", 0);
        let random = (0..20_000).map(|_| f64::from_bits(stream.bits()));
        let special = [0.0, -0.0, 1e-5, 9.99e-6, 1e16, 0.1, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY];
        for x in random.chain(special).filter(|x| !x.is_nan()) {
            let text = format_number(x);
            let back = parse_number(text.as_bytes()).unwrap();
            assert_eq!(back.to_bits(), x.to_bits(), "{text}");
            assert!(text.len() <= 25, "{text}");
        }
    }

    #[test]
    fn cells_are_what_they_look_like() {
        for (cell, value) in [("1e5", 1e5), ("+.5", 0.5), ("-3.", -3.0), ("-inf", f64::NEG_INFINITY)] {
            assert_eq!(parse_number(cell.as_bytes()), Some(value));
        }
        for cell in ["", "1,5", "0x10", "1_000", "1 2", "٣", "one"] {
            assert_eq!(parse_number(cell.as_bytes()), None, "{cell}");
        }
        assert!(has_decimal_comma("-3,14") && !has_decimal_comma("1,2,3") && !has_decimal_comma("a,b"));
        assert_eq!(trim(b" 4\t"), b"4");
    }
}
