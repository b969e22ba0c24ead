//! Summary of a matrix processed in blocks.

use std::ops::Range;

use mercer::gram::simd::summarize;
use ndarray::{Array2, ArrayView2, s};

/// Cells of a heat map along one side; larger matrices are averaged.
const CELLS: usize = 240;

/// What the digest should keep besides the statistics.
#[derive(Clone, Copy, Debug)]
pub struct Requested {
    /// The whole matrix.
    pub matrix: bool,
    /// A heat map.
    pub heat: bool,
}

/// The digest of a matrix.
pub struct Digest {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The sum of the diagonal; meaningless unless the matrix is square.
    pub trace: f64,
    /// The matrix, if requested.
    pub matrix: Option<Array2<f64>>,
    total: f64,
    heat: Option<Array2<f64>>,
}

impl Digest {
    /// Of a matrix of this shape, before anything was seen.
    pub fn new(shape: (usize, usize), requested: Requested) -> Self {
        let cells = (shape.0.min(CELLS), shape.1.min(CELLS));
        Self {
            shape,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            trace: 0.0,
            matrix: requested.matrix.then(|| Array2::zeros(shape)),
            total: 0.0,
            heat: requested.heat.then(|| Array2::zeros(cells)),
        }
    }

    /// Takes in some rows.
    pub fn see(&mut self, rows: Range<usize>, block: ArrayView2<'_, f64>) {
        for (row, values) in rows.clone().zip(block.rows()) {
            let found = summarize(values.as_standard_layout().as_slice().unwrap_or_default());
            (self.min, self.max) = (self.min.min(found.min), self.max.max(found.max));
            self.total += found.sum;
            self.trace += values.get(row).copied().unwrap_or(0.0);
            self.warm(row, values);
        }
        if let Some(matrix) = &mut self.matrix {
            matrix.slice_mut(s![rows, ..]).assign(&block);
        }
    }

    fn warm(&mut self, row: usize, values: ndarray::ArrayView1<'_, f64>) {
        let Some(heat) = &mut self.heat else { return };
        let (rows, columns) = heat.dim();
        let mut line = heat.row_mut(row * rows / self.shape.0);
        for (j, v) in values.iter().enumerate() {
            line[j * columns / self.shape.1] += v;
        }
    }

    /// The mean value.
    pub fn mean(&self) -> f64 {
        self.total / (self.shape.0 as f64 * self.shape.1 as f64)
    }

    /// The heat map: means over cells.
    pub fn heat(&self) -> Option<Array2<f64>> {
        let heat = self.heat.as_ref()?;
        let (rows, columns) = heat.dim();
        let (in_row, in_column) = (share(self.shape.0, rows), share(self.shape.1, columns));
        Some(Array2::from_shape_fn((rows, columns), |(i, j)| heat[[i, j]] / (in_row[i] * in_column[j])))
    }
}

/// How many of `n` lines fall into each of `cells` cells.
fn share(n: usize, cells: usize) -> Vec<f64> {
    let mut counts = vec![0.0; cells];
    (0..n).for_each(|i| counts[i * cells / n] += 1.0);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_and_cells_by_hand() {
        let n = 2 * CELLS;
        let matrix = Array2::from_shape_fn((n, n), |(i, j)| (i / 2 + j / 2) as f64);
        let mut digest = Digest::new((n, n), Requested { matrix: true, heat: true });
        digest.see(0..100, matrix.slice(s![..100, ..]));
        digest.see(100..n, matrix.slice(s![100.., ..]));
        assert_eq!((digest.min, digest.max), (0.0, 2.0 * (CELLS - 1) as f64));
        assert_eq!(digest.mean(), (CELLS - 1) as f64);
        assert_eq!(digest.trace, matrix.diag().sum());
        let expected = Array2::from_shape_fn((CELLS, CELLS), |(i, j)| (i + j) as f64);
        assert_eq!(digest.heat().unwrap(), expected);
        assert_eq!(digest.matrix.unwrap(), matrix);
    }
}
