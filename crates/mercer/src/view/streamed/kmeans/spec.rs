//! The specification of streamed k-means.

use ndarray::{ArrayView1, ArrayView2, Axis};

use super::super::features::{bytes, features_at, sample_rows, settings_of};
use super::super::{ViewStep, ViewStream};
use super::terms::Controls;
use super::{KMeansTerms, StreamedKMeansFit};
use crate::error::{AllowedRange, MemoryPurpose};
use crate::features::FeatureSpec;
use crate::learn::observations::check_weights;
use crate::settings::Settings;
use crate::solve::exact_sums::ExactSums;
use crate::view::kmeans::vectors::cluster;
use crate::view::kmeans::{ClusterCount, KMeansInit, KernelKMeans, Search, choose_clusters};
use crate::{Compute, Error, Result};

/// Rows of the sample in which a number of clusters is chosen: a matrix of 32 MB.
const CHOICE: usize = 2000;

/// Kernel k-means through explicit features, in a few passes over data of any length.
///
/// # Formula
/// `min Σ vᵢ‖z(xᵢ) − m_c‖²` over partitions into `k` clusters with the means `m_c`; the objective
/// that is reported has `Σ vᵢ(k(xᵢ, xᵢ) − ‖z(xᵢ)‖²)` added, what landmarks miss.
///
/// # Theory
/// The first means are those of the best of several starts on a sample of the rows, each improved
/// by Lloyd's steps and moves of single points, as in [`KernelKMeans`]. Every pass over all rows is
/// then one of Lloyd's steps, which never raises the objective. The sums over clusters are exact,
/// so that a step that moves no row to another cluster leaves the means as they are to the last bit,
/// which ends the passes. A mean to which no row is nearest stays where it is.
///
/// # Cost
/// `kp` operations per row and pass beside the features, and `24kp` bytes.
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureSpec, Nystrom}, view::streamed::StreamedKMeans};
/// use ndarray::array;
/// let (x, compute) = (array![[0.0], [1.0], [10.0], [12.0]], Compute::new());
/// let features = FeatureSpec::Nystrom(Nystrom::new("linear()".parse()?, 1));
/// let fit = StreamedKMeans::new(features, 2).fit(x.view(), None, &compute)?;
/// // ½² + ½² around 0.5, 1² + 1² around 11.
/// mercer::assert_close!(fit.objective(), 2.5, 1e-12);
/// assert_eq!(fit.predict(x.view(), &compute)?, [0, 0, 1, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedKMeans {
    /// The kernel and the features.
    pub features: FeatureSpec,
    /// The number of clusters, or how it is chosen on a sample of the rows.
    pub clusters: ClusterCount,
    /// Starts on the sample.
    pub starts: usize,
    /// Steps of every start on the sample.
    pub max_iterations: usize,
    /// How the first means of a start are chosen.
    pub init: KMeansInit,
    /// Stop when a pass lowers the objective by less than this share of it.
    pub tolerance: f64,
    /// Stop after so many passes over the rows.
    pub max_passes: usize,
}

impl StreamedKMeans {
    /// Ten starts; passes until the objective falls by less than 1e−6 of it, at most 100.
    pub fn new(features: FeatureSpec, clusters: impl Into<ClusterCount>) -> Self {
        Self {
            features,
            clusters: clusters.into(),
            starts: 10,
            max_iterations: 300,
            init: KMeansInit::default(),
            tolerance: 1e-6,
            max_passes: 100,
        }
    }

    /// Draws the features, with medians resolved on a sample of the rows and landmarks chosen in
    /// it, finds the first means there, and begins the first pass.
    ///
    /// # Errors
    /// [`Error::Parameter`] for 0 of something or a negative tolerance, [`Error::TooFew`] for fewer
    /// distinct points in the sample than clusters, [`Error::Memory`]; as [`FeatureSpec::draw`].
    pub fn start(
        &self,
        sample: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<ViewStream> {
        self.check()?;
        let weights = match weights {
            Some(weights) => {
                check_weights(weights, sample.nrows())?;
                weights.to_vec()
            }
            None => vec![1.0; sample.nrows()],
        };
        if sample.is_empty() {
            return Err(Error::too_few("clustering", "points", 1, 0));
        }
        let needed = self.bytes(sample.ncols(), sample.nrows());
        let what = "the statistics of a streamed fit";
        compute.reserve(MemoryPurpose::Fit, what, needed, "use fewer features")?;
        let clusters = self.count(sample, compute)?;
        let features = self.features.draw(sample, compute)?;
        let mut z = features_at(&features, sample, compute)?;
        let shift = z.mean_axis(Axis(0)).unwrap_or_default();
        z -= &shift;
        let Self { starts, max_iterations, init, tolerance, max_passes, .. } = *self;
        let found = cluster(z, &weights, Search { clusters, starts, max_iterations, init }, compute)?;
        let settings = self.settings().with("clusters", clusters).with("seed", compute.seed());
        let controls = Controls { tolerance, max_passes };
        Ok(ViewStream::of_kmeans(KMeansTerms {
            features,
            shift,
            centers: found.centers,
            controls,
            passes: 0,
            previous: None,
            settings,
        }))
    }

    /// The number of clusters.
    fn count(&self, sample: ArrayView2<f64>, compute: &Compute) -> Result<usize> {
        let ClusterCount::Auto { max, rule } = self.clusters else { return Ok(self.clusters.most()) };
        let rows = compute.seed().stream("rows of a choice", 0).subset(sample.nrows(), CHOICE);
        let few = sample.select(Axis(0), &rows);
        let spec = KernelKMeans::new(self.features.kernel().clone(), self.clusters);
        Ok(choose_clusters(&spec, few.view(), max, rule, compute)?.clusters)
    }

    fn check(&self) -> Result<()> {
        self.clusters.check()?;
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return Err(Error::parameter("tolerance", self.tolerance, AllowedRange::NON_NEGATIVE));
        }
        if self.max_passes == 0 {
            return Err(Error::parameter("max_passes", 0, 1..));
        }
        let Self { starts, max_iterations, init, .. } = *self;
        Search { clusters: self.clusters.most(), starts, max_iterations, init }.check()
    }

    /// Fits rows in memory: the bytes are those of passes of a stream over the same rows. The
    /// sample is drawn from the seed: 10 000 rows, or 10 for every feature where that is more.
    ///
    /// # Errors
    /// As [`StreamedKMeans::start`] and [`ViewStream::update`].
    pub fn fit(
        &self,
        x: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<StreamedKMeansFit> {
        if let Some(weights) = weights {
            check_weights(weights, x.nrows())?;
        }
        let rows = sample_rows(x.nrows(), &self.features, compute);
        let own = weights.map(|weights| weights.select(Axis(0), &rows));
        let sample = x.select(Axis(0), &rows);
        let mut stream = self.start(sample.view(), own.as_ref().map(|w| w.view()), compute)?;
        loop {
            stream.update(x, weights, compute)?;
            match stream.next(compute)? {
                ViewStep::Again(next) => stream = *next,
                ViewStep::Done(fit) => {
                    let fit = fit.downcast_ref::<StreamedKMeansFit>().cloned();
                    return fit.ok_or_else(|| Error::request("the stream is one of another view"));
                }
            }
        }
    }

    /// The settings by name: those of the features, `clusters` (or `max_clusters` and `rule`),
    /// `starts`, `max_iterations`, `init`, `tolerance`, `max_passes`.
    pub fn settings(&self) -> Settings {
        self.clusters
            .put(settings_of(&self.features))
            .with("starts", self.starts)
            .with("max_iterations", self.max_iterations)
            .with("init", self.init.name())
            .with("tolerance", self.tolerance)
            .with("max_passes", self.max_passes)
    }

    /// The bytes that the work takes beside the chunks, about, with so many rows in the sample.
    pub fn bytes(&self, columns: usize, sample: usize) -> u64 {
        let (p, k) = (self.features.components() as u64, self.clusters.most() as u64);
        let sums = ExactSums::bytes(k.saturating_mul(p + 1)).saturating_add(3 * 8 * k.saturating_mul(p));
        // The features of the sample, and products with the means.
        let start = 8 * (sample as u64).saturating_mul(p + k);
        bytes(&self.features, columns).saturating_add(sums.max(start))
    }
}
