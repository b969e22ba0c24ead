//! Eigenfunctions as values.

use ndarray::{Array1, Array2};

use super::finite::Combination;
use super::hermite::HermiteFunctions;
use super::sinusoids::Sinusoid;
use crate::gram::{self, Pairs};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

// There is one in a spectrum: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Modes {
    /// Sines and cosines on the line.
    Sinusoids(Vec<Sinusoid>),
    /// Hermite functions on the line.
    Hermite(HermiteFunctions),
    /// Combinations of the functions of a finite-rank kernel on the line.
    Combinations(Combination),
    /// `φⱼ(xᵢ)` on a sample, extended by the kernel.
    Sample { points: Sample, values: Array2<f64> },
}

impl Modes {
    pub(super) fn evaluate(
        &self,
        x: Points<'_>,
        kernel: &Kernel,
        eigenvalues: &[f64],
        compute: &Compute,
    ) -> Result<Array2<f64>> {
        x.check_finite("points")?;
        let line = |value: &dyn Fn(f64) -> Vec<f64>| {
            let x = x.vectors()?;
            if x.ncols() != 1 {
                return Err(Error::shape("columns of points on the line", 1, x.ncols()));
            }
            let values: Vec<f64> = x.column(0).iter().flat_map(|&t| value(t)).collect();
            Array2::from_shape_vec((x.nrows(), eigenvalues.len()), values)
                .map_err(|e| Error::shape("values of the modes", eigenvalues.len(), e))
        };
        match self {
            Self::Sinusoids(sinusoids) => line(&|t| sinusoids.iter().map(|w| w.at(t)).collect()),
            Self::Hermite(functions) => line(&|t| functions.at(t, eigenvalues.len())),
            Self::Combinations(combination) => line(&|t| combination.at(t)),
            Self::Sample { points, values } => {
                let scale = Array1::from_iter(eigenvalues.iter().map(|v| 1.0 / (points.len() as f64 * v)));
                let bound = kernel.bind(Pairs::Between(x.reborrow(), points.as_points()), compute)?;
                gram::multiply(&bound, (values * &scale).view(), compute)
            }
        }
    }
}
