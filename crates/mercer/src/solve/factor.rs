//! Cholesky factors in the memory of the matrix, on every thread, with the same bytes for any
//! number of threads.

use ndarray::{Array2, ArrayView2, s};

use super::blocks::{BLOCK, by_columns, by_columns_mut, factor_blocks, substitute};
use super::triangular::{solve_lower, solve_lower_transposed};
use crate::error::MemoryPurpose;
use crate::gram::simd::absolute_sum;
use crate::gram::simd::triangle::{self, Triangle};
use crate::{Compute, Error, Result};

/// Below this many rows the columns of the inverse are computed in narrow blocks, so that every
/// thread has some: a fit with diagnostics takes 4.5 instead of 5.0 ms at 500 rows, 36 instead of 39 ms
/// at 1500 rows.
const SMALL: usize = 4096;
/// Columns of a narrow block. At 1500 rows 32 is as fast and 128 18 % slower, at 3000 they are 17 %
/// and 12 % slower.
const NARROW: usize = 64;

/// Right-hand sides up to which each is substituted by itself: two of 100 rows together take as long as
/// four alone.
const FEW: usize = 3;

/// What became of a matrix that was to be factored.
#[derive(Clone, Debug)]
pub enum Factored {
    /// `A = LLᵀ`.
    Definite(CholeskyFactor),
    /// Singular (or indefinite) to working precision: the matrix itself, unchanged in its upper
    /// triangle and diagonal, and mirrored.
    Singular(Array2<f64>),
}

/// The Cholesky factor `L` of a positive definite `A = LLᵀ`, kept where `A` was.
#[derive(Clone, Debug)]
pub struct CholeskyFactor {
    size: usize,
    /// Column-major: `L` in the lower triangle, what was `A` strictly above it.
    values: Vec<f64>,
    /// `‖A‖₁`.
    norm: f64,
}

/// Factors a symmetric matrix in its own memory.
///
/// # Formula
/// Halves, recursively: `L₁₁ = chol(A₁₁)`, `L₂₁ = A₂₁L₁₁⁻ᵀ`, `A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ`,
/// `L₂₂ = chol(A₂₂)`; strips of `L₂₁` and tiles of `A₂₂` are computed in parallel, each by one
/// thread in a fixed order.
///
/// # Cost
/// `n³/3` and no memory beyond a few blocks per thread.
///
/// # Errors
/// [`Error::Shape`] unless the matrix is square, [`Error::Value`] for NaN and infinities,
/// [`Error::Canceled`].
///
/// # Example
/// ```
/// use mercer::{Compute, solve::{Factored, factor}};
/// use ndarray::array;
/// let compute = Compute::new();
/// let Factored::Definite(l) = factor(array![[4.0, 2.0], [2.0, 5.0]], &compute)? else { panic!("singular") };
/// // det A = 16; A⁻¹ = [[5, −2], [−2, 4]]/16
/// mercer::assert_close!(l.log_determinant(), 16.0_f64.ln(), abs = 1e-15);
/// mercer::assert_close!(l.inverse_diagonal(&compute)?[0], 5.0 / 16.0, abs = 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn factor(a: Array2<f64>, compute: &Compute) -> Result<Factored> {
    factor_if(a, |values, _, n| pivots_are_large(values, n), compute)
}

/// As [`factor`], but a pivot has to exceed the rounding error of its own diagonal entry only, as
/// in LAPACK's `potrf`.
///
/// For covariance matrices whose nugget is small beside a large signal variance: `10⁵·K + 10⁻¹⁰·I`
/// has a factor, although no digit of a solution may be right.
pub(crate) fn factor_any(a: Array2<f64>, compute: &Compute) -> Result<Factored> {
    factor_if(a, pivots_are_positive, compute)
}

/// The factor if `accept` finds its pivots, given beside the diagonal of the matrix, large enough.
fn factor_if(a: Array2<f64>, accept: impl Fn(&[f64], &[f64], usize) -> bool, compute: &Compute) -> Result<Factored> {
    let n = a.nrows();
    if a.ncols() != n {
        return Err(Error::shape("columns of a symmetric matrix", n, a.ncols()));
    }
    let a = if a.is_standard_layout() { a } else { a.as_standard_layout().into_owned() };
    let diagonal: Vec<f64> = a.diag().to_vec();
    let sums: Vec<f64> = a.rows().into_iter().map(|row| absolute_sum(row.as_slice().unwrap_or_default())).collect();
    if sums.iter().any(|sum| !sum.is_finite()) {
        // Finite entries with an infinite sum pass.
        crate::Points::Vectors(a.view()).check_finite("matrix of a linear system")?;
    }
    let norm = sums.into_iter().fold(0.0, f64::max);
    let mut values = a.into_raw_vec_and_offset().0;
    let matrix = by_columns_mut(&mut values, n, n);
    let definite =
        if n <= BLOCK { factor_blocks(matrix, compute) } else { compute.install(|| factor_blocks(matrix, compute)) };
    let definite = definite?;
    if definite && accept(&values, &diagonal, n) {
        return Ok(Factored::Definite(CholeskyFactor { size: n, values, norm }));
    }
    Ok(Factored::Singular(restore(&values, &diagonal)))
}

impl CholeskyFactor {
    /// The factor of `RᵀR` for an upper triangular `R` without zeros on its diagonal.
    pub(super) fn from_upper(r: &Array2<f64>) -> Self {
        let size = r.nrows();
        let mut values = vec![0.0; size * size];
        for (j, row) in r.rows().into_iter().enumerate() {
            let sign = row[j].signum();
            values[j * size + j..(j + 1) * size].iter_mut().zip(&row.slice(s![j..])).for_each(|(to, v)| *to = sign * v);
        }
        let product = r.t().dot(r);
        let norm = product.rows().into_iter().map(|row| row.iter().map(|v| v.abs()).sum()).fold(0.0, f64::max);
        Self { size, values, norm }
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// `A⁻¹B`.
    ///
    /// # Cost
    /// `2n²` per column of `B`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `B` has `n` rows.
    pub fn solve(&self, b: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.substitute(b, true, compute)
    }

    /// `L⁻¹B`.
    ///
    /// # Cost
    /// `n²` per column of `B`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `B` has `n` rows.
    pub fn half_solve(&self, b: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.substitute(b, false, compute)
    }

    /// `L⁻ᵀB`.
    ///
    /// # Cost
    /// `n²` per column of `B`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `B` has `n` rows.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, solve::{Factored, factor}};
    /// use ndarray::array;
    /// let compute = Compute::new();
    /// let Factored::Definite(l) = factor(array![[4.0, 2.0], [2.0, 5.0]], &compute)? else { panic!("singular") };
    /// // L = [[2, 0], [1, 2]]
    /// let x = l.half_solve_transposed(array![[2.0], [4.0]].view(), &compute)?;
    /// assert_eq!(x, array![[0.0], [2.0]]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn half_solve_transposed(&self, b: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        self.check_rows(b)?;
        let mut x = b.as_standard_layout().into_owned();
        compute.install(|| solve_lower_transposed(self.lower(), x.view_mut()));
        Ok(x)
    }

    /// `L` itself, with zeros above the diagonal.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn to_lower(&self, compute: &Compute) -> Result<Array2<f64>> {
        let n = self.size as u64;
        compute.reserve(
            MemoryPurpose::Factorization,
            "a copy of the Cholesky factor",
            8 * n * n,
            "use fewer rows or a higher memory limit",
        )?;
        let lower = self.lower();
        Ok(Array2::from_shape_fn((self.size, self.size), |(i, j)| if i >= j { lower[[i, j]] } else { 0.0 }))
    }

    /// `log det A = 2Σ log Lᵢᵢ`.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.size).map(|i| self.pivot(i).ln()).sum::<f64>()
    }

    /// The diagonal of `A⁻¹`.
    ///
    /// # Formula
    /// `(A⁻¹)ᵢᵢ = ‖L⁻¹eᵢ‖²`: columns of `L⁻¹`, block by block, none of them kept.
    ///
    /// # Cost
    /// `n³/3`, and `192n` numbers per thread.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub fn inverse_diagonal(&self, compute: &Compute) -> Result<Vec<f64>> {
        let squares = |_: usize, x: ArrayView2<f64>| Ok(x.columns().into_iter().map(|c| c.dot(&c)).collect());
        let blocks: Vec<Vec<f64>> = self.unit_columns(false, squares, compute)?;
        Ok(blocks.concat())
    }

    /// What `visit` makes of the columns of `A⁻¹`, block by block in parallel, in their order. It
    /// is given the first column `j` of a block and the entries of the block from row `j` down.
    ///
    /// # Cost
    /// `2n³/3`, and `192n` numbers per thread: `A⁻¹` is never stored.
    ///
    /// # Errors
    /// [`Error::Canceled`], and those of `visit`.
    pub(crate) fn inverse_columns<T: Send>(
        &self,
        visit: impl Fn(usize, ArrayView2<f64>) -> Result<T> + Sync,
        compute: &Compute,
    ) -> Result<Vec<T>> {
        self.unit_columns(true, visit, compute)
    }

    /// Visits blocks of columns of `L⁻¹` or, for a whole solve, of `A⁻¹`, from the diagonal down.
    fn unit_columns<T: Send>(
        &self,
        whole: bool,
        visit: impl Fn(usize, ArrayView2<f64>) -> Result<T> + Sync,
        compute: &Compute,
    ) -> Result<Vec<T>> {
        let width = if self.size < SMALL { NARROW } else { BLOCK };
        let block = |k: usize| {
            compute.check_canceled()?;
            let start = k * width;
            let below = self.size - start;
            let lower = self.lower().slice_move(s![start.., start..]);
            // Row by row, which substitution is faster for; the visitor reads columns.
            let mut x = Array2::zeros((below, width.min(below)));
            x.diag_mut().fill(1.0);
            solve_lower(lower, x.view_mut());
            if whole {
                compute.check_canceled()?;
                solve_lower_transposed(lower, x.view_mut());
            }
            visit(start, x.t().as_standard_layout().t())
        };
        let count = self.size.div_ceil(width);
        if self.size <= BLOCK {
            // To wake the other threads would take longer.
            return if whole { self.visit_inverse(visit) } else { (0..count).map(block).collect() };
        }
        compute.try_map_tasks(count, block)
    }

    /// The same for a matrix that fits the cache: the whole inverse at once.
    fn visit_inverse<T>(&self, visit: impl Fn(usize, ArrayView2<f64>) -> Result<T>) -> Result<Vec<T>> {
        let n = self.size;
        let mut lower = Triangle::zeros(n);
        (0..n).for_each(|j| lower.column_mut(j)[j..].copy_from_slice(&self.values[j * n + j..(j + 1) * n]));
        let inverse = lower.inverse();
        let whole = by_columns(inverse.entries(), inverse.stride(), n);
        let block = |k: usize| {
            let start = k * NARROW;
            visit(start, whole.slice(s![start..n, start..n.min(start + NARROW)]))
        };
        (0..n.div_ceil(NARROW)).map(block).collect()
    }

    /// An estimate of the condition number `‖A‖₁‖A⁻¹‖₁`, by Hager's method: rarely off by more than
    /// a factor of three.
    ///
    /// # Cost
    /// At most ten solves.
    ///
    /// # Errors
    /// None that a factor can cause.
    pub fn condition(&self, compute: &Compute) -> Result<f64> {
        let n = self.size;
        if n == 0 {
            return Ok(1.0);
        }
        let mut x = Array2::from_elem((n, 1), 1.0 / n as f64);
        let mut estimate = 0.0;
        for _ in 0..5 {
            let v = self.solve(x.view(), compute)?;
            estimate = v.iter().map(|v| v.abs()).sum::<f64>();
            let z = self.solve(v.mapv(f64::signum).view(), compute)?;
            let slope: f64 = z.iter().zip(&x).map(|(z, x)| z * x).sum();
            let (at, largest) =
                z.iter().enumerate().fold((0, 0.0), |m, (i, v)| if v.abs() > m.1 { (i, v.abs()) } else { m });
            if largest <= slope {
                break;
            }
            x.fill(0.0);
            x[[at, 0]] = 1.0;
        }
        Ok(estimate * self.norm)
    }

    fn lower(&self) -> ArrayView2<'_, f64> {
        by_columns(&self.values, self.size, self.size)
    }

    fn pivot(&self, i: usize) -> f64 {
        self.values[i * self.size + i]
    }

    fn check_rows(&self, b: ArrayView2<f64>) -> Result<()> {
        if b.nrows() == self.size {
            return Ok(());
        }
        Err(Error::shape("rows of the right-hand side", self.size, b.nrows()))
    }

    fn substitute(&self, b: ArrayView2<f64>, whole: bool, compute: &Compute) -> Result<Array2<f64>> {
        self.check_rows(b)?;
        let mut x = b.as_standard_layout().into_owned();
        if b.ncols() <= FEW {
            for (mut x, b) in x.columns_mut().into_iter().zip(b.columns()) {
                let mut column = b.to_vec();
                triangle::substitute(&self.values, self.size, &mut column, whole);
                x.iter_mut().zip(column).for_each(|(to, from)| *to = from);
            }
        } else {
            substitute(self.lower(), x.view_mut(), whole, compute);
        }
        Ok(x)
    }
}

/// Whether no squared pivot is small beside the largest.
fn pivots_are_large(values: &[f64], n: usize) -> bool {
    let squares = (0..n).map(|i| values[i * n + i].powi(2));
    let (smallest, largest) = squares.fold((f64::INFINITY, 0.0_f64), |(s, l), p| (s.min(p), l.max(p)));
    n == 0 || smallest > n as f64 * f64::EPSILON * largest
}

/// Whether every squared pivot exceeds the rounding error of its diagonal entry.
fn pivots_are_positive(values: &[f64], diagonal: &[f64], n: usize) -> bool {
    (0..n).all(|i| values[i * n + i].powi(2) > f64::EPSILON * diagonal[i])
}

/// The matrix again, from what stands above the diagonal and the diagonal that was kept.
fn restore(values: &[f64], diagonal: &[f64]) -> Array2<f64> {
    let n = diagonal.len();
    Array2::from_shape_fn((n, n), |(i, j)| if i == j { diagonal[i] } else { values[i.max(j) * n + i.min(j)] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::solve::solve_positive;

    fn random_definite(n: usize) -> Array2<f64> {
        let mut stream = Seed(5).stream("matrix", n as u64);
        let b = Array2::from_shape_fn((n, n), |_| stream.normal());
        b.dot(&b.t()) + Array2::<f64>::eye(n) * n as f64
    }

    #[test]
    fn solutions_determinants_and_inverse_diagonals_agree_with_the_plain_solver() {
        let compute = Compute::new();
        for n in [0, 1, 5, 191, 192, 193, 450] {
            let a = random_definite(n);
            let Factored::Definite(l) = factor(a.clone(), &compute).unwrap() else { panic!("n = {n}") };
            let inverse = solve_positive(a.view(), Array2::eye(n).view()).unwrap().solution;
            let found = l.solve(Array2::eye(n).view(), &compute).unwrap();
            assert_close!(&found, &inverse, each = 1e-13, "n = {n}");
            let diagonal = l.inverse_diagonal(&compute).unwrap();
            assert_close!(diagonal.iter(), inverse.diag(), each = 1e-13, "n = {n}");
            let differ = |first: usize, columns: ArrayView2<f64>| {
                let entries = (0..columns.ncols()).flat_map(|j| (0..columns.nrows()).map(move |i| (i, j)));
                Ok(entries.map(|(i, j)| (columns[[i, j]] - inverse[[first + i, first + j]]).abs()).fold(0.0, f64::max))
            };
            let errors = l.inverse_columns(differ, &compute).unwrap();
            assert!(errors.len() == n.div_ceil(NARROW) && errors.iter().all(|e| *e <= 1e-13), "n = {n}");
            let norm = |m: &Array2<f64>| m.columns().into_iter().map(|c| c.mapv(f64::abs).sum()).fold(0.0, f64::max);
            let (found, exact) = (l.condition(&compute).unwrap(), norm(&a) * norm(&inverse));
            assert!(n == 0 || (found <= exact * (1.0 + 1e-12) && found >= exact / 3.0), "n = {n}: {found} {exact}");
        }
    }

    #[test]
    fn the_same_bytes_for_any_number_of_threads() {
        let a = random_definite(700);
        let solve = |threads: usize| {
            let compute = Compute::new().with_threads(threads).unwrap();
            let Factored::Definite(l) = factor(a.clone(), &compute).unwrap() else { panic!("singular") };
            (l.solve(a.view(), &compute).unwrap(), l.inverse_diagonal(&compute).unwrap())
        };
        let one = solve(1);
        assert_eq!(one, solve(2));
        assert_eq!(one, solve(3));
    }

    #[test]
    fn singular_matrices_come_back_unchanged() {
        let b = Array2::from_shape_fn((400, 3), |(i, j)| ((i * (j + 1)) as f64).sin());
        let a = b.dot(&b.t());
        let mirrored = Array2::from_shape_fn(a.dim(), |(i, j)| a[[i.max(j), i.min(j)]]);
        match factor(mirrored.clone(), &Compute::new()).unwrap() {
            Factored::Singular(back) => assert_eq!(back, mirrored),
            Factored::Definite(_) => panic!("a matrix of rank 3 is singular"),
        }
    }

    #[test]
    fn a_small_nugget_beside_a_large_signal_has_a_factor() {
        let nugget = |i: usize, j: usize| if i == j { 1e-9 } else { 0.0 };
        let a = Array2::from_shape_fn((300, 300), |(i, j)| 1e5 + nugget(i, j));
        let compute = Compute::new();
        assert!(matches!(factor(a.clone(), &compute).unwrap(), Factored::Singular(_)));
        let Factored::Definite(l) = factor_any(a.clone(), &compute).unwrap() else { panic!("singular") };
        let lower = l.to_lower(&compute).unwrap();
        assert_close!(lower.dot(&lower.t()), a, each = 1e-9);
        assert_eq!(lower[[0, 1]], 0.0);
        let singular = Array2::from_elem((300, 300), 1e5);
        assert!(matches!(factor_any(singular, &compute).unwrap(), Factored::Singular(_)));
    }

    #[test]
    fn bad_matrices_are_refused() {
        assert!(matches!(factor(Array2::zeros((2, 3)), &Compute::new()), Err(Error::Shape { .. })));
        assert!(matches!(factor(Array2::from_elem((1, 1), f64::NAN), &Compute::new()), Err(Error::Value { .. })));
    }
}
