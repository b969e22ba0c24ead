//! Comparison of floating-point numbers in tests.

/// Asserts that two floating-point numbers agree: two-sided, fails on NaN, and prints both.
///
/// The tolerance is relative to `max(1, |expected|)`; with `abs = tolerance` it is absolute, and with
/// `each = tolerance` too, for all numbers of two arrays or lists of the same length.
///
/// # Example
/// ```
/// use mercer::assert_close;
/// assert_close!(1e6 + 1e-7, 1e6, 1e-12);
/// assert_close!(0.1 + 0.2, 0.3, abs = 1e-15);
/// assert_close!([0.1 + 0.2, 1.0], [0.3, 1.0], each = 1e-15);
/// ```
#[macro_export]
macro_rules! assert_close {
    ($found:expr, $expected:expr, abs = $tolerance:expr $(,)?) => {
        $crate::assert_close!($found, $expected, abs = $tolerance, "{}", stringify!($found))
    };
    ($found:expr, $expected:expr, abs = $tolerance:expr, $($what:tt)+) => {{
        let (found, expected, tolerance): (f64, f64, f64) = ($found, $expected, $tolerance);
        let error = (found - expected).abs();
        assert!(
            error <= tolerance,
            "{}: {found:?}, expected {expected:?} (absolute error {error:.1e} > {tolerance:.0e})",
            format_args!($($what)+),
        );
    }};
    ($found:expr, $expected:expr, each = $tolerance:expr $(,)?) => {
        $crate::assert_close!($found, $expected, each = $tolerance, "{}", stringify!($found))
    };
    ($found:expr, $expected:expr, each = $tolerance:expr, $($what:tt)+) => {{
        let number = |value: &dyn ::std::borrow::Borrow<f64>| *value.borrow();
        // A match, so that what the lists borrow from lives to its end.
        match ($found.into_iter(), $expected.into_iter()) {
            (mut found, mut expected) => for position in 0.. {
                match (found.next(), expected.next()) {
                    (None, None) => break,
                    (Some(f), Some(e)) => $crate::assert_close!(
                        number(&f), number(&e), abs = $tolerance, "{} [{position}]", format_args!($($what)+),
                    ),
                    _ => panic!("{}: one of the lists ends at {position}", format_args!($($what)+)),
                }
            },
        }
    }};
    ($found:expr, $expected:expr, $tolerance:expr $(,)?) => {
        $crate::assert_close!($found, $expected, $tolerance, "{}", stringify!($found))
    };
    ($found:expr, $expected:expr, $tolerance:expr, $($what:tt)+) => {{
        let (found, expected, tolerance): (f64, f64, f64) = ($found, $expected, $tolerance);
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(
            error <= tolerance,
            "{}: {found:?}, expected {expected:?} (relative error {error:.1e} > {tolerance:.0e})",
            format_args!($($what)+),
        );
    }};
}
