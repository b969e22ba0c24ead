//! Products of a tile with vectors, summed in `f64`.

use ndarray::{ArrayView2, ArrayViewMut2};
use pulp::{Arch, Simd, WithSimd};

use super::element::Element;
use super::matmul::{Target, matmul};

/// Partial sums of a dot product: enough independent chains for every vector unit.
const CHAINS: usize = 16;
/// Columns up to which a tile is multiplied column by column: a product of matrices would copy the
/// tile first. 192 × 192 values times 2 columns take 46 % of the time of the product, 4 columns 91 %,
/// 5 columns 143 %; in single precision 33, 64 and 105 %.
pub(crate) const FEW: usize = 4;

/// `y += K x` for a row-major tile `K`; `x` and `y` hold `count` numbers per column and per row of
/// the tile.
pub(crate) fn multiply<T: Element>(tile: &[T], x: &[f64], y: &mut [f64], count: usize) {
    if count == 1 {
        return Arch::new().dispatch(Dots { tile, x, y });
    }
    if (2..=FEW).contains(&count) {
        let mut sums = vec![0.0; 2 * (y.len() / count)];
        let (width, columns) = (x.len() / count, columns(x, count));
        for (c, pair) in columns.chunks(2 * width.max(1)).enumerate() {
            let (first, second) = pair.split_at(width);
            // The last column of an odd number is multiplied twice, and taken once.
            let second = if second.is_empty() { first } else { second };
            Arch::new().dispatch(TwoDots { tile, x: [first, second], y: &mut sums });
            for (y, sums) in y.chunks_exact_mut(count).zip(sums.as_chunks::<2>().0) {
                y[2 * c..].iter_mut().zip(sums).for_each(|(y, sum)| *y += sum);
            }
        }
        return;
    }
    if let Some((rows, cols)) = sizes(tile, y, count) {
        let wide = widen(tile);
        add_product(y, matrix(&wide, (rows, cols)), matrix(x, (cols, count)));
    }
}

/// `y += Kᵀ x`; `x` and `y` hold `count` numbers per row and per column of the tile.
pub(crate) fn multiply_transposed<T: Element>(tile: &[T], x: &[f64], y: &mut [f64], count: usize) {
    if count == 1 {
        return Arch::new().dispatch(Combine { tile, x, y });
    }
    if (2..=FEW).contains(&count) {
        let mut sums = vec![0.0; y.len() / count];
        for (c, x) in columns(x, count).chunks_exact(x.len() / count).enumerate() {
            sums.fill(0.0);
            Arch::new().dispatch(Combine { tile, x, y: &mut sums });
            y.iter_mut().skip(c).step_by(count).zip(&sums).for_each(|(y, sum)| *y += sum);
        }
        return;
    }
    if let Some((rows, cols)) = sizes(tile, x, count) {
        let wide = widen(tile);
        add_product(y, matrix(&wide, (rows, cols)).reversed_axes(), matrix(x, (rows, count)));
    }
}

/// A row-major matrix.
fn matrix(values: &[f64], shape: (usize, usize)) -> ArrayView2<'_, f64> {
    ArrayView2::from_shape(shape, values).expect("as many values as the shape has")
}

/// `Y ← Y + AB` for a row-major `Y`.
fn add_product(y: &mut [f64], a: ArrayView2<f64>, b: ArrayView2<f64>) {
    let y = ArrayViewMut2::from_shape((a.nrows(), b.ncols()), y).expect("a row per row and a column per column");
    matmul(y, Target::Add, a, b, 1.0);
}

/// `count` numbers per row as `count` columns, one after the other.
fn columns(x: &[f64], count: usize) -> Vec<f64> {
    let (rows, mut columns) = (x.len() / count, vec![0.0; x.len()]);
    for (i, row) in x.chunks_exact(count).enumerate() {
        row.iter().enumerate().for_each(|(c, value)| columns[c * rows + i] = *value);
    }
    columns
}

/// Rows and columns of the tile, `None` when there is nothing to add.
fn sizes<T>(tile: &[T], row_side: &[f64], count: usize) -> Option<(usize, usize)> {
    let rows = row_side.len().checked_div(count)?;
    let cols = tile.len().checked_div(rows)?;
    (cols > 0).then_some((rows, cols))
}

fn widen<T: Element>(tile: &[T]) -> std::borrow::Cow<'_, [f64]> {
    T::as_double(tile).map_or_else(|| tile.iter().map(|v| v.to_f64()).collect(), std::borrow::Cow::Borrowed)
}

struct Dots<'a, T> {
    tile: &'a [T],
    x: &'a [f64],
    y: &'a mut [f64],
}

impl<T: Element> WithSimd for Dots<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (row, y) in self.tile.chunks_exact(self.x.len().max(1)).zip(self.y) {
            *y += dot(row, self.x);
        }
    }
}

#[inline(always)]
fn dot<T: Element>(row: &[T], x: &[f64]) -> f64 {
    let (rows, row_rest) = row.as_chunks::<CHAINS>();
    let (xs, x_rest) = x.as_chunks::<CHAINS>();
    let mut sums = [0.0; CHAINS];
    for (row, x) in rows.iter().zip(xs) {
        for lane in 0..CHAINS {
            sums[lane] += row[lane].to_f64() * x[lane];
        }
    }
    let rest: f64 = row_rest.iter().zip(x_rest).map(|(a, b)| a.to_f64() * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// [`Dots`] with two columns: the tile is read once for both.
struct TwoDots<'a, T> {
    tile: &'a [T],
    x: [&'a [f64]; 2],
    /// Two products per row, which are replaced.
    y: &'a mut [f64],
}

impl<T: Element> WithSimd for TwoDots<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let [first, second] = self.x;
        for (row, y) in self.tile.chunks_exact(first.len().max(1)).zip(self.y.as_chunks_mut::<2>().0) {
            *y = two_dots(row, first, second);
        }
    }
}

#[inline(always)]
fn two_dots<T: Element>(row: &[T], first: &[f64], second: &[f64]) -> [f64; 2] {
    let (rows, row_rest) = row.as_chunks::<CHAINS>();
    let ((xs, x_rest), (zs, z_rest)) = (first.as_chunks::<CHAINS>(), second.as_chunks::<CHAINS>());
    let (mut x_sums, mut z_sums) = ([0.0; CHAINS], [0.0; CHAINS]);
    for ((row, x), z) in rows.iter().zip(xs).zip(zs) {
        for lane in 0..CHAINS {
            x_sums[lane] += row[lane].to_f64() * x[lane];
        }
        for lane in 0..CHAINS {
            z_sums[lane] += row[lane].to_f64() * z[lane];
        }
    }
    let rest = |x: &[f64]| row_rest.iter().zip(x).map(|(a, b)| a.to_f64() * b).sum::<f64>();
    [x_sums.iter().sum::<f64>() + rest(x_rest), z_sums.iter().sum::<f64>() + rest(z_rest)]
}

struct Combine<'a, T> {
    tile: &'a [T],
    x: &'a [f64],
    y: &'a mut [f64],
}

impl<T: Element> WithSimd for Combine<'_, T> {
    type Output = ();

    /// Four rows at a time, so that `y` is read and written a quarter as often.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let width = self.y.len();
        if width == 0 {
            return;
        }
        let (quads, rest) = self.x.as_chunks::<4>();
        let (quad_rows, rest_rows) = self.tile.split_at(quads.len() * 4 * width);
        for (rows, x) in quad_rows.chunks_exact(4 * width).zip(quads) {
            let [a, b, c, d] = std::array::from_fn(|r| &rows[r * width..(r + 1) * width]);
            for (j, y) in self.y.iter_mut().enumerate() {
                *y += (a[j].to_f64() * x[0] + b[j].to_f64() * x[1]) + (c[j].to_f64() * x[2] + d[j].to_f64() * x[3]);
            }
        }
        for (row, x) in rest_rows.chunks_exact(width).zip(rest) {
            self.y.iter_mut().zip(row).for_each(|(y, k)| *y += k.to_f64() * x);
        }
    }
}
