//! Checks that several tests share: matrices of precomputed kernel values.

use ndarray::ArrayView2;

use crate::error::PrecomputedNeed;
use crate::gram::{Pairs, Tiles};
use crate::measure::check_sizes;
use crate::{Error, Points, Result};

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
    crate::Points::Vectors(values.view()).check_finite(name)?;
    if (0..n).any(|i| (0..i).any(|j| values[[i, j]] != values[[j, i]])) {
        return Err(not_symmetric());
    }
    Ok(())
}

/// A variable of at least `least` points, from its points or from its kernel values; how many there
/// are.
///
/// # Errors
/// As [`check_values`].
pub(super) fn check_variable(name: &str, pairs: Pairs<'_>, least: usize) -> Result<usize> {
    match pairs {
        Pairs::Within(Points::Precomputed(values)) => check_values(name, values, least).map(|()| values.nrows()),
        Pairs::Within(points) => check_sizes(&[(name, points)], least).map(|()| points.len()),
        Pairs::Between(..) => Err(Error::unsupported(
            "test",
            "pairs between two samples",
            "a variable is one sample",
            "give points or a square matrix of kernel values",
        )),
    }
}

/// Kernel values of one sample.
///
/// # Errors
/// [`Error::Precomputed`] unless the matrix is symmetric.
pub(super) fn check_symmetric(tiles: &dyn Tiles) -> Result<()> {
    if tiles.symmetric() { Ok(()) } else { Err(not_symmetric()) }
}

/// A test on kernel values has its kernels named.
///
/// # Errors
/// [`Error::Precomputed`] when one is missing.
pub(super) fn require_kernels(present: bool) -> Result<()> {
    if present { Ok(()) } else { Err(Error::precomputed("a test on kernel values", PrecomputedNeed::Values)) }
}

fn not_symmetric() -> Error {
    Error::precomputed("a test on kernel values", PrecomputedNeed::Symmetric)
}
