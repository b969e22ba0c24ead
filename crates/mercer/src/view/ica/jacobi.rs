//! Sweeps of rotations in the planes of two axes: a search over all angles of each plane.

use std::f64::consts::FRAC_PI_2;

use ndarray::{Array2, ArrayView2, Axis, s};

use super::contrast::Measure;
use super::whiten::rotate_rows;
use crate::{Compute, Result};

/// Angles of a quarter turn at which the contrast of two axes is computed: contrasts have one or two
/// minima there, some 20° wide. Not tuned.
const ANGLES: usize = 16;
/// The width of the interval at which the search for the angle ends, in parts of a quarter turn. The
/// gradient steps behind it are exact.
const WIDTH: f64 = 1e-2;
/// A sweep whose angles are all smaller than this is the last one.
const STILL: f64 = 0.02;
/// The golden section.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Where the sweeps ended.
pub(super) struct Swept {
    /// `R`: the components are `y = Rz`.
    pub(super) rotation: Array2<f64>,
    /// How many sweeps.
    pub(super) sweeps: usize,
}

/// Rotates pairs of axes of `y = Rz` until none lowers the contrast of its pair, or `most` sweeps are
/// made.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled).
pub(super) fn sweep(
    z: ArrayView2<f64>,
    mut rotation: Array2<f64>,
    measure: &Measure,
    most: usize,
    compute: &Compute,
) -> Result<Swept> {
    let m = z.ncols();
    let mut sweeps = 0;
    while sweeps < most {
        let mut largest = 0.0_f64;
        for i in 0..m {
            for j in i + 1..m {
                compute.check_canceled()?;
                let pair = z.dot(&rotation.select(Axis(0), &[i, j]).t());
                let angle = best_angle(pair.view(), measure, compute)?;
                rotate_rows(&mut rotation, (i, j), angle);
                largest = largest.max(angle.abs());
            }
        }
        sweeps += 1;
        // The only plane of two axes was searched as a whole.
        if largest < STILL || m <= 2 {
            break;
        }
    }
    Ok(Swept { rotation, sweeps })
}

/// The angle from −45° to 45° of the smallest contrast of two components: a scan, then a golden
/// section around the best.
fn best_angle(pair: ArrayView2<f64>, measure: &Measure, compute: &Compute) -> Result<f64> {
    let at = |angle: f64| contrast_at(pair, angle, measure, compute);
    let step = FRAC_PI_2 / ANGLES as f64;
    // In this order the smallest angle is the first of equals.
    let place = |k: usize| step * if k.is_multiple_of(2) { (k / 2) as f64 } else { -(k.div_ceil(2) as f64) };
    let values = compute.try_map_tasks(ANGLES, |k| at(place(k)))?;
    let best = (0..ANGLES).fold(0, |best, k| if values[k] < values[best] { k } else { best });
    let (mut low, mut high) = (place(best) - step, place(best) + step);
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_left, mut at_right) = (at(left)?, at(right)?);
    while high - low > WIDTH * FRAC_PI_2 {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = at(left)?;
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = at(right)?;
        }
    }
    let (found, value) = if at_left <= at_right { (left, at_left) } else { (right, at_right) };
    Ok(if value < values[best] { found } else { place(best) })
}

/// The contrast of two components rotated by an angle.
fn contrast_at(pair: ArrayView2<f64>, angle: f64, measure: &Measure, compute: &Compute) -> Result<f64> {
    let (sin, cos) = angle.sin_cos();
    let (first, second) = (pair.slice(s![.., 0]), pair.slice(s![.., 1]));
    let mut rotated = Array2::zeros(pair.dim());
    rotated.column_mut(0).assign(&(&first * cos + &second * sin));
    rotated.column_mut(1).assign(&(&second * cos - &first * sin));
    measure.value(rotated.view(), compute)
}
