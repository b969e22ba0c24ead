//! Sums over the rows of matrices of labels: what is left of quadratic forms after the products.

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;

/// Independent chains of a sum along a row.
const CHAINS: usize = 8;

/// `sums[b] += factor Σᵢ labels[i, b]·values[i, b]`; the labels are −1, 0 and 1, so that their products with values are exact.
pub(crate) fn add_products<T: Element>(labels: &[T], values: &[T], factor: f64, sums: &mut [f64]) {
    Arch::new().dispatch(AddProducts { labels, values, factor, sums });
}

/// `sums[b] += Σᵢ weights[i]·labels[i, b]`.
pub(crate) fn add_weighted<T: Element>(labels: &[T], weights: &[f64], sums: &mut [f64]) {
    Arch::new().dispatch(AddWeighted { labels, weights, sums });
}

/// Adds the row sums and the column sums of a tile to those given; the sums of absolute values and of squares.
pub(crate) fn add_margins<T: Element>(tile: &[T], rows: &mut [f64], cols: &mut [f64]) -> [f64; 2] {
    Arch::new().dispatch(AddMargins { tile, rows, cols })
}

struct AddProducts<'a, T> {
    labels: &'a [T],
    values: &'a [T],
    factor: f64,
    sums: &'a mut [f64],
}

impl<T: Element> WithSimd for AddProducts<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let n = self.sums.len();
        let (labels, values) = (self.labels.chunks(2 * n.max(1)), self.values.chunks(2 * n.max(1)));
        for (l, v) in labels.zip(values) {
            if l.len() < 2 * n {
                self.sums.iter_mut().zip(l).zip(v).for_each(|((s, l), v)| *s += self.factor * (*l * *v).to_f64());
                continue;
            }
            let ((l0, l1), (v0, v1)) = (l.split_at(n), v.split_at(n));
            for (b, sum) in self.sums.iter_mut().enumerate() {
                *sum += self.factor * ((l0[b] * v0[b]).to_f64() + (l1[b] * v1[b]).to_f64());
            }
        }
    }
}

struct AddWeighted<'a, T> {
    labels: &'a [T],
    weights: &'a [f64],
    sums: &'a mut [f64],
}

impl<T: Element> WithSimd for AddWeighted<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let n = self.sums.len().max(1);
        for (line, weight) in self.labels.chunks_exact(n).zip(self.weights) {
            self.sums.iter_mut().zip(line).for_each(|(sum, label)| *sum += weight * label.to_f64());
        }
    }
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
        for (line, row) in self.tile.chunks_exact(self.cols.len().max(1)).zip(self.rows) {
            let (mut sums, mut absolute, mut squares) = ([0.0; CHAINS], [0.0; CHAINS], [0.0; CHAINS]);
            for (cols, values) in self.cols.chunks_mut(CHAINS).zip(line.chunks(CHAINS)) {
                for (lane, (col, value)) in cols.iter_mut().zip(values).enumerate() {
                    let value = value.to_f64();
                    *col += value;
                    sums[lane] += value;
                    absolute[lane] += value.abs();
                    squares[lane] += value * value;
                }
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
            let labels: Vec<f32> = (0..rows * count).map(|i| (i % 3) as f32 - 1.0).collect();
            let values: Vec<f32> = (0..rows * count).map(value).collect();
            let weights: Vec<f64> = (0..rows).map(|i| f64::from(value(i + 5))).collect();
            let (mut products, mut weighted) = (vec![1.0; count], vec![2.0; count]);
            add_products(&labels, &values, 2.0, &mut products);
            add_weighted(&labels, &weights, &mut weighted);
            let (mut row_sums, mut col_sums) = (vec![0.0; rows], vec![0.5; count]);
            let [absolute, squares] = add_margins(&values, &mut row_sums, &mut col_sums);
            let at = |i: usize, b: usize| f64::from(values[i * count + b]);
            for b in 0..count {
                let label = |i: usize| f64::from(labels[i * count + b]);
                assert_eq!(products[b], 1.0 + 2.0 * (0..rows).map(|i| label(i) * at(i, b)).sum::<f64>());
                assert_eq!(weighted[b], 2.0 + (0..rows).map(|i| label(i) * weights[i]).sum::<f64>());
                assert_eq!(col_sums[b], 0.5 + (0..rows).map(|i| at(i, b)).sum::<f64>());
            }
            for (i, sum) in row_sums.iter().enumerate() {
                assert_eq!(*sum, (0..count).map(|b| at(i, b)).sum::<f64>());
            }
            assert_eq!(absolute, values.iter().map(|v| f64::from(v.abs())).sum::<f64>());
            assert_eq!(squares, values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>());
        }
    }
}
