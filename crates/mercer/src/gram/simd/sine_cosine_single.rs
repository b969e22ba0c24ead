//! Sines and cosines in single precision.

#![expect(clippy::excessive_precision, reason = "coefficients are written as they were computed")]

use super::fast32::{fma, polynomial};
use super::sine_cosine::Phase;

/// `π/2` in three parts: products of the first two with an integer below 2¹³ are exact.
const HALF_PI: [f32; 3] = [1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8];
/// Adding this rounds to an integer and leaves it in the low bits.
const ROUNDER: f32 = 12582912.0;
/// Phases beyond this are reduced in double precision, one by one.
const LIMIT: f32 = 8000.0;
/// `(sin r − r)/r³` in powers of `r²` on `|r| ≤ π/4`: the minimax polynomial of Cephes.
const SIN: [f32; 3] = [-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4];
/// `(cos r − 1 + r²/2)/r⁴` in powers of `r²`, from the same position.
const COS: [f32; 3] = [4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5];

impl Phase for f32 {
    #[inline(always)]
    fn is_large(self) -> bool {
        self.abs() > LIMIT
    }

    /// As in double precision, with shorter polynomials.
    #[inline(always)]
    fn sine_cosine<const FMA: bool>(self) -> (Self, Self) {
        let rounded = fma::<FMA>(self, std::f32::consts::FRAC_2_PI, ROUNDER);
        let n = rounded - ROUNDER;
        let r = HALF_PI.iter().fold(self, |r, part| fma::<FMA>(n, -part, r));
        let square = r * r;
        let sine = fma::<FMA>(r * square, polynomial::<FMA, _>(&SIN, square), r);
        let cosine = fma::<FMA>(square * square, polynomial::<FMA, _>(&COS, square), fma::<FMA>(square, -0.5, 1.0));
        let quarter = rounded.to_bits();
        let odd = quarter & 1 == 1;
        let (first, second) = (if odd { sine } else { cosine }, if odd { cosine } else { sine });
        let signed = |value: f32, q: u32| f32::from_bits(value.to_bits() ^ ((q & 2) << 30));
        (signed(first, quarter.wrapping_add(1)), signed(second, quarter))
    }

    fn large_phase(self) -> (Self, Self) {
        let (sine, cosine) = f64::from(self).sin_cos();
        (cosine as f32, sine as f32)
    }
}

#[cfg(test)]
mod tests {
    use crate::gram::simd::sines_cosines;

    #[test]
    fn sines_and_cosines_are_those_of_double_precision_at_every_size_of_the_phase() {
        let phases: Vec<f32> =
            (0..4000_u16).map(|i| (f32::from(i) - 2000.0) * 1.37_f32.powi(i32::from(i % 31))).collect();
        let amplitudes: Vec<f32> = (0..4000_u16).map(|i| 1.0 + f32::from(i % 3)).collect();
        let (mut c, mut s) = (vec![0.0; 4000], vec![0.0; 4000]);
        sines_cosines(&phases, &amplitudes, &mut c, &mut s);
        for j in 0..4000 {
            let (sine, cosine) = f64::from(phases[j]).sin_cos();
            let a = f64::from(amplitudes[j]);
            let off = (f64::from(c[j]) - a * cosine).abs().max((f64::from(s[j]) - a * sine).abs());
            assert!(off <= 3e-7 * a, "{}: {off}", phases[j]);
        }
    }
}
