//! Dual numbers against central differences in double-double arithmetic, where the difference
//! itself has 20 digits.

use super::*;
use crate::real::DoubleDouble;

/// A formula of one variable, to be read in every arithmetic.
trait Formula {
    fn at<N: Real>(x: N) -> N;
}

macro_rules! formulas {
    ($($name:ident = |$x:ident| $body:expr;)*) => {
        $(struct $name;
        impl Formula for $name {
            fn at<N: Real>($x: N) -> N {
                $body
            }
        })*
    };
}

formulas! {
    Root = |x| x.sqrt();
    Exponential = |x| (x * x).exp();
    ExponentialLessOne = |x| (-x).exp_m1() / x;
    Logarithm = |x| x.ln() * x.ln_1p();
    Waves = |x| (x * x).sin() - N::from_f64(3.0) * x.cos();
    Sigmoid = |x| x.tanh();
    WholePowers = |x| x.powi(5) + x.powi(-3) + x.powi(0) + x.powi(1);
    PowersWithoutDivision = |x| x.powu(5) + x.powu(0) * x + x.powu(1);
    RealPower = |x| x.powf(N::from_f64(1.7));
    PowerOfItself = |x| x.powf(x);
    Absolute = |x| (x - N::from_f64(10.0)).abs() * x.max(N::one()).min(N::from_f64(5.0)).squared();
    MaternInZ = |x| N::matern(N::from_f64(1.3), x);
    MaternInNu = |x| N::matern(x, N::from_f64(0.8));
    MaternInBoth = |x| N::matern(x, x * x);
    MaternRough = |x| N::matern(N::from_f64(0.2), x);
    MaternSmooth = |x| N::matern(N::from_f64(33.0) * x, N::from_f64(9.0) * x);
}

/// `(f(x + h) − f(x − h))/(2h)` with `h = 1e-9`: truncation about 1e-18, rounding about 1e-22.
fn difference<F: Formula>(x: f64) -> f64 {
    let (x, h) = (DoubleDouble::from_f64(x), DoubleDouble::from_f64(1e-9));
    ((F::at(x + h) - F::at(x - h)) / (h + h)).value()
}

fn assert_derivative<F: Formula>(x: f64) {
    let expected = difference::<F>(x);
    let found = F::at(Dual::variable(x)).derivative;
    let precise = F::at(Dual::variable(DoubleDouble::from_f64(x))).derivative.value();
    let name = std::any::type_name::<F>();
    let scale = expected.abs().max(1.0);
    assert_close!(found, expected, abs = 1e-12 * scale, "{name} at {x}: {found} ≠ {expected}");
    assert_close!(precise, expected, abs = 1e-15 * scale, "{name} at {x}: {precise} ≠ {expected}");
}

#[test]
fn derivatives_are_limits_of_differences() {
    for x in [0.3, 0.7, 1.4, 2.6] {
        assert_derivative::<Root>(x);
        assert_derivative::<Exponential>(x);
        assert_derivative::<ExponentialLessOne>(x);
        assert_derivative::<Logarithm>(x);
        assert_derivative::<Waves>(x);
        assert_derivative::<Sigmoid>(x);
        assert_derivative::<WholePowers>(x);
        assert_derivative::<PowersWithoutDivision>(x);
        assert_derivative::<RealPower>(x);
        assert_derivative::<PowerOfItself>(x);
        assert_derivative::<Absolute>(x);
    }
}

#[test]
fn matern_is_differentiated_in_both_arguments() {
    for x in [0.3, 0.75, 1.4, 2.6] {
        assert_derivative::<MaternInZ>(x);
        assert_derivative::<MaternInNu>(x);
        assert_derivative::<MaternInBoth>(x);
        assert_derivative::<MaternRough>(x);
        assert_derivative::<MaternSmooth>(x);
    }
}

/// The second derivative of `(1 + z) e⁻ᶻ` is `(z − 1) e⁻ᶻ`.
#[test]
fn nested_duals_give_second_derivatives() {
    for z in [0.2, 1.0, 3.5] {
        let x = Dual::variable(Dual::variable(z));
        let found = Dual::matern(Dual::from_f64(1.5), x).derivative.derivative;
        assert_close!(found, (z - 1.0) * (-z).exp(), abs = 1e-12, "z = {z}: {found}");
    }
}

#[test]
fn corners_are_finite() {
    let zero = Dual::variable(0.0);
    assert_eq!(zero.sqrt(), Dual::constant(0.0));
    assert_eq!(zero.abs(), Dual::constant(0.0));
    assert_eq!(zero.powf(Dual::from_f64(2.5)), Dual::constant(0.0));
    assert_eq!(zero.powf(Dual::from_f64(1.0)), Dual::variable(0.0));
    assert_eq!(zero.powf(Dual::from_f64(0.5)), Dual::constant(0.0));
    assert_eq!(zero.powf(Dual::from_f64(0.0)), Dual::constant(1.0));
    assert_eq!(Dual::constant(0.0).powf(Dual::variable(1.5)), Dual::constant(0.0));
    assert_eq!(zero.powi(i32::MAX), Dual::constant(0.0));
    assert_eq!(zero.powu(2), Dual::constant(0.0));
    assert_eq!(Dual::constant(0.0).ln(), Dual::constant(f64::NEG_INFINITY));
    for nu in [0.1, 0.7, 1.0, 2.5, 40.0] {
        assert_eq!(Dual::matern(Dual::variable(nu), zero), Dual::constant(1.0), "ν = {nu}");
    }
    assert_eq!(Dual::matern(Dual::from_f64(0.5), zero).derivative, -1.0);
}
