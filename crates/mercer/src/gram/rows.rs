//! Which rows of a matrix a tile holds.

use std::ops::Range;

/// Rows of a tile: neighbors, or any list. Solvers that work on a few rows at a time use lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows<'r> {
    /// Rows one after the other.
    Range(Range<usize>),
    /// Rows in any order.
    List(&'r [usize]),
}

impl Rows<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List(rows) => rows.len(),
        }
    }

    /// The row of the matrix that is row `at` of the tile.
    pub fn get(&self, at: usize) -> usize {
        match self {
            Self::Range(range) => range.start + at,
            Self::List(rows) => rows[at],
        }
    }

    /// The rows of the matrix in the order of the tile.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Whether every row is below `n`.
    pub fn within(&self, n: usize) -> bool {
        match self {
            Self::Range(range) => range.end <= n,
            Self::List(rows) => rows.iter().all(|&row| row < n),
        }
    }

    /// The rows `width` numbers wide of a row-major array: where they are, or copied to `buffer`
    /// one after the other.
    pub fn of<'a, T: Copy>(&self, all: &'a [T], width: usize, buffer: &'a mut Vec<T>) -> &'a [T] {
        match self {
            Self::Range(range) => &all[range.start * width..range.end * width],
            Self::List(rows) => {
                buffer.clear();
                rows.iter().for_each(|&row| buffer.extend_from_slice(&all[row * width..(row + 1) * width]));
                buffer
            }
        }
    }
}

impl From<Range<usize>> for Rows<'_> {
    fn from(range: Range<usize>) -> Self {
        Self::Range(range)
    }
}
