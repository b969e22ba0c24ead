//! Error bounds of random features.

use super::FourierForm;
use crate::error::AllowedRange;
use crate::{Error, Result};

/// A bound on the probability that random Fourier features of a kernel with `k(x, x) = 1` err by
/// `ε` or more. For another diagonal, divide `ε` by it. `D` is the number of frequencies.
///
/// # Formula
/// | variant | bound |
/// |---|---|
/// | `Pair` | `2 exp(−Dε²/2)` at one pair of points (Hoeffding, terms in `[−1, 1]`) |
/// | `Offset` | `2 exp(−Dε²/8)` at one pair (terms in `[−2, 2]`) |
/// | `Points(n)` | `n(n − 1) exp(−Dε²/2)` at all pairs of `n` points (union, pairs form) |
/// | `Uniform` | `2⁸ (σℓ/ε)² exp(−Dε²/(4(d + 2)))` on a set of diameter `ℓ` (Rahimi and Recht 2007) |
/// | `Sharp` | `β_d (σℓ/ε)^{2d/(d+2)} exp(−Dε²/(4(d + 2)))` (Sutherland and Schneider 2015) |
///
/// with `σ² = E‖ω‖²` and `β_d = ((d/2)^{−d/(d+2)} + (d/2)^{2/(d+2)}) 2^{(6d+2)/(d+2)}`. A value
/// above 1 is vacuous.
///
/// # Example
/// ```
/// use mercer::features::FourierGuarantee;
/// mercer::assert_close!(FourierGuarantee::Pair.bound(1000, 0.1), 2.0 * (-5.0_f64).exp(), abs = 1e-15);
/// assert_eq!(FourierGuarantee::Pair.frequencies(0.1, 0.05)?, 738);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FourierGuarantee {
    /// At one pair of points, for pairs of a cosine and a sine.
    Pair,
    /// At one pair of points, for cosines with random offsets.
    Offset,
    /// At all pairs of this many points, for pairs of a cosine and a sine.
    Points(usize),
    /// Over a whole set, as first stated.
    Uniform(Region),
    /// Over a whole set, with better constants.
    Sharp(Region),
}

/// A compact set and the spectral measure of the kernel on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// The number of columns.
    pub dimension: usize,
    /// The diameter of the set.
    pub diameter: f64,
    /// `E‖ω‖²`:
    /// [`SpectralMeasure::second_moment`](crate::features::SpectralMeasure::second_moment).
    pub second_moment: f64,
}

impl FourierGuarantee {
    /// The bound for this many frequencies; above 1 where it is vacuous.
    pub fn bound(&self, frequencies: usize, epsilon: f64) -> f64 {
        let (front, rate) = self.parts(epsilon);
        front * (-rate * frequencies as f64).exp()
    }

    /// The smallest number of frequencies whose bound is at most `δ`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `ε` and `δ` are positive and the number exists.
    pub fn frequencies(&self, epsilon: f64, delta: f64) -> Result<usize> {
        let (front, rate) = self.parts(epsilon);
        smallest(front, rate, epsilon, delta)
    }

    /// The bound is `front·exp(−rate·D)`.
    fn parts(&self, epsilon: f64) -> (f64, f64) {
        let square = epsilon * epsilon;
        match *self {
            Self::Pair => (2.0, square / 2.0),
            Self::Offset => (2.0, square / 8.0),
            Self::Points(n) => (n as f64 * (n as f64 - 1.0), square / 2.0),
            Self::Uniform(region) => (256.0 * region.ratio(epsilon).powi(2), region.rate(square)),
            Self::Sharp(region) => (region.sharp_front(epsilon), region.rate(square)),
        }
    }
}

impl Region {
    fn ratio(&self, epsilon: f64) -> f64 {
        self.second_moment.sqrt() * self.diameter / epsilon
    }

    fn rate(&self, square: f64) -> f64 {
        square / (4.0 * (self.dimension as f64 + 2.0))
    }

    fn sharp_front(&self, epsilon: f64) -> f64 {
        let d = self.dimension as f64;
        let beta = (d / 2.0).powf(-d / (d + 2.0)) + (d / 2.0).powf(2.0 / (d + 2.0));
        beta * 2.0_f64.powf((6.0 * d + 2.0) / (d + 2.0)) * self.ratio(epsilon).powf(2.0 / (1.0 + 2.0 / d))
    }
}

/// The probability that random Fourier features err by `ε` or more at one pair of points, at most
/// 1: Hoeffding's bound.
///
/// # Example
/// ```
/// use mercer::features::{FourierForm, fourier_bound};
/// assert_eq!(fourier_bound(10, 0.1, FourierForm::Pair), 1.0);
/// ```
pub fn fourier_bound(frequencies: usize, epsilon: f64, form: FourierForm) -> f64 {
    let guarantee = match form {
        FourierForm::Pair => FourierGuarantee::Pair,
        FourierForm::Offset => FourierGuarantee::Offset,
    };
    guarantee.bound(frequencies, epsilon).min(1.0)
}

/// The smallest number of frequencies that keeps the error at one pair below `ε` with probability
/// `1 − δ`, for pairs of a cosine and a sine.
///
/// # Errors
/// [`Error::Parameter`] unless `ε` and `δ` are positive.
///
/// # Example
/// ```
/// assert_eq!(mercer::features::fourier_components(0.1, 0.01)?, 1060);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn fourier_components(epsilon: f64, delta: f64) -> Result<usize> {
    FourierGuarantee::Pair.frequencies(epsilon, delta)
}

/// The probability that random binning features over so many grids err by `ε` or more at one pair
/// of points: `2 exp(−2Pε²)`, at most 1.
///
/// # Example
/// ```
/// let bound = mercer::features::binning_bound(500, 0.1);
/// mercer::assert_close!(bound, 2.0 * (-10.0_f64).exp(), abs = 1e-18);
/// ```
pub fn binning_bound(grids: usize, epsilon: f64) -> f64 {
    (2.0 * (-2.0 * grids as f64 * epsilon * epsilon).exp()).min(1.0)
}

/// The smallest number of grids whose [`binning_bound`] is at most `δ`.
///
/// # Errors
/// [`Error::Parameter`] unless `ε` and `δ` are positive.
///
/// # Example
/// ```
/// assert_eq!(mercer::features::binning_grids(0.1, 0.05)?, 185);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn binning_grids(epsilon: f64, delta: f64) -> Result<usize> {
    smallest(2.0, 2.0 * epsilon * epsilon, epsilon, delta)
}

/// The smallest `D` with `front·exp(−rate·D) ≤ δ`.
fn smallest(front: f64, rate: f64, epsilon: f64, delta: f64) -> Result<usize> {
    for (name, value) in [("epsilon", epsilon), ("delta", delta)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(Error::parameter(name, value, AllowedRange::POSITIVE));
        }
    }
    let found = ((front / delta).ln() / rate).ceil().max(0.0);
    if !found.is_finite() || found > 1e15 {
        return Err(Error::parameter("epsilon", epsilon, "large enough for a number of features that exists"));
    }
    let holds = |d: f64| front * (-rate * d).exp() <= delta;
    // The quotient may be a rounding error away from an integer.
    let from = (found - 1.0).max(0.0);
    Ok([from, found, found + 1.0].into_iter().find(|d| holds(*d)).unwrap_or(found + 1.0) as usize)
}
