//! The leading eigenpairs of a matrix known by its products.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};

use super::eigen::{SymmetricEigen, symmetric_eigen};
use super::triangular::solve_lower;
use crate::error::MemoryPurpose;
use crate::gram::simd::triangle::Triangle;
use crate::operator::Operator;
use crate::operator::products::multiply;
use crate::{Compute, Error, Result};

/// Oversampling: additional vectors beyond those requested, at least.
const SPARE: usize = 4;
/// Vectors of a block are a multiple of this: a product of 5000 rows with 24 vectors takes 13 ms,
/// with 28 vectors 17 ms, as with 32.
const MULTIPLE: usize = 8;
/// Blocks of the basis before a restart, at least.
const BLOCKS: usize = 6;
/// Vectors of the basis before a restart, at least. 20 components of 5000 images converged after 10
/// products without a restart, after 17 with a basis of 112 vectors and 14 with one of 168 (the same
/// steps in numpy, blocks of 28 vectors).
const VECTORS: usize = 336;
/// Rows for every vector of the basis: of few rows, the eigenpairs of `QᵀAQ` for a long basis take
/// longer than the products that restarts would add.
const ROWS_PER_VECTOR: usize = 4;
/// Numbers of the basis where it has more than four blocks: 256 MB.
const NUMBERS: usize = 1 << 25;
/// Blocks after which convergence is first looked at.
const FIRST_LOOK: usize = 3;
/// Blocks between two looks, at most.
const LOOKS: usize = 4;
/// Maximum number of products.
const ROUNDS: usize = 240;
/// Residuals relative to the largest eigenvalue.
const TOLERANCE: f64 = 1e-10;
/// Squared lengths of directions, relative to the longest of their block, down to which they are
/// found in one stage: the error of a direction is that of rounding divided by its length.
const DEPENDENT: f64 = 1e-6;
/// Stages in which the directions of a block are found, at most.
const STAGES: usize = 6;
/// What is shorter than this, relative to the longest image, is rounding.
const ROUNDING: f64 = 1e-14;

/// Eigenpairs with the evidence for them.
#[derive(Clone, Debug, PartialEq)]
pub struct LeadingEigen {
    /// The largest eigenvalues, descending.
    pub values: Vec<f64>,
    /// Orthonormal eigenvectors, a column each.
    pub vectors: Array2<f64>,
    /// The largest `‖Av − θv‖`, up to rounding.
    pub residual: f64,
    /// Vectors that were multiplied by the matrix.
    pub products: usize,
}

/// The `count` largest eigenvalues of a positive semi-definite matrix, with their vectors.
///
/// # Theory
/// Rayleigh–Ritz on block Krylov spaces `[X, AX, A²X, …]` that begin with random vectors (block
/// Lanczos, orthogonalized in full), and begin again from the best vectors when they are long. For
/// the orthonormal basis `Q`, `AQ = QH + X R Eᵀ` with the next block `X`, and `E` those columns of
/// the identity that belong to the last block: the residual of a Ritz pair `Hs = θs` is `‖R Eᵀs‖`.
/// A block finds eigenvalues that stand several times, which single vectors miss.
///
/// # Cost
/// Some ten products with blocks of at least `count + 4` vectors, and `8n` bytes for each of some
/// 340 vectors, or of four blocks.
///
/// # Errors
/// [`Error::NotConverged`] with the residual that was reached, [`Error::Memory`],
/// [`Error::Canceled`]; errors of the products.
///
/// # Example
/// ```
/// use mercer::{Compute, operator::Dense, solve::leading_eigen};
/// let diagonal = ndarray::Array2::from_diag(&ndarray::Array1::from_shape_fn(40, |i| 1.0 / (1.0 + i as f64)));
/// let compute = Compute::new();
/// let found = leading_eigen(&Dense::new(diagonal.view(), &compute), 3, &compute)?;
/// mercer::assert_close!(found.values[2], 1.0 / 3.0, abs = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn leading_eigen(operator: &dyn Operator, count: usize, compute: &Compute) -> Result<LeadingEigen> {
    let (found, converged) = estimates(operator, count, TOLERANCE, ROUNDS, compute)?;
    if converged {
        return Ok(found);
    }
    let (solver, iterations, tolerance) = ("leading eigenvalues", found.products, TOLERANCE);
    Err(Error::NotConverged { solver, iterations, residual: found.residual, tolerance })
}

/// As [`leading_eigen`], until residuals relative to the largest eigenvalue are within a tolerance or
/// so many products were made: estimates with the residual that was reached.
pub(crate) fn leading_estimates(
    operator: &dyn Operator,
    count: usize,
    tolerance: f64,
    rounds: usize,
    compute: &Compute,
) -> Result<LeadingEigen> {
    Ok(estimates(operator, count, tolerance, rounds, compute)?.0)
}

/// The estimates, and whether their residuals are within the tolerance.
fn estimates(
    operator: &dyn Operator,
    count: usize,
    tolerance: f64,
    rounds: usize,
    compute: &Compute,
) -> Result<(LeadingEigen, bool)> {
    let n = operator.shape().0;
    let count = count.min(n);
    compute.reserve(
        MemoryPurpose::Factorization,
        "vectors for the leading eigenvalues",
        leading_bytes(n, count),
        "ask for fewer components",
    )?;
    // Many small products: each would otherwise wait for the threads on its own.
    compute.install(|| iterate(operator, count, (tolerance, rounds), compute))
}

fn iterate(
    operator: &dyn Operator,
    count: usize,
    (tolerance, rounds): (f64, usize),
    compute: &Compute,
) -> Result<(LeadingEigen, bool)> {
    let mut space = Space::new(operator.shape().0, count, compute)?;
    let mut looks = Looks { next: FIRST_LOOK, last: None };
    let mut round = 0;
    loop {
        round += 1;
        compute.check_canceled()?;
        compute.report("leading eigenvalues", round as u64, rounds as u64);
        let whole = space.extend(operator, compute)?;
        if round < looks.next.min(rounds) && !whole && !space.is_full() {
            continue;
        }
        let ritz = space.ritz(compute)?;
        space.residual = space.largest_residual(&ritz, count);
        let goal = tolerance * ritz.values.first().copied().unwrap_or(0.0);
        let converged = space.residual <= goal || whole;
        if converged || round >= rounds {
            return Ok((space.leading(&ritz, count, compute)?, converged));
        }
        looks.plan(round, space.residual, goal);
        if space.is_full() {
            space.restart(&ritz, compute)?;
        }
    }
}

/// Bytes of the vectors of [`leading_eigen`]: of the basis, and of what a step makes of a block.
pub(crate) fn leading_bytes(n: usize, count: usize) -> u64 {
    let width = leading_width(n, count);
    8 * (n as u64) * (limit(n, width) + 4 * width) as u64
}

/// Vectors of a block.
pub(crate) fn leading_width(n: usize, count: usize) -> usize {
    count.saturating_add(SPARE).next_multiple_of(MULTIPLE).min(n)
}

/// Vectors of the basis, at most.
fn limit(n: usize, width: usize) -> usize {
    let many = VECTORS.min(n / ROWS_PER_VECTOR).min(NUMBERS / n.max(1)) / width.max(1) * width;
    width.saturating_mul(BLOCKS).max(many).min(n)
}

/// When to look at the residuals again: where they would be small enough if every product reduced
/// them by the factor of those before.
struct Looks {
    next: usize,
    last: Option<(usize, f64)>,
}

impl Looks {
    fn plan(&mut self, round: usize, residual: f64, goal: f64) {
        let ahead = match self.last {
            Some((before, size)) if residual < size && residual > 0.0 => {
                let rate = (size / residual).ln() / (round - before) as f64;
                ((residual / goal).ln() / rate).ceil().clamp(1.0, LOOKS as f64) as usize
            }
            _ => 2,
        };
        (self.next, self.last) = (round + ahead, Some((round, residual)));
    }
}

/// An orthonormal basis `Q` with `H = QᵀAQ`, and the block that comes next.
struct Space {
    /// Columns up to `filled` are those of the basis.
    basis: Array2<f64>,
    filled: usize,
    projected: Array2<f64>,
    next: Array2<f64>,
    /// `R`, and the columns of the basis that it belongs to.
    coupling: (Array2<f64>, Range<usize>),
    /// Ritz vectors that are kept by a restart.
    width: usize,
    products: usize,
    residual: f64,
    /// The length of the longest image of a vector of the basis.
    size: f64,
}

impl Space {
    fn new(n: usize, count: usize, compute: &Compute) -> Result<Self> {
        let width = leading_width(n, count);
        let limit = limit(n, width);
        let mut stream = compute.seed().stream("leading eigenvalues", n as u64);
        let start = Array2::from_shape_fn((n, width), |_| stream.normal());
        Ok(Self {
            basis: Array2::zeros((n, limit)),
            filled: 0,
            projected: Array2::zeros((limit, limit)),
            next: orthonormal(start, compute)?,
            coupling: (Array2::zeros((0, 0)), 0..0),
            width,
            products: 0,
            residual: f64::INFINITY,
            size: 0.0,
        })
    }

    fn known(&self) -> ArrayView2<'_, f64> {
        self.basis.slice(s![.., ..self.filled])
    }

    /// Whether the next block has no room.
    fn is_full(&self) -> bool {
        self.filled + self.next.ncols() > self.basis.ncols()
    }

    /// Takes the next block to the basis, and multiplies it. Says whether nothing is left outside of
    /// the basis that the matrix would lead to.
    fn extend(&mut self, operator: &dyn Operator, compute: &Compute) -> Result<bool> {
        let (from, to) = (self.filled, self.filled + self.next.ncols());
        self.basis.slice_mut(s![.., from..to]).assign(&self.next);
        self.filled = to;
        let mut image = operator.apply(self.next.view())?;
        self.products += to - from;
        let inside = multiply(self.known().t(), image.view(), compute)?;
        self.projected.slice_mut(s![..to, from..to]).assign(&inside);
        self.projected.slice_mut(s![from..to, ..to]).assign(&inside.t());
        self.size = self.size.max(longest(&image));
        image -= &multiply(self.known(), inside.view(), compute)?;
        let outside = self.without_known(image, compute)?;
        self.next = self.directions(&outside, compute)?;
        self.coupling = (multiply(self.next.t(), outside.view(), compute)?, from..to);
        Ok(self.next.ncols() == 0)
    }

    /// A block without its part in the basis.
    fn without_known(&self, mut block: Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let inside = multiply(self.known().t(), block.view(), compute)?;
        block -= &multiply(self.known(), inside.view(), compute)?;
        Ok(block)
    }

    /// An orthonormal basis of a block outside of the basis, down to rounding: short directions,
    /// which are dependent on the long ones up to a small part, follow in later stages. There are no
    /// more of them than the block has columns: beyond that they would be made of rounding, and a
    /// block that grows by them would soon be wider than the basis.
    fn directions(&self, outside: &Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let mut found = outside.slice(s![.., ..0]).to_owned();
        let mut left = outside.clone();
        for stage in 0..STAGES {
            let room = outside.ncols() - found.ncols();
            if room == 0 || longest(&left) <= ROUNDING * self.size {
                break;
            }
            let mut more = orthonormal(left, compute)?;
            if stage > 0 {
                // Short directions were scaled up with their errors: once more.
                for known in [self.known(), found.view()] {
                    more = &more - &multiply(known, multiply(known.t(), more.view(), compute)?.view(), compute)?;
                }
                more = orthonormal(more, compute)?;
            }
            // The longest are last.
            let more = more.slice(s![.., more.ncols().saturating_sub(room)..]);
            found = concatenate(Axis(1), &[found.view(), more]).expect("both have n rows");
            if found.ncols() == outside.ncols() {
                break;
            }
            left = outside - &multiply(found.view(), multiply(found.t(), outside.view(), compute)?.view(), compute)?;
        }
        Ok(found)
    }

    /// The eigenpairs of `H`, descending.
    fn ritz(&self, compute: &Compute) -> Result<SymmetricEigen> {
        let matrix = self.projected.slice(s![..self.filled, ..self.filled]);
        let eigen = symmetric_eigen((&matrix + &matrix.t()).mapv(|v| 0.5 * v).view(), compute)?;
        let order: Vec<usize> = (0..eigen.values.len()).rev().collect();
        let values = order.iter().map(|&j| eigen.values[j]).collect();
        Ok(SymmetricEigen { values, vectors: eigen.vectors.select(Axis(1), &order) })
    }

    /// `‖R Eᵀs‖`, the largest of the leading Ritz vectors.
    fn largest_residual(&self, ritz: &SymmetricEigen, count: usize) -> f64 {
        let (coupling, last) = &self.coupling;
        let residuals = coupling.dot(&ritz.vectors.slice(s![last.clone(), ..count.min(ritz.values.len())]));
        longest(&residuals)
    }

    fn leading(&self, ritz: &SymmetricEigen, count: usize, compute: &Compute) -> Result<LeadingEigen> {
        let count = count.min(ritz.values.len());
        let vectors = multiply(self.known(), ritz.vectors.slice(s![.., ..count]), compute)?;
        Ok(LeadingEigen {
            values: ritz.values[..count].to_vec(),
            vectors,
            residual: self.residual,
            products: self.products,
        })
    }

    /// Keeps the leading Ritz vectors alone; the next block stays.
    fn restart(&mut self, ritz: &SymmetricEigen, compute: &Compute) -> Result<()> {
        let kept = self.width.min(ritz.values.len());
        let vectors = multiply(self.known(), ritz.vectors.slice(s![.., ..kept]), compute)?;
        self.basis.slice_mut(s![.., ..kept]).assign(&vectors);
        self.projected.fill(0.0);
        for (j, value) in ritz.values[..kept].iter().enumerate() {
            self.projected[[j, j]] = *value;
        }
        self.filled = kept;
        Ok(())
    }
}

/// The length of the longest column.
fn longest(block: &Array2<f64>) -> f64 {
    block.columns().into_iter().map(|c| c.dot(&c).sqrt()).fold(0.0, f64::max)
}

/// An orthonormal basis of the span of the columns, without directions that are dependent on the
/// others, twice whitened.
pub(crate) fn orthonormal(block: Array2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let lengths = Array1::from_iter(block.columns().into_iter().map(|c| c.dot(&c).sqrt()));
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let long: Vec<usize> =
        (0..lengths.len()).filter(|&j| lengths[j] > DEPENDENT * longest && lengths[j] > f64::MIN_POSITIVE).collect();
    let scaled = block.select(Axis(1), &long) / &lengths.select(Axis(0), &long);
    let once = whitened(scaled.view(), DEPENDENT, compute)?;
    whitened(once.view(), DEPENDENT, compute)
}

/// `B L^{−T}` from `BᵀB = LLᵀ` where all columns are long enough beside the others, else without
/// the directions that are not. The factor takes a tenth of the time of eigenvectors.
fn whitened(block: ArrayView2<f64>, least: f64, compute: &Compute) -> Result<Array2<f64>> {
    let gram = multiply(block.t(), block, compute)?;
    if let Some(map) = inverse_factor(&gram, least) {
        return multiply(block, map.view(), compute);
    }
    let eigen = symmetric_eigen(gram.view(), compute)?;
    let top = eigen.values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..eigen.values.len()).filter(|&j| eigen.values[j] > least * top).collect();
    let roots = Array1::from_iter(kept.iter().map(|&j| eigen.values[j].sqrt()));
    multiply(block, (eigen.vectors.select(Axis(1), &kept) / &roots).view(), compute)
}

/// `L^{−T}` of a matrix `LLᵀ`, unless a pivot is below this part of the largest entry of the
/// diagonal.
fn inverse_factor(gram: &Array2<f64>, least: f64) -> Option<Array2<f64>> {
    let n = gram.nrows();
    let largest = gram.diag().iter().copied().fold(0.0, f64::max);
    let mut triangle = Triangle::zeros(n);
    for j in 0..n {
        triangle.column_mut(j).iter_mut().zip(gram.column(j)).for_each(|(to, from)| *to = *from);
    }
    if !triangle.factor() || (0..n).any(|j| triangle.column(j)[j].powi(2) <= least * largest) {
        return None;
    }
    let lower = Array2::from_shape_fn((n, n), |(i, j)| if i >= j { triangle.column(j)[i] } else { 0.0 });
    let mut inverse = Array2::eye(n);
    solve_lower(lower.view(), inverse.view_mut());
    Some(inverse.reversed_axes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Dense;

    fn check(values: &[f64], count: usize) {
        let n = values.len();
        let mut stream = crate::Seed(5).stream("basis", n as u64);
        let random = Array2::from_shape_fn((n, n), |_| stream.normal());
        let q = symmetric_eigen((&random + &random.t()).view(), &Compute::new()).unwrap().vectors;
        let a = (&q * &Array1::from(values.to_vec())).dot(&q.t());
        let compute = Compute::new();
        let found = leading_eigen(&Dense::new(a.view(), &compute), count, &compute).unwrap();
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
        check(&(0..100).map(|i| f64::from(u8::from(i < 40))).collect::<Vec<_>>(), 20);
        // Restarts.
        check(&(0..900).map(|i| 1.0 - f64::from(i) / 900.0).collect::<Vec<_>>(), 40);
        check(&[3.0, 1.0], 2);
        check(&[0.0, 0.0, 0.0], 2);
    }

    #[test]
    fn the_same_bytes_for_any_number_of_threads() {
        let a = Array2::from_shape_fn((400, 400), |(i, j)| (-(i as f64 - j as f64).powi(2) / 900.0).exp());
        let run = |threads| {
            let compute = Compute::new().with_threads(threads).unwrap();
            leading_eigen(&Dense::new(a.view(), &compute), 5, &compute).unwrap()
        };
        assert_eq!(run(1), run(2));
    }
}
