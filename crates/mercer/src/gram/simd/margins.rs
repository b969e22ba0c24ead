//! Sums over the rows and the columns of a tile.

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;

/// Independent chains of a sum along a row.
const CHAINS: usize = 8;

/// Adds the row sums and the column sums of a tile to those given; the sums of absolute values and
/// of squares.
pub(crate) fn add_margins<T: Element>(tile: &[T], rows: &mut [f64], cols: &mut [f64]) -> [f64; 2] {
    Arch::new().dispatch(AddMargins { tile, rows, cols })
}

struct AddMargins<'a, T> {
    tile: &'a [T],
    rows: &'a mut [f64],
    cols: &'a mut [f64],
}

impl<T: Element> WithSimd for AddMargins<'_, T> {
    type Output = [f64; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [f64; 2] {
        let mut totals = [0.0; 2];
        let (cols, last_cols) = self.cols.as_chunks_mut::<CHAINS>();
        for (line, row) in self.tile.chunks_exact((cols.len() * CHAINS + last_cols.len()).max(1)).zip(self.rows) {
            let (values, last) = line.as_chunks::<CHAINS>();
            let (mut sums, mut absolute, mut squares) = ([0.0; CHAINS], [0.0; CHAINS], [0.0; CHAINS]);
            for (cols, values) in cols.iter_mut().zip(values) {
                for lane in 0..CHAINS {
                    let value = values[lane].to_f64();
                    cols[lane] += value;
                    sums[lane] += value;
                    absolute[lane] += value.abs();
                    squares[lane] += value * value;
                }
            }
            for ((lane, col), value) in last_cols.iter_mut().enumerate().zip(last) {
                let value = value.to_f64();
                *col += value;
                sums[lane] += value;
                absolute[lane] += value.abs();
                squares[lane] += value * value;
            }
            *row += sums.iter().sum::<f64>();
            totals[0] += absolute.iter().sum::<f64>();
            totals[1] += squares.iter().sum::<f64>();
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_plain_loops() {
        for (rows, count) in [(1, 1), (3, 5), (4, 16), (7, 33)] {
            let value = |i: usize| ((i * 7919) % 101) as f32 / 8.0 - 6.0;
            let values: Vec<f32> = (0..rows * count).map(value).collect();
            let (mut row_sums, mut col_sums) = (vec![0.0; rows], vec![0.5; count]);
            let [absolute, squares] = add_margins(&values, &mut row_sums, &mut col_sums);
            let at = |i: usize, b: usize| f64::from(values[i * count + b]);
            for (b, sum) in col_sums.iter().enumerate() {
                assert_eq!(*sum, 0.5 + (0..rows).map(|i| at(i, b)).sum::<f64>());
            }
            for (i, sum) in row_sums.iter().enumerate() {
                assert_eq!(*sum, (0..count).map(|b| at(i, b)).sum::<f64>());
            }
            assert_eq!(absolute, values.iter().map(|v| f64::from(v.abs())).sum::<f64>());
            assert_eq!(squares, values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>());
        }
    }
}
