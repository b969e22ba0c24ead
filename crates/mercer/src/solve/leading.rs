//! The leading eigenpairs of a matrix known by its products.

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::conjugate_gradient::Product;
use super::eigen::{SymmetricEigen, symmetric_eigen};
use super::products::multiply;
use crate::error::MemoryPurpose;
use crate::{Compute, Error, Result};

/// Oversampling: additional vectors beyond those requested. For 5 vectors of 2000 rows 16 is 22 %
/// slower; for 20 vectors 4 is 15 % faster with a Gaussian and 13 % slower with a Laplacian kernel.
const SPARE: usize = 8;
/// Blocks of the basis before a restart: more blocks converge in fewer products and take more
/// memory. For 5 vectors of 2000 rows 2 is 27 % and 6 7 % slower; for 20 vectors 3 and 6 differ by
/// less than 8 %.
const BLOCKS: usize = 4;
/// Maximum number of restarts.
const RESTARTS: usize = 60;
/// Residuals relative to the largest eigenvalue.
const TOLERANCE: f64 = 1e-10;
/// Directions shorter than this, relative to the longest of their block, are dependent on the
/// others.
const DEPENDENT: f64 = 1e-10;

/// Eigenpairs with the evidence for them.
#[derive(Clone, Debug, PartialEq)]
pub struct LeadingEigen {
    /// The largest eigenvalues, descending.
    pub values: Vec<f64>,
    /// Orthonormal eigenvectors, a column each.
    pub vectors: Array2<f64>,
    /// The largest `‖Av − θv‖`.
    pub residual: f64,
    /// Vectors that were multiplied by the matrix.
    pub products: usize,
}

/// The `count` largest eigenvalues of a positive semi-definite matrix, with their vectors.
///
/// # Theory
/// Rayleigh–Ritz on block Krylov spaces `[X, AX, A²X, …]` that begin with random vectors,
/// orthogonalized in full, and begun again from the best vectors when they are four blocks long. A
/// block finds eigenvalues that stand several times, which single vectors miss.
///
/// # Cost
/// Some tens of products with blocks of `count + 8` vectors, and `16n·4(count + 8)` bytes.
///
/// # Errors
/// [`Error::NotConverged`] with the residual that was reached, [`Error::Memory`],
/// [`Error::Canceled`]; errors of the products.
///
/// # Example
/// ```
/// use mercer::{Compute, solve::leading_eigen};
/// let diagonal = ndarray::Array2::from_diag(&ndarray::Array1::from_shape_fn(40, |i| 1.0 / (1.0 + i as f64)));
/// let found = leading_eigen(40, &|v| Ok(diagonal.dot(&v)), 3, &Compute::new())?;
/// mercer::assert_close!(found.values[2], 1.0 / 3.0, abs = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn leading_eigen(n: usize, apply: &Product<'_>, count: usize, compute: &Compute) -> Result<LeadingEigen> {
    let count = count.min(n);
    let width = (count + SPARE).min(n);
    let bytes = 16 * (n as u64) * (BLOCKS * width) as u64;
    compute.reserve(
        MemoryPurpose::Factorization,
        "vectors for the leading eigenvalues",
        bytes,
        "ask for fewer components",
    )?;
    let mut stream = compute.seed().stream("leading eigenvalues", n as u64);
    let start = Array2::from_shape_fn((n, width), |_| stream.normal());
    let mut space = Space::new(n);
    let mut block = orthonormal(start, compute)?;
    for round in 0..RESTARTS * BLOCKS {
        compute.check_canceled()?;
        compute.report("leading eigenvalues", round as u64, (RESTARTS * BLOCKS) as u64);
        space.extend(block, apply)?;
        let ritz = space.ritz(compute)?;
        let residuals = space.residuals(&ritz, width, compute)?;
        block = space.outside(residuals.clone(), compute)?;
        let found = space.leading(&ritz, count, &residuals, compute)?;
        if found.residual <= TOLERANCE * found.values.first().copied().unwrap_or(0.0) || block.ncols() == 0 {
            return Ok(found);
        }
        if space.basis.ncols() + block.ncols() > BLOCKS * width {
            space.restart(&ritz, width, compute)?;
        }
    }
    let (solver, iterations, tolerance) = ("leading eigenvalues", space.products, TOLERANCE);
    Err(Error::NotConverged { solver, iterations, residual: space.last, tolerance })
}

/// An orthonormal basis `Q` with `AQ`.
struct Space {
    basis: Array2<f64>,
    image: Array2<f64>,
    products: usize,
    last: f64,
}

impl Space {
    fn new(n: usize) -> Self {
        Self { basis: Array2::zeros((n, 0)), image: Array2::zeros((n, 0)), products: 0, last: f64::INFINITY }
    }

    fn extend(&mut self, block: Array2<f64>, apply: &Product<'_>) -> Result<()> {
        let image = apply(block.view())?;
        self.products += block.ncols();
        self.basis = beside(&self.basis, &block);
        self.image = beside(&self.image, &image);
        Ok(())
    }

    /// The eigenpairs of `QᵀAQ`, descending.
    fn ritz(&self, compute: &Compute) -> Result<SymmetricEigen> {
        let matrix = multiply(self.basis.t(), self.image.view(), compute)?;
        let eigen = symmetric_eigen((&matrix + &matrix.t()).mapv(|v| 0.5 * v).view(), compute)?;
        let order: Vec<usize> = (0..eigen.values.len()).rev().collect();
        let values = order.iter().map(|&j| eigen.values[j]).collect();
        Ok(SymmetricEigen { values, vectors: eigen.vectors.select(Axis(1), &order) })
    }

    /// `Av − θv` of the leading Ritz pairs.
    fn residuals(&self, ritz: &SymmetricEigen, width: usize, compute: &Compute) -> Result<Array2<f64>> {
        let width = width.min(ritz.values.len());
        let vectors = ritz.vectors.slice(s![.., ..width]);
        let values = Array1::from_iter(ritz.values[..width].iter().copied());
        Ok(multiply(self.image.view(), vectors, compute)?
            - multiply(self.basis.view(), (&vectors * &values).view(), compute)?)
    }

    /// What a block adds to the space, orthonormal.
    fn outside(&self, mut block: Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        for _ in 0..2 {
            let inside = multiply(self.basis.t(), block.view(), compute)?;
            block -= &multiply(self.basis.view(), inside.view(), compute)?;
        }
        let fresh = orthonormal(block, compute)?;
        // Short directions were scaled up with their errors: once more.
        let inside = multiply(self.basis.t(), fresh.view(), compute)?;
        orthonormal(&fresh - &multiply(self.basis.view(), inside.view(), compute)?, compute)
    }

    fn leading(
        &mut self,
        ritz: &SymmetricEigen,
        count: usize,
        residuals: &Array2<f64>,
        compute: &Compute,
    ) -> Result<LeadingEigen> {
        let count = count.min(ritz.values.len());
        let vectors = multiply(self.basis.view(), ritz.vectors.slice(s![.., ..count]), compute)?;
        let residual =
            residuals.slice(s![.., ..count]).columns().into_iter().map(|r| r.dot(&r).sqrt()).fold(0.0, f64::max);
        self.last = residual;
        Ok(LeadingEigen { values: ritz.values[..count].to_vec(), vectors, residual, products: self.products })
    }

    /// Keeps the leading Ritz vectors alone.
    fn restart(&mut self, ritz: &SymmetricEigen, width: usize, compute: &Compute) -> Result<()> {
        let vectors = ritz.vectors.slice(s![.., ..width.min(ritz.values.len())]);
        self.basis = multiply(self.basis.view(), vectors, compute)?;
        self.image = multiply(self.image.view(), vectors, compute)?;
        Ok(())
    }
}

fn beside(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    concatenate(Axis(1), &[a.view(), b.view()]).expect("both have n rows").as_standard_layout().into_owned()
}

/// An orthonormal basis of the span of the columns, without directions that are dependent on the
/// others: `B V Λ^{−½}` from `BᵀB = VΛVᵀ`, twice.
fn orthonormal(block: Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let lengths = Array1::from_iter(block.columns().into_iter().map(|c| c.dot(&c).sqrt()));
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let long: Vec<usize> =
        (0..lengths.len()).filter(|&j| lengths[j] > DEPENDENT * longest && lengths[j] > f64::MIN_POSITIVE).collect();
    let scaled = block.select(Axis(1), &long) / &lengths.select(Axis(0), &long);
    let once = whitened(scaled.view(), DEPENDENT, compute)?;
    whitened(once.view(), DEPENDENT, compute)
}

fn whitened(block: ArrayView2<f64>, least: f64, compute: &Compute) -> Result<Array2<f64>> {
    let eigen = symmetric_eigen(multiply(block.t(), block, compute)?.view(), compute)?;
    let top = eigen.values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..eigen.values.len()).filter(|&j| eigen.values[j] > least * top).collect();
    let roots = Array1::from_iter(kept.iter().map(|&j| eigen.values[j].sqrt()));
    multiply(block, (eigen.vectors.select(Axis(1), &kept) / &roots).view(), compute)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], count: usize) {
        let n = values.len();
        let mut stream = crate::Seed(5).stream("basis", n as u64);
        let q = orthonormal(Array2::from_shape_fn((n, n), |_| stream.normal()), &Compute::new()).unwrap();
        let a = (&q * &Array1::from(values.to_vec())).dot(&q.t());
        let found = leading_eigen(n, &|v| Ok(a.dot(&v)), count, &Compute::new()).unwrap();
        let mut expected = values.to_vec();
        expected.sort_by(|a, b| b.total_cmp(a));
        for (found, expected) in found.values.iter().zip(&expected) {
            assert_close!(*found, *expected, abs = 1e-10 * expected.max(1.0), "{found} {expected}");
        }
        let gram = found.vectors.t().dot(&found.vectors);
        assert!(gram.indexed_iter().all(|((i, j), v)| (v - f64::from(u8::from(i == j))).abs() <= 1e-10));
        let images = a.dot(&found.vectors) - &found.vectors * &Array1::from(found.values.clone());
        assert!(images.iter().all(|v| v.abs() <= 1e-9));
    }

    #[test]
    fn eigenpairs_slow_fast_repeated_and_few() {
        check(&(0..300).map(|i| 1.0 / (1.0 + f64::from(i))).collect::<Vec<_>>(), 10);
        check(&(0..300).map(|i| 0.5_f64.powi(i)).collect::<Vec<_>>(), 25);
        check(&(0..200).map(|i| if i < 12 { 2.0 } else { 1.0 / f64::from(i) }).collect::<Vec<_>>(), 8);
        check(&(0..150).map(|i| if i < 3 { 1.0 } else { 0.0 }).collect::<Vec<_>>(), 3);
        check(&[3.0, 1.0], 2);
    }

    #[test]
    fn the_same_bytes_for_any_number_of_threads() {
        let a = Array2::from_shape_fn((400, 400), |(i, j)| (-(i as f64 - j as f64).powi(2) / 900.0).exp());
        let run = |threads| {
            let compute = Compute::new().with_threads(threads).unwrap();
            leading_eigen(400, &|v| multiply(a.view(), v, &compute), 5, &compute).unwrap()
        };
        assert_eq!(run(1), run(2));
    }
}
