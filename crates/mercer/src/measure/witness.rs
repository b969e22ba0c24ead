//! Where two samples differ: the witness function, and its values at the points themselves.

use ndarray::{Array1, Array2};

use super::mmd::check_pooled;
use super::samples::Pooled;
use crate::gram::{self, Tiles};
use crate::{Compute, Expansion, Kernel, Points, Result};

/// The witness function `f = μ_P − μ_Q` of two samples, the direction in which they differ most.
///
/// # Formula
/// `f(t) = (1/m) Σ k(xᵢ, t) − (1/n) Σ k(yⱼ, t)`; `‖f‖²` is the biased squared MMD.
///
/// # Errors
/// As [`mmd`](super::mmd).
///
/// # Example
/// ```
/// use mercer::{Compute, measure::witness};
/// use ndarray::array;
/// let (x, y, compute) = (array![[2.0]], array![[0.5]], Compute::new());
/// let f = witness(&x, &y, &"linear()".parse()?, &compute)?;
/// assert_eq!(f.evaluate(array![[3.0]].view(), &compute)?[0], 4.5);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn witness<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    kernel: &Kernel,
    compute: &Compute,
) -> Result<Expansion> {
    let (x, y) = (x.into(), y.into());
    let (m, n) = (x.len(), y.len());
    let pooled = Pooled::new(x, y, 1)?;
    let weight = |i: usize| if i < m { 1.0 / m as f64 } else { -1.0 / n as f64 };
    let weights = Array1::from_shape_fn(m + n, weight);
    Expansion::new(kernel, pooled.points(), weights.view(), compute)
}

/// One of the two samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first sample.
    First,
    /// The second sample.
    Second,
}

/// A point with the value of the witness there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WitnessPoint {
    /// The sample that the point is from.
    pub sample: Side,
    /// Its row there, from 0.
    pub row: usize,
    /// The witness without the point itself.
    pub value: f64,
}

/// The points at which two samples differ most.
#[derive(Clone, Debug, PartialEq)]
pub struct WitnessExtremes {
    /// The largest values, descending: here the first sample has more points than the second.
    pub highest: Vec<WitnessPoint>,
    /// The smallest values, ascending: here the second sample has more.
    pub lowest: Vec<WitnessPoint>,
}

/// The witness of two samples at their own points, each left out of the mean that it stands in.
///
/// # Formula
/// `f(xᵢ) = (1/(m−1)) Σ_{j≠i} k(xᵢ, xⱼ) − (1/n) Σ_j k(xᵢ, yⱼ)` and
/// `f(yᵢ) = (1/m) Σ_j k(yᵢ, xⱼ) − (1/(n−1)) Σ_{j≠i} k(yᵢ, yⱼ)`.
///
/// # Theory
/// The mean of `f` over the first sample less that over the second is the unbiased squared MMD:
/// every point has its share in the statistic. Without the terms `k(xᵢ, xᵢ)` a lonely point does
/// not witness for its own sample.
#[derive(Clone, Debug, PartialEq)]
pub struct WitnessValues {
    /// The values at the points of the first sample.
    pub first: Array1<f64>,
    /// The values at the points of the second sample.
    pub second: Array1<f64>,
}

impl WitnessValues {
    /// The unbiased squared MMD: the difference of the two means.
    pub fn unbiased_mmd(&self) -> f64 {
        self.first.sum() / self.first.len() as f64 - self.second.sum() / self.second.len() as f64
    }

    /// The `count` largest and smallest values with their points; equal values in the order of the
    /// samples and rows.
    pub fn extremes(&self, count: usize) -> WitnessExtremes {
        let of = |values: &Array1<f64>, sample: Side| {
            values.iter().enumerate().map(|(row, v)| WitnessPoint { sample, row, value: *v }).collect::<Vec<_>>()
        };
        let mut points = of(&self.first, Side::First);
        points.extend(of(&self.second, Side::Second));
        points.sort_by(|a, b| a.value.total_cmp(&b.value));
        let lowest = points.iter().take(count).copied().collect();
        points.sort_by(|a, b| b.value.total_cmp(&a.value));
        points.truncate(count);
        WitnessExtremes { highest: points, lowest }
    }
}

/// The witness at the points of the two samples, in any domain.
///
/// # Cost
/// Every pair of the pooled sample, nothing stored.
///
/// # Errors
/// As [`mmd`](super::mmd) with the unbiased estimator.
///
/// # Example
/// ```
/// use mercer::{Compute, measure::{Side, witness_values}};
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [0.1], [0.2]], array![[0.1], [5.0], [5.1]]);
/// let values = witness_values(&x, &y, &"gaussian()".parse()?, &Compute::new())?;
/// let extremes = values.extremes(1);
/// // The first sample is near 0.1 as a whole, of the second only row 0; around 5 there is the second alone.
/// assert_eq!((extremes.highest[0].sample, extremes.highest[0].row), (Side::Second, 0));
/// assert_eq!((extremes.lowest[0].sample, extremes.lowest[0].row), (Side::Second, 2));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn witness_values<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    kernel: &Kernel,
    compute: &Compute,
) -> Result<WitnessValues> {
    let pooled = Pooled::new(x.into(), y.into(), 2)?;
    witness_values_of(&pooled.bind(kernel, compute)?, pooled.first(), compute)
}

/// As [`witness_values`], from the kernel values of the pooled sample, of which the first `first`
/// points are the first sample.
///
/// # Errors
/// As [`mmd_of`](super::mmd_of).
pub fn witness_values_of(tiles: &dyn Tiles, first: usize, compute: &Compute) -> Result<WitnessValues> {
    check_pooled(tiles, first, 2)?;
    let total = tiles.shape().0;
    let (m, n) = (first as f64, (total - first) as f64);
    let sides = Array2::from_shape_fn((total, 2), |(i, side)| f64::from((i < first) == (side == 0)));
    let sums = gram::multiply(tiles, sides.view(), compute)?;
    let own = tiles.diagonal()?;
    let at_first = |i: usize| (sums[[i, 0]] - own[i]) / (m - 1.0) - sums[[i, 1]] / n;
    let at_second = |i: usize| sums[[i, 0]] / m - (sums[[i, 1]] - own[i]) / (n - 1.0);
    Ok(WitnessValues { first: (0..first).map(at_first).collect(), second: (first..total).map(at_second).collect() })
}
