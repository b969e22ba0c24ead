//! Points that are known by kernel values alone.

use crate::error::RecordProblem;
use crate::{Error, Result};

/// The points that precomputed kernel values refer to: a fit on a matrix of kernel values has no
/// other points. New points are rows of kernel values with all points of that matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct References {
    of: usize,
    kept: Option<Vec<usize>>,
}

impl References {
    /// All of so many points.
    pub fn all(of: usize) -> Self {
        Self { of, kept: None }
    }

    /// Some of so many points, by their numbers.
    ///
    /// # Errors
    /// [`Error::Record`] for a number that is not below `of`.
    pub fn some(of: usize, kept: Vec<usize>) -> Result<Self> {
        if kept.iter().any(|&row| row >= of) {
            let reason = format!("it refers to points beyond the {of} that there are");
            return Err(Error::record("list of points", RecordProblem::Damaged(reason)));
        }
        Ok(Self { of, kept: Some(kept) })
    }

    /// How many points the matrix had: a row of kernel values of a new point has as many.
    pub fn of(&self) -> usize {
        self.of
    }

    /// The numbers of the points, where they are not all.
    pub fn kept(&self) -> Option<&[usize]> {
        self.kept.as_deref()
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.kept.as_ref().map_or(self.of, Vec::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some of these points, in this order.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let number = |row: &usize| self.kept.as_ref().map_or(*row, |kept| kept[*row]);
        Self { of: self.of, kept: Some(rows.iter().map(number).collect()) }
    }
}
