//! The kernel Stein discrepancy of a sample from a density known up to its constant.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::samples::finite;
use super::{Estimator, SteinKernel, SteinTiles};
use crate::error::AllowedRange;
use crate::gram::{Tile, fold_tiles, sum};
use crate::solve::solve_positive;
use crate::{Compute, Error, Points, Result};

/// The squared kernel Stein discrepancy.
///
/// # Formula
/// `(1/n²) Σᵢⱼ u(xᵢ, xⱼ)` ([`Estimator::Biased`]) or `(1/n(n−1)) Σ_{i≠j} u(xᵢ, xⱼ)`
/// ([`Estimator::Unbiased`]) with the kernel `u` of [`SteinKernel`]; `scores` holds `∇ log p(xᵢ)`,
/// a row per point.
///
/// # Theory
/// `‖E u(·, X)‖²` in the space of `u`: 0 for samples of `p` only
/// [Liu, Lee, Jordan 2016; Chwialkowski et al. 2016].
///
/// # Cost
/// `O(n²d)`, nothing stored.
///
/// # Errors
/// [`Error::Shape`] for scores that do not fit or fewer than 2 points, [`Error::Value`] for NaN and
/// infinities, [`Error::Unsupported`] for another estimator.
///
/// # Example
/// ```
/// use mercer::{Compute, measure::{Estimator, SteinKernel, stein_discrepancy}};
/// use ndarray::array;
/// // The standard normal has the score −x; at x = 0 and x = 1 with φ = exp(−r²/2):
/// // u(0, 0) = 1, u(1, 1) = 1 + 1, u(0, 1) = (0 − 1 + 1 − 1)·e^(−½).
/// let (x, scores) = (array![[0.0], [1.0]], array![[0.0], [-1.0]]);
/// let found = stein_discrepancy(x.view(), scores.view(), SteinKernel::gaussian(1.0)?, Estimator::Biased, &Compute::new())?;
/// mercer::assert_close!(found, (3.0 - 2.0 * (-0.5_f64).exp()) / 4.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn stein_discrepancy(
    x: ArrayView2<'_, f64>,
    scores: ArrayView2<'_, f64>,
    kernel: SteinKernel,
    estimator: Estimator,
    compute: &Compute,
) -> Result<f64> {
    let tiles = SteinTiles::new(kernel, x, scores)?;
    let n = x.nrows() as f64;
    if x.nrows() < 2 {
        return Err(Error::too_few("a Stein discrepancy", "points", 2, x.nrows()));
    }
    let add = |total: &mut [f64; 2], tile: &Tile<'_>| {
        total[0] += tile.weight() * sum(&tile.values[0]);
        if tile.on_diagonal() {
            total[1] += tile.lines(0).map(|(i, line)| line[i - tile.cols.start]).sum::<f64>();
        }
    };
    let strips = fold_tiles(&[&tiles], compute, || [0.0; 2], add)?;
    let (total, own) = strips.iter().fold((0.0, 0.0), |(t, o), s| (t + s[0], o + s[1]));
    match estimator {
        Estimator::Biased => finite("the Stein discrepancy", total / (n * n)),
        Estimator::Unbiased => finite("the Stein discrepancy", (total - own) / (n * (n - 1.0))),
        _ => Err(Error::unsupported(
            "Stein discrepancy",
            "this estimator",
            "",
            "use the biased or the unbiased estimator",
        )),
    }
}

/// A density known by name, for its score.
///
/// # Example
/// ```
/// use mercer::measure::Density;
/// use ndarray::array;
/// let density = Density::normal(array![1.0], array![[4.0]])?;
/// assert_eq!(density.score(array![[3.0]].view())?, array![[-0.5]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Density {
    /// `N(mean, covariance)`; the second field is the inverse of the covariance.
    Normal {
        /// The mean.
        mean: Array1<f64>,
        /// The inverse covariance.
        precision: Array2<f64>,
    },
    /// Independent Student variables with this many degrees of freedom, location and scale, in
    /// every column.
    Student {
        /// ν.
        freedom: f64,
        /// The center.
        location: f64,
        /// The scale.
        scale: f64,
    },
    /// Independent logistic variables in every column.
    Logistic {
        /// The center.
        location: f64,
        /// The scale.
        scale: f64,
    },
}

impl Density {
    /// The normal density.
    ///
    /// # Errors
    /// [`Error::Shape`] when the sizes do not fit, [`Error::Singular`] for a covariance that is not
    /// positive definite.
    pub fn normal(mean: Array1<f64>, covariance: Array2<f64>) -> Result<Self> {
        let d = mean.len();
        if covariance.dim() != (d, d) {
            return Err(Error::shape("covariance", format!("{d} × {d}"), format!("{:?}", covariance.dim())));
        }
        let inverse = solve_positive(covariance.view(), Array2::eye(d).view())?;
        if inverse.solved != crate::solve::Solved::Cholesky {
            return Err(Error::singular("the covariance of the normal density", "give a positive definite one"));
        }
        Ok(Self::Normal { mean, precision: inverse.solution })
    }

    /// The standard normal density in `d` dimensions.
    pub fn standard_normal(d: usize) -> Self {
        Self::Normal { mean: Array1::zeros(d), precision: Array2::eye(d) }
    }

    /// Student's density in every column.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the degrees of freedom and the scale are finite and positive.
    pub fn student(freedom: f64, location: f64, scale: f64) -> Result<Self> {
        check_positive("freedom", freedom)?;
        check_positive("scale", scale)?;
        Ok(Self::Student { freedom, location, scale })
    }

    /// The logistic density in every column.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the scale is finite and positive.
    pub fn logistic(location: f64, scale: f64) -> Result<Self> {
        check_positive("scale", scale)?;
        Ok(Self::Logistic { location, scale })
    }

    /// `∇ log p(x)` for every row of `x`.
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong number of columns, [`Error::Value`] for NaN and infinities.
    pub fn score(&self, x: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        Points::Vectors(x).check_finite("sample")?;
        match self {
            Self::Normal { mean, precision } => {
                if x.ncols() != mean.len() {
                    return Err(Error::shape("columns of the sample", mean.len(), x.ncols()));
                }
                Ok(-(&x - &mean.view().insert_axis(Axis(0))).dot(precision))
            }
            Self::Student { freedom, location, scale } => Ok(x.mapv(|v| {
                let z = (v - location) / scale;
                -(freedom + 1.0) * z / (scale * (freedom + z * z))
            })),
            Self::Logistic { location, scale } => Ok(x.mapv(|v| -((v - location) / (2.0 * scale)).tanh() / scale)),
        }
    }
}

fn check_positive(name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::parameter(name, value, AllowedRange::POSITIVE))
}
