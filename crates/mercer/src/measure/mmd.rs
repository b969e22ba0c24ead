//! The maximum mean discrepancy: estimators of `‖μ_P − μ_Q‖²`.

use super::samples::{Pooled, finite};
use crate::error::PrecomputedNeed;
use crate::gram::{Tile, Tiles, fold_tiles, sum};
use crate::{Compute, Error, Kernel, Points, Result};

/// How the squared MMD is estimated from two samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Estimator {
    /// The V-statistic: the squared distance of the two empirical embeddings. Never negative,
    /// biased upwards.
    #[default]
    Biased,
    /// The U-statistic: without the pairs `i = j` within a sample. Unbiased, may be negative.
    Unbiased,
    /// The U-statistic of pairs `(xᵢ, yᵢ)`, for `m = n`: it leaves out `k(xᵢ, yᵢ)` too.
    Paired,
    /// The mean of `h` over disjoint pairs of pairs, in `O(n)`, for the first `min(m, n)` points.
    Linear,
}

/// The squared maximum mean discrepancy of two samples.
///
/// # Formula
/// With `h(i, j) = k(xᵢ, xⱼ) + k(yᵢ, yⱼ) − k(xᵢ, yⱼ) − k(xⱼ, yᵢ)`:
///
/// | estimator | value |
/// |---|---|
/// | biased | `(1/m²) Σ k(xᵢ, xⱼ) + (1/n²) Σ k(yᵢ, yⱼ) − (2/mn) Σ k(xᵢ, yⱼ)` |
/// | unbiased | `(1/m(m−1)) Σ_{i≠j} k(xᵢ, xⱼ) + (1/n(n−1)) Σ_{i≠j} k(yᵢ, yⱼ) − (2/mn) Σ k(xᵢ, yⱼ)` |
/// | paired | `(1/q(q−1)) Σ_{i≠j} h(i, j)`, `m = n = q` |
/// | linear | the mean of `h(2i−1, 2i)` over `i ≤ ⌊q/2⌋` |
///
/// # Theory
/// `MMD(P, Q)² = ‖μ_P − μ_Q‖²`, which is 0 only for `P = Q` when the kernel is characteristic
/// [Gretton et al. 2012].
///
/// # Cost
/// Every pair of the pooled sample once, nothing stored; `O(n)` pairs for the linear estimator.
///
/// # Errors
/// [`Error::Shape`] for too few points, different columns or `m ≠ n` where pairs are needed; as
/// [`Kernel::bind`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::{Estimator, mmd}};
/// use ndarray::array;
/// // With the linear kernel the embeddings are the means: (1 − 3)².
/// let (x, y) = (array![[0.0], [2.0]], array![[3.0], [3.0]]);
/// assert_eq!(mmd(&x, &y, &"linear()".parse()?, Estimator::Biased, &Compute::new())?, 4.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn mmd<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    kernel: &Kernel,
    estimator: Estimator,
    compute: &Compute,
) -> Result<f64> {
    let pooled = Pooled::new(x.into(), y.into(), least(estimator))?;
    mmd_of(&pooled.bind(kernel, compute)?, pooled.first(), estimator, compute)
}

/// As [`mmd`], from the kernel values of the pooled sample, of which the first `first` points are
/// the first sample.
///
/// # Errors
/// [`Error::Shape`] and [`Error::TooFew`] or [`Error::Precomputed`] for a matrix that is not
/// symmetric or too small.
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, gram::Pairs, measure::{Estimator, mmd_of}};
/// use ndarray::array;
/// let k: Kernel = "precomputed()".parse()?;
/// let values = array![[1.0, 0.5], [0.5, 1.0]];
/// let bound = k.bind(Pairs::precomputed(values.view()), &Compute::new())?;
/// assert_eq!(mmd_of(&bound, 1, Estimator::Biased, &Compute::new())?, 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn mmd_of(tiles: &dyn Tiles, first: usize, estimator: Estimator, compute: &Compute) -> Result<f64> {
    check_pooled(tiles, first, least(estimator))?;
    let (m, n) = (first, tiles.shape().0 - first);
    let value = match estimator {
        Estimator::Biased => TwoSampleSums::new(tiles, m, compute)?.biased(),
        Estimator::Unbiased => TwoSampleSums::new(tiles, m, compute)?.unbiased(),
        Estimator::Paired if m == n => paired(tiles, m, compute)?,
        Estimator::Paired => {
            return Err(Error::shape("points of the second sample", format!("as many as in the first ({m})"), n));
        }
        Estimator::Linear => mean(&block_values(tiles, m, 2, compute)?),
    };
    finite("the MMD", value)
}

fn least(estimator: Estimator) -> usize {
    if estimator == Estimator::Biased { 1 } else { 2 }
}

/// A symmetric matrix of two samples with at least `least` points each.
pub(super) fn check_pooled(tiles: &dyn Tiles, first: usize, least: usize) -> Result<()> {
    let total = tiles.shape().0;
    if !tiles.symmetric() {
        return Err(Error::precomputed("the MMD of a pooled sample", PrecomputedNeed::Symmetric));
    }
    for (name, size) in [("first", first), ("second", total.saturating_sub(first))] {
        if size < least {
            return Err(Error::too_few("the MMD", format!("points of the {name} sample"), least, size));
        }
    }
    Ok(())
}

/// The sums over pairs that the quadratic estimators are made of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TwoSampleSums {
    sizes: (f64, f64),
    /// `Σ k(xᵢ, xⱼ)`, `Σ k(yᵢ, yⱼ)`, `Σ k(xᵢ, yⱼ)`.
    within_x: f64,
    within_y: f64,
    between: f64,
    /// `Σ k(xᵢ, xᵢ)`, `Σ k(yᵢ, yᵢ)`.
    diagonal_x: f64,
    diagonal_y: f64,
}

impl TwoSampleSums {
    pub(crate) fn new(tiles: &dyn Tiles, first: usize, compute: &Compute) -> Result<Self> {
        let strips = fold_tiles(&[tiles], compute, Self::default, |sums, tile| sums.add(tile, first))?;
        let sizes = (first as f64, (tiles.shape().0 - first) as f64);
        let mut total = Self { sizes, ..Self::default() };
        for strip in strips {
            total.within_x += strip.within_x;
            total.within_y += strip.within_y;
            total.between += strip.between;
            total.diagonal_x += strip.diagonal_x;
            total.diagonal_y += strip.diagonal_y;
        }
        Ok(total)
    }

    /// Adds a tile; in a tile on the diagonal the pairs between the samples stand twice.
    fn add(&mut self, tile: &Tile<'_>, first: usize) {
        let split = first.clamp(tile.cols.start, tile.cols.end) - tile.cols.start;
        let between = if tile.on_diagonal() { 0.5 } else { 1.0 };
        for (i, line) in tile.lines(0) {
            let (to_x, to_y) = (sum(&line[..split]), sum(&line[split..]));
            if i < first {
                self.within_x += tile.weight() * to_x;
                self.between += between * to_y;
            } else {
                self.between += between * to_x;
                self.within_y += tile.weight() * to_y;
            }
            if tile.on_diagonal() {
                let own = line[i - tile.cols.start];
                if i < first { self.diagonal_x += own } else { self.diagonal_y += own }
            }
        }
    }

    pub(crate) fn biased(&self) -> f64 {
        let (m, n) = self.sizes;
        self.within_x / (m * m) + self.within_y / (n * n) - 2.0 * self.between / (m * n)
    }

    /// The share of the variance in ℋ that lies between the two samples,
    /// `(mn/N²)‖μ_P − μ_Q‖²/((1/N) Σ‖φ(zᵢ) − μ‖²)`; 0 where there is no variance.
    pub(crate) fn share_of_variance(&self) -> f64 {
        let (m, n) = self.sizes;
        let total = m + n;
        let mean = (self.within_x + self.within_y + 2.0 * self.between) / (total * total);
        let variance = (self.diagonal_x + self.diagonal_y) / total - mean;
        if variance > 0.0 { m * n / (total * total) * self.biased() / variance } else { 0.0 }
    }

    pub(crate) fn unbiased(&self) -> f64 {
        let (m, n) = self.sizes;
        (self.within_x - self.diagonal_x) / (m * (m - 1.0)) + (self.within_y - self.diagonal_y) / (n * (n - 1.0))
            - 2.0 * self.between / (m * n)
    }
}

/// `(1/q(q−1)) Σ_{i≠j} h(i, j)`.
fn paired(tiles: &dyn Tiles, q: usize, compute: &Compute) -> Result<f64> {
    let sums = TwoSampleSums::new(tiles, q, compute)?;
    let mut cross = Vec::with_capacity(q);
    for i in 0..q {
        let mut value = [0.0];
        tiles.fill(i..i + 1, q + i..q + i + 1, &mut value);
        cross.push(value[0]);
    }
    let within = sums.within_x - sums.diagonal_x + sums.within_y - sums.diagonal_y;
    Ok((within - 2.0 * (sums.between - sum(&cross))) / (q as f64 * (q as f64 - 1.0)))
}

/// Blocks of `size` pairs, each with its own paired U-statistic.
///
/// # Errors
/// [`Error::Shape`] when there is not one whole block.
pub(crate) fn block_values(tiles: &dyn Tiles, first: usize, size: usize, compute: &Compute) -> Result<Vec<f64>> {
    let q = first.min(tiles.shape().0 - first);
    if q / size == 0 {
        return Err(Error::too_few("one block", "pairs of points", size, q));
    }
    let statistic = |block: usize| {
        compute.check_canceled()?;
        let (x, y) = (block * size..(block + 1) * size, first + block * size..first + (block + 1) * size);
        let mut tile = vec![0.0; size * size];
        let mut total = 0.0;
        for (rows, cols, sign) in [(&x, &x, 1.0), (&y, &y, 1.0), (&x, &y, -2.0)] {
            tiles.fill(rows.clone(), cols.clone(), &mut tile);
            let trace: f64 = tile.iter().step_by(size + 1).sum();
            total += sign * (sum(&tile) - trace);
        }
        Ok(total / (size * (size - 1)) as f64)
    };
    compute.try_map_tasks(q / size, statistic)
}

/// The block estimator of the squared MMD, with its spread.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMmd {
    /// The mean over blocks.
    pub value: f64,
    /// The sample variance of the blocks' values, NaN for one block.
    pub variance: f64,
    /// The number of blocks.
    pub blocks: usize,
}

/// The mean of the paired U-statistic over disjoint blocks of `size` pairs `(xᵢ, yᵢ)`.
///
/// # Theory
/// Between the linear estimator (`size = 2`) and the quadratic one (`size = n`): the blocks are
/// independent, so that the mean is asymptotically normal also when `P = Q`
/// [Zaremba, Gretton, Blaschko 2013].
///
/// # Cost
/// `O(n · size)`.
///
/// # Errors
/// [`Error::Parameter`] for blocks smaller than 2, [`Error::Shape`] when there is not one whole
/// block; as [`Kernel::bind`].
///
/// # Example
/// ```
/// use mercer::{Compute, measure::block_mmd};
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [1.0], [2.0], [3.0]], array![[1.0], [1.0], [1.0], [1.0]]);
/// // h(1, 2) = (0 − 1)(1 − 1) and h(3, 4) = (2 − 1)(3 − 1).
/// let found = block_mmd(&x, &y, &"linear()".parse()?, 2, &Compute::new())?;
/// assert_eq!((found.value, found.variance, found.blocks), (1.0, 2.0, 2));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn block_mmd<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    kernel: &Kernel,
    size: usize,
    compute: &Compute,
) -> Result<BlockMmd> {
    if size < 2 {
        return Err(Error::parameter("block_size", size, 2..));
    }
    let pooled = Pooled::new(x.into(), y.into(), 2)?;
    let values = block_values(&pooled.bind(kernel, compute)?, pooled.first(), size, compute)?;
    let value = mean(&values);
    let spread: f64 = values.iter().map(|v| (v - value).powi(2)).sum();
    Ok(BlockMmd { value, variance: spread / (values.len() as f64 - 1.0), blocks: values.len() })
}

/// The largest MMD over a family of kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct SupMmd {
    /// The largest of the biased squared MMDs.
    pub value: f64,
    /// The kernel that attains it.
    pub kernel: Kernel,
    /// The biased squared MMD under each kernel.
    pub all: Vec<f64>,
}

/// `sup_k MMD²` over several kernels, such as one kernel at many lengthscales.
///
/// # Cost
/// Every pair of the pooled sample once for each kernel.
///
/// # Errors
/// [`Error::TooFew`] for an empty list; as [`mmd`].
///
/// # Example
/// ```
/// use mercer::{Compute, Kernel, measure::sup_mmd};
/// use ndarray::array;
/// let kernels: Vec<Kernel> = vec!["gaussian(lengthscale=0.1)".parse()?, "gaussian(lengthscale=100)".parse()?];
/// let found = sup_mmd(&array![[0.0], [0.1]], &array![[1.0], [1.1]], &kernels, &Compute::new())?;
/// assert_eq!(found.kernel, kernels[0]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn sup_mmd<'a, 'b>(
    x: impl Into<Points<'a>>,
    y: impl Into<Points<'b>>,
    kernels: &[Kernel],
    compute: &Compute,
) -> Result<SupMmd> {
    let pooled = Pooled::new(x.into(), y.into(), 1)?;
    let mut all = Vec::with_capacity(kernels.len());
    let mut best: Option<(f64, Kernel)> = None;
    for kernel in kernels {
        let bound = pooled.bind(kernel, compute)?;
        let value = TwoSampleSums::new(&bound, pooled.first(), compute)?.biased();
        if best.as_ref().is_none_or(|(largest, _)| value > *largest) {
            best = Some((value, bound.kernel().clone()));
        }
        all.push(value);
    }
    let (value, kernel) = best.ok_or_else(|| Error::too_few("the largest MMD", "kernels", 1, 0))?;
    Ok(SupMmd { value, kernel, all })
}

fn mean(values: &[f64]) -> f64 {
    sum(values) / values.len() as f64
}
