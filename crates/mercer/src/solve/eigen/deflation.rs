//! Deflation: eigenvalues of the halves that are eigenvalues of the whole.

use super::divide::ascending;
use crate::gram::simd::columns::rotate;

/// The rows in which a column of eigenvectors is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rows {
    Upper,
    Both,
    Lower,
}

/// The part of `D + ρuuᵀ` that is left: distinct poles and weights that are not negligible.
#[derive(Default)]
pub(super) struct Deflated {
    /// Entries of `D`, ascending.
    pub(super) poles: Vec<f64>,
    /// Entries of `u`.
    pub(super) weights: Vec<f64>,
    /// The columns of the eigenvectors of the halves.
    pub(super) columns: Vec<usize>,
    /// Columns that are eigenvectors of the whole.
    pub(super) finished: Vec<usize>,
}

/// What is deflated.
pub(super) struct Deflation<'a> {
    /// `D`.
    pub(super) diagonal: &'a mut [f64],
    /// `u`, a unit vector.
    pub(super) weights: Vec<f64>,
    pub(super) rho: f64,
    /// Rows of every column.
    pub(super) rows: Vec<Rows>,
    /// The eigenvectors, their first entries, and the distance of their columns.
    pub(super) vectors: &'a mut [f64],
    pub(super) first: usize,
    pub(super) stride: usize,
}

impl Deflation<'_> {
    /// Separates the columns; those with equal entries of `D` are rotated so that one weight is zero.
    ///
    /// # Theory
    /// An entry of the matrix is dropped if it is at most `8ε·max(|D|, |u|)`, as in LAPACK's `dlaed2`.
    pub(super) fn run(&mut self) -> Deflated {
        let tolerance = 8.0 * f64::EPSILON * super::largest(self.diagonal).max(super::largest(&self.weights));
        let mut found = Deflated::default();
        let mut last: Option<usize> = None;
        for column in ascending(self.diagonal) {
            if self.rho * self.weights[column].abs() <= tolerance {
                found.finished.push(column);
                continue;
            }
            if let Some(previous) = last.replace(column) {
                if self.is_equal(previous, column, tolerance) {
                    self.merge_pair(previous, column);
                    found.finished.push(previous);
                } else {
                    self.keep(previous, &mut found);
                }
            }
        }
        last.into_iter().for_each(|column| self.keep(column, &mut found));
        found
    }

    fn keep(&self, column: usize, found: &mut Deflated) {
        found.poles.push(self.diagonal[column]);
        found.weights.push(self.weights[column]);
        found.columns.push(column);
    }

    /// The rotation `(c, s)` that moves the weight of column `a` to column `b`.
    fn rotation(&self, a: usize, b: usize) -> (f64, f64) {
        let norm = self.weights[a].hypot(self.weights[b]);
        (self.weights[b] / norm, self.weights[a] / norm)
    }

    /// Whether the entry next to the diagonal that the rotation makes is negligible.
    fn is_equal(&self, a: usize, b: usize, tolerance: f64) -> bool {
        let (c, s) = self.rotation(a, b);
        ((self.diagonal[b] - self.diagonal[a]) * c * s).abs() <= tolerance
    }

    fn merge_pair(&mut self, a: usize, b: usize) {
        let (c, s) = self.rotation(a, b);
        self.weights[b] = self.weights[a].hypot(self.weights[b]);
        self.weights[a] = 0.0;
        let (x, y) = (self.diagonal[a], self.diagonal[b]);
        (self.diagonal[a], self.diagonal[b]) = (x * c * c + y * s * s, x * s * s + y * c * c);
        if self.rows[a] != self.rows[b] {
            (self.rows[a], self.rows[b]) = (Rows::Both, Rows::Both);
        }
        self.rotate_columns(a, b, c, s);
    }

    fn rotate_columns(&mut self, a: usize, b: usize, c: f64, s: f64) {
        let n = self.diagonal.len();
        let (left, right) = self.vectors.split_at_mut(a.max(b) * self.stride);
        let (low, high) = (&mut left[a.min(b) * self.stride + self.first..][..n], &mut right[self.first..][..n]);
        if a < b { rotate(low, high, c, s) } else { rotate(high, low, c, s) }
    }
}
