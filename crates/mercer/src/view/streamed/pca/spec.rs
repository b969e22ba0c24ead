//! The specification of streamed principal components.

use ndarray::{ArrayView2, Axis};

use super::super::features::{bytes, features_at, sample_rows, settings_of};
use super::super::{ViewStep, ViewStream};
use super::{PcaTerms, StreamedPcaFit};
use crate::error::MemoryPurpose;
use crate::features::FeatureSpec;
use crate::settings::Settings;
use crate::solve::exact_sums::ExactSums;
use crate::{Compute, Error, Result};

/// Kernel principal components through explicit features, in one pass over data of any length.
///
/// # Formula
/// `C = Σ(zᵢ − z̄)(zᵢ − z̄)ᵀ = U diag(μ) Uᵀ` over the features `zᵢ = z(xᵢ)`, `μ₁ ≥ μ₂ ≥ …`; the scores
/// of a point are `Uᵀ(z(x) − z̄)`. Of every column of `U` the entry that is the largest in size is
/// positive.
///
/// # Theory
/// `C` and the centered kernel matrix of the features, `HZZᵀH`, have the same positive eigenvalues
/// and scores: they are [`KernelPca`](crate::view::pca::KernelPca) of the kernel `z(x)ᵀz(y)`. With
/// Nyström features that is the projection onto the landmarks, and the trace that they miss is
/// summed over all rows; with random Fourier features it is a random approximation of the kernel.
///
/// # Cost
/// `p²` operations per row and `12p²` bytes for `p` features, whatever the number of rows; `5p³` for
/// the eigenvectors.
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureSpec, Nystrom}, view::streamed::StreamedPca};
/// use ndarray::array;
/// let compute = Compute::new();
/// let spec = StreamedPca::new(FeatureSpec::Nystrom(Nystrom::new("linear()".parse()?, 2)), Some(1));
/// let fit = spec.fit(array![[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]].view(), &compute)?;
/// // The points vary along one line: −2, 0 and 2 from their mean.
/// mercer::assert_close!(fit.eigenvalues()[0], 8.0, abs = 1e-12);
/// let score = fit.transform(array![[5.0, 1.0]].view(), &compute)?[[0, 0]];
/// mercer::assert_close!(score.abs(), 3.0, abs = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedPca {
    /// The kernel and the features.
    pub features: FeatureSpec,
    /// The number of components; all with a positive eigenvalue where there is none. At most as
    /// many as features.
    pub components: Option<usize>,
}

impl StreamedPca {
    /// So many components.
    pub fn new(features: FeatureSpec, components: Option<usize>) -> Self {
        Self { features, components }
    }

    /// Draws the features, with medians resolved on a sample of the rows and landmarks chosen in
    /// it, and begins with no rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for 0 components, [`Error::TooFew`] for an empty sample,
    /// [`Error::Memory`]; as [`FeatureSpec::draw`].
    pub fn start(&self, sample: ArrayView2<f64>, compute: &Compute) -> Result<ViewStream> {
        if self.components == Some(0) {
            return Err(Error::parameter("components", 0, 1..));
        }
        if sample.is_empty() {
            return Err(Error::too_few("principal components", "points", 1, 0));
        }
        let needed = self.bytes(sample.ncols());
        let what = "the statistics of a streamed fit";
        compute.reserve(MemoryPurpose::Fit, what, needed, "use fewer features")?;
        let features = self.features.draw(sample, compute)?;
        let shift = features_at(&features, sample, compute)?.mean_axis(Axis(0)).unwrap_or_default();
        let settings = self.settings().with("seed", compute.seed());
        Ok(ViewStream::of_pca(PcaTerms { features, shift, components: self.components, settings }))
    }

    /// Fits rows in memory: the bytes are those of a stream over the same rows. Medians and
    /// landmarks are found in 10 000 of them, drawn from the seed, or 10 for every feature where
    /// that is more.
    ///
    /// # Errors
    /// As [`StreamedPca::start`] and [`ViewStream::update`].
    pub fn fit(&self, x: ArrayView2<f64>, compute: &Compute) -> Result<StreamedPcaFit> {
        let rows = sample_rows(x.nrows(), &self.features, compute);
        let mut stream = self.start(x.select(Axis(0), &rows).view(), compute)?;
        stream.update(x, None, compute)?;
        match stream.next(compute)? {
            ViewStep::Done(fit) => match fit.downcast_ref::<StreamedPcaFit>() {
                Some(fit) => Ok(fit.clone()),
                None => Err(Error::request("the stream is one of another view")),
            },
            ViewStep::Again(_) => Err(Error::request("the stream is one of another view")),
        }
    }

    /// The settings by name: those of the features, `components`.
    pub fn settings(&self) -> Settings {
        settings_of(&self.features).with_some("components", self.components)
    }

    /// The bytes that the work takes beside the chunks, about.
    pub fn bytes(&self, columns: usize) -> u64 {
        let p = self.features.components() as u64;
        // The exact sums and the squares of a block with a copy; then the matrix, its eigenvectors and
        // a copy.
        let sums = ExactSums::bytes(p * (p + 1) / 2 + p).saturating_add(2 * 8 * p * p);
        bytes(&self.features, columns).saturating_add(sums.max(4 * 8 * p * p))
    }
}
