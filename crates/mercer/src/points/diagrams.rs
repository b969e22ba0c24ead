//! Persistence diagrams: points that are multisets of intervals of birth and death.

use ndarray::{Array2, ArrayView2};

use super::ragged::Ragged;
use crate::error::Requirement;
use crate::{Error, Result};

/// A sample of persistence diagrams: each is a list of intervals `(birth, death)`. An empty diagram
/// is a point.
///
/// # Example
/// ```
/// use mercer::points::Diagrams;
/// use ndarray::array;
/// let diagrams = Diagrams::new(&[array![[0.0, 1.0], [0.5, 2.0]].view(), array![[0.0, 3.0]].view()], None)?;
/// assert_eq!((diagrams.len(), diagrams.diagram(0).nrows()), (2, 2));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Diagrams {
    intervals: Ragged,
}

impl Diagrams {
    /// Diagrams given one by one, with a row `(birth, death)` per interval. Infinite deaths are
    /// replaced by `infinity`, and refused without it.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are two columns, [`Error::Value`] for NaN, for infinite
    /// values, and for a death before its birth.
    pub fn new(diagrams: &[ArrayView2<'_, f64>], infinity: Option<f64>) -> Result<Self> {
        let clipped: Vec<Array2<f64>> = diagrams
            .iter()
            .enumerate()
            .map(|(at, diagram)| intervals(at, *diagram, infinity))
            .collect::<Result<_>>()?;
        if clipped.is_empty() {
            return Self::from_parts(Array2::zeros((0, 2)), Vec::new());
        }
        let views: Vec<_> = clipped.iter().map(|diagram| diagram.view()).collect();
        Ok(Self { intervals: Ragged::new(&views, "diagram")? })
    }

    /// The number of diagrams.
    pub fn len(&self) -> usize {
        self.intervals.len()
    }

    /// Whether there is no diagram.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The intervals of a diagram, one per row.
    ///
    /// # Panics
    /// When there is no such diagram.
    pub fn diagram(&self, diagram: usize) -> ArrayView2<'_, f64> {
        self.intervals.group(diagram)
    }

    /// The intervals of all diagrams, one after the other.
    pub fn intervals(&self) -> ArrayView2<'_, f64> {
        self.intervals.rows()
    }

    /// The numbers of the intervals of a diagram among [`Diagrams::intervals`].
    ///
    /// # Panics
    /// When there is no such diagram.
    pub fn range(&self, diagram: usize) -> std::ops::Range<usize> {
        self.intervals.range(diagram)
    }

    /// Some of the diagrams, in this order.
    pub(crate) fn select(&self, diagrams: &[usize]) -> Self {
        Self { intervals: self.intervals.select(diagrams) }
    }

    /// The diagrams of both.
    pub(crate) fn pooled(&self, other: &Self) -> Result<Self> {
        Ok(Self { intervals: self.intervals.pooled(&other.intervals, "diagrams")? })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.intervals.bytes()
    }

    /// Intervals and the ends of the diagrams, for a file.
    pub(crate) fn parts(&self) -> (ArrayView2<'_, f64>, &[usize]) {
        (self.intervals.rows(), self.intervals.ends())
    }

    /// Diagrams from a file.
    pub(crate) fn from_parts(rows: Array2<f64>, ends: Vec<usize>) -> Result<Self> {
        let intervals = Ragged::from_parts(self::intervals(0, rows.view(), None)?, ends, "diagrams")?;
        Ok(Self { intervals })
    }
}

/// The intervals of one diagram, checked; infinite deaths replaced.
fn intervals(at: usize, diagram: ArrayView2<'_, f64>, infinity: Option<f64>) -> Result<Array2<f64>> {
    let what = format!("diagram {at}");
    // An empty list has no columns to count.
    if diagram.nrows() == 0 {
        return Ok(Array2::zeros((0, 2)));
    }
    if diagram.ncols() != 2 {
        return Err(Error::shape(&format!("columns of {what}"), "2 (birth and death)", diagram.ncols()));
    }
    let mut checked = diagram.to_owned();
    for (row, mut interval) in checked.rows_mut().into_iter().enumerate() {
        if interval[1] == f64::INFINITY {
            let Some(infinity) = infinity else {
                let finite = "it must be finite: give infinity=value to cut intervals that never end";
                return Err(Error::value(what, (row, 1), f64::INFINITY, Requirement::from(finite)));
            };
            interval[1] = infinity;
        }
        if let Some(column) = interval.iter().position(|v| !v.is_finite()) {
            return Err(Error::value(what, (row, column), interval[column], Requirement::Finite));
        }
        if interval[1] < interval[0] {
            return Err(Error::value(what, (row, 1), interval[1], Requirement::from("it must be at least the birth")));
        }
    }
    Ok(checked)
}
