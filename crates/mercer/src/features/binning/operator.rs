//! The features on grids as a linear map.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::CellMatrix;
use crate::operator::{Operator, check_square};
use crate::{Compute, Error, Result};

/// The features of points on grids, of which only the columns of the entries are stored.
pub(crate) struct Cells<'a> {
    matrix: &'a CellMatrix,
    compute: &'a Compute,
}

impl<'a> Cells<'a> {
    pub(crate) fn new(matrix: &'a CellMatrix, compute: &'a Compute) -> Self {
        Self { matrix, compute }
    }

    /// The diagonal of `ZᵀDZ`: in every column the weights of the points there, times the square of
    /// its value.
    pub(crate) fn weighted_squares(&self, weights: ArrayView1<f64>) -> Result<Array1<f64>> {
        let sums = self.matrix.multiply_transposed(weights.insert_axis(Axis(1)), self.compute)?;
        let mut squares = sums.index_axis_move(Axis(1), 0);
        let buckets = self.shape().1 / self.matrix.values().len().max(1);
        for (mut grid, value) in squares.axis_chunks_iter_mut(Axis(0), buckets.max(1)).zip(self.matrix.values()) {
            grid.mapv_inplace(|sum| sum * value);
        }
        Ok(squares)
    }
}

impl Operator for Cells<'_> {
    fn shape(&self) -> (usize, usize) {
        self.matrix.shape()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.matrix.multiply(v, self.compute)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.matrix.multiply_transposed(v, self.compute)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        check_square(self.shape())?;
        Err(Error::unsupported("the diagonal", "features on grids", "", "use their kernel matrix"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::RandomBinning;
    use crate::operator::testing::assert_conforms;

    #[test]
    fn cells_are_their_matrix() {
        let x = Array2::from_shape_fn((70, 2), |(i, j)| ((3 * i + j) as f64).sin() * 2.0);
        let grids = RandomBinning { kernel: "laplacian(norm=l1)".parse().unwrap(), grids: 6, buckets: 11 };
        let found = [1, 2, 3].map(|threads| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let matrix = grids.fit(x.view(), &compute).unwrap().transform(x.view(), &compute).unwrap();
            let cells = Cells::new(&matrix, &compute);
            let dense = matrix.to_dense(&compute).unwrap();
            let weights = Array1::from_shape_fn(70, |i| 1.0 + (i % 3) as f64);
            let squares = (&dense * &dense * weights.view().insert_axis(Axis(1))).sum_axis(Axis(0));
            assert_close!(&cells.weighted_squares(weights.view()).unwrap(), &squares, each = 1e-13);
            assert_conforms("cells", &cells, &dense, 1e-14)
        });
        assert!(found[1..].iter().all(|other| *other == found[0]));
    }
}
