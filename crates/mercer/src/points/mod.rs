//! 𝒳: the data of kernels. Points are borrowed, a [`Sample`] owns its data; a [`Table`] has named
//! columns, and an [`Encoding`] turns a table into vectors.

mod bags;
mod csr;
mod describe;
mod diagrams;
mod encoding;
mod graphs;
mod grouped;
mod join;
mod mixed;
mod moments;
mod part;
mod ragged;
mod references;
mod repeated;
mod reservoir;
mod sample;
mod scaling;
mod select;
mod size;
mod strings;
mod summary;
mod table;

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2};

use crate::error::{PrecomputedNeed, Requirement};
use crate::{Error, Result};

pub use bags::Bags;
pub use csr::Csr;
pub use diagrams::Diagrams;
pub use encoding::{Encoded, EncodedColumn, Encoding, EncodingSurvey, FittedEncoding, Missing};
pub use graphs::{Graph, GraphView, Graphs, Label, Labels};
pub(crate) use graphs::{GraphsParts, LabelParts};
pub use mixed::Mixed;
pub use references::References;
pub use reservoir::Reservoir;
pub use sample::Sample;
pub use scaling::{Affine, Scaling};
pub use select::ColumnSelector;
pub use size::Size;
pub use strings::Strings;
pub use summary::{ColumnKind, ColumnSummary, NumberSummary};
pub(crate) use table::category_codes;
pub use table::{Column, ColumnData, Table};

/// A sample of points, borrowed. Rows of a matrix are points of `ℝᵈ`; everything else has a type of
/// its own.
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
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Points<'a> {
    /// Vectors: row `i` is the point `xᵢ ∈ ℝᵈ`.
    Vectors(ArrayView2<'a, f64>),
    /// Vectors that store their nonzero coordinates only.
    Sparse(&'a Csr),
    /// Strings.
    Strings(&'a Strings),
    /// Graphs.
    Graphs(&'a Graphs),
    /// Bags of vectors.
    Bags(&'a Bags),
    /// Persistence diagrams.
    Diagrams(&'a Diagrams),
    /// Rows of a table with columns of any kind.
    Mixed(&'a Mixed),
    /// Points known by their kernel values: row `i` holds the values of point `i` with the points
    /// that were fitted, or with each other.
    Precomputed(ArrayView2<'a, f64>),
    /// The points that precomputed kernel values refer to.
    References(&'a References),
}

impl<'a> Points<'a> {
    /// The number of points.
    pub fn len(&self) -> usize {
        match self {
            Self::Vectors(x) => x.nrows(),
            Self::Sparse(rows) => rows.len(),
            Self::Strings(strings) => strings.len(),
            Self::Graphs(graphs) => graphs.len(),
            Self::Bags(bags) => bags.len(),
            Self::Diagrams(diagrams) => diagrams.len(),
            Self::Mixed(rows) => rows.len(),
            Self::Precomputed(values) => values.nrows(),
            Self::References(references) => references.len(),
        }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the points are.
    pub fn kind(&self) -> PointKind {
        match self {
            Self::Vectors(_) => PointKind::Vectors,
            Self::Sparse(_) => PointKind::Sparse,
            Self::Strings(_) => PointKind::Strings,
            Self::Graphs(_) => PointKind::Graphs,
            Self::Bags(_) => PointKind::Bags,
            Self::Diagrams(_) => PointKind::Diagrams,
            Self::Mixed(_) => PointKind::Mixed,
            Self::Precomputed(_) | Self::References(_) => PointKind::Precomputed,
        }
    }

    /// Whether the points are vectors, dense or sparse.
    pub fn is_vectors(&self) -> bool {
        matches!(self, Self::Vectors(_) | Self::Sparse(_))
    }

    /// The numbers that a point consists of: the columns of vectors, 1 for an object.
    pub fn columns(&self) -> usize {
        match self {
            Self::Vectors(x) | Self::Precomputed(x) => x.ncols(),
            Self::Sparse(rows) => rows.width(),
            Self::References(references) => references.of(),
            _ => 1,
        }
    }

    /// Bytes that a copy of the points takes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Vectors(x) => 8 * x.len() as u64,
            Self::Sparse(rows) => rows.bytes(),
            Self::Strings(strings) => strings.bytes(),
            Self::Graphs(graphs) => graphs.bytes(),
            Self::Bags(bags) => bags.bytes(),
            Self::Diagrams(diagrams) => diagrams.bytes(),
            Self::Mixed(rows) => rows.bytes(),
            Self::Precomputed(values) => 8 * values.len() as u64,
            Self::References(references) => 8 * references.len() as u64,
        }
    }

    /// Refuses precomputed kernel values that are no square matrix: rows of them cannot be chosen.
    pub(crate) fn check_square(&self) -> Result<()> {
        match self {
            Self::Precomputed(values) if !values.is_square() => {
                Err(Error::shape("precomputed kernel values", "a square matrix", format_args!("{:?}", values.dim())))
            }
            _ => Ok(()),
        }
    }

    /// The matrix whose rows are the points.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] if the points are not dense vectors, [`Error::Precomputed`] if only kernel
    /// values are known of them.
    pub fn vectors(&self) -> Result<ArrayView2<'a, f64>> {
        match self {
            Self::Vectors(x) => Ok(*x),
            Self::Precomputed(_) | Self::References(_) => {
                Err(Error::precomputed("this method", PrecomputedNeed::Points))
            }
            other => Err(Error::wrong_points("this method", PointKind::Vectors, other.kind())),
        }
    }

    /// The points as sparse vectors: dense vectors are copied.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] if they are something else, [`Error::Value`] for NaN and infinities.
    pub fn sparse(&self) -> Result<Cow<'a, Csr>> {
        match self {
            Self::Sparse(rows) => Ok(Cow::Borrowed(rows)),
            Self::Vectors(x) => Csr::from_dense(*x).map(Cow::Owned),
            _ => Err(self.wrong(PointKind::Sparse)),
        }
    }

    /// The points as strings.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] if they are something else.
    pub fn strings(&self) -> Result<&'a Strings> {
        if let Self::Strings(strings) = self { Ok(strings) } else { Err(self.wrong(PointKind::Strings)) }
    }

    /// The points as graphs.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] if they are something else.
    pub fn graphs(&self) -> Result<&'a Graphs> {
        if let Self::Graphs(graphs) = self { Ok(graphs) } else { Err(self.wrong(PointKind::Graphs)) }
    }

    /// The points as bags.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] if they are something else.
    pub fn bags(&self) -> Result<&'a Bags> {
        if let Self::Bags(bags) = self { Ok(bags) } else { Err(self.wrong(PointKind::Bags)) }
    }

    /// The points as persistence diagrams.
    ///
    /// # Errors
    /// [`Error::WrongPoints`] if they are something else.
    pub fn diagrams(&self) -> Result<&'a Diagrams> {
        if let Self::Diagrams(diagrams) = self { Ok(diagrams) } else { Err(self.wrong(PointKind::Diagrams)) }
    }

    fn wrong(&self, takes: PointKind) -> Error {
        Error::wrong_points("this method", takes, self.kind())
    }

    /// The same points, borrowed for a shorter time.
    pub fn reborrow(&self) -> Points<'_> {
        match self {
            Self::Vectors(x) => Points::Vectors(x.view()),
            Self::Sparse(rows) => Points::Sparse(rows),
            Self::Strings(strings) => Points::Strings(strings),
            Self::Graphs(graphs) => Points::Graphs(graphs),
            Self::Bags(bags) => Points::Bags(bags),
            Self::Diagrams(diagrams) => Points::Diagrams(diagrams),
            Self::Mixed(rows) => Points::Mixed(rows),
            Self::Precomputed(values) => Points::Precomputed(values.view()),
            Self::References(references) => Points::References(references),
        }
    }

    /// Refuses missing and infinite values; `what` names the sample in the error. Points of other
    /// kinds than vectors were checked when they were made.
    ///
    /// # Cost
    /// One pass over the memory, with no branch per value.
    ///
    /// # Errors
    /// [`Error::Value`] with the row and the column of the first value that is not finite.
    pub fn check_finite(&self, what: &str) -> Result<()> {
        match self {
            Self::Vectors(x) | Self::Precomputed(x) => check_finite(*x, what),
            _ => Ok(()),
        }
    }

    /// The error for a second sample of another kind.
    pub(crate) fn differs_from(&self, other: &Points<'_>) -> Error {
        Error::mismatch(
            "the samples have points of different kinds",
            format!("the first holds {}", self.kind()),
            format!("the second {}", other.kind()),
            "give both as points of one kind",
        )
    }
}

/// What points are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PointKind {
    /// Vectors of numbers.
    Vectors,
    /// Vectors that store their nonzero coordinates only.
    Sparse,
    /// Strings.
    Strings,
    /// Graphs.
    Graphs,
    /// Bags of vectors.
    Bags,
    /// Persistence diagrams.
    Diagrams,
    /// Rows of a table with columns of any kind.
    Mixed,
    /// Precomputed kernel values.
    Precomputed,
}

impl PointKind {
    /// Whether the points are something else than vectors (dense or sparse) or kernel values.
    pub fn is_object(self) -> bool {
        !matches!(self, Self::Vectors | Self::Sparse | Self::Precomputed)
    }
}

impl std::fmt::Display for PointKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Vectors => "vectors",
            Self::Sparse => "sparse vectors",
            Self::Strings => "strings",
            Self::Graphs => "graphs",
            Self::Bags => "bags",
            Self::Diagrams => "persistence diagrams",
            Self::Mixed => "rows of a table",
            Self::Precomputed => "precomputed kernel values",
        })
    }
}

macro_rules! from_objects {
    ($($kind:ident),*) => {
        $(impl<'a> From<&'a $kind> for Points<'a> {
            fn from(objects: &'a $kind) -> Self {
                Self::$kind(objects)
            }
        })*
    };
}

impl<'a> From<&'a Csr> for Points<'a> {
    fn from(rows: &'a Csr) -> Self {
        Self::Sparse(rows)
    }
}

from_objects!(Strings, Graphs, Bags, Diagrams, Mixed, References);

impl<'a> From<&'a Sample> for Points<'a> {
    fn from(sample: &'a Sample) -> Self {
        sample.as_points()
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
