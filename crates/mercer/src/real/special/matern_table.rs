//! The Matérn profile of one smoothness as polynomials on short intervals, for tiles of values.

use std::sync::{Arc, OnceLock};

use super::MaternProfile;
use super::matern::LARGEST_CLIMB;
use crate::compute::filled;

/// Intervals of an octave `[2ᵉ, 2ᵉ⁺¹)`.
const PIECES: usize = 1 << PIECE_BITS;
const PIECE_BITS: u32 = 4;
/// Coefficients of a polynomial. The profile without its decay grows like `z^{ν−½}`, ν ≤ 20: on an
/// interval of relative width 1/16 the coefficient of degree 11 is below `3e-15` of the value.
const COEFFICIENTS: usize = 11;
/// The octaves: below `2⁻⁴⁰` and from `2¹¹` on values are computed one by one. At a smoothness
/// above ¼ the former are 1 to six digits, the latter are 0.
const LOWEST: i32 = -40;
const OCTAVES: usize = 51;

/// `M_ν(z)eᶻ` on the intervals of one octave, in `u ∈ [−½, ½)` along each.
type Octave = [[f64; COEFFICIENTS]; PIECES];

/// The Matérn profile of one smoothness `ν ≤ 20` for many `z`: a Gram matrix takes 3.5 to 4 times as
/// long as with `ν = 3/2` (`bench/shapes.py`), where the Bessel functions take 100 to 500 ns a value.
///
/// # Theory
/// `M_ν(z)eᶻ` is analytic but for the origin, and so are intervals `[a, 17a/16)` of it well
/// approximated: interpolation at eleven Chebyshev points, in powers of the position. The relative
/// error stays below `1e-12` (tests compare with 31 digits). An octave is made when a value of it is
/// first requested.
#[derive(Debug)]
pub struct MaternTable {
    nu: f64,
    octaves: [OnceLock<Box<Octave>>; OCTAVES],
}

impl MaternTable {
    /// `None` for a smoothness that the polynomials do not serve.
    pub fn new(nu: f64) -> Option<Self> {
        (nu > 0.0 && nu <= LARGEST_CLIMB).then(|| Self { nu, octaves: [const { OnceLock::new() }; OCTAVES] })
    }

    /// The smoothness.
    pub fn nu(&self) -> f64 {
        self.nu
    }

    /// `M_ν(z)eᶻ`; `None` outside of the octaves, and for what is not above 0.
    #[inline(always)]
    pub fn undamped(&self, z: f64) -> Option<f64> {
        let bits = z.to_bits();
        // A sign makes the exponent too large.
        let octave = (bits >> 52) as i32 - 1023 - LOWEST;
        let cell = self.octaves.get(usize::try_from(octave).ok()?)?;
        let pieces = match cell.get() {
            Some(pieces) => pieces,
            None => self.make(octave as usize),
        };
        let rest = 52 - PIECE_BITS;
        let c = &pieces[(bits >> rest) as usize % PIECES];
        let along = f64::from_bits((bits & ((1 << rest) - 1)) << PIECE_BITS | 1.0_f64.to_bits()) - 1.5;
        Some(c.iter().rev().fold(0.0, |sum, c| sum * along + c))
    }

    #[cold]
    #[inline(never)]
    fn make(&self, octave: usize) -> &Octave {
        filled::<Box<Octave>>(&self.octaves[octave], || {
            let (profile, start) = (MaternProfile::new(self.nu), 2.0_f64.powi(octave as i32 + LOWEST));
            let piece = |p: usize| {
                interpolated(|along| profile.undamped(start * (1.0 + (p as f64 + 0.5 + along) / PIECES as f64)))
            };
            Box::new(std::array::from_fn(piece))
        })
    }
}

/// Coefficients of the polynomial in `u` that has the values of `f` at the Chebyshev points of
/// `[−½, ½]`.
fn interpolated(f: impl Fn(f64) -> f64) -> [f64; COEFFICIENTS] {
    let n = COEFFICIENTS as f64;
    let angle = |j: usize| std::f64::consts::PI * (j as f64 + 0.5) / n;
    let values: [f64; COEFFICIENTS] = std::array::from_fn(|j| f(0.5 * angle(j).cos()));
    let mut result = [0.0; COEFFICIENTS];
    // T₀, T₁, … in powers of 2u: Tₖ₊₁(y) = 2yTₖ(y) − Tₖ₋₁(y).
    let (mut before, mut now) = ([0.0; COEFFICIENTS], [0.0; COEFFICIENTS]);
    now[0] = 1.0;
    for k in 0..COEFFICIENTS {
        let sum: f64 = values.iter().enumerate().map(|(j, v)| v * (k as f64 * angle(j)).cos()).sum();
        let weight = sum * if k == 0 { 1.0 } else { 2.0 } / n;
        result.iter_mut().zip(&now).for_each(|(r, t)| *r += weight * t);
        let factor = if k == 0 { 2.0 } else { 4.0 };
        let mut next = [0.0; COEFFICIENTS];
        for i in 0..COEFFICIENTS {
            next[i] = if i > 0 { factor * now[i - 1] } else { 0.0 } - before[i];
        }
        (before, now) = (now, next);
    }
    result
}

/// A table that is made at its first use, and shared by the copies of what holds it. It is no part
/// of the value.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptTable(OnceLock<Option<Arc<MaternTable>>>);

impl KeptTable {
    pub(crate) fn of(&self, nu: f64) -> Option<&MaternTable> {
        filled(&self.0, || MaternTable::new(nu).map(Arc::new)).as_deref()
    }
}

impl PartialEq for KeptTable {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::{DoubleDouble, Real};

    #[test]
    fn polynomials_reproduce_polynomials() {
        let found = interpolated(|u| 3.0 - 2.0 * u + 5.0 * u.powi(7) - u.powi(10));
        for (k, coefficient) in found.iter().enumerate() {
            let expected = [3.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, -1.0][k];
            assert_close!(*coefficient, expected, abs = 1e-9, "{k}");
        }
    }

    /// Against the quadrature with 31 digits, at the ends of intervals and inside.
    #[test]
    fn values_have_twelve_digits() {
        for nu in [0.05, 0.3, 0.8, 1.0, 1.7, 2.0, 3.5, 7.1, 13.0, 20.0] {
            let (table, exact) = (MaternTable::new(nu).unwrap(), MaternProfile::new(DoubleDouble::from_f64(nu)));
            for k in 0..40 {
                let z = 1e-9 * 1.93_f64.powi(k);
                for z in [z, z.log2().floor().exp2(), (z.log2().floor() + 1.0).exp2() * (1.0 - 1e-15)] {
                    let Some(found) = table.undamped(z) else { continue };
                    let expected = exact.at(DoubleDouble::from_f64(z)).value();
                    let value = found * (-0.5 * z).exp() * (-0.5 * z).exp();
                    if expected > 1e-290 {
                        assert_close!(value / expected, 1.0, abs = 1e-12, "ν = {nu}, z = {z}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_no_octave_holds_is_left_to_the_formula() {
        let table = MaternTable::new(0.8).unwrap();
        for z in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-13, 2048.0, -0.0] {
            assert_eq!(table.undamped(z), None, "{z}");
        }
        assert!(table.undamped(2047.9).is_some() && table.undamped(2.0_f64.powi(-40)).is_some());
        assert!(MaternTable::new(20.5).is_none());
    }
}
