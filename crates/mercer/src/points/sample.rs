//! Samples that own their points.

use ndarray::{Array2, Axis};

use super::{Bags, Csr, Diagrams, Graphs, Mixed, Points, References, Strings};
use crate::{Error, Result};

/// A sample of points, owned: the twin of [`Points`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sample {
    /// Vectors: row `i` is the point `xᵢ ∈ ℝᵈ`.
    Vectors(Array2<f64>),
    /// Vectors that store their nonzero coordinates only.
    Sparse(Csr),
    /// Strings.
    Strings(Strings),
    /// Graphs.
    Graphs(Graphs),
    /// Bags of vectors.
    Bags(Bags),
    /// Persistence diagrams.
    Diagrams(Diagrams),
    /// Rows of a table with columns of any kind.
    Mixed(Mixed),
    /// Points known by their kernel values, one row for each.
    Precomputed(Array2<f64>),
    /// The points that precomputed kernel values refer to.
    References(References),
}

impl Sample {
    /// The points, borrowed.
    pub fn as_points(&self) -> Points<'_> {
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

    /// The number of points.
    pub fn len(&self) -> usize {
        self.as_points().len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points with these numbers, in this order.
    ///
    /// # Panics
    /// When there is no point of a number.
    pub fn taken(&self, rows: &[usize]) -> Self {
        Self::select(self.as_points(), rows)
    }

    /// Both samples as one, the points of the first before those of the second. Of precomputed kernel
    /// values a row has those with all points of both.
    ///
    /// # Errors
    /// [`Error::Shape`] for vectors with different numbers of columns, [`Error::Mismatch`] for
    /// points of different kinds.
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
        Ok(match (x, y) {
            (Points::Vectors(x), Points::Vectors(y)) => {
                let pooled = ndarray::concatenate(Axis(0), &[x, y])
                    .map_err(|_| Error::shape("columns of the second sample", x.ncols(), y.ncols()))?;
                Self::Vectors(pooled)
            }
            (Points::Sparse(x), Points::Sparse(y)) => Self::Sparse(x.pooled(y)?),
            (x @ (Points::Sparse(_) | Points::Vectors(_)), y @ (Points::Sparse(_) | Points::Vectors(_))) => {
                Self::Sparse(x.sparse()?.pooled(y.sparse()?.as_ref())?)
            }
            (Points::Strings(x), Points::Strings(y)) => Self::Strings(x.pooled(y)),
            (Points::Graphs(x), Points::Graphs(y)) => Self::Graphs(x.pooled(y)?),
            (Points::Bags(x), Points::Bags(y)) => Self::Bags(x.pooled(y)?),
            (Points::Diagrams(x), Points::Diagrams(y)) => Self::Diagrams(x.pooled(y)?),
            (Points::Precomputed(x), Points::Precomputed(y)) => {
                let n = x.nrows() + y.nrows();
                if let Some(wrong) = [x.ncols(), y.ncols()].into_iter().find(|columns| *columns != n) {
                    return Err(Error::shape(
                        "kernel values of a point",
                        format!("one per point of both samples ({n})"),
                        wrong,
                    ));
                }
                Self::Precomputed(
                    ndarray::concatenate(Axis(0), &[x, y])
                        .map_err(|e| Error::shape("kernel values of a point", n, e))?,
                )
            }
            (Points::Mixed(x), Points::Mixed(y)) => Self::Mixed(x.pooled(y)?),
            (x, y) => return Err(x.differs_from(&y)),
        })
    }

    /// The points with these numbers, in this order. Every number must be below the number of
    /// points. Of precomputed kernel values these are the values of the chosen points with each
    /// other.
    pub(crate) fn select(points: Points<'_>, rows: &[usize]) -> Self {
        match points {
            Points::Vectors(x) => Self::Vectors(x.select(Axis(0), rows)),
            Points::Sparse(all) => Self::Sparse(all.select(rows)),
            Points::Strings(strings) => Self::Strings(strings.select(rows)),
            Points::Graphs(graphs) => Self::Graphs(graphs.select(rows)),
            Points::Bags(bags) => Self::Bags(bags.select(rows)),
            Points::Diagrams(diagrams) => Self::Diagrams(diagrams.select(rows)),
            Points::Mixed(all) => Self::Mixed(all.select(rows)),
            Points::Precomputed(values) => Self::Precomputed(values.select(Axis(0), rows).select(Axis(1), rows)),
            Points::References(references) => Self::References(references.select(rows)),
        }
    }

    /// Some of the points, as new ones for a fit on others of them: of precomputed kernel values,
    /// those with the fitted points.
    pub(crate) fn select_new(points: Points<'_>, rows: &[usize], fitted: &[usize]) -> Self {
        match points {
            Points::Precomputed(values) => Self::Precomputed(values.select(Axis(0), rows).select(Axis(1), fitted)),
            points => Self::select(points, rows),
        }
    }

    /// What a fit keeps of its points: of precomputed kernel values only how many there were.
    pub(crate) fn kept(points: Points<'_>) -> Self {
        match points {
            Points::Precomputed(values) => Self::References(References::all(values.nrows())),
            points => points.into(),
        }
    }

    /// What a fit keeps of some of its points.
    pub(crate) fn kept_some(points: Points<'_>, rows: &[usize]) -> Self {
        match points {
            Points::Precomputed(values) => Self::References(References::all(values.nrows()).select(rows)),
            points => Self::select(points, rows),
        }
    }
}

impl From<Array2<f64>> for Sample {
    fn from(x: Array2<f64>) -> Self {
        Self::Vectors(x)
    }
}

impl From<Csr> for Sample {
    fn from(rows: Csr) -> Self {
        Self::Sparse(rows)
    }
}

impl From<Points<'_>> for Sample {
    fn from(points: Points<'_>) -> Self {
        match points {
            Points::Vectors(x) => Self::Vectors(x.to_owned()),
            Points::Sparse(rows) => Self::Sparse(rows.clone()),
            Points::Strings(strings) => Self::Strings(strings.clone()),
            Points::Graphs(graphs) => Self::Graphs(graphs.clone()),
            Points::Bags(bags) => Self::Bags(bags.clone()),
            Points::Diagrams(diagrams) => Self::Diagrams(diagrams.clone()),
            Points::Mixed(rows) => Self::Mixed(rows.clone()),
            Points::Precomputed(values) => Self::Precomputed(values.to_owned()),
            Points::References(references) => Self::References(references.clone()),
        }
    }
}

macro_rules! from_objects {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Sample {
            fn from(objects: $kind) -> Self {
                Self::$kind(objects)
            }
        })*
    };
}

from_objects!(Strings, Graphs, Bags, Diagrams, Mixed, References);
