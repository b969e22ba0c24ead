//! Products of dense matrices on every thread, with the same bytes for any number of threads.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

use crate::gram::simd::matmul::{Target, matmul};
use crate::gram::simd::product::{self, FEW};
use crate::{Compute, Result};

/// Rows of a block of the result. 32 is 6 % slower; 128 is 4 % faster for 2000 rows by 50 columns
/// and 4 % slower for a symmetric product of 400 rows.
const BLOCK: usize = 64;
/// Rows of a part of a sum over rows. 256 to 4096 differ by less than 4 % (20 000 rows, 200
/// columns).
const ROWS: usize = 1024;

/// `AB`.
///
/// # Errors
/// [`Error::Canceled`](crate::Error::Canceled), as all products here.
pub(crate) fn multiply(a: ArrayView2<f64>, b: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let mut out = Array2::zeros((a.nrows(), b.ncols()));
    let right = (b.ncols() <= FEW).then(|| b.iter().copied().collect::<Vec<f64>>());
    each_block(&mut out, compute, |start, mut block| {
        let rows = a.slice(s![start..start + block.nrows(), ..]);
        match (&right, rows.to_slice(), block.as_slice_mut()) {
            (Some(right), Some(tile), Some(sums)) => product::multiply(tile, right, sums, b.ncols()),
            _ => matmul(block, Target::Replace, rows, b, 1.0),
        }
    })?;
    Ok(out)
}

/// `AᵀB` for few columns: sums over blocks of rows, added in order.
pub(crate) fn multiply_transposed(a: ArrayView2<f64>, b: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    sum_of_blocks((a.nrows(), a.ncols(), b.ncols()), compute, |rows| {
        transposed_product(a.slice(s![rows.clone(), ..]), b.slice(s![rows, ..]))
    })
}

/// `AᵀB` for a matrix in single precision and few columns, with sums in double precision.
pub(crate) fn multiply_single_transposed(
    a: ArrayView2<f32>,
    b: ArrayView2<f64>,
    compute: &Compute,
) -> Result<Array2<f64>> {
    sum_of_blocks((a.nrows(), a.ncols(), b.ncols()), compute, |rows| {
        let right: Vec<f64> = b.slice(s![rows.clone(), ..]).iter().copied().collect();
        let mut out = Array2::zeros((a.ncols(), b.ncols()));
        if let (Some(tile), Some(sums)) = (a.slice(s![rows, ..]).to_slice(), out.as_slice_mut()) {
            product::multiply_transposed(tile, &right, sums, b.ncols());
        }
        out
    })
}

/// The sum of what blocks of rows give, added in order.
fn sum_of_blocks(
    (rows, height, width): (usize, usize, usize),
    compute: &Compute,
    block: impl Fn(std::ops::Range<usize>) -> Array2<f64> + Sync,
) -> Result<Array2<f64>> {
    let one = |k: usize| compute.check_canceled().map(|()| block(k * ROWS..rows.min((k + 1) * ROWS)));
    let parts = compute.try_map_tasks(rows.div_ceil(ROWS), one)?;
    Ok(parts.into_iter().fold(Array2::zeros((height, width)), |sum, part| sum + part))
}

/// `AᵀB` of one block.
fn transposed_product(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let Some(tile) = a.to_slice().filter(|_| (1..=FEW).contains(&b.ncols())) else {
        let mut out = Array2::zeros((a.ncols(), b.ncols()));
        matmul(out.view_mut(), Target::Replace, a.reversed_axes(), b, 1.0);
        return out;
    };
    let right: Vec<f64> = b.iter().copied().collect();
    let mut out = Array2::zeros((a.ncols(), b.ncols()));
    if let Some(sums) = out.as_slice_mut() {
        product::multiply_transposed(tile, &right, sums, b.ncols());
    }
    out
}

/// `AV` for a matrix in single precision, with sums in double precision.
pub(crate) fn multiply_single(a: ArrayView2<f32>, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let right: Vec<f64> = v.iter().copied().collect();
    let mut out = Array2::zeros((a.nrows(), v.ncols()));
    each_block(&mut out, compute, |start, mut block| {
        let rows = a.slice(s![start..start + block.nrows(), ..]);
        if let (Some(tile), Some(sums)) = (rows.to_slice(), block.as_slice_mut()) {
            product::multiply(tile, &right, sums, v.ncols());
        }
    })?;
    Ok(out)
}

/// `S ← S + UVᵀ`, a symmetric product, on and below the diagonal (blocks on the diagonal as a
/// whole).
pub(crate) fn add_symmetric(sum: &mut Array2<f64>, u: &Array2<f64>, v: &Array2<f64>, compute: &Compute) -> Result<()> {
    each_block(sum, compute, |start, mut block| {
        let end = start + block.nrows();
        let left = block.slice_mut(s![.., ..end]);
        matmul(left, Target::Add, u.slice(s![start..end, ..]), v.slice(s![..end, ..]).reversed_axes(), 1.0);
    })
}

/// What stands below the diagonal, above it too.
pub(crate) fn mirror(matrix: &mut Array2<f64>) {
    for i in 0..matrix.nrows() {
        for j in 0..i {
            matrix[[j, i]] = matrix[[i, j]];
        }
    }
}

fn each_block(
    out: &mut Array2<f64>,
    compute: &Compute,
    work: impl Fn(usize, ArrayViewMut2<'_, f64>) + Sync,
) -> Result<()> {
    let columns = out.ncols();
    if columns == 0 {
        return Ok(());
    }
    let values = out.as_slice_mut().expect("sums are made in standard layout");
    compute.try_each_chunk(values, BLOCK * columns, |index, part| {
        compute.check_canceled()?;
        let block = ArrayViewMut2::from_shape((part.len() / columns, columns), part).expect("blocks are whole rows");
        work(index * BLOCK, block);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_squares_are_those_of_the_plain_formula() {
        let v = Array2::from_shape_fn((150, 7), |(i, j)| ((i * 7 + j) as f64).sin());
        let compute = Compute::new();
        let mut sum = Array2::eye(150);
        add_symmetric(&mut sum, &v, &v, &compute).unwrap();
        mirror(&mut sum);
        let expected = v.dot(&v.t()) + Array2::<f64>::eye(150);
        assert_close!(&sum, &expected, each = 1e-14);
        let product = multiply(v.t(), sum.view(), &compute).unwrap();
        assert_close!(&product, &v.t().dot(&expected), each = 1e-12);
        let (tall, right) = (Array2::from_elem((2500, 3), 0.5), Array2::from_shape_fn((2500, 2), |(i, _)| i as f64));
        let found = multiply_transposed(tall.view(), right.view(), &compute).unwrap();
        assert!(found.iter().all(|v| *v == 0.5 * 1249.5 * 2500.0));
        for columns in 1..=6 {
            let few = v.slice(s![.., ..columns]).to_owned();
            let found = multiply(sum.view(), few.view(), &compute).unwrap();
            assert_close!(&found, &expected.dot(&few), each = 1e-12, "{columns}");
            let found = multiply_transposed(v.view(), few.view(), &compute).unwrap();
            assert_close!(&found, &v.t().dot(&few), each = 1e-12, "{columns}");
        }
        let single = sum.mapv(|v| v as f32);
        for columns in 1..=5 {
            let (right, wide) = (v.slice(s![.., ..columns]), single.mapv(f64::from));
            let found = multiply_single(single.view(), right, &compute).unwrap();
            assert_close!(&found, &wide.dot(&right), each = 1e-12);
            let (tall, wide) = (v.mapv(|v| v as f32), v.mapv(|v| f64::from(v as f32)));
            let found = multiply_single_transposed(tall.view(), right, &compute).unwrap();
            assert_close!(&found, &wide.t().dot(&right), each = 1e-12);
        }
    }
}
