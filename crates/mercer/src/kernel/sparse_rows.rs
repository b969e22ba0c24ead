//! Sparse rows of counts: the explicit features of kernels on objects.

/// A matrix in compressed sparse rows: row `i` has the values `values[starts[i]..starts[i + 1]]` in the columns
/// `columns[starts[i]..starts[i + 1]]`, which ascend strictly. No value is 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SparseRows {
    pub starts: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
    /// The number of columns.
    pub width: usize,
}

use std::ops::Range;

use super::object::ObjectTiles;

impl SparseRows {
    fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Inner products of sparse rows.
#[derive(Debug)]
pub(crate) struct SparseTiles {
    rows: SparseRows,
    cols: Option<SparseRows>,
    diagonals: (Vec<f64>, Option<Vec<f64>>),
}

impl SparseTiles {
    pub(crate) fn new(rows: SparseRows, cols: Option<SparseRows>) -> Self {
        let norms = |x: &SparseRows| (0..x.len()).map(|i| x.row(i).1.iter().map(|v| v * v).sum()).collect();
        let diagonals = (norms(&rows), cols.as_ref().map(norms));
        Self { rows, cols, diagonals }
    }
}

impl ObjectTiles for SparseTiles {
    fn fill(&self, rows: &[usize], cols: Range<usize>, out: &mut [f64]) {
        let columns = self.cols.as_ref().unwrap_or(&self.rows);
        let mut dense = vec![0.0; self.rows.width];
        for (&i, line) in rows.iter().zip(out.chunks_exact_mut(cols.len().max(1))) {
            let (places, values) = self.rows.row(i);
            places.iter().zip(values).for_each(|(&c, v)| dense[c as usize] = *v);
            for (j, value) in cols.clone().zip(line) {
                let (places, values) = columns.row(j);
                *value = places.iter().zip(values).map(|(&c, v)| dense[c as usize] * v).sum();
            }
            places.iter().for_each(|&c| dense[c as usize] = 0.0);
        }
    }

    fn diagonals(&self) -> (&[f64], Option<&[f64]>) {
        (&self.diagonals.0, self.diagonals.1.as_deref())
    }

    fn operations(&self) -> usize {
        self.rows.values.len() / self.rows.len().max(1) + 1
    }

    fn features(&self) -> Option<(&SparseRows, &SparseRows)> {
        Some((&self.rows, self.cols.as_ref().unwrap_or(&self.rows)))
    }
}
