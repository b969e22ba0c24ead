//! Spectra whose modes are sines and cosines.

use std::f64::consts::{FRAC_PI_2, PI};

/// `φ(x) = a sin(ωx + θ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sinusoid {
    amplitude: f64,
    frequency: f64,
    phase: f64,
}

impl Sinusoid {
    pub(super) fn at(&self, x: f64) -> f64 {
        self.amplitude * (self.frequency * x + self.phase).sin()
    }
}

/// Eigenvalues with their modes.
pub(super) type Sinusoids = (Vec<f64>, Vec<Sinusoid>);

/// `min(x, y)` on `[0, t]`: `μ = (t/((j − ½)π))²`.
pub(super) fn motion(t: f64, count: usize) -> Sinusoids {
    sines(t, count, |j| (j as f64 + 0.5) * PI)
}

/// `min(x, y) − xy` on `[0, 1]`: `μ = 1/(jπ)²`.
pub(super) fn bridge(count: usize) -> Sinusoids {
    sines(1.0, count, |j| (j + 1) as f64 * PI)
}

fn sines(t: f64, count: usize, angle: impl Fn(usize) -> f64) -> Sinusoids {
    let sinusoid = |j| Sinusoid { amplitude: (2.0 / t).sqrt(), frequency: angle(j) / t, phase: 0.0 };
    (0..count).map(|j| ((t / angle(j)).powi(2), sinusoid(j))).unzip()
}

/// `c + s·min(x, y)` on `[0, t]`, `c > 0`.
///
/// From `μφ″ = −sφ`, `φ′(t) = 0` and `cφ′(0) = sφ(0)`: `φ = cos(ω(t − x))` with `ω tan ωt = s/c`,
/// one root in each `[jπ, (j + ½)π]/t`, and `μ = s/ω²`.
pub(super) fn lifted_motion(c: f64, s: f64, t: f64, count: usize) -> Sinusoids {
    let ratio = s * t / c;
    let mode = |j: usize| {
        let start = j as f64 * PI;
        let angle = root(|a| a * a.sin() - ratio * a.cos(), start, start + FRAC_PI_2);
        let frequency = angle / t;
        let square = 0.5 * t + (2.0 * angle).sin() / (4.0 * frequency);
        // cos(ωt − ωx) = sin(ωx + π/2 − ωt), with the sign that makes it positive at 0.
        let amplitude = angle.cos().signum() / square.sqrt();
        (s / frequency.powi(2), Sinusoid { amplitude, frequency, phase: FRAC_PI_2 - angle })
    };
    (0..count).map(mode).unzip()
}

/// `exp(−|x − y|/ℓ)` on `[from, to]`.
///
/// With `a` half the length and `κ = a/ℓ`, on the centered interval: even modes `cos ωx` with
/// `ωa tan ωa = κ`, odd ones `sin ωx` with `ωa + κ tan ωa = 0`, in turn, one in each
/// `[jπ/2, (j + 1)π/2]/a`; `μ = 2ℓ/(1 + ℓ²ω²)`.
pub(super) fn exponential(length: f64, from: f64, to: f64, count: usize) -> Sinusoids {
    let (half, center) = (0.5 * (to - from), 0.5 * (from + to));
    let ratio = half / length;
    let mode = |j: usize| {
        let start = j as f64 * FRAC_PI_2;
        let even = j.is_multiple_of(2);
        let equation = |a: f64| {
            if even { a * a.sin() - ratio * a.cos() } else { a * a.cos() + ratio * a.sin() }
        };
        let angle = root(equation, start, start + FRAC_PI_2);
        let frequency = angle / half;
        let turn = (2.0 * angle).sin() / (2.0 * frequency);
        let square = if even { half + turn } else { half - turn };
        let shape = if even { FRAC_PI_2 } else { 0.0 };
        let sinusoid = Sinusoid { amplitude: 1.0 / square.sqrt(), frequency, phase: shape - frequency * center };
        (2.0 * length / (1.0 + (length * frequency).powi(2)), sinusoid)
    };
    (0..count).map(mode).unzip()
}

/// `exp(−2 sin²(π(x − y)/p)/ℓ²)` on whole periods that begin at `from`: `μ = t e^{−z}Iⱼ(z)` with
/// `z = 1/ℓ²` and `t` the length, twice for `j ≥ 1`.
pub(super) fn periodic(period: f64, length: f64, (from, to): (f64, f64), count: usize) -> Sinusoids {
    let span = to - from;
    let weights = scaled_bessel(length.powi(-2), count / 2 + 1);
    let mode = |k: usize| {
        let j = k.div_ceil(2);
        let frequency = 2.0 * PI * j as f64 / period;
        let cosine = k % 2 == 1 || k == 0;
        let amplitude = if k == 0 { 1.0 / span.sqrt() } else { (2.0 / span).sqrt() };
        let phase = if cosine { FRAC_PI_2 } else { 0.0 };
        (span * weights[j], Sinusoid { amplitude, frequency, phase: phase - frequency * from })
    };
    (0..count).map(mode).unzip()
}

/// `e^{−z}Iⱼ(z)` for `j = 0 … most`, by Miller's backward recurrence, normalized by
/// `I₀ + 2ΣIⱼ = eᶻ`.
fn scaled_bessel(z: f64, most: usize) -> Vec<f64> {
    let start = most + 30 + 2 * (z.sqrt() * 6.0 + z.min(1e6).sqrt()) as usize;
    let mut values = vec![0.0; start + 2];
    values[start] = f64::MIN_POSITIVE.sqrt();
    for j in (0..start).rev() {
        values[j] = 2.0 * (j + 1) as f64 / z * values[j + 1] + values[j + 2];
        if values[j] > 1e100 {
            values[j..].iter_mut().for_each(|v| *v *= 1e-200);
        }
    }
    let sum = values[0] + 2.0 * values[1..].iter().sum::<f64>();
    values.truncate(most + 1);
    values.iter().map(|v| v / sum).collect()
}

/// The root of a function that changes its sign once between two places, by halving.
fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let below = f(low) < 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if (f(middle) < 0.0) == below {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the series `Iⱼ(z) = Σ (z/2)^{2m+j}/(m!(m+j)!)`.
    #[test]
    fn scaled_bessel_functions_equal_their_series() {
        for z in [1e-3_f64, 0.3, 1.0, 7.0, 30.0] {
            let found = scaled_bessel(z, 12);
            for (j, found) in found.iter().enumerate() {
                let mut term = (1..=j).fold((-z).exp(), |t, k| t * 0.5 * z / k as f64);
                let mut sum = 0.0;
                for m in 1..400 {
                    sum += term;
                    term *= 0.25 * z * z / (m as f64 * (m + j) as f64);
                }
                assert_close!(*found, sum, abs = 1e-13 * sum.max(1e-300), "{z} {j}: {found} {sum}");
            }
        }
        let far = scaled_bessel(1e4, 3);
        // e^{−z}I₀(z) ≈ (1 + 1/(8z) + 9/(128z²))/√(2πz)
        let expected = (1.0 + 1.0 / 8e4 + 9.0 / 128e8) / (2.0 * PI * 1e4).sqrt();
        assert_close!(far[0], expected, abs = 1e-13 * expected, "{} {expected}", far[0]);
    }
}
