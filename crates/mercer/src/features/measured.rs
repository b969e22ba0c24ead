//! The error of a feature map, measured on a sample.

use ndarray::{Array2, ArrayView2};

use super::FeatureMap;
use crate::gram::{self, Pairs};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// `z(x)ᵀz(y) − k(x, y)` over all pairs of some points of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredError {
    /// Points that were compared.
    pub points: usize,
    /// The largest `|z(x)ᵀz(y) − k(x, y)|`.
    pub largest: f64,
    /// The root of the mean square.
    pub root_mean_square: f64,
    /// The mean: near 0 for an unbiased map, below 0 for a projection.
    pub mean: f64,
    /// `‖ZZᵀ − K‖_F/‖K‖_F`.
    pub relative: f64,
}

/// Measures the error on at most `points` rows of a sample, drawn from the seed.
///
/// # Cost
/// The features and the kernel of `points²/2` pairs.
///
/// # Errors
/// [`Error::TooFew`] for an empty sample; as [`FeatureMap::transform`] and
/// [`Kernel::bind`](crate::Kernel::bind).
///
/// # Example
/// ```
/// use mercer::{Compute, features::{RandomFourier, measured_error}};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((300, 2), |(i, j)| ((i * 2 + j) as f64).sin());
/// let map = RandomFourier::new("gaussian()".parse()?, 2000).draw(2, &compute)?;
/// let error = measured_error(&map, x.view(), 100, &compute)?;
/// assert!(error.root_mean_square < 0.03 && error.largest < 0.15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn measured_error(
    map: &dyn FeatureMap,
    x: ArrayView2<f64>,
    points: usize,
    compute: &Compute,
) -> Result<MeasuredError> {
    error_of(map.kernel(), x.into(), points, &|x| map.transform(x.vectors()?, compute), compute)
}

/// The same for features of points of any kind.
pub(super) fn error_of(
    kernel: &Kernel,
    x: Points<'_>,
    points: usize,
    transform: &dyn Fn(Points<'_>) -> Result<Array2<f64>>,
    compute: &Compute,
) -> Result<MeasuredError> {
    let mut chosen = compute.seed().stream("measured error", 0).permutation(x.len());
    chosen.truncate(points);
    chosen.sort_unstable();
    if chosen.is_empty() {
        return Err(Error::too_few("measuring the error", "points", 1, 0));
    }
    let x = Sample::select(x, &chosen);
    let z = transform(x.as_points())?;
    let exact = gram::dense(&kernel.bind(Pairs::Within(x.as_points()), compute)?, compute)?;
    let difference = z.dot(&z.t()) - &exact;
    let (count, square) = (difference.len() as f64, difference.iter().map(|d| d * d).sum::<f64>());
    let size = exact.iter().map(|k| k * k).sum::<f64>();
    Ok(MeasuredError {
        points: chosen.len(),
        largest: difference.iter().fold(0.0, |m, d| m.max(d.abs())),
        root_mean_square: (square / count).sqrt(),
        mean: difference.sum() / count,
        relative: if size > 0.0 { (square / size).sqrt() } else { 0.0 },
    })
}
