//! Numbers of about 32 decimal digits: the unevaluated sum of two `f64`.

mod arithmetic;
mod constants;
mod display;
mod exponential;
mod trigonometric;

#[cfg(test)]
mod reference;

use super::Real;
use arithmetic::{quick_two_sum, two_product};

/// A number of about 32 decimal digits, held as `high + low` with `|low| ≤ ½ ulp(high)`.
///
/// # Theory
/// Sums and products of two `f64` have errors that are themselves `f64`, found exactly by the
/// error-free transformations of Dekker and Knuth; a number and its error together carry 106 bits.
/// The range is that of `f64`, and so are the answers at 0, ±∞ and beyond overflow. Below `1e-290`
/// the low part leaves the range and the precision falls back toward that of `f64`.
///
/// # Cost
/// About 10–20 floating-point operations per sum or product; a microsecond or less per elementary
/// function.
///
/// # Example
/// ```
/// use mercer::real::{DoubleDouble, Real};
/// let third = DoubleDouble::from_f64(1.0) / DoubleDouble::from_f64(3.0);
/// assert_eq!((third * DoubleDouble::from_f64(3.0) - DoubleDouble::from_f64(1.0)).value(), 0.0);
/// assert_eq!(format!("{}", DoubleDouble::from_f64(2.0).sqrt()), "1.4142135623730950488016887242097e0");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct DoubleDouble {
    high: f64,
    low: f64,
}

impl DoubleDouble {
    /// The sum of two numbers of any size, exactly rounded to a pair.
    pub fn from_pair(first: f64, second: f64) -> Self {
        Self::sum_of_two(first, second)
    }

    /// A pair that is already normalized; for tables of constants.
    pub(super) const fn from_parts(high: f64, low: f64) -> Self {
        Self { high, low }
    }

    /// The number rounded to `f64`.
    pub fn high(self) -> f64 {
        self.high
    }

    /// What the rounding to `f64` left out.
    pub fn low(self) -> f64 {
        self.low
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

/// `Σ aᵢ bᵢ` over the common length: products exact, sums carried with 106 bits.
///
/// # Example
/// ```
/// use mercer::real::{Real, sum_of_products};
/// // 1e16 · 1e16 + 1 · 1 − 1e16 · 1e16 is 1; in f64 it would be 0.
/// let total = sum_of_products(&[1e16, 1.0, -1e16], &[1e16, 1.0, 1e16]);
/// assert_eq!(total.value(), 1.0);
/// ```
pub fn sum_of_products(a: &[f64], b: &[f64]) -> DoubleDouble {
    let products = a.iter().zip(b).map(|(&x, &y)| DoubleDouble::product_of_two(x, y));
    products.fold(DoubleDouble::default(), |sum, product| sum + product)
}

impl Real for DoubleDouble {
    const EPSILON: f64 = f64::EPSILON * f64::EPSILON;

    fn from_f64(value: f64) -> Self {
        value.into()
    }
    fn value(self) -> f64 {
        self.high
    }
    fn sqrt(self) -> Self {
        let root = self.high.sqrt();
        if self.high == 0.0 || !root.is_finite() {
            return root.into();
        }
        let (square, error) = two_product(root, root);
        let rest = (self.high - square) - error + self.low;
        let (high, low) = quick_two_sum(root, rest / (2.0 * root));
        Self { high, low }
    }
    fn exp(self) -> Self {
        exponential::exp(self)
    }
    fn exp_m1(self) -> Self {
        exponential::exp_m1(self)
    }
    fn ln(self) -> Self {
        exponential::ln(self)
    }
    fn ln_1p(self) -> Self {
        exponential::ln_1p(self)
    }
    fn sin(self) -> Self {
        trigonometric::sin(self)
    }
    fn cos(self) -> Self {
        trigonometric::cos(self)
    }
    fn tanh(self) -> Self {
        exponential::tanh(self)
    }
    fn powi(self, exponent: i32) -> Self {
        let (mut power, mut base, mut rest) = (Self::one(), self, exponent.unsigned_abs());
        while rest > 0 {
            if rest & 1 == 1 {
                power = power * base;
            }
            base = base * base;
            rest >>= 1;
        }
        if exponent < 0 { Self::one() / power } else { power }
    }
    fn powf(self, exponent: Self) -> Self {
        let plain = self.high.powf(exponent.high);
        if self.is_zero() || exponent.is_zero() || plain == 0.0 || !plain.is_finite() {
            return plain.into();
        }
        (exponent * self.ln()).exp()
    }
    fn is_at_most(self, other: Self) -> bool {
        self <= other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dd(value: f64) -> DoubleDouble {
        DoubleDouble::from_f64(value)
    }

    #[test]
    fn comparisons_see_the_low_part() {
        let more = DoubleDouble::from_pair(1.0, 1e-20);
        assert_eq!(dd(1.0).max(more), more);
        assert_eq!(more.min(dd(1.0)), dd(1.0));
        assert_eq!(DoubleDouble::from_pair(-1.0, -1e-20).abs(), more);
        assert!(!more.is_at_most(dd(1.0)) && dd(1.0).is_at_most(more));
    }

    #[test]
    fn whole_powers() {
        let power = 3_i128.pow(40);
        assert_eq!(dd(3.0).powi(40).high(), power as f64);
        assert_eq!(dd(3.0).powi(40).low(), (power - power as f64 as i128) as f64);
        assert_eq!((dd(2.0).powi(-3)).high(), 0.125);
        assert_eq!(dd(2.0).powi(i32::MIN).high(), 0.0);
        assert_eq!(dd(0.0).powi(0).high(), 1.0);
    }

    #[test]
    fn powers_of_zero_and_one() {
        assert_eq!(dd(0.0).powf(dd(0.5)), dd(0.0));
        assert_eq!(dd(0.0).powf(dd(0.0)), dd(1.0));
        assert_eq!(dd(5.0).powf(dd(0.0)), dd(1.0));
        assert_eq!(dd(1e200).powf(dd(2.0)).high(), f64::INFINITY);
        assert_eq!(dd(1e-200).powf(dd(2.0)).high(), 0.0);
    }

    /// Arguments with a low part, where no table is needed: inverse functions and Pythagoras.
    #[test]
    fn identities_hold_to_thirty_digits() {
        for k in 1..40 {
            let x = dd(f64::from(k)) / dd(7.0);
            let close = |found: DoubleDouble, expected: DoubleDouble, name: &str| {
                let error = ((found - expected) / expected).abs().value();
                assert!(error <= 1e-30, "{name} at {x}: {error:.1e}");
            };
            close(x.ln().exp(), x, "exp ln");
            close(x.ln_1p().exp_m1(), x, "exp_m1 ln_1p");
            close(x.sqrt().squared(), x, "√²");
            close(x.powf(dd(1.0) / dd(3.0)).powi(3), x, "cube of the cube root");
            close(x.sin().squared() + x.cos().squared(), dd(1.0), "sin² + cos²");
            close(dd(2.0) * x.sin() * x.cos(), (x + x).sin(), "sin 2x");
            close((x + x).tanh() * (dd(1.0) + x.tanh().squared()), dd(2.0) * x.tanh(), "tanh 2x");
        }
    }

    #[test]
    fn long_sums_of_products_are_exact() {
        let a: Vec<f64> = (0..1000).map(|i| f64::from(i) * 1e8 + 0.1).collect();
        let b: Vec<f64> = a.iter().rev().map(|x| -x).collect();
        let forward = sum_of_products(&a, &b);
        let doubled = sum_of_products(&[a.clone(), a].concat(), &[b.clone(), b.iter().map(|x| -x).collect()].concat());
        assert!(forward.high() < -1e20);
        assert!(doubled.high().abs() <= 1e-29 * forward.high().abs());
    }
}
