//! Some points of a sample that follow each other.

use std::ops::Range;

use ndarray::s;

use super::{Points, Sample};

/// Points that follow each other: vectors are borrowed, objects copied.
#[derive(Debug)]
pub(crate) enum Part<'a> {
    Borrowed(Points<'a>),
    Owned(Sample),
}

impl Part<'_> {
    /// The points.
    pub(crate) fn as_points(&self) -> Points<'_> {
        match self {
            Self::Borrowed(points) => points.reborrow(),
            Self::Owned(sample) => sample.as_points(),
        }
    }
}

impl<'a> Points<'a> {
    /// The points with the numbers of a range, as new points of a fit.
    pub(crate) fn part(&self, rows: Range<usize>) -> Part<'a> {
        match *self {
            Self::Vectors(x) => Part::Borrowed(Points::Vectors(x.slice_move(s![rows, ..]))),
            Self::Precomputed(x) => Part::Borrowed(Points::Precomputed(x.slice_move(s![rows, ..]))),
            points => Part::Owned(Sample::select(points, &rows.collect::<Vec<_>>())),
        }
    }
}
