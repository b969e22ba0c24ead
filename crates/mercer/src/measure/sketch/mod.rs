//! A mean embedding as a few numbers that can be added to, merged and stored.

mod record;

use ndarray::{Array1, ArrayView2, s};

use crate::features::{FeatureMap, FourierFeatures, RandomFourier};
use crate::solve::exact_sums::ExactSums;
use crate::{Compute, Error, Kernel, Points, Result, Seed};

/// Rows whose features are held at a time; never a function of the number of threads.
/// Any few thousand would do.
const ROWS: usize = 4096;

/// The mean of random Fourier features of a sample: a sketch of its mean embedding.
///
/// # Formula
/// `z̄ = (1/n) Σ z(xᵢ)`; `⟨μ, ν⟩ ≈ z̄_μᵀ z̄_ν`, `MMD² ≈ ‖z̄_μ − z̄_ν‖²`, with errors `O(1/√D)` for
/// `D` frequencies.
///
/// # Theory
/// The sum of the features is all that is kept. Parts of a sample may be sketched on several
/// machines or days and merged: the bytes are those of the whole sample, as the sums are exact, in
/// whatever order points and parts come (at most 2³⁰ points). Sketches can be compared when their kernel, number of features and seed agree: the
/// frequencies are drawn from them.
///
/// # Cost
/// `O(dD)` for every point that is added; `2D` sums of 24 bytes kept, whatever the number of points.
///
/// # Example
/// ```
/// use mercer::{Compute, features::RandomFourier, measure::EmbeddingSketch};
/// use ndarray::array;
/// let (spec, compute) = (RandomFourier::new("gaussian()".parse()?, 2000), Compute::new());
/// let mut monday = EmbeddingSketch::new(&spec, 1, &compute)?;
/// monday.add(array![[0.0], [0.5]].view(), &compute)?;
/// let mut tuesday = EmbeddingSketch::new(&spec, 1, &compute)?;
/// tuesday.add(array![[3.0]].view(), &compute)?;
/// assert!(monday.squared_mmd(&tuesday)? > 1.0);
/// monday.merge(&tuesday)?;
/// assert_eq!(monday.count(), 3);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingSketch {
    spec: RandomFourier,
    seed: Seed,
    features: FourierFeatures,
    count: u64,
    sums: ExactSums,
}

impl EmbeddingSketch {
    /// The sketch of no points, with frequencies from the seed of the computation. The kernel may
    /// not have medians to resolve.
    ///
    /// # Errors
    /// As [`RandomFourier::draw`].
    pub fn new(spec: &RandomFourier, columns: usize, compute: &Compute) -> Result<Self> {
        let features = spec.draw(columns, compute)?;
        let sums = ExactSums::new([features.components()]);
        Ok(Self { spec: spec.clone(), seed: compute.seed(), features, count: 0, sums })
    }

    /// The sketch of no points, with the same features.
    pub fn empty(&self) -> Self {
        Self { count: 0, sums: ExactSums::new([self.features.components()]), ..self.clone() }
    }

    /// Adds points.
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong number of columns, [`Error::Value`] for NaN and infinities,
    /// [`Error::Canceled`], [`Error::Overflow`] after 2³⁰ points. The sketch is then as it was.
    pub fn add(&mut self, x: ArrayView2<'_, f64>, compute: &Compute) -> Result<()> {
        let mut sums = self.sums.clone();
        for start in (0..x.nrows()).step_by(ROWS) {
            let rows = start..x.nrows().min(start + ROWS);
            for z in self.features.transform(x.slice(s![rows, ..]), compute)?.rows() {
                sums.begin()?;
                sums.add(0, &z.to_vec())?;
            }
        }
        self.sums = sums;
        self.count += x.nrows() as u64;
        Ok(())
    }

    /// Adds the points of another sketch.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless both have the same features, [`Error::Overflow`] for more than 2³⁰
    /// points.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.check_same_features(other)?;
        self.sums.merge(&other.sums)?;
        self.count += other.count;
        Ok(())
    }

    /// The number of points.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.spec.kernel
    }

    /// The columns of the points.
    pub fn columns(&self) -> usize {
        self.features.columns()
    }

    /// `z̄`.
    ///
    /// # Errors
    /// [`Error::Shape`] for a sketch of no points.
    pub fn mean(&self) -> Result<Array1<f64>> {
        if self.count == 0 {
            return Err(Error::too_few("a mean embedding", "points of the sketch", 1, 0));
        }
        Ok(self.sums.values(0).map(|sum| sum / self.count as f64).collect())
    }

    /// `μ(t) ≈ z̄ᵀz(t)` at every point.
    ///
    /// # Errors
    /// As [`EmbeddingSketch::add`] and [`EmbeddingSketch::mean`].
    pub fn evaluate<'a>(&self, t: impl Into<Points<'a>>, compute: &Compute) -> Result<Array1<f64>> {
        Ok(self.features.transform(t.into().vectors()?, compute)?.dot(&self.mean()?))
    }

    /// `⟨μ, ν⟩ ≈ z̄_μᵀz̄_ν`.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless both have the same features, [`Error::Shape`] for a sketch of no
    /// points.
    pub fn inner(&self, other: &Self) -> Result<f64> {
        self.check_same_features(other)?;
        Ok(self.mean()?.dot(&other.mean()?))
    }

    /// `‖z̄_μ − z̄_ν‖²`: the biased squared MMD of the features.
    ///
    /// # Errors
    /// As [`EmbeddingSketch::inner`].
    pub fn squared_mmd(&self, other: &Self) -> Result<f64> {
        self.check_same_features(other)?;
        Ok((self.mean()? - other.mean()?).iter().map(|v| v * v).sum())
    }

    fn check_same_features(&self, other: &Self) -> Result<()> {
        if self.features == other.features {
            return Ok(());
        }
        Err(Error::mismatch(
            "the sketches have different features",
            format!("{} with seed {}", self.spec.kernel, self.seed.0),
            format!("{} with seed {}", other.spec.kernel, other.seed.0),
            "sketch both with one kernel, number of features and seed",
        ))
    }
}
