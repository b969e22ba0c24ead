//! Which kernels, and how their weights are found.

use ndarray::{Array2, ArrayView2};

use super::alignment;
use super::grams::{GramStorage, Grams, Wanted};
use super::inner::Inner;
use super::search::{Limits, Search};
use super::weights::KernelWeights;
use crate::definiteness::require_psd_for;
use crate::error::AllowedRange;
use crate::learner::Plan;
use crate::points::Size;
use crate::settings::Settings;
use crate::{Compute, Error, Kernel, Points, Result};

/// Relative gaps from which on matrices in single precision do: they move the objective by about
/// `1e-7` of it.
const ROUNDED: f64 = 1e-5;

/// How the weights of kernels are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WeightMethod {
    /// The weights with which the objective of the learner itself is least: a convex problem with a
    /// duality gap. With `norm = 1` most weights are 0.
    #[default]
    Simple,
    /// The weights with which the centered kernel is most aligned with the targets.
    Alignment,
    /// Equal weights of the centered and scaled kernels.
    Mean,
}

impl WeightMethod {
    /// The word in settings: `simple`, `alignment`, `mean`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Alignment => "alignment",
            Self::Mean => "mean",
        }
    }
}

/// The units in which kernels are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Normalization {
    /// Every kernel is divided by its mean variance over the data, `tr(HKH)/n`: numbers that multiply
    /// kernels change nothing.
    #[default]
    Trace,
    /// Kernels as they are given: a kernel that is multiplied by a number is preferred to the others.
    None,
}

impl Normalization {
    /// The word in settings: `trace`, `none`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::None => "none",
        }
    }
}

/// Several kernels whose sum is weighted by data.
///
/// # Formula
/// Kernels are [normalized](Normalization): `k̃ₘ = cₘkₘ` with `cₘ = n/tr(HKₘH)`, `H = I − 11ᵀ/n`, so
/// that their centered matrices have trace `n`, or `cₘ = 1`. A row of weight `v` counts as `v` rows.
/// Weights `β ≥ 0` of these are found by the [method](WeightMethod):
/// - simple: `min J(β)` over `Σ βᵖ = 1`, where `J(β)` is the least value of the objective of the
///   learner with the kernel `Σ βₘk̃ₘ`,
/// - alignment: `max ⟨Σ βₘHK̃ₘH, YYᵀ⟩/‖Σ βₘHK̃ₘH‖`, with the targets or the indicators of the classes
///   centered in `Y`,
/// - mean: all equal.
///
/// The learner is then fitted with the kernel `Σ βₘcₘkₘ`, without the terms of weight 0: for simple it
/// is the solution of the very problem that the weights are a part of. The weights are told for the
/// kernels as they are given, `wₘ ∝ cₘβₘ` with `Σ wᵖ = 1`.
///
/// A learner without intercept takes `H = I` for simple: its function cannot leave out the mean.
///
/// # Theory
/// `J` is convex. At the minimum for `p = 1` all kernels with weight have the same `αᵀK̃ₘα`, and no
/// kernel has more (SimpleMKL: Rakotomamonjy et al. 2008); the difference is the duality gap. It is
/// found by Newton steps over the weights (Chapelle and Rakotomamonjy 2008) on few kernels, to which
/// those are added that would lower `J`. For `p > 1` all weights are positive and
/// `βₘ ∝ (βₘ²αᵀK̃ₘα)^{1/(p+1)}` is iterated (Kloft et al. 2011). Equal kernels share their weight for
/// `p = 1` in any way.
///
/// A kernel that is constant on the data has `HKH = 0`: its weight is 0, with a
/// [note](super::WeightNote).
///
/// # Cost
/// Alignment computes the values of all kernels once and stores none, with `M²n²/2` operations for the
/// inner products of `M` kernels. For simple the halves of their matrices are stored within half of the
/// memory limit: in double precision for gaps below `1e-5`, as those of ridge regression are, else, or
/// where that does not fit, in single precision (weights to about six digits). If that does not fit
/// either, they are computed again in every pass ([`KernelWeights::storage`]). Simple solves some 10 to 30 problems with fixed weights
/// and needs two or three matrices of the size of one kernel beside.
#[derive(Clone, Debug, PartialEq)]
pub struct MultipleKernels {
    /// The kernels: positive semi-definite, on the same points.
    pub kernels: Vec<Kernel>,
    /// How the weights are found.
    pub method: WeightMethod,
    /// The units in which the kernels are weighed.
    pub normalize: Normalization,
    /// `p ≥ 1` in `Σ wᵖ = 1`. For the methods other than simple it is a matter of scale only.
    pub norm: f64,
    /// Stop when the duality gap is at most this part of the objective. By default `1e-3` for support
    /// vector machines and `1e-6` for ridge regression.
    pub tolerance: Option<f64>,
    /// Problems with fixed weights that are solved at most.
    pub max_iterations: usize,
}

impl MultipleKernels {
    /// Weights by the objective of the learner, with `norm = 1`.
    pub fn new(kernels: Vec<Kernel>) -> Self {
        let (method, normalize) = (WeightMethod::Simple, Normalization::Trace);
        Self { kernels, method, normalize, norm: 1.0, tolerance: None, max_iterations: 300 }
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.kernels.is_empty() {
            return Err(Error::too_few("a weighted sum", "kernels", 1, 0));
        }
        if !(self.norm >= 1.0 && self.norm.is_finite()) {
            return Err(Error::parameter("norm", self.norm, AllowedRange::at_least(1.0)));
        }
        if let Some(tolerance) = self.tolerance.filter(|t| !(t.is_finite() && *t > 0.0)) {
            return Err(Error::parameter("tolerance", tolerance, AllowedRange::POSITIVE));
        }
        if self.max_iterations == 0 {
            return Err(Error::parameter("max_iterations", 0, 1..));
        }
        Ok(())
    }

    /// Points as the kernels take them.
    pub(super) fn points<'x>(&self, x: impl Into<Points<'x>>) -> Points<'x> {
        let x = x.into();
        self.kernels.iter().find(|kernel| kernel.is_precomputed()).map_or(x, |kernel| kernel.points(x))
    }

    /// The matrices, after the checks.
    pub(super) fn grams<'x>(
        &self,
        x: Points<'x>,
        rows: Vec<f64>,
        centered: bool,
        tolerance: f64,
        targets: Option<ArrayView2<f64>>,
        compute: &Compute,
    ) -> Result<Grams<'x>> {
        self.check()?;
        if x.is_empty() {
            return Err(Error::too_few("a fit", "rows of the data", 1, 0));
        }
        self.kernels.iter().try_for_each(|kernel| require_psd_for(kernel, x, compute))?;
        let storage = self.storage(x.len(), tolerance, compute);
        let aligned = targets.filter(|_| self.method == WeightMethod::Alignment);
        let aligned = aligned.map(|targets| alignment::columns(targets, &rows));
        let products = aligned.as_ref().map(|columns| columns.view());
        let wanted = Wanted { centered, normalize: self.normalize, storage, products };
        Grams::new(&self.kernels, x, rows, wanted, compute)
    }

    /// Where the matrices will be. The mean needs no more than their traces, alignment one pass.
    fn storage(&self, rows: usize, tolerance: f64, compute: &Compute) -> GramStorage {
        match self.method {
            WeightMethod::Mean | WeightMethod::Alignment => GramStorage::Recomputed,
            WeightMethod::Simple => GramStorage::choose(self.kernels.len(), rows, tolerance < ROUNDED, compute),
        }
    }

    /// The gap at which the search stops.
    pub(super) fn tolerance_or(&self, default: f64) -> f64 {
        self.tolerance.unwrap_or(default)
    }

    /// The weights: by the problem of the learner, or by its targets.
    pub(super) fn weigh(
        &self,
        grams: &Grams<'_>,
        tolerance: f64,
        inner: &mut dyn Inner,
        targets: Option<ArrayView2<f64>>,
        compute: &Compute,
    ) -> Result<KernelWeights> {
        let which = grams.varying();
        if which.is_empty() {
            let because = "every kernel is constant on the data";
            return Err(Error::undetermined("the weights of the kernels", because, "use other kernels"));
        }
        let (mut evidence, mut aligned) = (None, None);
        let beta = match self.method {
            WeightMethod::Mean => vec![1.0; which.len()],
            WeightMethod::Alignment => {
                let none = Array2::zeros((grams.len(), 0));
                let (weights, alignment) = alignment::weights(grams, &which, targets.unwrap_or(none.view()), compute)?;
                aligned = Some(alignment);
                weights
            }
            WeightMethod::Simple => {
                let limits = Limits { tolerance, max_iterations: self.max_iterations };
                let (weights, found) = Search::new(grams, inner, limits, compute).run(&which, self.norm)?;
                evidence = Some(found);
                weights
            }
        };
        let mut all = vec![0.0; self.kernels.len()];
        which.iter().zip(&beta).for_each(|(&m, &b)| all[m] = b);
        KernelWeights::new(grams, all, self.norm, evidence, aligned)
    }

    /// What the search for the weights will take, beside the fit that follows.
    pub(super) fn plan(&self, size: Size, outputs: usize, tolerance: f64, compute: &Compute) -> Result<Plan> {
        let (m, n) = (self.kernels.len(), size.rows);
        let storage = self.storage(n, tolerance, compute);
        // The weighted matrix, and a copy in single precision of the rows that the solver works on.
        let dense = if self.method == WeightMethod::Simple { 12 * (n as u64).pow(2) } else { 0 };
        let bytes = storage.bytes(m, n) + dense;
        let remedy = "use fewer rows, the method `alignment` or `mean`, or a higher memory limit";
        compute.reserve(crate::error::MemoryPurpose::Fit, "the weights of the kernels", dense, remedy)?;
        let pairs = m as f64 * (n as f64).powi(2);
        let values = 0.5 * pairs * (2.0 * size.work + 20.0);
        let passes = match (self.method, storage) {
            (WeightMethod::Mean, _) => 0.0,
            (WeightMethod::Alignment, _) => 0.5 * pairs * m as f64,
            (WeightMethod::Simple, GramStorage::Recomputed) => 20.0 * values + 20.0 * (n as f64).powi(3) / 3.0,
            (WeightMethod::Simple, _) => 40.0 * pairs * outputs.max(1) as f64 + 20.0 * (n as f64).powi(3) / 3.0,
        };
        let words = match storage {
            GramStorage::Double => "the matrices of all kernels are stored",
            GramStorage::Single => "the matrices of all kernels are stored in single precision",
            GramStorage::Recomputed if self.method != WeightMethod::Simple => "kernel values are computed once",
            GramStorage::Recomputed => "kernel values are computed again in every pass",
        };
        Ok(Plan::new(format!("{} kernel weights", self.method.name()), bytes, values + passes, words, compute))
    }

    /// The settings by name: `kernels`, `method`, `normalize`, `norm`, `weight_tolerance`, `weight_iterations`.
    pub fn settings(&self) -> Settings {
        let texts: Vec<String> = self.kernels.iter().map(Kernel::to_string).collect();
        Settings::new()
            .with("kernels", &texts[..])
            .with("method", self.method.name())
            .with("normalize", self.normalize.name())
            .with("norm", self.norm)
            .with_some("weight_tolerance", self.tolerance)
            .with("weight_iterations", self.max_iterations)
    }
}
