//! Distances of measures from distances of points: energy distance, and Wasserstein's on the line.

use ndarray::ArrayView1;

use super::mmd::{Estimator, mmd};
use crate::kernel::negative::distance::Distance;
use crate::{Compute, Error, Points, Result};

/// The energy distance of two samples (not its square root).
///
/// # Formula
/// `2E‖X−Y‖ − E‖X−X′‖ − E‖Y−Y′‖`, with means over all pairs ([`Estimator::Biased`]) or over pairs
/// of different points within a sample ([`Estimator::Unbiased`]).
///
/// # Theory
/// The squared MMD of the kernel `‖x−z‖ + ‖y−z‖ − ‖x−y‖` for any `z`, hence twice that of
/// `brownian(hurst=0.5)`; on the line it is `2∫(F − G)²`, twice Cramér's distance
/// [Székely, Rizzo 2013; Sejdinovic et al. 2013].
///
/// # Cost
/// Every pair of the pooled sample once, nothing stored.
///
/// # Errors
/// As [`mmd`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::{Estimator, energy_distance}};
/// use ndarray::array;
/// // 2·3 − 0 − (0 + 2 + 2 + 0)/4
/// let found = energy_distance(&array![[0.0]], &array![[2.0], [4.0]], Estimator::Biased, &Compute::new())?;
/// assert_eq!(found, 5.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn energy_distance<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    estimator: Estimator,
    compute: &Compute,
) -> Result<f64> {
    let kernel = Distance::new(1.0)?.into();
    mmd(x, y, &kernel, estimator, compute).map(|value| -value)
}

/// Wasserstein's distance of order 1 of two samples on the line, for comparison.
///
/// # Formula
/// `W₁ = ∫ |F − G|`, the area between the two distribution functions.
///
/// # Cost
/// `O((m + n) log(m + n))`.
///
/// # Errors
/// [`Error::Shape`] for an empty sample, [`Error::Value`] for NaN and infinities.
///
/// # Example
/// ```
/// use ndarray::array;
/// assert_eq!(mercer::measure::wasserstein(array![0.0, 1.0].view(), array![3.0].view())?, 2.5);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn wasserstein(x: ArrayView1<'_, f64>, y: ArrayView1<'_, f64>) -> Result<f64> {
    for (name, sample) in [("first sample", x.reborrow()), ("second sample", y.reborrow())] {
        Points::Vectors(sample.insert_axis(ndarray::Axis(1))).check_finite(name)?;
        if sample.is_empty() {
            return Err(Error::too_few("a distance", format!("points of the {name}"), 1, 0));
        }
    }
    let steps = |sample: ArrayView1<'_, f64>, height: f64| sample.iter().map(|v| (*v, height)).collect::<Vec<_>>();
    let mut jumps = steps(x, 1.0 / x.len() as f64);
    jumps.extend(steps(y, -1.0 / y.len() as f64));
    jumps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut difference = 0.0_f64;
    let mut area = 0.0;
    for pair in jumps.windows(2) {
        difference += pair[0].1;
        area += difference.abs() * (pair[1].0 - pair[0].0);
    }
    Ok(area)
}
