//! The Matérn profile of any smoothness.

use super::quadrature::peak_integral;
use super::whole_steps;
use crate::real::Real;

/// Up to this smoothness the profile is climbed to by recurrence, beyond it is one integral.
pub(super) const LARGEST_CLIMB: f64 = 20.0;
/// With `ν ≤ 20` the profile is below the smallest `f64` from here on.
const VANISHES_FROM: f64 = 1500.0;

/// The Matérn profile of smoothness `ν`, with everything that depends on `ν` alone computed once.
///
/// # Formula
/// `M_ν(z) = 2^{1−ν}/Γ(ν) · z^ν K_ν(z)` for `ν > 0`, `z ≥ 0`; `M_ν(0) = 1`, `M_{1/2}(z) = e⁻ᶻ`.
///
/// # Theory
/// With `μ = ν − n ∈ (−½, ½]`, `K_μ` and `K_{μ+1}` start the recurrence
/// `M_{ν+1} = M_ν + z²/(4ν(ν−1)) · M_{ν−1}`, whose terms are all positive: nothing cancels and
/// nothing overflows. For `ν > 20`, `M_ν(z) = ∫ exp(νu − eᵘ − z²/4 · e⁻ᵘ) du / Γ(ν)` is integrated
/// around its peak; the height of the peak relative to that at `z = 0` is `exp(ν(ln(1+t) − 2t))`
/// with `t = (√(1 + z²/ν²) − 1)/2`.
///
/// # Cost
/// In `f64` some 100–500 ns per value; in other arithmetics some 100 exponentials.
///
/// # Example
/// ```
/// use mercer::real::MaternProfile;
/// let smooth = MaternProfile::new(1.5);
/// mercer::assert_close!(smooth.at(2.0), 3.0 * (-2.0_f64).exp(), abs = 1e-15); // (1 + z) e⁻ᶻ
/// mercer::assert_close!(smooth.slope(2.0), -2.0 * (-2.0_f64).exp(), abs = 1e-15); // −z e⁻ᶻ
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MaternProfile<N> {
    nu: N,
    route: Route<N>,
}

/// How the profile is computed, with what depends on `ν` alone.
#[derive(Clone, Copy, Debug)]
enum Route<N> {
    /// From the order `mu = nu − steps`, with `1/Γ(1 + μ)`.
    Climb { mu: N, steps: usize, reciprocal_gamma: N },
    /// By one integral, with its value at `z = 0`.
    Peak { origin: N },
}

impl<N: Real> MaternProfile<N> {
    /// The profile of smoothness `nu > 0`. For other `nu` the values mean nothing.
    pub fn new(nu: N) -> Self {
        if nu.value() > LARGEST_CLIMB {
            return Self::by_peak(nu);
        }
        let steps = whole_steps(nu.value());
        let mu = nu - N::from_f64(steps);
        Self { nu, route: Route::Climb { mu, steps: steps as usize, reciprocal_gamma: N::reciprocal_gamma(mu) } }
    }

    fn by_peak(nu: N) -> Self {
        Self { nu, route: Route::Peak { origin: peak_integral(nu, nu, N::zero()) } }
    }

    /// `M_ν(z)` for `z ≥ 0`.
    pub fn at(&self, z: N) -> N {
        if z.value() < f64::MIN_POSITIVE {
            return N::one();
        }
        match self.route {
            Route::Peak { origin } => peak_value(self.nu, origin, z),
            Route::Climb { .. } if z.value() > VANISHES_FROM => N::zero(),
            Route::Climb { mu, steps: 0, reciprocal_gamma } => self.nu * lowest(mu, reciprocal_gamma, z),
            Route::Climb { mu, steps, reciprocal_gamma } => climb(mu, steps, reciprocal_gamma, z).value,
        }
    }

    /// `M_ν(z)eᶻ` for `z > 0` and `ν ≤ 20`: the profile without its decay.
    pub(super) fn undamped(&self, z: N) -> N {
        match self.route {
            Route::Peak { .. } => self.at(z) * z.exp(),
            Route::Climb { mu, steps: 0, reciprocal_gamma } => {
                self.nu * prefactor(mu, reciprocal_gamma, z) * N::bessel_pair(mu, z).lower
            }
            Route::Climb { mu, steps, reciprocal_gamma } => climb_undamped(mu, steps, reciprocal_gamma, z).value,
        }
    }

    /// `M′_ν(z)` for `z ≥ 0`: `−2^{1−ν}/Γ(ν) · z^ν K_{ν−1}(z)`.
    ///
    /// At `z = 0` it is 0 for `ν > ½` and −1 for `ν = ½`. For `ν < ½` the profile has a cusp there;
    /// the slope is then taken as 0, the mean of both sides, so that a vanishing `ż` gives a
    /// vanishing derivative.
    pub fn slope(&self, z: N) -> N {
        if z.value() < f64::MIN_POSITIVE {
            return N::select(self.nu.value() == 0.5, -N::one(), N::zero());
        }
        if z.value() == f64::INFINITY {
            return N::zero();
        }
        let half = N::from_f64(0.5) * z;
        match self.route {
            Route::Peak { .. } => {
                let lower = self.nu - N::one();
                -(half / lower) * Self::by_peak(lower).at(z)
            }
            Route::Climb { .. } if z.value() > VANISHES_FROM => N::zero(),
            Route::Climb { steps: 0, reciprocal_gamma, .. } => self.rough_slope(reciprocal_gamma, z),
            Route::Climb { mu, steps, reciprocal_gamma } => -half * climb(mu, steps, reciprocal_gamma, z).below,
        }
    }

    /// The slope for `ν ≤ ½`, where `K_{ν−1} = K_{1−ν}`: `−2ν/Γ(1+ν) · (z/2)^ν K_{1−ν}(z)`.
    fn rough_slope(&self, reciprocal_gamma: N, z: N) -> N {
        let power = (N::from_f64(0.5) * z).powf(self.nu - N::one());
        let pair = N::bessel_pair(-self.nu, z);
        -decayed(N::from_f64(2.0) * self.nu * reciprocal_gamma * power * pair.upper, z)
    }
}

/// The top of the recurrence: `M_ν` and `M_{ν−1}/(ν−1)`.
struct Rung<N> {
    below: N,
    value: N,
}

/// `2/Γ(1+μ) · (z/2)^μ K_μ(z)`, which is `M_μ/μ` and stays finite for `μ ≤ 0`.
fn lowest<N: Real>(mu: N, reciprocal_gamma: N, z: N) -> N {
    decayed(prefactor(mu, reciprocal_gamma, z) * N::bessel_pair(mu, z).lower, z)
}

/// `2/Γ(1+μ) · (z/2)^μ`.
fn prefactor<N: Real>(mu: N, reciprocal_gamma: N, z: N) -> N {
    N::from_f64(2.0) * reciprocal_gamma * (N::from_f64(0.5) * z).powf(mu)
}

/// `x e⁻ᶻ` in two factors, since `x` may be large where `e⁻ᶻ` alone is too small for the range.
fn decayed<N: Real>(x: N, z: N) -> N {
    let root = (N::from_f64(-0.5) * z).exp();
    x * root * root
}

/// `M_{μ+steps}` by the recurrence, for `steps ≥ 1`.
fn climb<N: Real>(mu: N, steps: usize, reciprocal_gamma: N, z: N) -> Rung<N> {
    let Rung { below, value } = climb_undamped(mu, steps, reciprocal_gamma, z);
    Rung { below: decayed(below, z), value: decayed(value, z) }
}

/// The same times `eᶻ`.
fn climb_undamped<N: Real>(mu: N, steps: usize, reciprocal_gamma: N, z: N) -> Rung<N> {
    let pair = N::bessel_pair(mu, z);
    let scale = prefactor(mu, reciprocal_gamma, z);
    let quarter = (N::from_f64(0.5) * z).squared();
    let (mut below, mut value, mut order) = (scale * pair.lower, scale * pair.upper, mu + N::one());
    for _ in 1..steps {
        let next = value + quarter * below / order;
        (below, value) = (value / order, next);
        order = order + N::one();
    }
    Rung { below, value }
}

/// `M_ν(z)` by the integral around its peak, for `ν` not small.
fn peak_value<N: Real>(nu: N, origin: N, z: N) -> N {
    let ratio = z / nu;
    if ratio.value() > 1e100 {
        return N::zero();
    }
    let square = ratio * ratio;
    let t = N::from_f64(0.5) * square / (N::one() + (N::one() + square).sqrt());
    let height = nu * (t.ln_1p() - t - t);
    if height.value() < -800.0 {
        return N::zero();
    }
    height.exp() * peak_integral(nu, nu + nu * t, nu * t) / origin
}

#[cfg(test)]
mod tests;
