//! 𝒳: the data of kernels. Points are borrowed, a [`Sample`] owns its data; a [`Table`] has named
//! columns, and an [`Encoding`] turns a table into vectors.

mod encoding;
mod moments;
mod reservoir;
mod scaling;
mod select;
mod summary;
mod table;

use ndarray::{Array2, ArrayView2};

use crate::error::Requirement;
use crate::{Error, Result};

pub use encoding::{Encoded, EncodedColumn, Encoding, EncodingSurvey, FittedEncoding, Missing};
pub use reservoir::Reservoir;
pub use scaling::{Affine, Scaling};
pub use select::ColumnSelector;
pub use summary::{ColumnKind, ColumnSummary, NumberSummary};
pub(crate) use table::category_codes;
pub use table::{Column, ColumnData, Table};

/// A sample of points, borrowed. Rows of a matrix are points of `ℝᵈ`.
///
/// # Example
/// ```
/// use mercer::points::Points;
/// use ndarray::array;
/// let x = array![[0.0, 1.0], [2.0, f64::NAN]];
/// let points = Points::from(&x);
/// assert_eq!(points.len(), 2);
/// let error = points.check_finite("x").unwrap_err();
/// assert_eq!(error.to_string(), "x: row 1, column 1 holds NaN: it must be a finite number");
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Points<'a> {
    /// Vectors: row `i` is the point `xᵢ ∈ ℝᵈ`.
    Vectors(ArrayView2<'a, f64>),
}

impl<'a> Points<'a> {
    /// The number of points.
    pub fn len(&self) -> usize {
        match self {
            Self::Vectors(x) => x.nrows(),
        }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The matrix whose rows are the points.
    ///
    /// # Errors
    /// [`Error::Request`] if the points are not vectors.
    pub fn vectors(&self) -> Result<ArrayView2<'a, f64>> {
        match self {
            Self::Vectors(x) => Ok(*x),
        }
    }

    /// The same points, borrowed for a shorter time.
    pub fn reborrow(&self) -> Points<'_> {
        match self {
            Self::Vectors(x) => Points::Vectors(x.view()),
        }
    }

    /// Refuses missing and infinite values; `what` names the sample in the error.
    ///
    /// # Cost
    /// One pass over the memory, with no branch per value.
    ///
    /// # Errors
    /// [`Error::Value`] with the row and the column of the first value that is not finite.
    pub fn check_finite(&self, what: &str) -> Result<()> {
        match self {
            Self::Vectors(x) => check_finite(*x, what),
        }
    }
}

impl<'a> From<ArrayView2<'a, f64>> for Points<'a> {
    fn from(x: ArrayView2<'a, f64>) -> Self {
        Self::Vectors(x)
    }
}

impl<'a> From<&'a Array2<f64>> for Points<'a> {
    fn from(x: &'a Array2<f64>) -> Self {
        Self::Vectors(x.view())
    }
}

/// A sample of points, owned: the twin of [`Points`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sample {
    /// Vectors: row `i` is the point `xᵢ ∈ ℝᵈ`.
    Vectors(Array2<f64>),
}

impl Sample {
    /// The points, borrowed.
    pub fn as_points(&self) -> Points<'_> {
        match self {
            Self::Vectors(x) => Points::Vectors(x.view()),
        }
    }
}

impl Sample {
    /// Both samples as one, the points of the first before those of the second.
    ///
    /// # Errors
    /// [`Error::Shape`] when the points are of different kinds: vectors with different numbers of
    /// columns.
    ///
    /// # Example
    /// ```
    /// use mercer::{Points, Sample};
    /// use ndarray::array;
    /// let pooled = Sample::pooled(Points::from(&array![[1.0], [2.0]]), Points::from(&array![[3.0]]))?;
    /// assert_eq!(pooled, Sample::from(array![[1.0], [2.0], [3.0]]));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn pooled(x: Points<'_>, y: Points<'_>) -> Result<Self> {
        let (Points::Vectors(x), Points::Vectors(y)) = (x, y);
        let pooled = ndarray::concatenate(ndarray::Axis(0), &[x, y])
            .map_err(|_| Error::shape("columns of the second sample", x.ncols(), y.ncols()))?;
        Ok(Self::Vectors(pooled))
    }

    /// The points with these numbers, in this order. Every number must be below the number of
    /// points.
    pub(crate) fn select(points: Points<'_>, rows: &[usize]) -> Self {
        match points {
            Points::Vectors(x) => Self::Vectors(x.select(ndarray::Axis(0), rows)),
        }
    }
}

impl From<Array2<f64>> for Sample {
    fn from(x: Array2<f64>) -> Self {
        Self::Vectors(x)
    }
}

impl From<Points<'_>> for Sample {
    fn from(points: Points<'_>) -> Self {
        match points {
            Points::Vectors(x) => Self::Vectors(x.to_owned()),
        }
    }
}

fn check_finite(x: ArrayView2<'_, f64>, what: &str) -> Result<()> {
    let all_finite = match x.as_slice_memory_order() {
        Some(values) => values.chunks(4096).all(chunk_is_finite),
        None => x.rows().into_iter().all(|row| row.iter().all(|v| v.is_finite())),
    };
    if all_finite { Ok(()) } else { Err(first_not_finite(x, what)) }
}

/// Whether every value is finite: written without a branch per value, so that it becomes SIMD code.
fn chunk_is_finite(values: &[f64]) -> bool {
    !values.iter().fold(false, |bad, v| bad | !v.is_finite())
}

fn first_not_finite(x: ArrayView2<'_, f64>, what: &str) -> Error {
    let found = x.indexed_iter().find(|(_, v)| !v.is_finite());
    let ((row, column), value) = found.expect("called only when some value is not finite");
    Error::value(what, (row, column), value, Requirement::Finite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{ShapeBuilder, s};

    fn position_of_error(x: ArrayView2<'_, f64>) -> Option<(usize, String)> {
        match Points::from(x).check_finite("x") {
            Ok(()) => None,
            Err(Error::Value { row, column, .. }) => Some((row, column)),
            Err(other) => panic!("unexpected error {other}"),
        }
    }

    #[test]
    fn non_finite_values_are_found_in_every_layout() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut x = Array2::<f64>::zeros((100, 100));
            assert_eq!(position_of_error(x.view()), None);
            x[[97, 3]] = bad;
            let mut fortran = Array2::<f64>::zeros((100, 100).f());
            fortran.assign(&x);
            assert_eq!(position_of_error(x.view()), Some((97, "3".into())));
            assert_eq!(position_of_error(fortran.view()), Some((97, "3".into())));
            assert_eq!(position_of_error(x.slice(s![1..;2, ..;3])), Some((48, "1".into())));
            assert_eq!(position_of_error(x.slice(s![..;2, ..])), None);
        }
    }

    #[test]
    fn empty_points_are_finite_and_empty() {
        let x = Array2::<f64>::zeros((0, 3));
        assert!(Points::from(&x).is_empty());
        assert!(Points::from(&x).check_finite("x").is_ok());
        assert_eq!(Points::from(&x).vectors().unwrap().ncols(), 3);
    }

    #[test]
    fn a_sample_is_its_points() {
        let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
        let sample = Sample::from(Points::from(&x));
        assert_eq!(sample, Sample::from(x.clone()));
        assert_eq!(sample.as_points().vectors().unwrap(), x.view());
    }
}
