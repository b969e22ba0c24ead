//! Distance covariance and correlation: HSIC with distances for kernels.

use super::HsicEstimator;
use super::fast_distance_covariance::fast_products;
use super::hsic::hsic_of;
use super::samples::{check_same_rows, check_sizes};
use crate::gram::Pairs;
use crate::kernel::negative::distance::Distance;
use crate::{Compute, Kernel, Points, Result};

/// Distance covariance and what is made of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceCovariance {
    /// `dCov²(x, y)`.
    pub covariance_squared: f64,
    /// `dCov²(x, x)`.
    pub variance_x_squared: f64,
    /// `dCov²(y, y)`.
    pub variance_y_squared: f64,
}

impl DistanceCovariance {
    /// `dCov²/√(dVar²(x) dVar²(y))`: the squared correlation; 0 when one of the samples is
    /// constant.
    pub fn correlation_squared(&self) -> f64 {
        let scale = (self.variance_x_squared * self.variance_y_squared).max(0.0).sqrt();
        if scale > 0.0 { self.covariance_squared / scale } else { 0.0 }
    }
}

/// The distance covariance of pairs `(xᵢ, yᵢ)`: the square root of the V-statistic.
///
/// # Formula
/// `√((1/n²) Σᵢⱼ AᵢⱼBᵢⱼ)`, `A = HaH`, `aᵢⱼ = ‖xᵢ − xⱼ‖`, and `B` likewise from `y`.
///
/// # Theory
/// Its square is four times the biased HSIC of the kernels `brownian(hurst=0.5)`; 0 only for
/// independent variables [Székely, Rizzo, Bakirov 2007].
///
/// # Cost
/// `O(n log n)` when `x` and `y` have one column each; otherwise two passes over the pairs, nothing
/// stored.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for different numbers of rows or fewer than 2,
/// [`Error::Value`](crate::Error::Value) for NaN and infinities.
///
/// # Example
/// ```
/// use mercer::{Compute, measure::distance_covariance};
/// use ndarray::array;
/// // Two points at distance 1: A = B = [−½, ½; ½, −½].
/// let x = array![[0.0], [1.0]];
/// assert_eq!(distance_covariance(&x, &x, &Compute::new())?, 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn distance_covariance<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    compute: &Compute,
) -> Result<f64> {
    squared(x.into(), y.into(), HsicEstimator::Biased, compute).map(|v| v.max(0.0).sqrt())
}

/// The distance correlation of pairs `(xᵢ, yᵢ)`, between 0 and 1.
///
/// # Formula
/// `dCov(x, y)/√(dCov(x, x) dCov(y, y))`; 0 when one of the samples is constant.
///
/// # Errors
/// As [`distance_covariance`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::distance_correlation};
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [1.0], [4.0]], array![[3.0], [1.0], [-5.0]]);
/// mercer::assert_close!(distance_correlation(&x, &y, &Compute::new())?, 1.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn distance_correlation<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    compute: &Compute,
) -> Result<f64> {
    Ok(distance_statistics(x, y, compute)?.correlation_squared().max(0.0).sqrt())
}

/// The V-statistics of distance covariance: none of them is negative.
///
/// # Errors
/// As [`distance_covariance`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::distance_statistics};
/// use ndarray::array;
/// let x = array![[0.0], [1.0]];
/// assert_eq!(distance_statistics(&x, &x, &Compute::new())?.covariance_squared, 0.25);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn distance_statistics<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    compute: &Compute,
) -> Result<DistanceCovariance> {
    statistics(x.into(), y.into(), HsicEstimator::Biased, compute)
}

/// The bias-corrected statistics (U-centered products over `n(n−3)`), for at least 4 points; they
/// may be negative.
///
/// # Errors
/// As [`distance_covariance`], and [`Error::Shape`](crate::Error::Shape) for fewer than 4 points.
///
/// # Example
/// ```
/// use mercer::{Compute, measure::unbiased_distance_statistics};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [3.0], [7.0]];
/// let found = unbiased_distance_statistics(&x, &x, &Compute::new())?;
/// mercer::assert_close!(found.correlation_squared(), 1.0, abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn unbiased_distance_statistics<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    compute: &Compute,
) -> Result<DistanceCovariance> {
    statistics(x.into(), y.into(), HsicEstimator::Unbiased, compute)
}

fn statistics(x: Points<'_>, y: Points<'_>, kind: HsicEstimator, compute: &Compute) -> Result<DistanceCovariance> {
    Ok(DistanceCovariance {
        covariance_squared: squared(x, y, kind, compute)?,
        variance_x_squared: squared(x, x, kind, compute)?,
        variance_y_squared: squared(y, y, kind, compute)?,
    })
}

fn squared(x: Points<'_>, y: Points<'_>, kind: HsicEstimator, compute: &Compute) -> Result<f64> {
    let least = if kind == HsicEstimator::Unbiased { 4 } else { 2 };
    check_sizes(&[("first sample", x.reborrow()), ("second sample", y.reborrow())], least)?;
    check_same_rows(&[("x", x.len()), ("y", y.len())])?;
    let (first, second) = (x.vectors()?, y.vectors()?);
    if first.ncols() == 1 && second.ncols() == 1 {
        return Ok(fast_products(first.column(0), second.column(0)).covariance(kind));
    }
    let kernel: Kernel = Distance::new(1.0)?.into();
    let (a, b) = (kernel.bind(Pairs::Within(x), compute)?, kernel.bind(Pairs::Within(y), compute)?);
    hsic_of(&a, &b, kind, compute)
}
