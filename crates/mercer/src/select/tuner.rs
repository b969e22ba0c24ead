//! The choice of every parameter of a ridge regression by the gradient of its score.

use ndarray::{ArrayView1, ArrayView2};

use super::Criterion;
use super::ard::with_column_lengthscales;
use super::smooth_score::{SmoothScore, smooth_score};
use crate::error::{MemoryPurpose, Remedy};
use crate::learn::parameter_space::{
    ParameterSpace, SearchOptions, Target, check_names, movable, movable_names, search,
};
use crate::learn::ridge::RidgeData;
use crate::learn::{Ridge, RidgeFit};
use crate::{Compute, Error, Kernel, Points, Result};

/// Relative gradient of the score at which the search stops: a lengthscale that grows without bound
/// is not followed further.
const TOLERANCE: f64 = 1e-4;

/// A ridge regression whose λ and kernel parameters, such as one lengthscale per column, are chosen
/// by the gradient of leave-one-out or GCV.
///
/// # Formula
/// `min log S(log θ, log λ)` by L-BFGS, with `S` the score and `dS = tr(H dA)` for `A = SKS + λI`
/// ([docs](crate::select)).
///
/// # Theory
/// The lengthscale of an irrelevant column grows until the kernel is constant along it: automatic
/// relevance determination. A start at the median heuristic is written `lengthscale=median`. The
/// score is not convex: [restarts](RidgeTuner::restarts) help.
///
/// # Cost
/// About `5n³` per step and one matrix of derivatives per parameter; `32n²` bytes.
///
/// # Example
/// ```
/// use mercer::{Compute, select::RidgeTuner};
/// use ndarray::Array2;
/// // The target depends on the first column alone.
/// let x = Array2::from_shape_fn((40, 2), |(i, j)| ((i * (j + 3)) as f64 * 0.7).sin());
/// let y = Array2::from_shape_fn((40, 1), |(i, _)| (2.0 * x[[i, 0]]).sin());
/// let tuner = RidgeTuner { ard: true, ..RidgeTuner::new("gaussian(lengthscale=median)".parse()?, 0.1) };
/// let found = tuner.fit(x.view(), y.view(), None, &Compute::new())?;
/// let lengths: Vec<f64> = found.fit.kernel().parameters().iter().map(|p| p.value).collect();
/// assert!(lengths[1] > 10.0 * lengths[0] && found.score < 1e-6);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeTuner {
    /// The kernel, with the parameters to start from.
    pub kernel: Kernel,
    /// The λ to start from, positive.
    pub lambda: f64,
    /// Whether shared lengthscales are expanded to one per column.
    pub ard: bool,
    /// The selection criterion: leave-one-out or GCV.
    pub criterion: Criterion,
    /// Whether to fit an unpenalized intercept.
    pub intercept: bool,
    /// Parameters that are kept fixed: names of [`Kernel::parameters`] (as `ard` names them), or
    /// `lambda`.
    pub fixed: Vec<String>,
    /// Smoothness parameters that are optimized, which are fixed by default: `nu` of Matérn
    /// kernels, `hurst`, `power` of a distance.
    pub free: Vec<String>,
    /// How many more times the search starts, from points drawn from the seed around the first.
    pub restarts: usize,
}

/// The ridge regression of the lowest score that was found.
#[derive(Clone, Debug)]
pub struct RidgeTunerFit {
    /// The model, fitted on all of the data.
    pub fit: RidgeFit,
    /// Its score.
    pub score: f64,
    /// The slopes of the score by the logarithms of the parameters (by the parameter itself where
    /// it may be negative), in the order of `names`.
    pub gradient: Vec<f64>,
    /// The parameters of the kernel in order, then `lambda`; a choice of smoothness where it was
    /// freed.
    pub names: Vec<String>,
    /// Whether the gradient was small at the end.
    pub converged: bool,
    /// Steps of the best run.
    pub iterations: usize,
    /// The score that each start led to; infinite where it is not defined.
    pub scores: Vec<f64>,
    /// Times that the score was evaluated.
    pub evaluations: usize,
}

impl RidgeTuner {
    /// A search by leave-one-out from one start, with lengthscales shared as they are given,
    /// without intercept; the smoothness `nu` of Matérn kernels and its like are kept fixed.
    pub fn new(kernel: Kernel, lambda: f64) -> Self {
        let (fixed, free) = (Vec::new(), Vec::new());
        Self {
            kernel,
            lambda,
            ard: false,
            criterion: Criterion::LeaveOneOut,
            intercept: false,
            fixed,
            free,
            restarts: 0,
        }
    }

    /// Chooses the parameters, and fits with them.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a λ that is not positive, an unknown fixed or freed name, or folds
    /// (whose score has no gradient here), [`Error::Undefined`] when the score is not defined at
    /// any start, and as [`Ridge::fit`].
    pub fn fit<'x>(
        &self,
        x: impl Into<Points<'x>>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<RidgeTunerFit> {
        let x = self.kernel.points(x);
        self.check(x, compute)?;
        let kernel = self.expanded(x, compute)?;
        check_names(&kernel, "lambda", &self.fixed, &self.free)?;
        reserve(x.len() as u64, compute)?;
        let space = ParameterSpace::new(&kernel, ("lambda", self.lambda), &self.fixed, &self.free);
        let weights = weights.as_ref().map(|w| w.view());
        let data = RidgeData { x: x.reborrow(), y: y.view(), basis: None, weights };
        let start = space.start();
        let silent = compute.silent();
        let mut objective = |point: &[f64]| self.log_score(&space, point, data, &silent);
        let options = SearchOptions {
            restarts: self.restarts,
            parameters: start.len(),
            tolerance: TOLERANCE,
            scale: 1.0,
            work: &format!("parameters of {}", self.kernel.short()),
            describe: |value| format!("score {:.6}", value.exp()),
        };
        let found = search(Target::Smooth(&mut objective), &start, &options, compute)?;
        let Some(best) = found.best else {
            return Err(Error::undefined("the score at every start", Remedy::larger("lambda")));
        };
        let rest = if found.interrupted { compute.after_part()? } else { compute.clone() };
        let compute = &rest;
        let (kernel, lambda) = space.at(&best.point)?;
        let ridge = self.ridge(kernel, lambda);
        let shown = movable(&ridge.kernel, &self.free);
        let Some(at) = smooth_score(&ridge, self.criterion, data, &shown, compute)? else {
            return Err(Error::undefined("the score at the end of the search", Remedy::larger("lambda")));
        };
        let (converged, iterations, evaluations) = (best.converged, best.iterations, found.evaluations);
        let gradient =
            by_logarithms(&ridge, &at).into_iter().zip(&shown).filter(|(_, s)| **s).map(|(g, _)| g).collect();
        let names = movable_names(&ridge.kernel, "lambda", &self.free);
        let (score, scores) = (at.value, found.values.iter().map(|v| v.exp()).collect());
        let fit = ridge.fit(x, y, weights, compute)?;
        Ok(RidgeTunerFit { fit, score, gradient, names, converged, iterations, scores, evaluations })
    }

    fn check(&self, x: Points<'_>, compute: &Compute) -> Result<()> {
        if !(self.lambda.is_finite() && self.lambda > 0.0) {
            return Err(Error::parameter("lambda", self.lambda, "finite and positive, to have a logarithm"));
        }
        if matches!(self.criterion, Criterion::Folds(_)) {
            return Err(Error::parameter("criterion", "folds", "leave-one-out or GCV"));
        }
        self.ridge(self.kernel.clone(), self.lambda).check(x, compute)
    }

    /// The kernel with medians resolved and, if requested, one lengthscale per column.
    fn expanded(&self, x: Points<'_>, compute: &Compute) -> Result<Kernel> {
        let resolved = self.kernel.resolve(x, compute)?;
        if self.ard { with_column_lengthscales(&resolved, x.columns()) } else { Ok(resolved) }
    }

    fn ridge(&self, kernel: Kernel, lambda: f64) -> Ridge {
        Ridge { intercept: self.intercept, ..Ridge::new(kernel, lambda) }
    }

    /// `log S` and its gradient; infinity where it is not defined.
    fn log_score(
        &self,
        space: &ParameterSpace<'_>,
        point: &[f64],
        data: RidgeData<'_>,
        compute: &Compute,
    ) -> Result<(f64, Vec<f64>)> {
        let undefined = (f64::INFINITY, vec![0.0; point.len()]);
        let Ok((kernel, lambda)) = space.at(point) else { return Ok(undefined) };
        let ridge = self.ridge(kernel, lambda);
        match smooth_score(&ridge, self.criterion, data, &space.requested(), compute) {
            Ok(Some(at)) if at.value > 0.0 => {
                let gradient = space.restrict(&by_logarithms(&ridge, &at));
                Ok((at.value.ln(), gradient.iter().map(|g| g / at.value).collect()))
            }
            // Nothing is better than no error at all.
            Ok(Some(at)) if at.value == 0.0 => Ok((f64::MIN_POSITIVE.ln(), vec![0.0; point.len()])),
            Ok(_) | Err(Error::Singular { .. } | Error::Undefined { .. } | Error::Value { .. }) => Ok(undefined),
            Err(other) => Err(other),
        }
    }
}

fn by_logarithms(ridge: &Ridge, at: &SmoothScore) -> Vec<f64> {
    let parameters = ridge.kernel.parameters();
    let chain = parameters.iter().map(|p| if p.positive { p.value } else { 1.0 }).chain([ridge.lambda]);
    at.slopes.iter().zip(chain).map(|(s, c)| s * c).collect()
}

/// `A⁻¹`, `H`, and what they are made from.
fn reserve(n: u64, compute: &Compute) -> Result<()> {
    let advice = "use fewer rows or a higher memory limit";
    compute.reserve(MemoryPurpose::Fit, "the gradient of the score of a ridge regression", 4 * 8 * n * n, advice)
}
