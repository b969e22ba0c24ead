//! The specification of a streamed logistic regression.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::super::spec::BLOCK;
use super::super::stream::block_rows;
use super::{LogisticStep, LogisticStream, StreamedLogisticFit};
use crate::error::{AllowedRange, MemoryPurpose};
use crate::features::{ExactRidge, FeatureSpec};
use crate::learn::streamed::RowSource;
use crate::settings::Settings;
use crate::{Compute, Error, Result};

/// Logistic regression on explicit features, in a few passes over data of any length.
///
/// # Formula
/// `min Σ vᵢ ℓ(yᵢ, f(xᵢ)) + λ/2 Σ‖w_c‖²` with `f_c(x) = w_cᵀz(x) + b_c` and the negative log
/// likelihood `ℓ`: of two classes with the one function of the log-odds, of more with a function
/// per class and the softmax. Half of λ multiplies the squared norm, as in
/// [`LogisticRegression`](crate::learn::LogisticRegression).
///
/// # Theory
/// One pass collects the gradient and the Hessian in the space of the features, whose blocks are
/// weighted squares `ZᵀDZ` with `d = p_c(1 − p_c)` and `p_cp_{c′}`; rows of which `p` is almost 0 or
/// 1 keep a small weight. A step that raises the objective is halved, one pass for each half.
///
/// # Cost
/// For `p` features and `m` functions (one for two classes, else one per class) `p²` operations per
/// row and `12p²` bytes for each of `m(m + 1)/2` blocks, and `(mp)³/3` for a step.
///
/// # Example
/// ```
/// use mercer::{Compute, features::{FeatureSpec, RandomFourier}, learn::StreamedLogistic};
/// use ndarray::Array2;
/// let compute = Compute::new();
/// let x = Array2::from_shape_fn((400, 1), |(i, _)| 0.01 * i as f64 - 2.0);
/// let of: Vec<usize> = x.iter().map(|v| usize::from(v.abs() > 1.0)).collect();
/// let features = FeatureSpec::Fourier(RandomFourier::new("gaussian(lengthscale=1)".parse()?, 60));
/// let fit = StreamedLogistic::new(features, 0.1).fit(x.view(), &of, None, 2, &compute)?;
/// let p = fit.probabilities(ndarray::array![[0.0], [1.8]].view(), &compute)?;
/// assert!(p[[0, 1]] < 0.1 && p[[1, 1]] > 0.9);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamedLogistic {
    /// The kernel and the features.
    pub features: FeatureSpec,
    /// Half of it multiplies the squared norms.
    pub lambda: f64,
    /// Whether constants are fitted that are not penalized.
    pub intercept: bool,
    /// Stop when the next step promises less than this share of the loss of the zero function.
    pub tolerance: f64,
    /// Stop after so many passes over the rows.
    pub max_passes: usize,
}

impl StreamedLogistic {
    /// With constants, to a tolerance of 1e−9 in at most 100 passes.
    pub fn new(features: FeatureSpec, lambda: f64) -> Self {
        Self { features, lambda, intercept: true, tolerance: 1e-9, max_passes: 100 }
    }

    /// The settings by name: those of the features, `lambda`, `intercept`,
    /// `pass_tolerance`, `max_passes`.
    pub fn settings(&self) -> Settings {
        let settings = self.features.settings().with("lambda", self.lambda).with("intercept", self.intercept);
        settings.with("pass_tolerance", self.tolerance).with("max_passes", self.max_passes)
    }

    /// Draws the features, with medians resolved on a sample of the rows and landmarks chosen in
    /// it, and begins the first pass.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a λ that is not positive, fewer than two classes, or no pass;
    /// [`Error::Memory`]; as [`FeatureSpec::draw`].
    pub fn start(&self, sample: ArrayView2<f64>, classes: usize, compute: &Compute) -> Result<LogisticStream> {
        self.check(classes)?;
        let needed = self.bytes(sample.ncols(), classes);
        let what = "the statistics of a streamed fit";
        compute.reserve(MemoryPurpose::Fit, what, needed, "use fewer features")?;
        let settings = self.settings().with("seed", compute.seed());
        Ok(LogisticStream::new(self, self.features.draw(sample, compute)?, classes, settings))
    }

    fn check(&self, classes: usize) -> Result<()> {
        if !(self.lambda.is_finite() && self.lambda > 0.0) {
            return Err(Error::parameter("lambda", self.lambda, AllowedRange::POSITIVE));
        }
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return Err(Error::parameter("pass_tolerance", self.tolerance, AllowedRange::NON_NEGATIVE));
        }
        if self.max_passes == 0 {
            return Err(Error::parameter("max_passes", 0, 1..));
        }
        if classes < 2 {
            return Err(Error::too_few("a classifier", "classes", 2, classes));
        }
        Ok(())
    }

    /// Fits rows in memory.
    ///
    /// # Errors
    /// As [`StreamedLogistic::start`] and [`LogisticStream::update`].
    pub fn fit(
        &self,
        x: ArrayView2<f64>,
        of: &[usize],
        weights: Option<ArrayView1<f64>>,
        classes: usize,
        compute: &Compute,
    ) -> Result<StreamedLogisticFit> {
        if of.len() != x.nrows() {
            return Err(Error::shape("classes", format!("one per row ({})", x.nrows()), of.len()));
        }
        if let Some(weights) = weights.filter(|weights| weights.len() != x.nrows()) {
            return Err(Error::shape("weights", format!("one per row ({})", x.nrows()), weights.len()));
        }
        let y = Array2::from_shape_fn((of.len(), 1), |(i, _)| of[i] as f64);
        let rows = super::super::ArrayRows { x, y: y.view(), weights };
        self.fit_rows(&rows, self.start(x, classes, compute)?, compute)
    }

    /// Goes over the rows until the fit is done. The targets are the numbers of the classes.
    ///
    /// # Errors
    /// As [`LogisticStream::update`]; those of the source.
    pub fn fit_rows(
        &self,
        rows: &dyn RowSource,
        mut stream: LogisticStream,
        compute: &Compute,
    ) -> Result<StreamedLogisticFit> {
        loop {
            rows.each_chunk(&mut |x, y, weights| stream.update(x, y, weights, compute))?;
            match stream.next(compute)? {
                LogisticStep::Again(next) => stream = *next,
                LogisticStep::Done(fit) => return Ok(*fit),
            }
        }
    }

    /// The bytes that the work takes beside the chunks, about.
    pub fn bytes(&self, columns: usize, classes: usize) -> u64 {
        let p = self.features.components() as u64;
        let functions = if classes > 2 { classes as u64 } else { 1 };
        let map = match &self.features {
            FeatureSpec::Fourier(_) => 8 * p * columns as u64,
            FeatureSpec::Nystrom(_) => 8 * p * (p + columns as u64),
        };
        let rows = block_rows(columns, 1);
        // The features of a block with two copies of some, and its rows twice.
        let block = 8 * p * (rows + 2 * BLOCK as u64) + 16 * rows * (columns as u64 + 2);
        let blocks = functions * (functions + 1) / 2;
        let exact = blocks.saturating_mul(ExactRidge::bytes(p, 1));
        let system = 16_u64.saturating_mul((functions * (p + 1)).saturating_pow(2)).saturating_add(exact / 2);
        exact.saturating_add(block).max(system).saturating_add(map)
    }
}
