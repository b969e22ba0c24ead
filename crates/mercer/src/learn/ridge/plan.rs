//! The plan of a fit, made before anything is allocated.

use std::fmt;

use super::mixed::rank;
use super::{Ridge, finite_rank};
use crate::compute::{human_bytes, human_seconds};
use crate::error::MemoryPurpose;
use crate::learn::centers::CenterMachine;
use crate::learn::{Loss, PLANNED_THREADS};
use crate::points::PointKind;
use crate::solve::grid::{GridPlan, Structure};
use crate::solve::state_space::ProcessSum;
use crate::{Compute, Points, Result};

/// The largest rank of the preconditioner of conjugate gradients.
const MAX_RANK: usize = 1000;
/// Rows from which a factor in single precision, refined, is faster than one in double precision. It
/// takes 10 to 24 % more time at 1000 rows, 5 to 14 % less at 1500 and 15 to 70 % less at 2500.
const MIXED_ROWS: usize = 1200;
/// Operations from which conjugate gradients over all pairs of rows are too many: hours on a few
/// cores.
const TOO_MANY: f64 = 1e14;

/// Operations of a matrix from which explicit features are used although diagnostics were requested,
/// which they do not give: minutes on a few cores.
const MANY_OPERATIONS: f64 = 1e12;
/// How many times fewer operations explicit features must take: the number of steps is a guess.
const CHEAPER: f64 = 2.0;
/// A sparse multiply-add counts as this many operations of a factorization: an estimate.
const SPARSE: f64 = 8.0;
/// Features up to which all of them are in the preconditioner, which is then the inverse. Not tuned,
/// nor is the next.
const ALL_FEATURES: usize = 3072;
/// The features in the preconditioner where there are more.
const SOME_FEATURES: usize = 1024;

/// Steps of conjugate gradients on a grid: two where the preconditioner is the inverse, and a guess
/// where it is not.
const EXACT_STEPS: f64 = 2.0;
const GRID_STEPS: f64 = 60.0;

/// How the system of a ridge regression is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RidgeSolver {
    /// The state space where the kernel has one and λ > 0; the features of a kernel with at most half
    /// as many as there are rows; the grid where the points are one, and the matrix takes longer or
    /// does not fit; sparse explicit features where the kernel has
    /// these and they are clearly cheaper (or the matrix does not fit); the distinct points where
    /// many are equal; else Cholesky where the matrix fits into the memory limit (in mixed precision for 1200 rows and more when no
    /// diagnostics are requested), else conjugate gradients, and a few centers where these would
    /// take too long. Where [`Ridge::centers`] are given, these.
    #[default]
    Auto,
    /// A Cholesky factor of `K + λI`, in `f64`; the minimum-norm solution where the matrix is
    /// singular.
    Cholesky,
    /// The matrix in `f32` and its Cholesky factor (a partial one where few eigenvalues are far
    /// above λ), refined by conjugate gradients until the `f64` residual is at rounding level: the
    /// same solution, half the memory; [`RidgeSolver::Cholesky`] where the system is too
    /// ill-conditioned for that. Needs λ > 0; gives no leave-one-out residuals.
    Mixed,
    /// Along one column, for kernels of Markov processes (`wiener`, `brownian(hurst=0.5)`,
    /// `bridge`, `laplacian`, `matern` of smoothness 1/2, 3/2 and 5/2, `sobolev` up to order 3, and
    /// sums of these with constants and `linear`): the exact answer in linear time and memory.
    /// Needs λ > 0.
    StateSpace,
    /// In the features of a kernel with finitely many (`linear`, `polynomial` on few columns,
    /// `finite_rank`, their sums and products): the exact answer, in time and memory linear in the
    /// rows. Needs λ > 0.
    FiniteRank,
    /// Equal points merged, with a Cholesky factor for the distinct ones: the exact answer, in the
    /// time and memory of the distinct points. Needs λ > 0.
    DistinctPoints,
    /// On a grid with one row per cell, some of which may be missing: for stationary kernels on axes
    /// with equal steps by Fourier transforms, for products over the columns by the eigenvectors of
    /// small factors. The exact answer in memory linear in the cells, and about as much time. Needs λ > 0;
    /// gives leave-one-out residuals for a Kronecker product without missing cells and weights.
    Grid,
    /// An eigendecomposition: every λ from one decomposition.
    Eigen,
    /// Conjugate gradients with products `K·v` that never store `K`, and a partial Cholesky factor
    /// as preconditioner. Needs λ > 0; gives no leave-one-out residuals.
    ConjugateGradients,
    /// For kernels with explicit features ([`Bound::features`](crate::gram::Bound::features)):
    /// conjugate gradients with products `F(Fᵀv)`, preconditioned with the heaviest features. The
    /// same answer, in time and memory linear in the features. Needs λ > 0; gives no leave-one-out
    /// residuals.
    Features,
    /// Functions on a few centers instead of all points, by preconditioned conjugate gradients: an
    /// approximation, for samples of any length. Needs λ > 0; gives no leave-one-out residuals and
    /// no standard errors.
    Centers,
}

impl fmt::Display for RidgeSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Cholesky => "Cholesky",
            Self::Mixed => "Cholesky in mixed precision",
            Self::StateSpace => "state space",
            Self::FiniteRank => "finitely many features",
            Self::DistinctPoints => "Cholesky on distinct points",
            Self::Grid => "grid",
            Self::Eigen => "eigendecomposition",
            Self::ConjugateGradients => "conjugate gradients",
            Self::Features => "conjugate gradients on explicit features",
            Self::Centers => "conjugate gradients on centers",
        })
    }
}

/// The plan of a fit: what will be run, and what it will take.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgePlan {
    /// The solver, never [`RidgeSolver::Auto`].
    pub solver: RidgeSolver,
    /// The most bytes that will be allocated at a time.
    pub bytes: u64,
    /// Floating-point operations, about; for conjugate gradients those of 100 steps.
    pub flops: f64,
    /// Columns of the preconditioner, for conjugate gradients; the number of features of a kernel with
    /// finitely many.
    pub rank: usize,
    /// The number of centers; 0 for an exact solver.
    pub centers: usize,
    /// The expected time, where the speed of the machine is known ([`Compute::with_speed`]).
    pub seconds: Option<f64>,
    /// Why this solver.
    pub reason: String,
}

impl RidgePlan {
    /// What is approximated, and how the error is known; nothing for an exact answer.
    pub fn approximation(&self) -> Option<String> {
        approximation(self.centers)
    }
}

/// What is approximated by functions on centers.
pub(in crate::learn) fn approximation(centers: usize) -> Option<String> {
    (centers > 0).then(|| {
        format!("functions on {centers} centers instead of all points; the fit measures the share of the kernel's trace that they miss")
    })
}

impl fmt::Display for RidgePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.solver)?;
        // A plan from a file does not store the cost of the run.
        if self.bytes > 0 {
            write!(f, ": {}, about {:.1e} operations", human_bytes(self.bytes), self.flops)?;
        }
        self.seconds.map_or(Ok(()), |seconds| write!(f, ", {}", human_seconds(seconds)))?;
        write!(f, "; {}", self.reason)?;
        self.approximation().map_or(Ok(()), |text| write!(f, "; an approximation: {text}"))
    }
}

/// The sizes that a plan depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) rows: usize,
    /// The columns of vectors, and for other points those of vectors with as many bytes.
    pub(super) columns: usize,
    /// Operations for a pair of points.
    pub(super) work: f64,
    /// Whether the points are sparse vectors, of which no dense copy is made.
    pub(super) sparse: bool,
    pub(super) outputs: usize,
    /// Of the explicit features, where there are such.
    pub(super) features: Option<FeatureSize>,
    /// Of the grid, where the points are one.
    pub(super) grid: Option<GridPlan>,
    /// The number of distinct points, where it is known.
    pub(super) distinct: Option<usize>,
}

/// The number of values of sparse features that are not 0, and that of their columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct FeatureSize {
    pub(super) values: usize,
    pub(super) width: usize,
}

impl Size {
    pub(super) fn of(x: Points<'_>, outputs: usize) -> Self {
        let size = x.size();
        let (columns, sparse) = (size.numbers(), x.kind() == PointKind::Sparse);
        Self { rows: size.rows, columns, work: size.work, sparse, outputs, features: None, grid: None, distinct: None }
    }
}

impl Ridge {
    /// The plan for `rows` points of `columns` numbers and `outputs` targets: what [`Ridge::fit`]
    /// will run. How many explicit features objects have depends on them: [`Ridge::plan_on`].
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) when nothing that would answer exactly fits into the
    /// memory limit.
    ///
    /// # Example
    /// ```
    /// use mercer::{Compute, learn::{Ridge, ridge::RidgeSolver}};
    /// let ridge = Ridge::new("gaussian()".parse()?, 0.1);
    /// let roomy = Compute::new().with_memory(1 << 34);
    /// assert_eq!(ridge.plan(20_000, 8, 1, &roomy)?.solver, RidgeSolver::Cholesky);
    /// let tight = Compute::new().with_memory(1 << 28);
    /// assert_eq!(ridge.plan(20_000, 8, 1, &tight)?.solver, RidgeSolver::ConjugateGradients);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn plan(&self, rows: usize, columns: usize, outputs: usize, compute: &Compute) -> Result<RidgePlan> {
        self.plan_for(
            Size {
                rows,
                columns,
                work: columns as f64,
                sparse: false,
                outputs,
                features: None,
                grid: None,
                distinct: None,
            },
            false,
            compute,
        )
    }

    /// The plan with the kernel matrix, where features have failed.
    pub(super) fn plan_from_matrix(&self, size: Size, compute: &Compute) -> Result<RidgePlan> {
        let plan = self.choose_matrix(size, compute);
        self.reserved(plan, size, compute)
    }

    /// The plan, for data with unpenalized functions beyond the intercept or without.
    pub(super) fn plan_for(&self, size: Size, null_space: bool, compute: &Compute) -> Result<RidgePlan> {
        let plan = match self.solver {
            RidgeSolver::Auto if self.centers.is_some() => self.on_centers(size, compute, "requested")?,
            RidgeSolver::Cholesky => self.cholesky(size, compute, "requested"),
            RidgeSolver::Mixed => mixed(size, compute, "requested"),
            RidgeSolver::StateSpace => self.state_space(size).unwrap_or_else(|| state_space(size, 1, "requested")),
            RidgeSolver::FiniteRank => self.in_features(size).unwrap_or_else(|| in_features(size, 1, "requested")),
            RidgeSolver::DistinctPoints => self.on_distinct(size, compute, "requested"),
            RidgeSolver::Grid => on_grid(size, "requested"),
            RidgeSolver::Eigen => eigen(size, "requested"),
            RidgeSolver::ConjugateGradients => conjugate_gradients(size, compute, "requested"),
            RidgeSolver::Features => features(size, compute, "requested"),
            RidgeSolver::Centers => self.on_centers(size, compute, "requested")?,
            RidgeSolver::Auto => self.choose(size, null_space, compute)?,
        };
        self.reserved(plan, size, compute)
    }

    fn reserved(&self, plan: RidgePlan, size: Size, compute: &Compute) -> Result<RidgePlan> {
        let what = format!("a ridge fit of {} rows by {}", size.rows, plan.solver);
        compute.reserve(MemoryPurpose::Fit, &what, plan.bytes, self.suggestion(plan.solver))?;
        Ok(RidgePlan { seconds: compute.seconds(plan.flops), ..plan })
    }

    fn choose(&self, size: Size, null_space: bool, compute: &Compute) -> Result<RidgePlan> {
        let exact = self.choose_exact(size, compute);
        let possible = self.lambda > 0.0 && !null_space && !self.indefinite && !self.kernel.is_precomputed();
        let linear = matches!(
            exact.solver,
            RidgeSolver::StateSpace
                | RidgeSolver::FiniteRank
                | RidgeSolver::Grid
                | RidgeSolver::Features
                | RidgeSolver::DistinctPoints
        );
        if !possible || linear {
            return Ok(exact);
        }
        let late = !compute.is_in_time(exact.flops);
        let long = exact.solver == RidgeSolver::ConjugateGradients && exact.flops > TOO_MANY;
        if !late && !long {
            return Ok(exact);
        }
        let over = if late { "the time limit" } else { "what is reasonable" };
        let fits = if exact.bytes <= compute.memory() { "" } else { ", does not fit into the memory limit" };
        let reason =
            format!("all points by {} would take {:.0e} operations{fits}: more than {over}", exact.solver, exact.flops);
        self.on_centers(size, compute, &reason)
    }

    /// The exact answer, as fast as the memory allows.
    fn choose_exact(&self, size: Size, compute: &Compute) -> RidgePlan {
        if let Some(plan) = self.state_space(size).filter(|_| self.lambda > 0.0) {
            return plan;
        }
        let few = |plan: &RidgePlan| self.lambda > 0.0 && 2 * plan.rank <= size.rows && plan.bytes <= compute.memory();
        if let Some(plan) = self.in_features(size).filter(few) {
            return plan;
        }
        let matrix = self.choose_matrix(size, compute);
        let structured = self.on_features(size, &matrix, compute).or_else(|| self.by_grid(size, &matrix, compute));
        structured.or_else(|| self.merged(size, &matrix, compute)).unwrap_or(matrix)
    }

    /// The plan with equal points merged, if so many are equal that it takes much less time.
    fn merged(&self, size: Size, matrix: &RidgePlan, compute: &Compute) -> Option<RidgePlan> {
        let distinct = size.distinct.filter(|_| self.lambda > 0.0)?;
        let reason = format!("only {distinct} of {} points are distinct", size.rows);
        let plan = self.on_distinct(size, compute, &reason);
        (plan.bytes <= compute.memory() && CHEAPER * plan.flops < matrix.flops).then_some(plan)
    }

    fn on_distinct(&self, size: Size, compute: &Compute, reason: &str) -> RidgePlan {
        let rows = size.distinct.unwrap_or(size.rows);
        let plan = self.cholesky(Size { rows, ..size }, compute, reason);
        RidgePlan { solver: RidgeSolver::DistinctPoints, bytes: plan.bytes + vectors(size), ..plan }
    }

    /// The plan on a grid, if the points are one and a plan with the kernel matrix takes much longer
    /// or does not fit.
    fn by_grid(&self, size: Size, matrix: &RidgePlan, compute: &Compute) -> Option<RidgePlan> {
        let grid = size.grid.filter(|_| self.lambda > 0.0 && !self.indefinite)?;
        let plan = on_grid(size, "the points are a grid");
        let fits = matrix.solver != RidgeSolver::ConjugateGradients;
        // Diagnostics that were requested are left out only where they would take minutes.
        let worth = !self.diagnostics || grid.has_diagonal || matrix.flops > MANY_OPERATIONS;
        let cheaper = CHEAPER * plan.flops < matrix.flops && worth;
        (plan.bytes <= compute.memory() && (!fits || cheaper)).then_some(plan)
    }

    /// The plan on explicit features, if there are such and a plan with the kernel matrix takes much
    /// longer or does not fit.
    fn on_features(&self, size: Size, matrix: &RidgePlan, compute: &Compute) -> Option<RidgePlan> {
        let fits = matrix.solver != RidgeSolver::ConjugateGradients;
        let reason = match fits {
            true => "explicit features take far fewer operations than the kernel matrix",
            false => "the kernel matrix does not fit into the memory limit, the explicit features do",
        };
        let plan = size.features.filter(|_| self.lambda > 0.0).map(|_| features(size, compute, reason))?;
        // Diagnostics that were requested are left out only where they would take minutes.
        let worth = !self.diagnostics || matrix.flops > MANY_OPERATIONS;
        let cheaper = CHEAPER * plan.flops < matrix.flops && worth;
        (plan.bytes <= compute.memory() && (!fits || cheaper)).then_some(plan)
    }

    /// The exact answer from the kernel matrix, stored or not.
    fn choose_matrix(&self, size: Size, compute: &Compute) -> RidgePlan {
        let dense = self.cholesky(size, compute, "the matrix fits into the memory limit");
        let fits = self.cholesky_bytes(size, PLANNED_THREADS) <= compute.memory();
        if fits && self.lambda > 0.0 && !self.diagnostics && size.rows >= MIXED_ROWS {
            return mixed(
                size,
                compute,
                "no diagnostics are wanted, so a factor in single precision is enough to start from",
            );
        }
        if fits || self.lambda == 0.0 {
            return dense;
        }
        conjugate_gradients(size, compute, "the matrix does not fit into the memory limit")
    }

    /// The learner on centers, with their number.
    pub(super) fn center_machine(&self, size: Size, compute: &Compute) -> Result<CenterMachine> {
        let centers = self.centers.clone().unwrap_or_default();
        let machine = centers.machine(&self.kernel, Loss::Squared, self.lambda, self.intercept);
        centers.sized(machine, (size.rows, size.columns, size.outputs), compute)
    }

    fn on_centers(&self, size: Size, compute: &Compute, reason: &str) -> Result<RidgePlan> {
        let plan = self.center_machine(size, compute)?.plan(size.rows, size.columns, size.outputs, compute)?;
        let reason = format!("{reason}; {}", plan.reason);
        let (bytes, flops, centers) = (plan.bytes, plan.flops, plan.centers);
        Ok(RidgePlan { solver: RidgeSolver::Centers, bytes, flops, rank: 0, centers, seconds: None, reason })
    }

    /// The plan in linear time, where the kernel is that of a Markov process along one column.
    fn state_space(&self, size: Size) -> Option<RidgePlan> {
        let states = ProcessSum::of(&self.kernel, size.columns).filter(|_| !size.sparse)?.dimension();
        Some(state_space(size, states, "O(n): the kernel is that of a Markov process along one column"))
    }

    /// The plan in the features of a kernel with finitely many.
    fn in_features(&self, size: Size) -> Option<RidgePlan> {
        let vectors = size.work == size.columns as f64 && !size.sparse;
        let rank = finite_rank::rank(&self.kernel, size.columns).filter(|_| vectors && self.centers.is_none())?;
        Some(in_features(size, rank, &format!("the kernel has {rank} features")))
    }

    fn cholesky(&self, size: Size, compute: &Compute, reason: &str) -> RidgePlan {
        let n = size.rows as u64;
        if self.lambda == 0.0 {
            // A singular K at λ = 0 has no factor, only an eigendecomposition.
            return RidgePlan { solver: RidgeSolver::Cholesky, ..eigen(size, reason) };
        }
        let bytes = self.cholesky_bytes(size, compute.threads() as u64);
        let third = (n as f64).powi(3) / 3.0;
        let flops = if self.diagnostics { 2.0 * third } else { third } + kernel_flops(size);
        RidgePlan {
            solver: RidgeSolver::Cholesky,
            bytes,
            flops,
            rank: 0,
            centers: 0,
            seconds: None,
            reason: reason.into(),
        }
    }

    fn cholesky_bytes(&self, size: Size, threads: u64) -> u64 {
        let n = size.rows as u64;
        // The factor, and columns of the inverse for the diagnostics.
        if self.lambda == 0.0 { eigen(size, "").bytes } else { 8 * n * n + 8 * 192 * n * threads + vectors(size) }
    }

    fn suggestion(&self, solver: RidgeSolver) -> &'static str {
        match solver {
            _ if self.lambda == 0.0 => {
                "use λ > 0 (which conjugate gradients can solve without storing K), fewer rows, or a higher memory limit"
            }
            RidgeSolver::Centers => "use fewer centers, fewer rows, or a higher memory limit",
            RidgeSolver::ConjugateGradients => "use centers (an approximation), fewer rows, or a higher memory limit",
            _ => "use the solver auto, conjugate gradients or centers, fewer rows, or a higher memory limit",
        }
    }
}

/// The root and the gain at every point, and for every output the states of its function on both
/// sides.
fn state_space(size: Size, states: usize, reason: &str) -> RidgePlan {
    let (n, m) = (size.rows as u64, states as u64);
    let bytes = 8 * n * (m * m + m + 8 + 2 * m * size.outputs as u64) + vectors(size);
    let flops = n as f64 * (30.0 * (m as f64).powi(3) + 100.0 + 12.0 * (m * m) as f64 * size.outputs as f64);
    RidgePlan {
        solver: RidgeSolver::StateSpace,
        bytes,
        flops,
        rank: 0,
        centers: 0,
        seconds: None,
        reason: reason.into(),
    }
}

/// The features of all rows, twice where means are taken away and where the weights are made; their
/// products with each other, and the leverages of some rows.
fn in_features(size: Size, rank: usize, reason: &str) -> RidgePlan {
    let (n, m) = (size.rows as u64, rank as u64);
    let bytes = 16 * n * m + 8 * m * (3 * m + 2 * n.min(4096)) + 2 * vectors(size);
    let flops = n as f64 * m as f64 * (3.0 * m as f64 + 12.0 * size.outputs as f64) + (m as f64).powi(3) / 3.0;
    let solver = RidgeSolver::FiniteRank;
    RidgePlan { solver, bytes, flops, rank, centers: 0, seconds: None, reason: reason.into() }
}

/// What the grid takes, and the vectors of conjugate gradients.
fn on_grid(size: Size, reason: &str) -> RidgePlan {
    let vectors = 8 * (size.rows * (size.columns + 8 * size.outputs + 5)) as u64;
    let (bytes, flops) = size.grid.map_or((0, 0.0), |grid| {
        let exact = grid.complete && grid.structure == Structure::Kronecker;
        let steps = if exact { EXACT_STEPS } else { GRID_STEPS };
        (grid.bytes, grid.preparation + steps * (size.outputs + 1) as f64 * grid.step)
    });
    let (solver, bytes) = (RidgeSolver::Grid, bytes + vectors);
    RidgePlan { solver, bytes, flops, rank: 0, centers: 0, seconds: None, reason: reason.into() }
}

/// The matrix in single precision, a tile per thread, and a partial factor with its twin in the
/// products.
fn mixed(size: Size, compute: &Compute, reason: &str) -> RidgePlan {
    let n = size.rows as u64;
    let partial = 8 * 3 * n * rank(size.rows) as u64;
    let bytes = 4 * n * n + partial + 8 * 192 * 192 * compute.threads() as u64 + 6 * vectors(size);
    // A flop in single precision counts as half a flop.
    let flops = (n as f64).powi(3) / 6.0 + 6.0 * kernel_flops(size);
    RidgePlan { solver: RidgeSolver::Mixed, bytes, flops, rank: 0, centers: 0, seconds: None, reason: reason.into() }
}

/// The matrix, its copy, the eigenvectors twice, and the work space of the decomposition.
fn eigen(size: Size, reason: &str) -> RidgePlan {
    let n = size.rows as u64;
    let bytes = 5 * 8 * n * n + vectors(size);
    let flops = 9.0 * (n as f64).powi(3) + kernel_flops(size);
    RidgePlan { solver: RidgeSolver::Eigen, bytes, flops, rank: 0, centers: 0, seconds: None, reason: reason.into() }
}

fn conjugate_gradients(size: Size, compute: &Compute, reason: &str) -> RidgePlan {
    let n = size.rows as u64;
    let tile = 8 * 192 * 192;
    let planned = (tile * PLANNED_THREADS).min(compute.memory() / 4) + 6 * vectors(size);
    let spare = compute.memory().saturating_sub(planned) / 2;
    // The factor, its twin in the products, and a square of the rank.
    let rank = (spare / (8 * 3 * n.max(1))).min(n).min(MAX_RANK as u64);
    let bytes = tile * compute.threads() as u64 + 6 * vectors(size) + 8 * 3 * n * rank;
    let flops = 100.0 * kernel_flops(size) + 2.0 * n as f64 * (rank as f64).powi(2);
    RidgePlan {
        solver: RidgeSolver::ConjugateGradients,
        bytes,
        flops,
        rank: rank as usize,
        centers: 0,
        seconds: None,
        reason: reason.into(),
    }
}

/// Features, their transpose, and twice again those of the preconditioner with its matrix.
fn features(size: Size, compute: &Compute, reason: &str) -> RidgePlan {
    let FeatureSize { values, width } = size.features.unwrap_or(FeatureSize { values: 0, width: 0 });
    let sparse = 4 * (12 * values as u64 + 8 * (size.rows + width) as u64);
    let held = sparse + vectors(size) + 8 * (width * size.outputs) as u64;
    let largest = (compute.memory().saturating_sub(held) / 2 / 16).isqrt() as usize;
    let rank = if width <= ALL_FEATURES.min(largest) { width } else { SOME_FEATURES.min(largest) };
    let steps = if rank == width { 4.0 } else { 200.0 };
    let (m, outputs) = (rank as f64, size.outputs as f64 + 1.0);
    // A row has fewer of the features in the preconditioner than in all.
    let per_row = (values as f64 / size.rows.max(1) as f64).min(m);
    let inner = m.powi(3) / 3.0 + SPARSE * values as f64 * per_row;
    let flops = inner + steps * outputs * (SPARSE * 4.0 * values as f64 + 4.0 * m * m);
    RidgePlan {
        solver: RidgeSolver::Features,
        bytes: held + 16 * (rank as u64).pow(2),
        flops,
        rank,
        centers: 0,
        seconds: None,
        reason: reason.into(),
    }
}

/// The points, the targets and the vectors of their size.
fn vectors(size: Size) -> u64 {
    8 * size.rows as u64 * (2 * size.columns + 8 * size.outputs + 16) as u64
}

/// One pass over the pairs.
fn kernel_flops(size: Size) -> f64 {
    (size.rows as f64).powi(2) * (size.work + 10.0)
}
