//! The approximation of `K + σ²I`.

use ndarray::Array1;

/// How the `n` observations are seen through the inducing points; `Q = K_XZ K_ZZ⁻¹ K_ZX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Approximation {
    /// The subset of regressors: `Q + σ²I`, and variances of the degenerate process `Q` itself,
    /// which vanish far from the inducing points.
    Sor,
    /// The deterministic training conditional: the mean and the likelihood of
    /// [`Approximation::Sor`], with the prior variance `k(x, x)` of new points.
    Dtc,
    /// The fully independent training conditional: `Q + diag(K − Q) + σ²I`, so that every
    /// observation has its right variance.
    Fitc,
    /// The variational bound of Titsias: predictions of [`Approximation::Dtc`], and a log
    /// likelihood less `tr(K − Q)/(2σ²)`. It is a lower bound of the exact one and can only grow
    /// with more inducing points, so parameters and inducing points may be chosen by it.
    #[default]
    Variational,
}

impl Approximation {
    /// `Λ`, from `diag(K − Q)` and the noise.
    pub(super) fn diagonal(self, left: &Array1<f64>, noise: f64) -> Array1<f64> {
        match self {
            Self::Fitc => left + noise,
            Self::Sor | Self::Dtc | Self::Variational => Array1::from_elem(left.len(), noise),
        }
    }

    /// What is taken from the log likelihood, given `tr(K − Q)`.
    pub(super) fn penalty(self, trace_left: f64, noise: f64) -> f64 {
        match self {
            Self::Variational => trace_left / (2.0 * noise),
            Self::Sor | Self::Dtc | Self::Fitc => 0.0,
        }
    }

    /// `e`, the slope of the objective by what `diag Q` adds beyond `Λ + Q`; `−e` is its slope by
    /// `diag K`. From `2M = ααᵀ − A⁻¹` on the diagonal.
    pub(super) fn slack(self, twice_m: &Array1<f64>, noise: f64) -> Option<Array1<f64>> {
        match self {
            Self::Fitc => Some(twice_m * -0.5),
            Self::Variational => Some(Array1::from_elem(twice_m.len(), 0.5 / noise)),
            Self::Sor | Self::Dtc => None,
        }
    }
}
