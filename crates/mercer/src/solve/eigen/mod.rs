//! Eigenvalues and eigenvectors of symmetric matrices: reduction to tridiagonal form, divide and
//! conquer, and back-transformation.
//!
//! Work is cut into blocks whose sizes depend on the size of the matrix alone, and sums have a fixed
//! order, so the result has the same bytes for any number of threads.

mod deflation;
mod divide;
mod merge;
mod parallel;
mod ql;
mod reflections;
mod secular;
#[cfg(test)]
mod tests;
mod tridiagonal;

use ndarray::{Array2, ArrayView2, ShapeBuilder};

use crate::error::Remedy;
use crate::{Compute, Error, Result};

/// `A = U diag(λ) Uᵀ`.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricEigen {
    /// The eigenvalues, ascending.
    pub values: Vec<f64>,
    /// The eigenvectors: column `j` belongs to `values[j]`; the columns are orthonormal.
    pub vectors: Array2<f64>,
}

impl SymmetricEigen {
    /// `U diag(f(λ)) Uᵀ`, exactly symmetric.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Array2<f64> {
        let scaled = &self.vectors * &ndarray::Array1::from_iter(self.values.iter().map(|&v| f(v)));
        let product = scaled.dot(&self.vectors.t());
        Array2::from_shape_fn(product.dim(), |(i, j)| 0.5 * (product[[i, j]] + product[[j, i]]))
    }
}

/// The eigendecomposition of a symmetric matrix. Only the lower triangle is read.
///
/// # Cost
/// At most `14n³/3` operations, on every thread; three matrices of the size of `A`.
///
/// # Errors
/// [`Error::Shape`] unless the matrix is square, [`Error::Value`] if it holds NaN or an infinity,
/// [`Error::Undefined`] if the iteration does not converge, [`Error::Canceled`].
///
/// # Example
/// ```
/// use mercer::{Compute, solve::symmetric_eigen};
/// let eigen = symmetric_eigen(ndarray::array![[2.0, 1.0], [1.0, 2.0]].view(), &Compute::new())?;
/// mercer::assert_close!(eigen.values[0], 1.0, abs = 1e-15);
/// mercer::assert_close!(eigen.values[1], 3.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn symmetric_eigen(a: ArrayView2<f64>, compute: &Compute) -> Result<SymmetricEigen> {
    let a = by_columns(a)?;
    let (values, vectors) = on_threads(a.nrows(), compute, || eigen_of_symmetric(a, compute))?;
    Ok(SymmetricEigen { values, vectors: vectors.as_standard_layout().into_owned() })
}

/// The eigenvalues of a symmetric matrix, ascending. Only the lower triangle is read.
///
/// # Cost
/// `4n³/3` operations, half of the time of [`symmetric_eigen`].
///
/// # Errors
/// As [`symmetric_eigen`].
///
/// # Example
/// ```
/// use mercer::{Compute, solve::eigenvalues};
/// let values = eigenvalues(ndarray::array![[0.0, 1.0], [1.0, 0.0]].view(), &Compute::new())?;
/// mercer::assert_close!(values[0], -1.0, abs = 1e-15);
/// mercer::assert_close!(values[1], 1.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn eigenvalues(a: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
    let a = by_columns(a)?;
    on_threads(a.nrows(), compute, || eigenvalues_of_symmetric(a, compute))
}

/// A column-major copy of a square matrix of finite numbers.
fn by_columns(a: ArrayView2<f64>) -> Result<Array2<f64>> {
    if a.nrows() != a.ncols() {
        return Err(Error::shape("columns of a symmetric matrix", a.nrows(), a.ncols()));
    }
    crate::Points::Vectors(a).check_finite("a symmetric matrix")?;
    let mut copy = Array2::zeros(a.dim().f());
    copy.assign(&a);
    Ok(copy)
}

/// What `work` finds on the threads of `compute`; small matrices stay on this one, as it would take
/// longer to wake the others.
fn on_threads<T: Send>(size: usize, compute: &Compute, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if size < parallel::PARALLEL { work() } else { compute.install(work) }
}

fn not_converged() -> Error {
    Error::undefined("the eigendecomposition of a matrix, which did not converge,".to_string(), Remedy::Rescale)
}

/// Eigenvalues, ascending, and the eigenvectors as the columns of a column-major matrix.
type Decomposition = (Vec<f64>, Array2<f64>);

/// `A = U diag(λ) Uᵀ` for a symmetric matrix of finite numbers, of which the lower triangle is read.
/// A column-major matrix is not copied.
fn eigen_of_symmetric(a: Array2<f64>, compute: &Compute) -> Result<Decomposition> {
    let size = a.nrows();
    let (entries, scale) = scaled_entries(a);
    let reduced = tridiagonal::reduce(entries, size, compute)?;
    let (mut values, mut vectors) = divide::solve(reduced.diagonal, &reduced.off_diagonal, compute)?;
    reduced.reflections.apply(&mut vectors, compute)?;
    values.iter_mut().for_each(|v| *v *= scale);
    Ok((values, column_major(vectors, size)))
}

/// The eigenvalues of a symmetric matrix of finite numbers, ascending. The lower triangle is read.
fn eigenvalues_of_symmetric(a: Array2<f64>, compute: &Compute) -> Result<Vec<f64>> {
    let size = a.nrows();
    let (entries, scale) = scaled_entries(a);
    let reduced = tridiagonal::reduce(entries, size, compute)?;
    let mut values = ql::eigenvalues(reduced.diagonal, reduced.off_diagonal, compute)?;
    values.iter_mut().for_each(|v| *v *= scale);
    Ok(values)
}

/// The decomposition of the symmetric tridiagonal matrix with the given diagonal and the entries
/// next to it, one fewer.
#[cfg(test)]
fn tridiagonal_eigen(diagonal: &[f64], off_diagonal: &[f64], compute: &Compute) -> Result<Decomposition> {
    let scale = power_of_two(largest(diagonal).max(largest(off_diagonal)));
    let scaled = |values: &[f64]| values.iter().map(|v| v / scale).collect::<Vec<f64>>();
    let (mut values, vectors) = divide::solve(scaled(diagonal), &scaled(off_diagonal), compute)?;
    values.iter_mut().for_each(|v| *v *= scale);
    Ok((values, column_major(vectors, diagonal.len())))
}

/// The entries divided by the second result, column after column. Afterwards the largest is about 1,
/// so that no square overflows, and squares that underflow are negligible.
fn scaled_entries(a: Array2<f64>) -> (Vec<f64>, f64) {
    let n = a.nrows();
    let mut entries =
        if a.t().is_standard_layout() { a.into_raw_vec_and_offset().0 } else { a.t().iter().copied().collect() };
    let lower = |entries: &[f64]| (0..n).map(|j| largest(&entries[j * n + j..(j + 1) * n])).fold(0.0, f64::max);
    let scale = power_of_two(lower(&entries));
    if scale != 1.0 {
        entries.iter_mut().for_each(|v| *v /= scale);
    }
    (entries, scale)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, v| v.abs().max(largest))
}

/// A power of two near a number, so that scaling by it does not round: its bits without the
/// mantissa. 1 for zero, and the least normal number for what is smaller.
fn power_of_two(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    if value == 0.0 { 1.0 } else { f64::from_bits(value.to_bits() & EXPONENT).max(f64::MIN_POSITIVE) }
}

fn column_major(values: Vec<f64>, rows: usize) -> Array2<f64> {
    let columns = values.len().checked_div(rows).unwrap_or(0);
    Array2::from_shape_vec((rows, columns).f(), values).expect("whole columns")
}
