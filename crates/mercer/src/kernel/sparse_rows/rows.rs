//! Matrices in compressed sparse rows.

use ndarray::Array2;

/// A matrix in compressed sparse rows, such as the explicit features of strings: row `i` has the values `values[starts[i]..starts[i + 1]]` in
/// the columns `columns[starts[i]..starts[i + 1]]`, which ascend strictly. No value is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseRows {
    /// Where each row starts in the two lists below, and where the last one ends.
    pub starts: Vec<usize>,
    /// The column of each value.
    pub columns: Vec<u32>,
    /// The values, row after row.
    pub values: Vec<f64>,
    /// The number of columns.
    pub width: usize,
}

/// Features of the row points and, if there are column points, of those.
pub(crate) type RowsAndColumns = (SparseRows, Option<SparseRows>);

impl SparseRows {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The columns and the values of a row.
    #[inline]
    pub(crate) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The squared norm of each row, added in the order of the columns.
    pub(crate) fn squared_norms(&self) -> Vec<f64> {
        (0..self.len()).map(|i| self.row(i).1.iter().fold(0.0, |sum, x| sum + x * x)).collect()
    }

    /// The columns in which there is a value, ascending.
    pub(crate) fn used_columns(&self) -> Vec<u32> {
        let mut used = self.columns.clone();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The values in some columns, ascending, each column by its place among these.
    pub(crate) fn among(&self, columns: &[u32]) -> Self {
        let mut found = Self { starts: vec![0], columns: Vec::new(), values: Vec::new(), width: columns.len() };
        for i in 0..self.len() {
            let (own, values) = self.row(i);
            for (column, value) in own.iter().zip(values) {
                if let Ok(place) = columns.binary_search(column) {
                    found.columns.push(place as u32);
                    found.values.push(*value);
                }
            }
            found.starts.push(found.columns.len());
        }
        found
    }

    /// The matrix with its zeros.
    pub(crate) fn to_dense(&self) -> Array2<f64> {
        let mut dense = Array2::zeros((self.len(), self.width));
        for (i, mut line) in dense.outer_iter_mut().enumerate() {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).for_each(|(&column, value)| line[column as usize] = *value);
        }
        dense
    }

    /// How many rows have each column.
    pub(super) fn occurrences(&self) -> Vec<u32> {
        let mut counts = vec![0; self.width];
        self.columns.iter().for_each(|&column| counts[column as usize] += 1);
        counts
    }

    /// The first `at` rows and the others.
    pub(crate) fn split(mut self, at: usize) -> (Self, Self) {
        let middle = self.starts[at];
        let second = Self {
            starts: self.starts[at..].iter().map(|start| start - middle).collect(),
            columns: self.columns.split_off(middle),
            values: self.values.split_off(middle),
            width: self.width,
        };
        self.starts.truncate(at + 1);
        (self, second)
    }

    /// The rows alone, or split into the first `rows` and the others if there were columns.
    pub(crate) fn into_rows_and_columns(self, rows: usize, has_columns: bool) -> RowsAndColumns {
        if !has_columns {
            return (self, None);
        }
        let (rows, columns) = self.split(rows);
        (rows, Some(columns))
    }
}
