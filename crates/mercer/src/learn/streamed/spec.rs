//! The specification of a streamed ridge regression.

use ndarray::ArrayView2;

use super::RidgeStream;
use super::stream::block_rows;
use crate::error::MemoryPurpose;
use crate::features::{ExactRidge, FeatureSpec};
use crate::learn::ridge::check_lambda;
use crate::settings::Settings;
use crate::{Compute, Error, Result};

/// Rows whose features are made at a time, whatever the size of the chunks; never a function of the
/// number of threads. 512 differs by less than 8 %, 2048 is at least 20 % and 4096 50 % slower
/// (20 000 rows, 300 features).
pub(super) const BLOCK: usize = 1024;
/// Statistics that are held beside those of the folds while λ is chosen: all rows, all but a fold,
/// and the system.
const EXTRA: u64 = 3;

/// Ridge regression on explicit features, in one pass over data of any length.
///
/// # Formula
/// `min Σ vᵢ(yᵢ − wᵀz(xᵢ) − b)² + λ‖w‖²`. With several λ, row `i` belongs to fold `i mod K`, and
/// the λ wins whose functions, each fitted without a fold, have the least squared error on the
/// folds left out; the solution is then the function of all rows.
///
/// # Theory
/// `ZᵀVZ`, `ZᵀVy` and a few sums determine the fit for every λ, and those of all folds but one are
/// a difference. With Nyström features the solution is the ridge regression among functions on the
/// landmarks; with random Fourier features it is that of a random approximation of the kernel.
///
/// # Cost
/// `p²` per row for `p` features, `p²·max(12K + 8, 8(K + 3))` bytes for `K` folds whatever the number
/// of rows, and `p³/3` for every λ and fold.
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureSpec, RandomFourier}, learn::StreamedRidge};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let features = FeatureSpec::Fourier(RandomFourier::new("gaussian(lengthscale=2)".parse()?, 60));
/// let spec = StreamedRidge::new(features, 1e-6);
/// let chunk = |k: usize| Array2::from_shape_fn((50, 1), |(i, _)| 0.02 * (50 * k + i) as f64 - 2.0);
/// let mut stream = spec.start(chunk(0).view(), 1, &compute)?;
/// for k in 0..4 {
///     stream.update(chunk(k).view(), chunk(k).mapv(f64::sin).view(), None, &compute)?;
/// }
/// let fit = stream.finish(&compute)?;
/// mercer::assert_close!(fit.predict(ndarray::array![[0.5]].view(), &compute)?[[0, 0]], 0.5_f64.sin(), abs = 0.01);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedRidge {
    /// The kernel and the features.
    pub features: FeatureSpec,
    /// The λ to choose from; one is taken as it is.
    pub lambdas: Vec<f64>,
    /// The folds by which λ is chosen.
    pub folds: usize,
    /// Whether a constant is fitted that is not penalized.
    pub intercept: bool,
}

impl StreamedRidge {
    /// One λ, no constant.
    pub fn new(features: FeatureSpec, lambda: f64) -> Self {
        Self { features, lambdas: vec![lambda], folds: 5, intercept: false }
    }

    /// Draws the features, with medians resolved on a sample of the rows and landmarks chosen in
    /// it, and begins with no rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no λ, one that is negative, fewer than two folds, or no output;
    /// [`Error::Memory`]; as [`FeatureSpec::draw`].
    pub fn start(&self, sample: ArrayView2<f64>, outputs: usize, compute: &Compute) -> Result<RidgeStream> {
        self.check(outputs)?;
        let needed = self.bytes(sample.ncols(), outputs);
        compute.reserve(
            MemoryPurpose::Fit,
            "the statistics of a streamed fit",
            needed,
            "use fewer features, or one λ",
        )?;
        let stream = RidgeStream::new(self, self.features.draw(sample, compute)?, outputs);
        Ok(RidgeStream { settings: self.settings().with("seed", compute.seed()), ..stream })
    }

    /// The settings by name: those of the features, `lambdas`, `folds`, `intercept`.
    pub fn settings(&self) -> Settings {
        let settings = self.features.settings().with("lambdas", &self.lambdas[..]);
        settings.with("folds", self.folds).with("intercept", self.intercept)
    }

    pub(super) fn check(&self, outputs: usize) -> Result<()> {
        if self.lambdas.is_empty() {
            return Err(Error::parameter("lambdas", "[]", "at least one λ"));
        }
        self.lambdas.iter().try_for_each(|lambda| check_lambda(*lambda))?;
        if self.lambdas.len() > 1 && self.folds < 2 {
            return Err(Error::parameter("folds", self.folds, "at least 2 where λ is chosen"));
        }
        if outputs == 0 {
            return Err(Error::parameter("outputs", 0, 1..));
        }
        Ok(())
    }

    /// How many folds are held out: one where there is nothing to choose.
    pub(super) fn kept_folds(&self) -> usize {
        if self.lambdas.len() > 1 { self.folds } else { 1 }
    }

    /// The bytes that the work takes beside the chunks, about.
    pub fn bytes(&self, columns: usize, outputs: usize) -> u64 {
        let p = self.features.components() as u64;
        let folds = self.kept_folds() as u64;
        let statistics = 8 * p * (p + outputs as u64);
        let map = match &self.features {
            FeatureSpec::Fourier(_) => 8 * p * columns as u64,
            FeatureSpec::Nystrom(_) => 8 * p * (p + columns as u64),
        };
        // The features of some rows with two copies, the rows of a block, and a copy of them.
        let features = 3 * 8 * p * BLOCK as u64;
        let waiting = 16 * block_rows(columns, self.kept_folds()) * (columns + outputs + 1) as u64;
        let exact = folds.saturating_mul(ExactRidge::bytes(p, outputs as u64)).saturating_add(statistics);
        let update = exact.saturating_add(features).saturating_add(waiting);
        (folds + EXTRA).saturating_mul(statistics).max(update).saturating_add(map)
    }
}
