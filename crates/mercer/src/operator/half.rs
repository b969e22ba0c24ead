//! A symmetric matrix in single precision of which one half is stored.

use ndarray::{Array1, Array2, ArrayView2};
use rayon::prelude::*;

use super::{Operator, check_rows};
use crate::gram::simd::product;
use crate::gram::{Tiles, check_single};
use crate::{Compute, Result};

/// Rows and columns of a tile. A product of 4000 rows takes 9 % less time with 256 and 38 % more
/// with 2048.
const SIDE: usize = 512;
/// Rows of a tile that are multiplied from both sides while they are in the nearest cache. 2 to 32
/// differ by less than 11 % (products of 4000 rows).
const ROWS: usize = 8;
/// Partial sums of a product, added in order: the same for any number of threads. 4 to 64 differ by
/// less than the noise of 10 % (4000 rows).
const GROUPS: usize = 16;

/// The tiles on and below the diagonal of a symmetric matrix: `2n²` bytes and half of the memory
/// traffic of a product, in which every tile serves both sides.
pub(crate) struct HalfMatrix {
    size: usize,
    /// Row of tiles after row of tiles; the tiles of a row from the left to the diagonal.
    values: Vec<f32>,
    compute: Compute,
}

/// A stored tile: its row and column of tiles, and its values.
struct StoredTile<'a> {
    row: usize,
    column: usize,
    values: &'a mut [f32],
}

impl HalfMatrix {
    /// `SKS` for a diagonal matrix `S`.
    ///
    /// # Errors
    /// [`Error::Canceled`](crate::Error::Canceled), and
    /// [`Error::Overflow`](crate::Error::Overflow) for values beyond single precision.
    pub(crate) fn new(tiles: &dyn Tiles, scale: &[f64], compute: &Compute) -> Result<Self> {
        let size = tiles.shape().0;
        check_single(tiles.diagonal()?.into_iter())?;
        let scaled = scale.iter().any(|s| *s != 1.0);
        let mut values = vec![0.0; tile_start(size, size.div_ceil(SIDE), 0)];
        let fill = |tile: StoredTile| {
            compute.check_canceled()?;
            let (rows, columns) = (side(size, tile.row), side(size, tile.column));
            tiles.fill_single(rows.clone(), columns.clone(), tile.values);
            if scaled {
                for (line, i) in tile.values.chunks_exact_mut(columns.len()).zip(rows) {
                    let factors = scale[columns.clone()].iter().map(|s| s * scale[i]);
                    line.iter_mut().zip(factors).for_each(|(v, s)| *v = (f64::from(*v) * s) as f32);
                }
            }
            Ok(())
        };
        compute.install(|| stored_tiles(size, &mut values).into_par_iter().try_for_each(fill))?;
        Ok(Self { size, values, compute: compute.clone() })
    }

    /// `Av`, with sums in double precision.
    fn multiply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let right: Vec<f64> = v.iter().copied().collect();
        let count = v.ncols();
        let group = |g: usize| {
            let mut sums = vec![0.0; right.len()];
            for row in (0..self.size.div_ceil(SIDE)).filter(|row| group_of(*row) == g) {
                compute.check_canceled()?;
                self.add_row(row, &right, &mut sums, count);
            }
            Ok(sums)
        };
        let groups: Vec<Vec<f64>> = compute.try_map_tasks(GROUPS, group)?;
        let mut out = Array2::zeros(v.dim());
        for sums in groups {
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
        }
        Ok(out)
    }

    /// What a row of tiles adds to a product: its own rows, and by symmetry those of its columns.
    fn add_row(&self, row: usize, right: &[f64], sums: &mut [f64], count: usize) {
        let rows = side(self.size, row);
        // The sums of columns lie before those of these rows.
        let (above, own) = sums.split_at_mut(rows.start * count);
        let own = &mut own[..rows.len() * count];
        let own_right = &right[rows.start * count..rows.end * count];
        for column in 0..=row {
            let columns = side(self.size, column);
            let there = columns.start * count..columns.end * count;
            let start = tile_start(self.size, row, column);
            let tile = &self.values[start..start + rows.len() * columns.len()];
            let lines = tile.chunks(ROWS * columns.len());
            for ((lines, own), x) in lines.zip(own.chunks_mut(ROWS * count)).zip(own_right.chunks(ROWS * count)) {
                product::multiply(lines, &right[there.clone()], own, count);
                if column < row {
                    product::multiply_transposed(lines, x, &mut above[there.clone()], count);
                }
            }
        }
    }
}

impl Operator for HalfMatrix {
    fn shape(&self) -> (usize, usize) {
        (self.size, self.size)
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        check_rows(v, self.size)?;
        self.multiply(v, &self.compute)
    }

    fn apply_transposed(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.apply(v)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        let entry = |i: usize| {
            let (tile, at) = (i / SIDE, i % SIDE);
            let width = side(self.size, tile).len();
            f64::from(self.values[tile_start(self.size, tile, tile) + at * width + at])
        };
        Ok((0..self.size).map(entry).collect())
    }
}

/// The rows of a row of tiles.
fn side(size: usize, index: usize) -> std::ops::Range<usize> {
    index * SIDE..size.min((index + 1) * SIDE)
}

/// Where the values of a tile begin; those of a row beyond the last are where all end.
fn tile_start(size: usize, row: usize, column: usize) -> usize {
    let last = size / SIDE;
    if row > last {
        // The last row of tiles is cut at the end of the matrix.
        return SIDE * SIDE * last * (last + 1) / 2 + (size - last * SIDE) * size;
    }
    SIDE * SIDE * row * (row + 1) / 2 + side(size, row).len() * column * SIDE
}

/// Long rows of tiles with short ones.
fn group_of(row: usize) -> usize {
    let position = row % (2 * GROUPS);
    position.min(2 * GROUPS - 1 - position)
}

fn stored_tiles(size: usize, mut values: &mut [f32]) -> Vec<StoredTile<'_>> {
    let mut tiles = Vec::new();
    for row in 0..size.div_ceil(SIDE) {
        for column in 0..=row {
            let (own, rest) = values.split_at_mut(side(size, row).len() * side(size, column).len());
            tiles.push(StoredTile { row, column, values: own });
            values = rest;
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{Pairs, dense_single};
    use crate::{Kernel, Seed};

    #[test]
    fn a_half_multiplies_as_the_whole_for_any_number_of_threads() {
        let kernel: Kernel = "matern(nu=3/2, lengthscale=2)".parse().unwrap();
        for size in [1, 5, SIDE - 1, SIDE, SIDE + 1, 2 * SIDE, 2 * SIDE + 77] {
            let mut stream = Seed(3).stream("half", size as u64);
            let x = Array2::from_shape_fn((size, 2), |_| stream.normal());
            let compute = Compute::new();
            let bound = kernel.bind(Pairs::within(x.view()), &compute).unwrap();
            let scale: Vec<f64> = (0..size).map(|i| 1.0 + 0.25 * (i % 3) as f64).collect();
            let half = HalfMatrix::new(&bound, &scale, &compute).unwrap();
            let weights = ndarray::aview1(&scale);
            let whole = dense_single(&bound, &compute).unwrap().mapv(f64::from)
                * weights
                * weights.insert_axis(ndarray::Axis(1));
            for columns in [1, 2, 3, 6] {
                let v = Array2::from_shape_fn((size, columns), |_| stream.normal());
                let found = half.multiply(v.view(), &compute).unwrap();
                let bound = 1e-6 * (size as f64).sqrt() * 10.0;
                assert_close!(&found, &whole.dot(&v), each = bound, "{size} × {columns}");
                for threads in [1, 3, 8] {
                    let other = half.multiply(v.view(), &Compute::new().with_threads(threads).unwrap()).unwrap();
                    assert_eq!(other, found);
                }
            }
        }
    }
}
