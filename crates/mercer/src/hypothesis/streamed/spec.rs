//! The specifications of streamed tests.

use ndarray::{Array1, ArrayView2, Axis};

use super::TestStream;
use super::terms::{Controls, TestTerms, block_rows};
use crate::error::MemoryPurpose;
use crate::features::{DrawnFeatures, FeatureMap, RandomFourier};
use crate::gram::Pairs;
use crate::hypothesis::outcome::check_level;
use crate::learner::Plan;
use crate::solve::exact_sums::ExactSums;
use crate::{Compute, Error, Kernel, Result, Seed};

/// A test of `P = Q` from samples of any length, in one pass.
///
/// # Formula
/// `T = ‖z̄_x − z̄_y‖²` with random Fourier features `z`: the biased squared MMD of their kernel.
/// With `S` the covariance of the features about the means of the two samples and `λ` its
/// eigenvalues, `mn/(m + n)·T` has the limit `Σ λⱼχ²ⱼ` under the hypothesis.
///
/// # Theory
/// The features are fixed in number, so that the central limit theorem holds for their means; the
/// level is that of the test in the limit of many rows, which is what streams have. For samples
/// that fit into memory [`TwoSample`](super::super::TwoSample) has permutation tests, whose level is
/// exact.
///
/// # Cost
/// `p²` operations per row and `12p²` bytes for `p` features; `5p³` at the end.
///
/// # Example
/// ```
/// use mercer::{Compute, hypothesis::StreamedTwoSample};
/// use ndarray::{Array2, s};
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((3000, 1), |(i, _)| (1.7 * i as f64).sin() + if i < 1000 { 0.0 } else { 0.2 });
/// // The first 1000 rows are one sample, the others the second.
/// let mut stream = StreamedTwoSample::default().start(1000, x.view(), &compute)?;
/// stream.update(x.view(), None, &compute)?;
/// assert!(stream.finish(&compute)?.reject);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedTwoSample {
    /// The kernel, shift-invariant; a Gaussian kernel with the median distance where there is none.
    pub kernel: Option<Kernel>,
    /// The number of features.
    pub components: usize,
    /// Draws from the null distribution.
    pub draws: usize,
    /// The level of the decision.
    pub level: f64,
}

/// A test of the independence of two variables from any number of pairs, in one pass.
///
/// # Formula
/// `T = ‖C‖²_F` with the cross-covariance `C = (1/n) Σ (z(xᵢ) − z̄)(u(yᵢ) − ū)ᵀ` of random Fourier
/// features of both variables: the biased HSIC of their kernels. With `λ` and `μ` the eigenvalues
/// of the covariances of `z` and `u`, `nT` has the limit `Σ λᵢμⱼχ²ᵢⱼ` under the hypothesis.
///
/// # Theory
/// As for [`StreamedTwoSample`]: the level holds in the limit of many rows. Rows need not be in
/// random order, as nothing is permuted.
///
/// # Cost
/// `(p + q)²` operations per row and `12(p + q)²` bytes.
///
/// # Example
/// ```
/// use mercer::{Compute, hypothesis::StreamedIndependence};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((2000, 1), |(i, _)| (1.7 * i as f64).sin());
/// let y = x.mapv(|v| v * v);
/// let mut stream = StreamedIndependence::default().start(x.view(), y.view(), &compute)?;
/// stream.update(x.view(), Some(y.view()), &compute)?;
/// assert!(stream.finish(&compute)?.reject);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedIndependence {
    /// The kernel of the first variable, as in [`StreamedTwoSample`].
    pub kernel_x: Option<Kernel>,
    /// The kernel of the second variable.
    pub kernel_y: Option<Kernel>,
    /// The number of features of each variable.
    pub components: usize,
    /// Draws from the null distribution.
    pub draws: usize,
    /// The level of the decision.
    pub level: f64,
}

impl Default for StreamedTwoSample {
    fn default() -> Self {
        Self { kernel: None, components: 256, draws: 1999, level: 0.05 }
    }
}

impl Default for StreamedIndependence {
    fn default() -> Self {
        Self { kernel_x: None, kernel_y: None, components: 64, draws: 1999, level: 0.05 }
    }
}

impl StreamedTwoSample {
    /// What a test of so many rows of both samples, with so many columns, will take.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, hypothesis::StreamedTwoSample};
    /// let plan = StreamedTwoSample::default().plan(1_000_000, 10, &Compute::new());
    /// assert!(plan.bytes < 20_000_000);
    /// ```
    pub fn plan(&self, rows: usize, columns: usize, compute: &Compute) -> Plan {
        plan(self.components, rows, columns, compute)
    }

    /// Draws the features, with medians resolved on a sample of the rows of both, and begins with
    /// no rows. The rows below `first` are those of the first sample, the others those of the
    /// second.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a level, a number of features or draws that is not possible,
    /// [`Error::TooFew`] for fewer than two rows in the first sample, [`Error::Memory`]; as
    /// [`RandomFourier::fit`].
    pub fn start(&self, first: u64, sample: ArrayView2<f64>, compute: &Compute) -> Result<TestStream> {
        if first < 2 {
            return Err(Error::too_few("a two-sample test", "rows of the first sample", 2, first as usize));
        }
        let controls = controls(self.components, self.draws, self.level, compute)?;
        let map = drawn(&self.kernel, self.components, sample, compute)?;
        TestStream::new(vec![map], &[sample], Some(first), controls, compute)
    }
}

impl StreamedIndependence {
    /// What a test of so many rows, with so many columns of both variables, will take.
    pub fn plan(&self, rows: usize, columns: usize, compute: &Compute) -> Plan {
        plan(2 * self.components, rows, columns, compute)
    }

    /// Draws the features, with medians resolved on a sample of the pairs, and begins with no rows.
    ///
    /// # Errors
    /// As [`StreamedTwoSample::start`]; [`Error::Shape`] for samples of different lengths.
    pub fn start(&self, x: ArrayView2<f64>, y: ArrayView2<f64>, compute: &Compute) -> Result<TestStream> {
        if x.nrows() != y.nrows() {
            return Err(Error::shape("rows of the second variable", x.nrows(), y.nrows()));
        }
        let controls = controls(self.components, self.draws, self.level, compute)?;
        // The frequencies of the two variables are independent of each other.
        let other = compute.clone().with_seed(Seed(compute.seed().stream("features of y", 0).bits()));
        let maps = vec![
            drawn(&self.kernel_x, self.components, x, compute)?,
            drawn(&self.kernel_y, self.components, y, &other)?,
        ];
        TestStream::new(maps, &[x, y], None, controls, compute)
    }
}

fn controls(components: usize, draws: usize, level: f64, compute: &Compute) -> Result<Controls> {
    check_level(level)?;
    for (name, count) in [("components", components), ("permutations", draws)] {
        if count == 0 {
            return Err(Error::parameter(name, 0, 1..));
        }
    }
    Ok(Controls { draws, level, seed: compute.seed() })
}

fn drawn(
    kernel: &Option<Kernel>,
    components: usize,
    sample: ArrayView2<f64>,
    compute: &Compute,
) -> Result<DrawnFeatures> {
    let kernel = kernel.clone().map_or_else(|| Pairs::within(sample).default_kernel(), Ok)?;
    Ok(DrawnFeatures::Fourier(RandomFourier::new(kernel, components).fit(sample, compute)?))
}

/// Bytes of the moments of so many features of rows with so many columns.
fn moment_bytes(dimension: u64, columns: usize) -> u64 {
    let sums = ExactSums::bytes(dimension * (dimension + 1) / 2 + 2 * dimension);
    sums + 8 * dimension * (2 * dimension + 2048) + 16 * block_rows(columns) * columns as u64
}

/// The plan of a pass over these rows.
fn plan(dimension: usize, rows: usize, columns: usize, compute: &Compute) -> Plan {
    let (p, n) = (dimension as f64, rows as f64);
    let flops = n * p * (p + 2.0 * columns as f64) + 5.0 * p * p * p;
    let bytes = moment_bytes(dimension as u64, columns);
    let plan = Plan::new("moments of random features", bytes, flops, "one pass over the rows", compute);
    Plan { approximation: Some("the limit of the null distribution for many rows".into()), ..plan }
}

impl TestStream {
    fn new(
        maps: Vec<DrawnFeatures>,
        samples: &[ArrayView2<f64>],
        first: Option<u64>,
        controls: Controls,
        compute: &Compute,
    ) -> Result<Self> {
        let dimension = maps.iter().map(FeatureMap::components).sum::<usize>() as u64;
        let columns = maps.iter().map(FeatureMap::columns).sum::<usize>();
        let bytes = moment_bytes(dimension, columns);
        compute.reserve(MemoryPurpose::Test, "the moments of the features", bytes, "use fewer components")?;
        let mut shift = Vec::new();
        for (map, sample) in maps.iter().zip(samples) {
            let mut sum = Array1::<f64>::zeros(map.components());
            for part in sample.axis_chunks_iter(Axis(0), 1024) {
                sum += &map.transform(part, compute)?.sum_axis(Axis(0));
            }
            shift.extend(sum / (sample.nrows() as f64).max(1.0));
        }
        Ok(Self::of_terms(TestTerms { maps, shift: shift.into(), first, controls }, 0))
    }
}
