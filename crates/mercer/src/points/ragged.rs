//! Groups of rows of one matrix: what bags and persistence diagrams are made of.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use crate::error::RecordProblem;
use crate::{Error, Result};

/// Rows in groups that follow each other: group `i` ends before row `ends[i]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ragged {
    rows: Array2<f64>,
    ends: Vec<usize>,
}

impl Ragged {
    /// Groups given one by one; `what` names a group in errors.
    pub(crate) fn new(groups: &[ArrayView2<'_, f64>], what: &str) -> Result<Self> {
        let columns = groups.first().map_or(0, |group| group.ncols());
        if let Some((at, group)) = groups.iter().enumerate().find(|(_, group)| group.ncols() != columns) {
            return Err(Error::shape(&format!("columns of {what} {at}"), columns, group.ncols()));
        }
        let ends = groups.iter().scan(0, |end, group| {
            *end += group.nrows();
            Some(*end)
        });
        let ends = ends.collect();
        let rows = match groups.is_empty() {
            true => Array2::zeros((0, 0)),
            false => {
                concatenate(Axis(0), groups).map_err(|e| Error::shape(&format!("columns of a {what}"), columns, e))?
            }
        };
        Ok(Self { rows, ends })
    }

    /// Rows and the ends of their groups, as a file has them.
    pub(crate) fn from_parts(rows: Array2<f64>, ends: Vec<usize>, part: &str) -> Result<Self> {
        let ascending = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ascending || ends.last().copied().unwrap_or(0) != rows.nrows() {
            return Err(Error::record(part, RecordProblem::Damaged("the ends of its groups do not fit".into())));
        }
        Ok(Self { rows, ends })
    }

    /// Every row as a group of its own.
    pub(crate) fn singles(&self) -> Self {
        Self { rows: self.rows.clone(), ends: (1..=self.rows.nrows()).collect() }
    }

    /// The number of groups.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The rows of all groups.
    pub(crate) fn rows(&self) -> ArrayView2<'_, f64> {
        self.rows.view()
    }

    /// The ends of the groups.
    pub(crate) fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// The numbers of the rows of a group.
    pub(crate) fn range(&self, group: usize) -> Range<usize> {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[group]
    }

    /// The rows of a group.
    pub(crate) fn group(&self, group: usize) -> ArrayView2<'_, f64> {
        self.rows.slice(s![self.range(group), ..])
    }

    /// The numbers of the rows of some groups.
    pub(crate) fn row_numbers(&self, groups: &[usize]) -> Vec<usize> {
        groups.iter().flat_map(|&group| self.range(group)).collect()
    }

    /// Some of the groups, in this order.
    pub(crate) fn select(&self, groups: &[usize]) -> Self {
        let ends = groups.iter().scan(0, |end, &group| {
            *end += self.range(group).len();
            Some(*end)
        });
        Self { ends: ends.collect(), rows: self.rows.select(Axis(0), &self.row_numbers(groups)) }
    }

    /// The groups of both, those of the first before those of the second.
    pub(crate) fn pooled(&self, other: &Self, what: &str) -> Result<Self> {
        if self.len() == 0 || other.len() == 0 {
            return Ok(if self.len() == 0 { other.clone() } else { self.clone() });
        }
        let rows = concatenate(Axis(0), &[self.rows(), other.rows()]).map_err(|_| {
            Error::shape(&format!("columns of the {what} of the second sample"), self.rows.ncols(), other.rows.ncols())
        })?;
        let ends = self.ends.iter().copied().chain(other.ends.iter().map(|end| end + self.rows.nrows())).collect();
        Ok(Self { rows, ends })
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        8 * (self.rows.len() + self.ends.len()) as u64
    }
}
