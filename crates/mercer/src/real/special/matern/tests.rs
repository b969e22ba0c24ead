//! The profile against tables, closed forms, and itself in another arithmetic.

use super::super::reference::MATERN;
use super::*;
use crate::real::DoubleDouble;

/// Two numbers to a relative error; both may be exactly zero.
fn assert_relative(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance * expected.abs(),
        "{what}: {found:e}, expected {expected:e}: {:.1e}",
        error / expected.abs()
    );
}

fn tolerance(nu: f64) -> f64 {
    if nu > 20.0 { 1e-12 } else { 1e-13 }
}

#[test]
fn values_and_slopes_match_the_table() {
    for &(nu, z, value, slope, _) in MATERN {
        assert_relative(f64::matern(nu, z), value, tolerance(nu), &format!("M_{nu}({z})"));
        assert_relative(f64::matern_by_z(nu, z), slope, tolerance(nu), &format!("M′_{nu}({z})"));
    }
}

#[test]
fn double_double_values_and_slopes_match_the_table() {
    for &(nu, z, value, slope, _) in MATERN {
        let (order, argument) = (DoubleDouble::from(nu), DoubleDouble::from(z));
        assert_relative(DoubleDouble::matern(order, argument).value(), value, 2e-16, &format!("M_{nu}({z})"));
        assert_relative(DoubleDouble::matern_by_z(order, argument).value(), slope, 2e-16, &format!("M′_{nu}({z})"));
    }
}

/// The derivative in `ν` is a difference of terms of the size of `M ln z`, so its error is
/// absolute.
#[test]
fn derivatives_in_the_smoothness_match_the_table() {
    for &(nu, z, _, _, expected) in MATERN {
        let found = f64::matern_by_nu(nu, z);
        let precise = DoubleDouble::matern_by_nu(nu.into(), z.into()).value();
        let scale = f64::max(1.0, expected.abs());
        assert_close!(found, expected, abs = 1e-12 * scale, "ν = {nu}, z = {z}: {found} ≠ {expected}");
        assert_close!(precise, expected, abs = 1e-15 * scale, "ν = {nu}, z = {z}: {precise} ≠ {expected}");
    }
}

/// `e⁻ᶻ`, `(1 + z) e⁻ᶻ` and `(1 + z + z²/3) e⁻ᶻ`, to 29 digits in double-double arithmetic.
#[test]
fn half_integers_are_elementary() {
    fn closed_forms<N: Real>(z: N) -> [(f64, N); 3] {
        let (one, decay) = (N::one(), (-z).exp());
        let third = z * z / N::from_f64(3.0);
        [(0.5, decay), (1.5, (one + z) * decay), (2.5, (one + z + third) * decay)]
    }
    for z in [1e-8, 0.1, 0.7, 1.9, 2.0, 2.1, 9.0, 80.0, 600.0] {
        for (nu, expected) in closed_forms(z) {
            assert_relative(f64::matern(nu, z), expected, 1e-14, &format!("M_{nu}({z})"));
        }
        for (nu, expected) in closed_forms(DoubleDouble::from(z)) {
            let error = (DoubleDouble::matern(nu.into(), z.into()) - expected) / expected;
            assert!(error.abs().value() <= 1e-29, "M_{nu}({z}) in double-double: {error:.1}");
        }
    }
}

/// The climb and the integral are independent; around `ν = 20` one takes over from the other.
#[test]
fn both_routes_agree() {
    for nu in [4.5, 12.3, 19.75, 20.0] {
        for z in [1e-9, 0.3, 2.0, 15.0, 90.0, 660.0] {
            let expected = MaternProfile::by_peak(DoubleDouble::from(nu)).at(z.into());
            let error = (DoubleDouble::matern(nu.into(), z.into()) - expected) / expected;
            assert!(error.abs().value() <= 1e-28, "M_{nu}({z}): {error:.1}");
            assert_relative(f64::matern(nu, z), expected.value(), 1e-13, &format!("M_{nu}({z})"));
            assert_relative(MaternProfile::by_peak(nu).at(z), expected.value(), 3e-13, &format!("M_{nu}({z}) by peak"));
        }
    }
}

/// For `ν → ∞` the profile of `z = √(2ν) r` tends to `exp(−r²/2)`, with an error of order `1/ν`.
#[test]
fn large_smoothness_tends_to_the_gaussian() {
    for nu in [1e3, 1e5, 1e7, 1e12] {
        for r in [0.1_f64, 1.0, 3.0] {
            let (found, expected) = (f64::matern(nu, (2.0 * nu).sqrt() * r), (-0.5 * r * r).exp());
            assert_close!(found, expected, abs = 0.5 / nu + 1e-9, "ν = {nu}, r = {r}: {found} ≠ {expected}");
        }
    }
}

/// Between 0 and 1, decreasing, and never NaN, over the whole range of arguments.
#[test]
fn the_whole_range_is_covered() {
    for nu in [1e-3, 0.01, 0.49, 0.5, 0.51, 1.0, 3.3, 19.9, 20.1, 170.0, 1e3, 1e6] {
        let mut last = 1.0;
        for z in [
            0.0,
            5e-324,
            1e-310,
            1e-300,
            1e-100,
            1e-9,
            1.0,
            50.0,
            700.0,
            760.0,
            1e3,
            1499.0,
            1501.0,
            1e5,
            1e200,
            f64::INFINITY,
        ] {
            let value = f64::matern(nu, z);
            assert!((0.0..=last * (1.0 + 1e-12)).contains(&value), "M_{nu}({z}) = {value} after {last}");
            last = value;
            let slope = f64::matern_by_z(nu, z);
            assert!(slope <= 0.0 && slope > f64::NEG_INFINITY, "M′_{nu}({z}) = {slope}");
            assert!(f64::matern_by_nu(nu, z).is_finite(), "ν = {nu}, z = {z}");
        }
        assert_eq!(last, 0.0);
        assert!(f64::matern(nu, f64::NAN).is_nan());
    }
}
