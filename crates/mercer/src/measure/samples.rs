//! Checks of samples.

use crate::error::Remedy;
use crate::gram::{Bound, Pairs};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Two samples as one, the first before the second.
pub(crate) struct Pooled {
    sample: Sample,
    first: usize,
}

impl Pooled {
    /// Pools two samples of at least `least` points each.
    ///
    /// # Errors
    /// [`Error::Shape`] for too few points or different columns, [`Error::Value`] for NaN and
    /// infinities.
    pub(crate) fn new(x: Points<'_>, y: Points<'_>, least: usize) -> Result<Self> {
        check_sizes(&[("first sample", x.reborrow()), ("second sample", y.reborrow())], least)?;
        Ok(Self { sample: Sample::pooled(x.reborrow(), y.reborrow())?, first: x.len() })
    }

    /// The number of points of the first sample.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The points of both samples.
    pub(crate) fn points(&self) -> Points<'_> {
        self.sample.as_points()
    }

    /// The kernel on all pairs; medians are those of the pooled sample.
    pub(crate) fn bind(&self, kernel: &Kernel, compute: &Compute) -> Result<Bound<'_>> {
        kernel.bind(Pairs::Within(self.points()), compute)
    }
}

/// Every sample has at least `least` points, and finite values.
pub(crate) fn check_sizes(samples: &[(&str, Points<'_>)], least: usize) -> Result<()> {
    for (name, points) in samples {
        if points.len() < least {
            return Err(Error::too_few("this method", format!("points of the {name}"), least, points.len()));
        }
        points.check_finite(name)?;
    }
    Ok(())
}

/// A statistic that is a number: sums of huge kernel values overflow.
pub(crate) fn finite(what: &str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::undefined(what, Remedy::Rescale)) }
}

/// The same number of rows in every sample.
pub(crate) fn check_same_rows(samples: &[(&str, usize)]) -> Result<()> {
    let expected = samples.first().map_or(0, |(_, rows)| *rows);
    match samples.iter().find(|(_, rows)| *rows != expected) {
        Some((name, rows)) => {
            Err(Error::shape(&format!("rows of {name}"), format!("one per row of x ({expected})"), rows))
        }
        None => Ok(()),
    }
}
