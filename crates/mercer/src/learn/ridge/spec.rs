//! The specification of a ridge regression, and its fit.

use std::sync::Arc;

use ndarray::{ArrayView1, ArrayView2};

use super::distinct::Groups;
use super::plan::{RidgeSolver, Size};
use super::problem::{Problem, RidgeData};
use super::solution::Solution;
use super::spectrum::RidgeSpectrum;
use super::{
    RidgeFit, RidgePlan, centers, direct, distinct, features, finite_rank, grid, iterative, mixed, state_space,
};
use crate::definiteness::require_psd_for;
use crate::error::{AllowedRange, Remedy};
use crate::gram::Pairs;
use crate::learn::centers::Centers;
use crate::settings::Settings;
use crate::solve::grid::Grid;
use crate::{Compute, Error, Kernel, Points, Result};

/// Rows from which points are examined for structure (a grid, equal points): below, a matrix takes
/// milliseconds.
const STRUCTURE_ROWS: usize = 256;

/// Kernel ridge regression, with any number of outputs, weights, and an unpenalized part.
///
/// # Formula
/// `min Σ wᵢ(yᵢ − f(xᵢ) − pᵢᵀβ)² + λ‖f‖²` over `f ∈ ℋ` and `β`: a *sum* of squares, without `1/n`.
/// The minimizer is `f = Σ αᵢk(·, xᵢ)` with `α = (K + λW⁻¹)⁻¹(y − Pβ)`, `Pᵀα = 0`.
///
/// # Theory
/// `f(x)` is also the posterior mean of a Gaussian process with covariance `k` and noise variance
/// `λ/wᵢ`. A point of weight `m` counts as `m` points. At `λ = 0`, or where `K` is singular to
/// working precision, the solution is the least-squares function of minimum norm, which
/// [`RidgeFit::method`] reports.
///
/// # Cost
/// `n³/3` by Cholesky and as much again for the diagnostics, `8n²` bytes; `O(n log n)` along one
/// column for kernels of Markov processes ([`RidgeSolver::StateSpace`]) and on grids
/// ([`RidgeSolver::Grid`]). [`Ridge::plan`] reports the cost in advance, [`Ridge::plan_on`] with what
/// the points show.
///
/// # Example
/// ```
/// use mercer::{Compute, learn::Ridge};
/// use ndarray::array;
/// let ridge = Ridge::new("linear()".parse()?, 2.0);
/// let (x, y) = (array![[1.0], [2.0], [1.0]], array![[1.0], [4.0], [3.0]]);
/// let fit = ridge.fit(x.view(), y.view(), None, &Compute::new())?;
/// // f(x) = bx with b = Σxy/(Σx² + λ) = 12/8.
/// mercer::assert_close!(fit.predict(array![[2.0]].view(), &Compute::new())?[[0, 0]], 3.0, abs = 1e-14);
/// // ‖f‖ = b, and the hat matrix has trace Σx²/(Σx² + λ).
/// mercer::assert_close!(fit.norms()[0], 1.5, abs = 1e-14);
/// mercer::assert_close!(fit.diagnostics().unwrap().degrees_of_freedom, 0.75, abs = 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ridge {
    /// The kernel.
    pub kernel: Kernel,
    /// `λ ≥ 0`, which multiplies `‖f‖²` beside a sum (not a mean) of squares.
    pub lambda: f64,
    /// Whether to fit an unpenalized intercept.
    pub intercept: bool,
    /// The solver.
    pub solver: RidgeSolver,
    /// The centers of [`RidgeSolver::Centers`]; if they are set, [`RidgeSolver::Auto`] uses them.
    pub centers: Option<Centers>,
    /// Whether to compute the hat diagonal, leave-one-out residuals and GCV: about half of the time
    /// of a Cholesky fit.
    pub diagnostics: bool,
    /// Whether to accept a kernel that is not positive semi-definite.
    pub indefinite: bool,
    /// The accuracy at which [`RidgeSolver::Mixed`] ends its refinements: the root mean square of
    /// the error of the fitted values, relative to that of the residuals of the fit. By default 0:
    /// the rounding error of double precision.
    pub tolerance: f64,
}

impl Ridge {
    /// A ridge regression without intercept, with diagnostics, with an automatic choice of the
    /// solver.
    pub fn new(kernel: Kernel, lambda: f64) -> Self {
        Self {
            kernel,
            lambda,
            intercept: false,
            solver: RidgeSolver::Auto,
            centers: None,
            diagnostics: true,
            indefinite: false,
            tolerance: 0.0,
        }
    }

    /// Fits `y` (one row per point, one column per output) with one factorization for all outputs.
    /// With a kernel over `precomputed()`, `x` is the matrix of kernel values.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a negative λ, [`Error::Shape`] and [`Error::Value`] for
    /// inconsistent data, [`Error::NotPositiveDefinite`] with a counterexample, [`Error::Memory`]
    /// when no plan fits the limit, [`Error::NotConverged`] from conjugate gradients,
    /// [`Error::Canceled`]; and as [`Kernel::bind`].
    pub fn fit<'a>(
        &self,
        x: impl Into<Points<'a>>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<RidgeFit> {
        let x = self.kernel.points(x);
        self.fit_data(RidgeData { x: x.reborrow(), y: y.view(), basis: None, weights }, compute)
    }

    /// Fits a semi-parametric model: column `j` of `basis` holds an unpenalized function at the
    /// points.
    ///
    /// # Errors
    /// As [`Ridge::fit`], and [`Error::Undetermined`] when the functions are linearly dependent on
    /// the data.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::Ridge};
    /// use ndarray::array;
    /// let ridge = Ridge { intercept: true, ..Ridge::new("gaussian()".parse()?, 1.0) };
    /// // A straight line is fitted by the unpenalized part alone.
    /// let (x, y) = (array![[0.0], [1.0], [2.0]], array![[1.0], [3.0], [5.0]]);
    /// let fit = ridge.fit_with_null_space(x.view(), x.view(), y.view(), None, &Compute::new())?;
    /// let beta = fit.null_coefficients();
    /// mercer::assert_close!(beta[[0, 0]], 1.0, abs = 1e-14);
    /// mercer::assert_close!(beta[[1, 0]], 2.0, abs = 1e-14);
    /// assert!(fit.norms()[0] < 1e-14);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit_with_null_space<'a>(
        &self,
        x: impl Into<Points<'a>>,
        basis: ArrayView2<f64>,
        y: ArrayView2<f64>,
        weights: Option<ArrayView1<f64>>,
        compute: &Compute,
    ) -> Result<RidgeFit> {
        let x = self.kernel.points(x);
        self.fit_data(RidgeData { x: x.reborrow(), y: y.view(), basis: Some(basis.view()), weights }, compute)
    }

    fn fit_data(&self, data: RidgeData<'_>, compute: &Compute) -> Result<RidgeFit> {
        self.check(data.x, compute)?;
        let bind = || Problem::new(&self.kernel, self.intercept, data, compute);
        // How many features there are is known once they are counted.
        let bound = if self.may_use_features(data.x) { Some(bind()?) } else { None };
        let features = bound.as_ref().and_then(|problem| features::size(&problem.bound));
        let cells = self.grid_of(data.x).map(Arc::new);
        let grid_plan = cells.as_ref().map(|grid| grid.plan(compute.threads()));
        let size = Size { features, grid: grid_plan, ..Size::of(data.x, data.y.ncols()) };
        let null_space = data.basis.is_some();
        let mut plan = self.plan_for(size, null_space, compute);
        let groups = self.groups_of(data.x, &plan);
        if let Some(groups) = &groups {
            plan = self.plan_for(Size { distinct: Some(groups.count()), ..size }, null_space, compute);
        }
        let mut plan = self.told(plan?, cells.as_deref());
        if plan.solver == RidgeSolver::Centers {
            return centers::fit(self, data, size, plan, compute);
        }
        let problem = bound.map_or_else(bind, Ok)?;
        let structure = (cells.as_ref(), groups.as_ref());
        let mut solution = self.solve(&problem, data, structure, &plan, compute);
        let failed = matches!(
            (plan.solver, &solution),
            (RidgeSolver::Features, Err(Error::NotConverged { .. }))
                | (RidgeSolver::FiniteRank | RidgeSolver::DistinctPoints, Err(Error::Singular { .. }))
                | (RidgeSolver::Grid, Err(Error::NotConverged { .. } | Error::Singular { .. }))
        );
        if failed && self.solver == RidgeSolver::Auto {
            plan = self.plan_from_matrix(size, compute)?;
            solution = self.solve(&problem, data, (None, None), &plan, compute);
        }
        let solution = solution?;
        if let Some(value) = solution.negative.filter(|_| !self.indefinite) {
            if problem.bound.is_proven_psd() {
                let what = "the regularized matrix, where the penalty is lost in the rounding of large kernel values \
                            (columns far from 0 should be centered),";
                return Err(Error::singular(what, Remedy::larger("lambda")));
            }
            let reason = format!("the regularized matrix of this data has the eigenvalue {value:e}");
            return Err(Error::NotPositiveDefinite { kernel: self.kernel.short(), reason, counterexample: None });
        }
        RidgeFit::new(self, data, &problem, solution, plan, compute)
    }

    /// The plan for these points and `outputs` targets: as [`Ridge::plan`], and with the number of
    /// explicit features that objects have.
    ///
    /// # Errors
    /// As [`Ridge::plan`] and [`Kernel::bind`].
    pub fn plan_on<'a>(&self, x: impl Into<Points<'a>>, outputs: usize, compute: &Compute) -> Result<RidgePlan> {
        let x = self.kernel.points(x);
        let features = match self.may_use_features(x) {
            true => features::size(&self.kernel.bind(Pairs::Within(x), compute)?),
            false => None,
        };
        let cells = self.grid_of(x);
        let grid = cells.as_ref().map(|grid| grid.plan(compute.threads()));
        let size = Size { features, grid, ..Size::of(x, outputs) };
        let mut plan = self.plan_for(size, false, compute);
        if let Some(groups) = self.groups_of(x, &plan) {
            plan = self.plan_for(Size { distinct: Some(groups.count()), ..size }, false, compute);
        }
        Ok(self.told(plan?, cells.as_ref()))
    }

    /// Which points are equal, where the solver may merge them: not looked for where a plan without
    /// the kernel matrix is there already. A plan may fail for want of memory.
    fn groups_of(&self, x: Points<'_>, planned: &Result<RidgePlan>) -> Option<Groups> {
        let by_matrix = planned.as_ref().map_or_else(
            |error| matches!(error, Error::Memory { .. }),
            |plan| {
                matches!(
                    plan.solver,
                    RidgeSolver::Cholesky | RidgeSolver::Mixed | RidgeSolver::ConjugateGradients | RidgeSolver::Centers
                )
            },
        );
        let wanted = match self.solver {
            RidgeSolver::DistinctPoints => true,
            RidgeSolver::Auto => by_matrix && self.centers.is_none() && self.lambda > 0.0 && x.len() >= STRUCTURE_ROWS,
            _ => false,
        };
        wanted.then(|| Groups::new(x))
    }

    /// The grid that the points are, where the solver may use it.
    fn grid_of(&self, x: Points<'_>) -> Option<Grid> {
        let wanted = match self.solver {
            RidgeSolver::Grid => true,
            RidgeSolver::Auto => self.centers.is_none() && self.lambda > 0.0 && x.len() >= STRUCTURE_ROWS,
            _ => false,
        };
        if wanted { Grid::of(&self.kernel, x) } else { None }
    }

    /// The plan with the grid in its reason.
    fn told(&self, plan: RidgePlan, cells: Option<&Grid>) -> RidgePlan {
        match cells.filter(|_| plan.solver == RidgeSolver::Grid) {
            Some(cells) => RidgePlan { reason: grid::reason(cells), ..plan },
            None => plan,
        }
    }

    /// Whether the points may have explicit features that the solver uses.
    fn may_use_features(&self, x: Points<'_>) -> bool {
        let possible = matches!(self.solver, RidgeSolver::Auto | RidgeSolver::Features) && self.centers.is_none();
        possible && !matches!(x, Points::Vectors(_) | Points::Precomputed(_)) && self.kernel.has_features_on(x.kind())
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        data: RidgeData<'_>,
        (cells, groups): (Option<&Arc<Grid>>, Option<&Groups>),
        plan: &RidgePlan,
        compute: &Compute,
    ) -> Result<Solution> {
        match plan.solver {
            RidgeSolver::Features => features::solve(problem, self.lambda, plan.rank, compute),
            RidgeSolver::ConjugateGradients => iterative::solve(problem, self.lambda, plan.rank, compute),
            RidgeSolver::Mixed => {
                let proven = !self.indefinite && !self.kernel.has_unknown_values();
                mixed::solve(problem, self.lambda, proven, self.tolerance, compute)
            }
            RidgeSolver::StateSpace => {
                state_space::solve(problem, data.x.vectors()?, self.lambda, self.diagnostics, compute)
            }
            RidgeSolver::FiniteRank => {
                finite_rank::solve(problem, data.x.vectors()?, self.lambda, self.diagnostics, compute)
            }
            RidgeSolver::DistinctPoints => {
                distinct::solve(problem, data.x, groups, self.lambda, self.diagnostics, compute)
            }
            RidgeSolver::Grid => grid::solve(problem, cells, self.lambda, self.diagnostics, compute),
            RidgeSolver::Eigen => {
                let spectrum = RidgeSpectrum::new(problem.matrix(compute)?, problem, compute)?;
                spectrum.solution(self.lambda, problem, self.diagnostics)
            }
            RidgeSolver::Auto | RidgeSolver::Centers | RidgeSolver::Cholesky => {
                direct::solve(problem, self.lambda, self.diagnostics, compute)
            }
        }
    }

    /// The settings by name: `kernel`, `lambda`, `intercept`, `solver`, `diagnostics`,
    /// `indefinite`, and those of the centers.
    pub fn settings(&self) -> Settings {
        Settings::new()
            .with("kernel", &self.kernel)
            .with("lambda", self.lambda)
            .with("intercept", self.intercept)
            .with("solver", self.solver.name())
            .with("diagnostics", self.diagnostics)
            .with("indefinite", self.indefinite)
            .with_some("tolerance", (self.tolerance > 0.0).then_some(self.tolerance))
            .with_centers(self.centers.as_ref())
    }

    /// The settings of a fit: with the seed, where centers are drawn from it.
    pub(super) fn recorded(&self, solver: RidgeSolver, compute: &Compute) -> Settings {
        self.settings().with_some("seed", (solver == RidgeSolver::Centers).then(|| compute.seed()))
    }

    /// The checks that need no data but its kind and its number of columns.
    pub(crate) fn check(&self, x: Points<'_>, compute: &Compute) -> Result<()> {
        check_lambda(self.lambda)?;
        // A precomputed matrix is rejected if it has no positive definite K + λI.
        if self.indefinite { Ok(()) } else { require_psd_for(&self.kernel, x, compute) }
    }
}

/// A valid λ: finite, at least 0.
pub(crate) fn check_lambda(lambda: f64) -> Result<()> {
    if lambda.is_finite() && lambda >= 0.0 {
        return Ok(());
    }
    Err(Error::parameter("lambda", lambda, AllowedRange::NON_NEGATIVE))
}
