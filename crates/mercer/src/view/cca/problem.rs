//! The eigenproblem between views, in the coordinates of their eigenvectors.

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use super::choices::Criterion;
use crate::error::MemoryPurpose;
use crate::operator::products::multiply;
use crate::operator::{ByProduct, Operator};
use crate::solve::{eigenvalues, leading_eigen, symmetric_eigen};
use crate::{Compute, Error, Result};

/// Rows up to which all eigenvectors are computed, of which a few are used: block Krylov spaces need
/// products with some hundred vectors. Not tuned.
const DIRECT: usize = 600;
/// Directions of all views up to which permutations form the matrix between views. Not tuned.
const FORMED: usize = 1200;
/// Correlations up to this are rounding: their directions are not determined.
pub(super) const ZERO: f64 = 1e-12;

/// The matrix `O` with the blocks `O_ij = Z_iᵀZ_j` for `i ≠ j`, and 0 on its diagonal.
pub(super) struct Problem {
    ranks: Vec<usize>,
    /// The blocks above the diagonal, row after row.
    blocks: Vec<Array2<f64>>,
    criterion: Criterion,
}

/// The leading canonical directions.
pub(super) struct Directions {
    /// The correlations, descending; only those above rounding.
    pub(super) correlations: Vec<f64>,
    /// For each view its part of the unit eigenvectors, a column each.
    pub(super) parts: Vec<Array2<f64>>,
    /// Their eigenvalues of `O`.
    pub(super) eigenvalues: Vec<f64>,
}

impl Problem {
    /// The problem of views with the scaled eigenvectors `Z_v`.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn new(scaled: &[ArrayView2<f64>], criterion: Criterion, compute: &Compute) -> Result<Self> {
        let pairs = pairs(scaled.len());
        let block = |(i, j): (usize, usize)| multiply(scaled[i].t(), scaled[j], compute);
        let blocks = pairs.into_iter().map(block).collect::<Result<_>>()?;
        Ok(Self::of_blocks(scaled.iter().map(|z| z.ncols()).collect(), blocks, criterion))
    }

    /// The problem with these blocks above the diagonal.
    pub(super) fn of_blocks(ranks: Vec<usize>, blocks: Vec<Array2<f64>>, criterion: Criterion) -> Self {
        // For two views the eigenvalues are ±ρ, and the largest have parts of one sign.
        let criterion = if ranks.len() == 2 { Criterion::LargestEigenvalue } else { criterion };
        Self { ranks, blocks, criterion }
    }

    fn size(&self) -> usize {
        self.ranks.iter().sum()
    }

    /// The factor from an eigenvalue of `O` to a correlation.
    fn correlation_per_eigenvalue(&self) -> f64 {
        match self.criterion {
            Criterion::SmallestEigenvalue => -1.0,
            Criterion::LargestEigenvalue => 1.0 / (self.ranks.len() as f64 - 1.0),
        }
    }

    /// The `count` leading directions, or as many as there are.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Canceled`].
    pub(super) fn solve(&self, count: usize, compute: &Compute) -> Result<Directions> {
        let (values, vectors) = if self.size() <= DIRECT.max(2 * count) {
            self.all(count, compute)?
        } else {
            match self.leading(count, compute) {
                Err(Error::NotConverged { .. }) => self.all(count, compute)?,
                found => found?,
            }
        };
        let factor = self.correlation_per_eigenvalue();
        let kept = values.iter().take_while(|v| factor * **v > ZERO).count();
        let starts = self.starts();
        let part = |v: usize| vectors.slice(s![starts[v]..starts[v + 1], ..kept]).to_owned();
        Ok(Directions {
            correlations: values[..kept].iter().map(|v| (factor * v).min(1.0)).collect(),
            parts: (0..self.ranks.len()).map(part).collect(),
            eigenvalues: values[..kept].to_vec(),
        })
    }

    /// The `count` leading correlations alone, without directions; 0 where there are none.
    ///
    /// # Errors
    /// [`Error::Canceled`].
    pub(super) fn correlations(&self, count: usize, compute: &Compute) -> Result<Vec<f64>> {
        let factor = self.correlation_per_eigenvalue();
        let mut found: Vec<f64> = match &self.blocks[..] {
            // Singular values of the only block: a matrix of half the size.
            [block] => {
                let wide = if block.nrows() <= block.ncols() { block.view() } else { block.t() };
                let squares = eigenvalues(wide.dot(&wide.t()).view(), compute)?;
                squares.iter().rev().take(count).map(|v| v.max(0.0).sqrt()).collect()
            }
            _ => {
                let mut values = eigenvalues(self.matrix().view(), compute)?;
                values.sort_by(|a, b| (factor * b).total_cmp(&(factor * a)));
                values.iter().take(count).map(|v| (factor * v).max(0.0)).collect()
            }
        };
        found.resize(count, 0.0);
        Ok(found)
    }

    fn starts(&self) -> Vec<usize> {
        let ends = self.ranks.iter().scan(0, |sum, rank| {
            *sum += rank;
            Some(*sum)
        });
        std::iter::once(0).chain(ends).collect()
    }

    /// `O` as a whole.
    fn matrix(&self) -> Array2<f64> {
        let (starts, size) = (self.starts(), self.size());
        let mut matrix = Array2::zeros((size, size));
        for ((i, j), block) in pairs(self.ranks.len()).into_iter().zip(&self.blocks) {
            let (rows, cols) = (starts[i]..starts[i + 1], starts[j]..starts[j + 1]);
            matrix.slice_mut(s![rows.clone(), cols.clone()]).assign(block);
            matrix.slice_mut(s![cols, rows]).assign(&block.t());
        }
        matrix
    }

    /// Eigenpairs from all of them, in the order of the correlations.
    fn all(&self, count: usize, compute: &Compute) -> Result<(Vec<f64>, Array2<f64>)> {
        let size = self.size() as u64;
        let what = format!("the eigenvectors of {size} directions of all views");
        let remedy = "use a larger tolerance for the ranks of the views, or a higher memory limit";
        compute.reserve(MemoryPurpose::Factorization, &what, 32 * size * size, remedy)?;
        let eigen = symmetric_eigen(self.matrix().view(), compute)?;
        let (size, count) = (eigen.values.len(), count.min(eigen.values.len()));
        let order: Vec<usize> = match self.criterion {
            Criterion::SmallestEigenvalue => (0..count).collect(),
            Criterion::LargestEigenvalue => (size - count..size).rev().collect(),
        };
        Ok((order.iter().map(|&j| eigen.values[j]).collect(), eigen.vectors.select(Axis(1), &order)))
    }

    /// Eigenpairs from products with the blocks.
    fn leading(&self, count: usize, compute: &Compute) -> Result<(Vec<f64>, Array2<f64>)> {
        self.leading_by(count, &ByProduct::new(self.size(), |v| self.multiply(v, compute)), compute)
    }

    /// Eigenpairs from products `OV`: those of `(m − 1)I ± O`, which is positive semi-definite, as
    /// `‖O‖ ≤ m − 1`.
    fn leading_by(&self, count: usize, product: &dyn Operator, compute: &Compute) -> Result<(Vec<f64>, Array2<f64>)> {
        let shift = self.ranks.len() as f64 - 1.0;
        let sign = self.correlation_per_eigenvalue().signum();
        let signed = ByProduct::new(self.size(), |v| Ok(&v * shift + product.apply(v)? * sign));
        let found = leading_eigen(&signed, count, compute)?;
        Ok((found.values.iter().map(|v| sign * (v - shift)).collect(), found.vectors))
    }

    /// `OV`.
    fn multiply(&self, v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
        let starts = self.starts();
        let part = |i: usize| v.slice(s![starts[i]..starts[i + 1], ..]);
        let mut sums: Vec<Array2<f64>> = self.ranks.iter().map(|&rank| Array2::zeros((rank, v.ncols()))).collect();
        for ((i, j), block) in pairs(self.ranks.len()).into_iter().zip(&self.blocks) {
            sums[i] += &multiply(block.view(), part(j), compute)?;
            sums[j] += &multiply(block.t(), part(i), compute)?;
        }
        let views: Vec<_> = sums.iter().map(|sum| sum.view()).collect();
        concatenate(Axis(0), &views).map_err(|e| Error::shape("directions of the views", v.nrows(), e))
    }
}

/// The `count` leading correlations of views with the scaled eigenvectors `Z_v`, without directions;
/// 0 where there are none. For many directions `O` is known by its products alone, as
/// `(Ov)_i = Z_iᵀ(Σ_j Z_jv_j − Z_iv_i)`.
///
/// # Errors
/// [`Error::Canceled`].
pub(super) fn correlations_of(
    scaled: &[Array2<f64>],
    criterion: Criterion,
    count: usize,
    compute: &Compute,
) -> Result<Vec<f64>> {
    let ranks: Vec<usize> = scaled.iter().map(|z| z.ncols()).collect();
    if ranks.iter().sum::<usize>() > FORMED.max(20 * count) {
        // The blocks are not needed.
        let problem = Problem::of_blocks(ranks.clone(), Vec::new(), criterion);
        let product = ByProduct::new(problem.size(), |v| by_factors(scaled, &problem.starts(), v, compute));
        match problem.leading_by(count, &product, compute) {
            Err(Error::NotConverged { .. }) => {}
            found => {
                let factor = problem.correlation_per_eigenvalue();
                let mut found: Vec<f64> = found?.0.iter().map(|v| (factor * v).max(0.0)).collect();
                found.resize(count, 0.0);
                return Ok(found);
            }
        }
    }
    let blocks = pairs(scaled.len()).into_iter().map(|(i, j)| scaled[i].t().dot(&scaled[j])).collect();
    Problem::of_blocks(ranks, blocks, criterion).correlations(count, compute)
}

/// `OV` by products with the factors.
fn by_factors(scaled: &[Array2<f64>], starts: &[usize], v: ArrayView2<f64>, compute: &Compute) -> Result<Array2<f64>> {
    let images = scaled.iter().enumerate();
    let images = images.map(|(i, z)| multiply(z.view(), v.slice(s![starts[i]..starts[i + 1], ..]), compute));
    let images = images.collect::<Result<Vec<_>>>()?;
    let total = images.iter().fold(Array2::zeros((scaled[0].nrows(), v.ncols())), |sum, image| sum + image);
    let back = |(z, image): (&Array2<f64>, &Array2<f64>)| multiply(z.t(), (&total - image).view(), compute);
    let parts = scaled.iter().zip(&images).map(back).collect::<Result<Vec<_>>>()?;
    let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
    concatenate(Axis(0), &views).map_err(|e| Error::shape("directions of the views", v.nrows(), e))
}

/// The pairs of views `i < j`, in the order of the blocks.
pub(super) fn pairs(views: usize) -> Vec<(usize, usize)> {
    (0..views).flat_map(|i| (i + 1..views).map(move |j| (i, j))).collect()
}
