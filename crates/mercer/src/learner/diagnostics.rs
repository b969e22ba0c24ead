//! Diagnostics of predictions: the influence of rows, the calibration of probabilities, the coverage
//! of intervals.

use ndarray::{Array1, ArrayView1};

use crate::error::AllowedRange;
use crate::real::special::normal_quantile;
use crate::{Error, Result};

/// Degrees of freedom below which influences would not be finite.
const FEWEST_DEGREES: f64 = 1e-12;

/// Cook's distances of a linear smoother: how far all fitted values move without a row, in units of
/// the noise for each degree of freedom.
///
/// # Formula
/// `Dᵢ = (rᵢ²/(df·σ²)) · hᵢ/(1 − hᵢ)²` with the residual `rᵢ`, the leverage `hᵢ`, the degrees of
/// freedom `df` and the noise variance `σ²`; infinite where `hᵢ = 1`.
///
/// # Errors
/// [`Error::Shape`] for another number of leverages, [`Error::Parameter`] unless `noise > 0`.
///
/// # Example
/// ```
/// use mercer::learner::diagnostics::cook_distances;
/// use ndarray::array;
/// let found = cook_distances(array![2.0].view(), array![0.5].view(), 2.0, 4.0)?;
/// mercer::assert_close!(found[0], 4.0 / 8.0 * 0.5 / 0.25, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn cook_distances(
    residuals: ArrayView1<f64>,
    leverages: ArrayView1<f64>,
    degrees_of_freedom: f64,
    noise: f64,
) -> Result<Array1<f64>> {
    if residuals.len() != leverages.len() {
        return Err(Error::shape("leverages", residuals.len(), leverages.len()));
    }
    if noise.is_nan() || noise <= 0.0 {
        return Err(Error::parameter("noise", noise, "above 0"));
    }
    let unit = degrees_of_freedom.max(FEWEST_DEGREES) * noise;
    let one = |(r, h): (&f64, &f64)| r * r / unit * h / ((1.0 - h) * (1.0 - h));
    Ok(residuals.iter().zip(&leverages).map(one).collect())
}

/// Leave-one-out residuals of a linear smoother in units of their standard deviations.
///
/// # Formula
/// `rᵢ/√(σ²/(1 − hᵢ))` with the leave-one-out residual `rᵢ`, the leverage `hᵢ` and the noise variance
/// `σ²`: a leave-one-out residual `eᵢ/(1 − hᵢ)` of the residual `eᵢ`, whose variance is `σ²(1 − hᵢ)` for
/// a projection. NaN where `hᵢ ≥ 1`.
///
/// # Errors
/// [`Error::Shape`] for another number of leverages, [`Error::Parameter`] unless `noise > 0`.
///
/// # Example
/// ```
/// use mercer::learner::diagnostics::standardized_residuals;
/// use ndarray::array;
/// let found = standardized_residuals(array![2.0, 1.0].view(), array![0.75, 1.0].view(), 4.0)?;
/// mercer::assert_close!(found[0], 2.0 / 4.0, abs = 1e-15);
/// assert!(found[1].is_nan());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn standardized_residuals(
    residuals: ArrayView1<f64>,
    leverages: ArrayView1<f64>,
    noise: f64,
) -> Result<Array1<f64>> {
    if residuals.len() != leverages.len() {
        return Err(Error::shape("leverages", residuals.len(), leverages.len()));
    }
    if noise.is_nan() || noise <= 0.0 {
        return Err(Error::parameter("noise", noise, "above 0"));
    }
    let one = |(r, h): (&f64, &f64)| if *h < 1.0 { r * ((1.0 - h) / noise).sqrt() } else { f64::NAN };
    Ok(residuals.iter().zip(&leverages).map(one).collect())
}

/// Pairs of a normal quantile and a value, in ascending order: on a line where the values are normal.
/// Values that are not finite are left out.
///
/// # Formula
/// `(Φ⁻¹((i + ½)/n), x₍ᵢ₎)` for the order statistics `x₍₀₎ ≤ … ≤ x₍ₙ₋₁₎`.
///
/// # Example
/// ```
/// use mercer::learner::diagnostics::normal_quantiles;
/// let found = normal_quantiles(&[3.0, -1.0, f64::NAN, 0.0]);
/// assert_eq!(found.iter().map(|pair| pair.1).collect::<Vec<_>>(), [-1.0, 0.0, 3.0]);
/// mercer::assert_close!(found[1].0, 0.0, abs = 1e-15);
/// ```
pub fn normal_quantiles(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    sorted.into_iter().enumerate().map(|(i, v)| (normal_quantile((i as f64 + 0.5) / n), v)).collect()
}

/// Wilson's interval of a binomial probability of which `share` of `count` trials are successes.
///
/// # Formula
/// `(p + z²/(2n) ± z √(p(1 − p)/n + z²/(4n²)))/(1 + z²/n)` with `z` the normal quantile of
/// `(1 + level)/2`.
///
/// # Errors
/// [`Error::Parameter`] for a share outside `[0, 1]`, a count that is not positive, or a level outside
/// `(0, 1)`.
///
/// # Example
/// ```
/// use mercer::learner::diagnostics::wilson_interval;
/// // Without a success the upper end is z²/(n + z²).
/// let (lower, upper) = wilson_interval(0.0, 10.0, 0.95)?;
/// let z2 = 1.959963984540054_f64.powi(2);
/// assert_eq!(lower, 0.0);
/// mercer::assert_close!(upper, z2 / (10.0 + z2), abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn wilson_interval(share: f64, count: f64, level: f64) -> Result<(f64, f64)> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::parameter("share", share, "from 0 to 1"));
    }
    if !(count > 0.0 && count.is_finite()) {
        return Err(Error::parameter("count", count, "above 0"));
    }
    let z2 = quantile(level)?.powi(2);
    let (center, whole) = (share + z2 / (2.0 * count), 1.0 + z2 / count);
    let half = (z2 * (share * (1.0 - share) / count + z2 / (4.0 * count * count))).sqrt();
    Ok((((center - half) / whole).clamp(0.0, 1.0), ((center + half) / whole).clamp(0.0, 1.0)))
}

/// The normal quantile of an interval of this level.
fn quantile(level: f64) -> Result<f64> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::parameter("level", level, AllowedRange::OPEN_UNIT));
    }
    Ok(normal_quantile(0.5 + 0.5 * level))
}

/// Rows with about the same stated probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// The mean of the stated probabilities.
    pub stated: f64,
    /// The share of rows in which it happened.
    pub observed: f64,
    /// The number of rows.
    pub rows: usize,
    /// The ends of [`wilson_interval`] of the share.
    pub interval: (f64, f64),
}

/// Stated probabilities against observed shares, in bins with equal numbers of rows: the first ones
/// have one more where the rows do not divide.
///
/// # Errors
/// [`Error::Shape`] for another number of outcomes, [`Error::TooFew`] without rows or bins; as
/// [`wilson_interval`].
///
/// # Example
/// ```
/// use mercer::learner::diagnostics::calibration_bins;
/// let found = calibration_bins(&[0.9, 0.1, 0.3], &[true, false, true], 2, 0.95)?;
/// assert_eq!((found[0].rows, found[1].rows), (2, 1));
/// mercer::assert_close!(found[0].stated, 0.2, abs = 1e-15);
/// mercer::assert_close!(found[0].observed, 0.5, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn calibration_bins(stated: &[f64], happened: &[bool], bins: usize, level: f64) -> Result<Vec<CalibrationBin>> {
    if stated.len() != happened.len() {
        return Err(Error::shape("outcomes", stated.len(), happened.len()));
    }
    if stated.is_empty() || bins == 0 {
        return Err(Error::too_few("calibration", if bins == 0 { "bins" } else { "rows" }, 1, 0));
    }
    let mut order: Vec<usize> = (0..stated.len()).collect();
    order.sort_by(|&a, &b| stated[a].total_cmp(&stated[b]));
    let count = bins.min(order.len());
    let (size, more) = (order.len() / count, order.len() % count);
    let start = |bin: usize| bin * size + bin.min(more);
    let one = |bin: usize| {
        let rows = &order[start(bin)..start(bin + 1)];
        let n = rows.len() as f64;
        let observed = rows.iter().filter(|&&row| happened[row]).count() as f64 / n;
        Ok(CalibrationBin {
            stated: rows.iter().map(|&row| stated[row]).sum::<f64>() / n,
            observed,
            rows: rows.len(),
            interval: wilson_interval(observed, n, level)?,
        })
    };
    (0..count).map(one).collect()
}

/// The share of standardized errors that intervals of these levels hold, `|s| ≤ z`, for every level,
/// and twice the standard error of the share if the level is right, `1.96 √(level(1 − level)/n)`.
///
/// # Errors
/// [`Error::TooFew`] without scores, [`Error::Parameter`] for a level outside `(0, 1)`.
///
/// # Example
/// ```
/// use mercer::learner::diagnostics::coverage;
/// let found = coverage(&[0.5, -1.0, 2.5, 0.1], &[0.5, 0.95])?;
/// // z is 0.674 and 1.96.
/// assert_eq!((found[0].0, found[1].0), (0.5, 0.75));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn coverage(scores: &[f64], levels: &[f64]) -> Result<Vec<(f64, f64)>> {
    if scores.is_empty() {
        return Err(Error::too_few("coverage", "errors", 1, 0));
    }
    let n = scores.len() as f64;
    let one = |&level: &f64| {
        let z = quantile(level)?;
        let held = scores.iter().filter(|s| s.abs() <= z).count() as f64 / n;
        Ok((held, normal_quantile(0.975) * (level * (1.0 - level) / n).sqrt()))
    };
    levels.iter().map(one).collect()
}
