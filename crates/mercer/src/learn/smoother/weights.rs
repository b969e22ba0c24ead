//! Weights of neighbors.

/// How fast the weight of an observation falls with its distance, in units of the bandwidth:
/// `u = ‖x − xᵢ‖/h`.
///
/// # Formula
/// `gaussian: exp(−u²/2)`, `epanechnikov: (1−u²)₊`, `biweight: (1−u²)₊²`, `tricube: (1−u³)₊³`,
/// `uniform: 1 for u ≤ 1`. Constants cancel in every local fit and are left out.
///
/// # Example
/// ```
/// use mercer::learn::smoother::LocalWeight;
/// assert_eq!(LocalWeight::Epanechnikov.value(0.5), 0.75);
/// assert_eq!(LocalWeight::Tricube.value(2.0), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LocalWeight {
    /// `exp(−u²/2)`: every observation counts everywhere.
    #[default]
    Gaussian,
    /// `(1 − u²)₊`.
    Epanechnikov,
    /// `(1 − u³)₊³`.
    Tricube,
    /// 1 up to the bandwidth.
    Uniform,
    /// `(1 − u²)₊²`.
    Biweight,
}

impl LocalWeight {
    /// The weight at distance `u` bandwidths.
    pub fn value(self, u: f64) -> f64 {
        let inside = (1.0 - u * u).max(0.0);
        match self {
            Self::Gaussian => (-0.5 * u * u).exp(),
            Self::Epanechnikov => inside,
            Self::Biweight => inside * inside,
            Self::Tricube => (1.0 - u.abs().powi(3)).max(0.0).powi(3),
            Self::Uniform => f64::from(u.abs() <= 1.0),
        }
    }
}
