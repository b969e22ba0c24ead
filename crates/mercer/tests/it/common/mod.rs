//! What the integration tests share.
#![allow(dead_code, unused_imports)]

mod definite;
pub mod dense_spline;
pub mod expressions;
pub mod golden;
pub mod models;

pub use definite::*;

/// How many cases a random test runs: `make test-full` sets `MERCER_FULL` and gets more.
pub fn effort(usual: u64, full: u64) -> u64 {
    if std::env::var_os("MERCER_FULL").is_some() { full } else { usual }
}

/// The only way to compare floating-point numbers in tests: two-sided, fails on NaN, and prints both.
#[macro_export]
macro_rules! assert_close {
    ($found:expr, $expected:expr, $tolerance:expr) => {{
        let (found, expected, tolerance): (f64, f64, f64) = ($found, $expected, $tolerance);
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(
            error <= tolerance,
            "{} = {found:.17}, expected {expected:.17} (relative error {error:.1e} > {tolerance:.0e})",
            stringify!($found),
        );
    }};
}
