//! Residuals of a feature space after ridge regression on `z`: `RKR` with `R = ε(M + εI)⁻¹`.

use ndarray::{Array1, Array2, Axis};

use super::ConditionalSmoothing;
use crate::error::AllowedRange;
use crate::gram::{self, Bound, MetricKind, Pairs, median_distance};
use crate::hypothesis::precomputed::check_symmetric;
use crate::measure::{Centering, row_sums};
use crate::solve::{SymmetricEigen, symmetric_eigen};
use crate::{Compute, Error, Kernel, Points, Result};

/// Lengthscales that are tried, in multiples of the median distance.
const MULTIPLES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Ridges that are tried, in multiples of the largest eigenvalue.
const RIDGES: [f64; 9] = [1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0];

/// The residual matrix of one variable, and how it was found.
pub(super) struct Residual {
    /// `RKR`.
    pub(super) matrix: Array2<f64>,
    /// `HR²H`: the covariance of what would be left of independent variables of variance 1.
    pub(super) spread: Array2<f64>,
    /// The kernel of the variable.
    pub(super) kernel: Kernel,
    /// The kernel of `z`.
    pub(super) smoother: Kernel,
    /// `ε`.
    pub(super) ridge: f64,
}

impl Residual {
    pub(super) fn new(
        bound: &Bound<'_>,
        z: Pairs<'_>,
        smoothing: &ConditionalSmoothing,
        compute: &Compute,
    ) -> Result<Self> {
        let target = centered(bound, compute)?;
        let (spectrum, ridge) = match smoothing {
            ConditionalSmoothing::Fixed { kernel, ridge } => {
                if !(ridge.is_finite() && *ridge > 0.0) {
                    return Err(Error::parameter("ridge", ridge, AllowedRange::POSITIVE));
                }
                (RegressionSpectrum::new(kernel, z, &target, compute)?, *ridge)
            }
            ConditionalSmoothing::LeaveOneOut => chosen(z, &target, compute)?,
        };
        let (matrix, spread) = (spectrum.residual(ridge), spectrum.spread(ridge));
        Ok(Self { matrix, spread, kernel: bound.kernel().clone(), smoother: spectrum.kernel, ridge })
    }
}

/// The regression with the least leave-one-out error.
fn chosen(z: Pairs<'_>, target: &Array2<f64>, compute: &Compute) -> Result<(RegressionSpectrum, f64)> {
    let mut best: Option<(f64, f64, RegressionSpectrum)> = None;
    for kernel in candidates(z, compute)? {
        compute.check_canceled()?;
        let spectrum = RegressionSpectrum::new(&kernel, z, target, compute)?;
        let largest = spectrum.eigen.values.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        let tried = RIDGES.map(|ridge| (spectrum.leave_one_out(ridge * largest), ridge * largest));
        let (error, ridge) = tried.into_iter().fold((f64::INFINITY, largest), |a, b| if b.0 < a.0 { b } else { a });
        if best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, ridge, spectrum));
        }
    }
    let (_, ridge, spectrum) = best.ok_or_else(|| Error::too_few("the regression on z", "lengthscales", 1, 0))?;
    Ok((spectrum, ridge))
}

/// Gaussian kernels around the median distance; of given values there is one kernel, and only the
/// ridge is chosen.
fn candidates(z: Pairs<'_>, compute: &Compute) -> Result<Vec<Kernel>> {
    let Pairs::Within(Points::Vectors(points)) = z else { return Ok(vec!["precomputed()".parse()?]) };
    let median = median_distance(points, MetricKind::SquaredEuclidean, compute)?;
    MULTIPLES.iter().map(|multiple| Kernel::gaussian(multiple * median)).collect()
}

/// `M = UΛUᵀ`, and `UᵀKU` of the variable that is regressed.
struct RegressionSpectrum {
    kernel: Kernel,
    eigen: SymmetricEigen,
    rotated: Array2<f64>,
}

impl RegressionSpectrum {
    fn new(kernel: &Kernel, z: Pairs<'_>, target: &Array2<f64>, compute: &Compute) -> Result<Self> {
        let bound = kernel.bind(z, compute)?;
        let eigen = symmetric_eigen(centered(&bound, compute)?.view(), compute)?;
        let rotated = eigen.vectors.t().dot(target).dot(&eigen.vectors);
        Ok(Self { kernel: bound.kernel().clone(), eigen, rotated })
    }

    /// `ε/(λ + ε)` for every eigenvalue.
    fn shrinkage(&self, ridge: f64) -> Array1<f64> {
        self.eigen.values.iter().map(|v| ridge / (v.max(0.0) + ridge)).collect()
    }

    /// `RKR`.
    fn residual(&self, ridge: f64) -> Array2<f64> {
        let shrunk = &self.eigen.vectors * &self.shrinkage(ridge);
        shrunk.dot(&self.rotated).dot(&shrunk.t())
    }

    /// `HR²H = R² − 11ᵀ/n`, because `R1 = 1`.
    fn spread(&self, ridge: f64) -> Array2<f64> {
        let shrunk = &self.eigen.vectors * &self.shrinkage(ridge);
        shrunk.dot(&shrunk.t()) - 1.0 / shrunk.nrows() as f64
    }

    /// `Σᵢ (RKR)ᵢᵢ/R²ᵢᵢ`: the squared errors in the feature space of predictions without the point
    /// itself.
    fn leave_one_out(&self, ridge: f64) -> f64 {
        let shrinkage = self.shrinkage(ridge);
        let shrunk = &self.eigen.vectors * &shrinkage;
        let residuals = (shrunk.dot(&self.rotated) * &shrunk).sum_axis(Axis(1));
        let own = (&shrunk * &self.eigen.vectors).sum_axis(Axis(1));
        residuals.iter().zip(&own).map(|(r, o)| r / (o * o)).sum()
    }
}

/// `HKH`, stored.
fn centered(bound: &Bound<'_>, compute: &Compute) -> Result<Array2<f64>> {
    check_symmetric(bound)?;
    let centering = Centering::double(&row_sums(bound, compute)?);
    let mut matrix = gram::dense(bound, compute)?;
    matrix.indexed_iter_mut().for_each(|((i, j), v)| *v = centering.value(i, j, *v));
    Ok(matrix)
}
