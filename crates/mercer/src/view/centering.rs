//! Centering: `HKH` with `H = I − 11ᵀ/n`, stored or as an operator.

use ndarray::{Array1, Array2, ArrayView2};

use crate::gram::{self, Tiles};
use crate::{Compute, Error, Result};

/// Rows that one task sums or centers. It never depends on the number of threads, so that the bytes
/// do not either. Not tuned: the work is limited by the memory.
const ROWS: usize = 64;

/// The means of a kernel matrix, which centering subtracts:
/// `kc(t, xᵢ) = k(t, xᵢ) − meanₗ k(t, xₗ) − cᵢ + c`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Means {
    /// `cᵢ = meanₗ k(xₗ, xᵢ)`.
    pub(crate) columns: Array1<f64>,
    /// `c`: the mean of all values, `‖meanᵢ φ(xᵢ)‖²`.
    pub(crate) total: f64,
}

impl Means {
    /// Of a symmetric matrix that is not stored.
    ///
    /// # Errors
    /// As [`gram::multiply`]; [`Error::Overflow`] for sums that are not finite.
    pub(crate) fn of(tiles: &dyn Tiles, compute: &Compute) -> Result<Self> {
        let n = tiles.shape().0;
        let sums = gram::multiply(tiles, Array2::ones((n, 1)).view(), compute)?;
        Self::of_columns(sums.column(0).mapv(|sum| sum / n.max(1) as f64))
    }

    /// Of a symmetric matrix that is stored.
    ///
    /// # Errors
    /// [`Error::Canceled`], [`Error::Overflow`] for sums that are not finite.
    pub(crate) fn of_stored(matrix: ArrayView2<f64>, compute: &Compute) -> Result<Self> {
        Self::of_columns(row_means(matrix, compute)?)
    }

    /// From the mean of every column.
    pub(crate) fn of_columns(columns: Array1<f64>) -> Result<Self> {
        let total = gram::sum(columns.as_slice().unwrap_or_default()) / columns.len().max(1) as f64;
        if !total.is_finite() {
            return Err(Error::overflow("the mean of the kernel values", "scale the kernel or the data down"));
        }
        Ok(Self { columns, total })
    }

    /// `kc(xᵢ, xᵢ)` from `k(xᵢ, xᵢ)`.
    pub(crate) fn diagonal(&self, values: &[f64]) -> Array1<f64> {
        values.iter().zip(&self.columns).map(|(k, c)| k - 2.0 * c + self.total).collect()
    }

    /// The largest size of a mean: what rounding errors of a centered value are in proportion to.
    pub(crate) fn scale(&self) -> f64 {
        self.columns.iter().fold(self.total.abs(), |m, c| m.max(c.abs()))
    }
}

/// `K ← HKH` for a stored square matrix, symmetric to the last bit for a symmetric one. The means
/// are those of the columns.
///
/// # Errors
/// [`Error::Canceled`], [`Error::Overflow`] for sums that are not finite.
pub(crate) fn center(matrix: &mut Array2<f64>, symmetric: bool, compute: &Compute) -> Result<Means> {
    let n = matrix.nrows();
    let rows = row_means(matrix.view(), compute)?;
    let columns = if symmetric { rows.clone() } else { row_means(matrix.t(), compute)? };
    let means = Means::of_columns(columns)?;
    if let Some(values) = matrix.as_slice_mut() {
        compute.each_chunk(values, ROWS * n, |at, part| {
            for (i, row) in part.chunks_exact_mut(n.max(1)).enumerate() {
                let own = rows[at * ROWS + i];
                row.iter_mut().zip(&means.columns).for_each(|(v, c)| *v = *v - (own + c) + means.total);
            }
        });
    }
    Ok(means)
}

/// The mean of every row of a square matrix.
fn row_means(matrix: ArrayView2<f64>, compute: &Compute) -> Result<Array1<f64>> {
    let n = matrix.nrows();
    let mean = |i: usize| match matrix.row(i).as_slice() {
        Some(row) => gram::sum(row) / n as f64,
        None => matrix.row(i).sum() / n as f64,
    };
    let task = |at: usize| {
        compute.check_canceled()?;
        Ok((at * ROWS..n.min((at + 1) * ROWS)).map(mean).collect::<Vec<f64>>())
    };
    Ok(compute.try_map_tasks(n.div_ceil(ROWS), task)?.concat().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::gram::Pairs;

    #[test]
    fn a_stored_matrix_and_tiles_are_centered_alike() {
        let x = Array2::from_shape_fn((150, 2), |(i, j)| ((2 * i + j) as f64).sin());
        let compute = Compute::new();
        let bound = "gaussian() + 3".parse::<Kernel>().unwrap().bind(Pairs::within(x.view()), &compute).unwrap();
        let exact = gram::dense(&bound, &compute).unwrap();
        let h = Array2::eye(150) - Array2::from_elem((150, 150), 1.0 / 150.0);
        let expected = h.dot(&exact).dot(&h);
        let mut centered = exact.clone();
        let means = center(&mut centered, true, &compute).unwrap();
        assert_close!(&centered, &expected, each = 1e-13);
        assert_eq!(centered, centered.t());
        let found = Means::of(&bound, &compute).unwrap();
        assert_close!(&found.columns, &means.columns, each = 1e-13);
        assert_close!(&found.diagonal(&exact.diag().to_vec()), &expected.diag(), each = 1e-13);
        let mut shifted = exact.clone() + &Array2::from_shape_fn((150, 150), |(i, _)| i as f64);
        center(&mut shifted, false, &compute).unwrap();
        assert_close!(&shifted, &expected, each = 1e-12);
    }
}
