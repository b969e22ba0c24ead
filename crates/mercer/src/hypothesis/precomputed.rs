//! Checks that several tests share: matrices of precomputed kernel values.

use ndarray::ArrayView2;

use crate::error::PrecomputedNeed;
use crate::gram::Tiles;
use crate::measure::check_sizes;
use crate::points::PointKind;
use crate::{Error, Kernel, Points, Result};

/// A symmetric matrix of finite kernel values of one sample, of at least `least` points; `name` is
/// used in errors.
///
/// # Errors
/// [`Error::Shape`], [`Error::TooFew`] or [`Error::Precomputed`]; [`Error::Value`] for NaN and
/// infinities.
pub(super) fn check_values(name: &str, values: ArrayView2<'_, f64>, least: usize) -> Result<()> {
    let n = values.nrows();
    if values.ncols() != n {
        return Err(Error::shape(&format!("columns of the {name}"), format!("one per row ({n})"), values.ncols()));
    }
    if n < least {
        return Err(Error::too_few("this test", format!("points of the {name}"), least, n));
    }
    Points::Vectors(values.view()).check_finite(name)?;
    if (0..n).any(|i| (0..i).any(|j| values[[i, j]] != values[[j, i]])) {
        return Err(not_symmetric());
    }
    Ok(())
}

/// A variable of at least `least` points, or a symmetric matrix of their kernel values; how many
/// there are.
///
/// # Errors
/// As [`check_values`].
pub(super) fn check_variable(name: &str, points: Points<'_>, least: usize) -> Result<usize> {
    match points {
        Points::Precomputed(values) => check_values(name, values, least)?,
        points => check_sizes(&[(name, points)], least)?,
    }
    Ok(points.len())
}

/// Kernel values of one sample.
///
/// # Errors
/// [`Error::Precomputed`] unless the matrix is symmetric.
pub(super) fn check_symmetric(tiles: &dyn Tiles) -> Result<()> {
    if tiles.symmetric() { Ok(()) } else { Err(not_symmetric()) }
}

/// Points as the kernel of a variable takes them; a test on kernel values has its kernels named.
///
/// # Errors
/// [`Error::Precomputed`] for kernel values without a kernel.
pub(super) fn variable<'a>(kernel: Option<&Kernel>, points: Points<'a>) -> Result<Points<'a>> {
    match kernel {
        Some(kernel) => Ok(kernel.points(points)),
        None if points.kind() == PointKind::Precomputed => {
            Err(Error::precomputed("a test on kernel values", PrecomputedNeed::Values))
        }
        None => Ok(points),
    }
}

fn not_symmetric() -> Error {
    Error::precomputed("a test on kernel values", PrecomputedNeed::Symmetric)
}
