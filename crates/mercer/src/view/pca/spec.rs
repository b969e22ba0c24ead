//! The specification of kernel principal components, and its fit.

use super::fit::MeanElement;
use super::positive::Spectrum;
use super::{EigenPlan, EigenSolver, KernelPcaFit};
use crate::definiteness::require_psd_for;
use crate::error::{AllowedRange, PrecomputedNeed};
use crate::features::{ExplicitFeatures, FeatureMap, Landmarks};
use crate::gram::{self, Bound, Pairs, Tiles};
use crate::points::Size;
use crate::settings::Settings;
use crate::view::eigen::{EigenRequest, NystromRequest, Projection, in_features};
use crate::{Compute, Error, Kernel, Points, Result, Sample};

/// Kernel principal components: the leading eigenvectors of the covariance of the points in ℋ.
///
/// # Formula
/// `Kc = HKH` with `H = I − 11ᵀ/n`, `Kc vⱼ = μⱼvⱼ`, `‖vⱼ‖ = 1`, `μ₁ ≥ μ₂ ≥ …`. The scores of the
/// points are `√μⱼ vⱼ`; that of a new point is `Σᵢ v_ij kc(t, xᵢ)/√μⱼ` with
/// `kc(t, xᵢ) = k(t, xᵢ) − meanₗ k(t, xₗ) − meanₗ k(xₗ, xᵢ) + meanₗₘ k(xₗ, xₘ)`. Of every `vⱼ` the
/// entry that is the largest in size is positive.
///
/// # Theory
/// `μⱼ/n` are the eigenvalues of the covariance operator `mean (φ(xᵢ) − m) ⊗ (φ(xᵢ) − m)`, and
/// `uⱼ = Σᵢ v_ij(φ(xᵢ) − m)/√μⱼ` its eigenvectors, of norm 1 (Schölkopf, Smola and Müller 1998).
/// Among all subspaces of so many dimensions theirs leaves the least of the points' squared
/// distances: the sum of the eigenvalues left out. With `linear()` it is ordinary principal
/// component analysis.
///
/// # Cost
/// `9n³` for all eigenvectors, or some 16 products of `K` with a block of `components + 8` vectors;
/// with Nyström `O(nm²)` for `m` landmarks, and as much, but exact, for a kernel with `m` features
/// (`linear`, `polynomial` on few columns). [`KernelPca::plan`] reports what is run.
///
/// # Example
/// ```
/// use mercer::{Compute, view::pca::KernelPca};
/// use ndarray::array;
/// let compute = Compute::new();
/// let x = array![[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]];
/// let fit = KernelPca::new("linear()".parse()?, Some(1)).fit(x.view(), &compute)?;
/// // The points vary along one line: −2, 0 and 2 from their mean.
/// mercer::assert_close!(fit.eigenvalues()[0], 8.0, abs = 1e-13);
/// mercer::assert_close!(fit.explained_variance_ratio()[0], 1.0, abs = 1e-14);
/// let scores = fit.transform(array![[5.0, 1.0], [2.0, 7.0]].view(), &compute)?;
/// mercer::assert_close!(scores[[0, 0]].abs(), 3.0, abs = 1e-13);
/// mercer::assert_close!(scores[[1, 0]], 0.0, abs = 1e-13);
/// // The second point is 6 away from that line.
/// let novelty = fit.novelty(array![[5.0, 1.0], [2.0, 7.0]].view(), &compute)?;
/// mercer::assert_close!(novelty, [0.0, 36.0], each = 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelPca {
    /// The kernel.
    pub kernel: Kernel,
    /// The number of components; all with a positive eigenvalue where there is none. At most as
    /// many as points.
    pub components: Option<usize>,
    /// The solver.
    pub solver: EigenSolver,
    /// The number of landmarks of [`EigenSolver::Nystrom`], at most; if it is set,
    /// [`EigenSolver::Auto`] uses landmarks. The plan chooses where there is none.
    pub landmarks: Option<usize>,
    /// The selection of the landmarks.
    pub selection: Landmarks,
    /// Whether components with an eigenvalue of 0 are left out. Otherwise all scores of them are 0.
    /// An eigenvalue counts as 0 below `1e-12` of the largest, and where it is the rounding error
    /// of the kernel values.
    pub remove_zero: bool,
    /// Whether to accept a kernel that is not positive semi-definite, as long as the eigenvalues of
    /// the requested components are not negative.
    pub indefinite: bool,
    /// The penalty `α` of a ridge regression of the points (vectors) on their scores, which is
    /// fitted too: see [`InverseMap`](super::InverseMap).
    pub inverse: Option<f64>,
}

impl KernelPca {
    /// Components of a positive semi-definite kernel, with an automatic choice of the solver.
    pub fn new(kernel: Kernel, components: Option<usize>) -> Self {
        Self {
            kernel,
            components,
            solver: EigenSolver::Auto,
            landmarks: None,
            selection: Landmarks::default(),
            remove_zero: false,
            indefinite: false,
            inverse: None,
        }
    }

    /// The plan for points of this size: what [`KernelPca::fit`] will run. For strings and graphs a
    /// fit may do better, as it can count their explicit features.
    ///
    /// # Errors
    /// [`Error::Memory`] when nothing fits into the memory limit.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, Points, view::pca::{EigenSolver, KernelPca}};
    /// use ndarray::Array2;
    /// let compute = Compute::new().with_memory(1_000_000_000);
    /// let plan = |rows: usize, components: usize| {
    ///     let x = Array2::zeros((rows, 50));
    ///     let spec = KernelPca::new("gaussian()".parse()?, Some(components));
    ///     spec.plan(Points::from(&x).size(), &compute)
    /// };
    /// assert_eq!(plan(300, 10)?.solver, EigenSolver::Dense);
    /// assert_eq!(plan(5000, 10)?.solver, EigenSolver::Leading);
    /// let large = plan(50_000, 10)?;
    /// assert!(large.solver == EigenSolver::Nystrom && large.approximation().is_some());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn plan(&self, size: Size, compute: &Compute) -> Result<EigenPlan> {
        let vectors = size == Size::of_vectors(size.rows, size.work as usize);
        let rank = vectors.then(|| self.map(size.work as usize).ok()).flatten().map(|map| map.components());
        self.request(size, (None, rank)).plan(compute)
    }

    /// Finds the components of the points of a sample. With a kernel over `precomputed()`, `x` is
    /// the matrix of kernel values; it need not be symmetric if it is when it is centered.
    ///
    /// # Errors
    /// [`Error::TooFew`] for no points, [`Error::Parameter`] for 0 components or landmarks or a
    /// negative `α`, [`Error::Value`] for data that is not finite, [`Error::NotPositiveDefinite`]
    /// with the counterexample or the negative eigenvalue, [`Error::Precomputed`] for a matrix that
    /// is not symmetric, or where points are needed, [`Error::Memory`] when no plan fits the limit,
    /// [`Error::NotConverged`], [`Error::Canceled`]; and as [`Kernel::bind`].
    pub fn fit<'x>(&self, x: impl Into<Points<'x>>, compute: &Compute) -> Result<KernelPcaFit> {
        let x = self.kernel.points(x);
        self.check(x, compute)?;
        let bound = self.kernel.bind(Pairs::Within(x), compute)?;
        if bound.shape() != (x.len(), x.len()) {
            return Err(Error::precomputed("a fit on precomputed kernel values", PrecomputedNeed::Symmetric));
        }
        let features = bound.features().map(|(rows, _)| rows.columns.len());
        let map = match x {
            Points::Vectors(x) if self.solver == EigenSolver::FiniteRank => Some(self.map(x.ncols())?),
            Points::Vectors(x) => self.map(x.ncols()).ok(),
            _ => None,
        };
        let request = self.request(EigenRequest::size_of(x), (features, map.as_ref().map(FeatureMap::components)));
        let plan = request.plan(compute)?;
        let mut fit = match plan.solver {
            EigenSolver::Nystrom => self.on_landmarks(x, plan, compute)?,
            _ => self.on_all(x, &bound, (request, plan, map), compute)?,
        };
        if let Some(alpha) = self.inverse {
            fit.inverse = Some(fit.inverse_map(alpha, compute)?);
        }
        Ok(fit)
    }

    fn check(&self, x: Points<'_>, compute: &Compute) -> Result<()> {
        if x.is_empty() {
            return Err(Error::too_few("kernel principal components", "points", 1, 0));
        }
        for (name, count) in [("components", self.components), ("landmarks", self.landmarks)] {
            if count == Some(0) {
                return Err(Error::parameter(name, 0, 1..));
            }
        }
        if let Some(alpha) = self.inverse {
            check_alpha(alpha)?;
            x.vectors()?;
        }
        let precomputed = matches!(x, Points::Precomputed(_));
        if precomputed && (self.solver == EigenSolver::Nystrom || self.landmarks.is_some()) {
            return Err(Error::precomputed("a fit on landmarks", PrecomputedNeed::Points));
        }
        if self.indefinite { Ok(()) } else { require_psd_for(&self.kernel, x, compute) }
    }

    /// The features of the kernel on vectors of this many columns.
    fn map(&self, columns: usize) -> Result<ExplicitFeatures> {
        ExplicitFeatures::new(self.kernel.clone(), columns)
    }

    /// With the entries of sparse features, and the number of features of a kernel with finitely
    /// many.
    fn request(&self, size: Size, (features, rank): (Option<usize>, Option<usize>)) -> EigenRequest {
        EigenRequest {
            size,
            features,
            rank,
            components: self.components,
            solver: self.solver,
            landmarks: self.landmarks,
            nystrom: !self.indefinite && !self.kernel.is_precomputed(),
            whole: 0,
        }
    }

    fn on_all(
        &self,
        x: Points<'_>,
        bound: &Bound<'_>,
        (request, plan, map): (EigenRequest, EigenPlan, Option<ExplicitFeatures>),
        compute: &Compute,
    ) -> Result<KernelPcaFit> {
        let found = match (plan.solver, x, self.components, map) {
            (EigenSolver::FiniteRank, Points::Vectors(x), Some(count), Some(map)) => {
                in_features(&map, x, count.min(x.nrows()), compute)?
            }
            _ => None,
        };
        let (mut eigen, plan) = match found {
            Some(eigen) => (eigen, plan),
            None if plan.solver == EigenSolver::FiniteRank => {
                let request = request.without_features();
                request.solve(bound, request.plan(compute)?, compute)?
            }
            None => request.solve(bound, plan, compute)?,
        };
        let found = Spectrum { rounding: eigen.rounding, trace: eigen.trace, smallest: eigen.evidence.smallest };
        let values = self.positive(found.checked(&eigen.values, &self.kernel, self.indefinite)?);
        eigen.vectors = eigen.vectors.slice_move(ndarray::s![.., ..values.len()]);
        let (coefficients, offset) = eigen.functions(&values);
        let kernel = bound.kernel().clone();
        Ok(KernelPcaFit {
            projection: Projection { kept: Default::default(), kernel, centers: Sample::kept(x), coefficients, offset },
            mean: MeanElement { weights: None, square: eigen.means.total, at_centers: eigen.means.columns },
            eigenvalues: values.into(),
            eigenvectors: eigen.vectors,
            trace: eigen.trace.max(0.0),
            inverse: None,
            evidence: eigen.evidence,
            plan,
            settings: self.settings(),
        })
    }

    fn on_landmarks(&self, x: Points<'_>, plan: EigenPlan, compute: &Compute) -> Result<KernelPcaFit> {
        let request = NystromRequest {
            kernel: &self.kernel,
            landmarks: self.selection.clone(),
            count: plan.landmarks,
            components: self.components,
        };
        let eigen = request.solve(x, compute)?;
        let found = Spectrum { rounding: eigen.rounding, trace: eigen.trace, smallest: None };
        let values = self.positive(found.checked(&eigen.values, &self.kernel, false)?);
        let mut projection = eigen.projection;
        projection.keep(&values);
        let within = projection.kernel.bind(Pairs::Within(projection.centers.as_points()), compute)?;
        let weights = eigen.mean_weights.view().insert_axis(ndarray::Axis(1));
        let at_centers = gram::multiply(&within, weights, compute)?.column(0).to_owned();
        drop(within);
        Ok(KernelPcaFit {
            projection,
            mean: MeanElement { weights: Some(eigen.mean_weights), square: eigen.mean_square, at_centers },
            eigenvectors: eigen.vectors.slice_move(ndarray::s![.., ..values.len()]),
            eigenvalues: values.into(),
            trace: eigen.trace.max(0.0),
            inverse: None,
            evidence: eigen.evidence,
            plan,
            settings: self.settings().with("seed", compute.seed()),
        })
    }

    /// The eigenvalues without those of 0, where these are left out.
    fn positive(&self, mut values: Vec<f64>) -> Vec<f64> {
        if self.remove_zero || self.components.is_none() {
            values.retain(|v| *v > 0.0);
        }
        values
    }

    /// The settings by name: `kernel`, `components`, `solver`, `landmarks`, `selection`,
    /// `remove_zero`, `indefinite`, `inverse`.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("kernel", &self.kernel)
            .with_some("components", self.components)
            .with("solver", self.solver.name())
            .with_some("landmarks", self.landmarks)
            .with("selection", self.selection.name())
            .with("remove_zero", self.remove_zero)
            .with("indefinite", self.indefinite)
            .with_some("inverse", self.inverse)
    }
}

/// A penalty that is finite and not negative.
pub(super) fn check_alpha(alpha: f64) -> Result<()> {
    if alpha.is_finite() && alpha >= 0.0 {
        return Ok(());
    }
    Err(Error::parameter("alpha", alpha, AllowedRange::NON_NEGATIVE))
}
