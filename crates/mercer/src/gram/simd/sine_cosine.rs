//! Sines and cosines of a tile of phases, in the vector arithmetic of the machine.

#![expect(clippy::excessive_precision, reason = "coefficients are written as they were computed")]

use std::ops::Mul;

use pulp::{Arch, Simd, WithSimd};

use super::element::Width;
use super::fast64::{fma, polynomial, product_error};

/// `π/2` in parts of 53 bits.
const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.12323399573676603587e-17, -1.49738490485916983e-33];
/// Adding this rounds to an integer and leaves it in the low bits.
const ROUNDER: f64 = 6755399441055744.0;
/// Phases beyond this (`2⁴³`) are reduced with all digits of π, one by one.
const LIMIT: f64 = 8796093022208.0;
/// `(sin r − r)/r³` in powers of `r²` on `|r| ≤ π/4`: the minimax polynomial of fdlibm.
const SIN: [f64; 6] = [
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
];
/// `(cos r − 1 + r²/2)/r⁴` in powers of `r²`, from the same position.
const COS: [f64; 6] = [
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
];

/// A number whose sine and cosine are computed.
pub(crate) trait Phase: Copy + Mul<Output = Self> {
    /// Whether it is reduced with more digits of π than vectors have.
    fn is_large(self) -> bool;

    /// `(cos t, sin t)`, unless it is large.
    fn sine_cosine<const FMA: bool>(self) -> (Self, Self);

    /// `(cos t, sin t)` of any number.
    fn large_phase(self) -> (Self, Self);
}

/// `cosines[j] = aⱼ cos tⱼ` and `sines[j] = aⱼ sin tⱼ`; the absolute error is about `2·10⁻¹⁶aⱼ` for
/// every phase, in single precision `10⁻⁷aⱼ`.
pub(crate) fn sines_cosines<T: Phase>(phases: &[T], amplitudes: &[T], cosines: &mut [T], sines: &mut [T]) {
    Arch::new().dispatch(SineCosine { phases, amplitudes, cosines, sines });
    for (j, &t) in phases.iter().enumerate().filter(|(_, t)| t.is_large()) {
        let (cosine, sine) = t.large_phase();
        (cosines[j], sines[j]) = (amplitudes[j] * cosine, amplitudes[j] * sine);
    }
}

/// `values[j] ← aⱼ cos tⱼ` for the phases that stand there.
pub(crate) fn cosines(values: &mut [f64], amplitudes: &[f64]) {
    Arch::new().dispatch(Cosines { values, amplitudes });
}

struct SineCosine<'a, T> {
    phases: &'a [T],
    amplitudes: &'a [T],
    cosines: &'a mut [T],
    sines: &'a mut [T],
}

impl<T: Phase> WithSimd for SineCosine<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if Width::of::<S>() == Width::Baseline { self.run::<false>() } else { self.run::<true>() }
    }
}

impl<T: Phase> SineCosine<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let positions = self.cosines.iter_mut().zip(self.sines).zip(self.phases.iter().zip(self.amplitudes));
        for ((cosine, sine), (&t, &a)) in positions {
            let (c, s) = t.sine_cosine::<FMA>();
            (*cosine, *sine) = (a * c, a * s);
        }
    }
}

struct Cosines<'a> {
    values: &'a mut [f64],
    amplitudes: &'a [f64],
}

impl WithSimd for Cosines<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if Width::of::<S>() == Width::Baseline { self.run::<false>() } else { self.run::<true>() }
    }
}

impl Cosines<'_> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        const CHUNK: usize = 64;
        for (values, amplitudes) in self.values.chunks_mut(CHUNK).zip(self.amplitudes.chunks(CHUNK)) {
            if values.iter().fold(false, |large, t| large | t.is_large()) {
                // Each value is reduced by its own size, so that no value depends on its neighbors.
                for (t, a) in values.iter_mut().zip(amplitudes) {
                    *t = a * if t.is_large() { t.cos() } else { t.sine_cosine::<FMA>().0 };
                }
            } else {
                values.iter_mut().zip(amplitudes).for_each(|(t, a)| *t = a * t.sine_cosine::<FMA>().0);
            }
        }
    }
}

/// `r − n·part`: the product is not rounded before it is subtracted.
#[inline(always)]
fn reduce<const FMA: bool>(r: f64, n: f64, part: f64) -> f64 {
    if FMA {
        return n.mul_add(-part, r);
    }
    let product = n * part;
    (r - product) - product_error::<false>(n, part, product)
}

impl Phase for f64 {
    #[inline(always)]
    fn is_large(self) -> bool {
        self.abs() > LIMIT
    }

    /// `t = n π/2 + r`, the functions of `r`, swapped and signed by `n mod 4`.
    #[inline(always)]
    fn sine_cosine<const FMA: bool>(self) -> (Self, Self) {
        let rounded = fma::<FMA>(self, std::f64::consts::FRAC_2_PI, ROUNDER);
        let n = rounded - ROUNDER;
        let r = HALF_PI.iter().fold(self, |r, part| reduce::<FMA>(r, n, *part));
        // Only a phase that is too large leaves this interval: its waves are meaningless, and
        // bounded.
        let meaningless = if self.is_nan() { self } else { 0.8 };
        let r = if r.abs() <= 0.8 { r } else { meaningless };
        let square = r * r;
        let sine = fma::<FMA>(r * square, polynomial::<FMA, _>(&SIN, square), r);
        let cosine = fma::<FMA>(square * square, polynomial::<FMA, _>(&COS, square), fma::<FMA>(square, -0.5, 1.0));
        let quarter = rounded.to_bits();
        // Masks, not branches: where only one of the two is needed, a branch would keep the loop
        // out of the vector units.
        let odd = (quarter & 1).wrapping_neg();
        let chosen = |even: f64, other: f64| (even.to_bits() & !odd) | (other.to_bits() & odd);
        let signed = |bits: u64, q: u64| f64::from_bits(bits ^ ((q & 2) << 62));
        (signed(chosen(cosine, sine), quarter.wrapping_add(1)), signed(chosen(sine, cosine), quarter))
    }

    fn large_phase(self) -> (Self, Self) {
        (self.cos(), self.sin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_are_those_of_the_standard_library_at_every_size_of_the_phase() {
        let phases: Vec<f64> = (0..4000).map(|i| (f64::from(i) - 2000.0) * 1.37_f64.powi(i % 97)).collect();
        let amplitudes: Vec<f64> = (0..4000).map(|i| 1.0 + f64::from(i % 3)).collect();
        let (mut c, mut s) = (vec![0.0; 4000], vec![0.0; 4000]);
        sines_cosines(&phases, &amplitudes, &mut c, &mut s);
        let mut alone = phases.clone();
        cosines(&mut alone, &amplitudes);
        for j in 0..4000 {
            let (t, a) = (phases[j], amplitudes[j]);
            assert_close!(c[j], a * t.cos(), abs = 4e-16 * a, "{t}");
            assert_close!(s[j], a * t.sin(), abs = 4e-16 * a, "{t}");
            assert_eq!(c[j], alone[j]);
        }
    }
}
