//! The plan of a clustering, made before anything is allocated.

use std::fmt;

use crate::error::{MemoryPurpose, PrecomputedNeed};
use crate::learner::Plan;
use crate::settings::Settings;
use crate::{Compute, Error, Result};

/// Operations from which passes over all pairs of rows are too many, and landmarks are used: some
/// minutes on a few cores.
const TOO_MANY: f64 = 1e12;
/// Landmarks, unless their number is given. More miss less of the trace, at a cost that is linear
/// in them for every step and quadratic once. Not tuned: the fit reports what they miss.
const LANDMARKS: usize = 500;
/// Landmarks per cluster, at least.
const LANDMARKS_PER_CLUSTER: usize = 4;

/// How clusters are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ClusterSolver {
    /// On the kernel matrix, stored in double precision where it fits into the memory limit, else
    /// in single precision, else computed tile by tile; on landmarks where that would take more
    /// than some minutes, or where their number is given.
    #[default]
    Auto,
    /// On the kernel matrix, stored in double precision.
    Stored,
    /// On the kernel matrix, stored in single precision; objective and distances are in double
    /// precision.
    StoredSingle,
    /// On the kernel matrix, whose rows are computed when they are needed.
    Tiles,
    /// On Nyström features of some landmarks: an approximation, in time linear in the points. The
    /// fit reports the trace that they miss.
    Landmarks,
}

/// The words for them in settings.
pub(in crate::view) const SOLVERS: [(ClusterSolver, &str); 5] = [
    (ClusterSolver::Auto, "auto"),
    (ClusterSolver::Stored, "stored"),
    (ClusterSolver::StoredSingle, "stored_single"),
    (ClusterSolver::Tiles, "tiles"),
    (ClusterSolver::Landmarks, "landmarks"),
];

impl ClusterSolver {
    /// The word for it in settings.
    pub fn name(self) -> &'static str {
        SOLVERS.iter().find(|(solver, _)| *solver == self).map_or("", |(_, name)| name)
    }

    /// The solver of this name.
    pub(in crate::view) fn named(name: &str) -> Result<Self> {
        Settings::new().with("solver", name).word("solver", &SOLVERS)
    }
}

impl fmt::Display for ClusterSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Stored => "stored kernel matrix",
            Self::StoredSingle => "kernel matrix stored in single precision",
            Self::Tiles => "tiles of the kernel matrix",
            Self::Landmarks => "Nyström features of landmarks",
        })
    }
}

/// What a plan depends on.
#[derive(Clone, Debug)]
pub(in crate::view) struct Work<'w> {
    /// What is to be done, for errors.
    pub(in crate::view) what: &'w str,
    pub(in crate::view) rows: usize,
    /// Operations for the kernel value of a pair.
    pub(in crate::view) pair: f64,
    /// Operations for a value of the matrix in a pass over it.
    pub(in crate::view) value: f64,
    /// Operations for a feature of a point in a pass over all features.
    pub(in crate::view) feature: f64,
    pub(in crate::view) passes: f64,
    /// Bytes beside the matrix.
    pub(in crate::view) vectors: u64,
    pub(in crate::view) clusters: usize,
    /// Whether landmarks are possible: there are points, not kernel values alone, and the kernel is
    /// meant to be positive semi-definite.
    pub(in crate::view) landmarks: bool,
}

/// The plan, with what it chose.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::view) struct ClusterPlan {
    /// Never [`ClusterSolver::Auto`].
    pub(in crate::view) solver: ClusterSolver,
    /// 0 without.
    pub(in crate::view) landmarks: usize,
    pub(in crate::view) plan: Plan,
}

impl Work<'_> {
    /// The plan, within the memory limit.
    ///
    /// # Errors
    /// [`Error::Memory`] when nothing fits, [`Error::Precomputed`] for landmarks of kernel values.
    pub(in crate::view) fn plan(
        &self,
        requested: ClusterSolver,
        landmarks: Option<usize>,
        compute: &Compute,
    ) -> Result<ClusterPlan> {
        if landmarks == Some(0) {
            return Err(Error::parameter("landmarks", 0, 1..));
        }
        let solver = match (requested, landmarks) {
            (ClusterSolver::Auto, Some(_)) => ClusterSolver::Landmarks,
            (solver, _) => solver,
        };
        let plan = match solver {
            ClusterSolver::Auto => self.choose(compute),
            ClusterSolver::Landmarks => self.on_landmarks(landmarks, "requested", compute),
            solver => self.on_matrix(solver, "requested", compute),
        };
        if plan.solver == ClusterSolver::Landmarks && !self.landmarks {
            return Err(Error::precomputed("clustering on landmarks", PrecomputedNeed::Points));
        }
        compute.reserve(
            MemoryPurpose::Fit,
            &format!("{} of {} points on {}", self.what, self.rows, plan.solver),
            plan.plan.bytes,
            "use the solver auto, landmarks, fewer points, or a higher memory limit",
        )?;
        Ok(plan)
    }

    fn choose(&self, compute: &Compute) -> ClusterPlan {
        let stored = [
            (ClusterSolver::Stored, "the kernel matrix fits into the memory limit"),
            (ClusterSolver::StoredSingle, "the kernel matrix fits into the memory limit in single precision only"),
        ];
        let fits = |(solver, reason): (ClusterSolver, &str)| {
            Some(self.on_matrix(solver, reason, compute)).filter(|plan| plan.plan.bytes <= compute.memory())
        };
        let tiles =
            || self.on_matrix(ClusterSolver::Tiles, "the kernel matrix does not fit into the memory limit", compute);
        let exact = stored.into_iter().find_map(fits).unwrap_or_else(tiles);
        let late = !compute.is_in_time(exact.plan.flops);
        let long = exact.solver == ClusterSolver::Tiles && exact.plan.flops > TOO_MANY;
        if !self.landmarks || !(late || long) {
            return exact;
        }
        let over = if late { "the time limit" } else { "what is reasonable" };
        let reason = format!("all pairs would take {:.0e} operations: more than {over}", exact.plan.flops);
        self.on_landmarks(None, &reason, compute)
    }

    fn on_matrix(&self, solver: ClusterSolver, reason: &str, compute: &Compute) -> ClusterPlan {
        let n = self.rows as u64;
        let matrix = match solver {
            ClusterSolver::Stored => 8 * n * n,
            ClusterSolver::StoredSingle => 4 * n * n,
            _ => 0,
        };
        let kernel = if solver == ClusterSolver::Tiles { self.passes * self.pair } else { 0.5 * self.pair };
        let flops = (n * n) as f64 * (kernel + self.passes * self.value);
        let plan = Plan::new(solver.to_string(), matrix + self.vectors, flops, reason, compute);
        ClusterPlan { solver, landmarks: 0, plan }
    }

    fn on_landmarks(&self, landmarks: Option<usize>, reason: &str, compute: &Compute) -> ClusterPlan {
        let fewest = (LANDMARKS_PER_CLUSTER * self.clusters).max(1).min(self.rows.max(1));
        let mut count = landmarks.unwrap_or_else(|| LANDMARKS.max(fewest)).min(self.rows.max(1));
        // The features, and matrices of landmarks: their own, and sums over blocks of rows.
        let bytes = |m: usize| 8 * (m as u64) * (self.rows as u64 + 20 * m as u64) + self.vectors;
        while landmarks.is_none() && count > fewest && bytes(count) > compute.memory() {
            count = (count / 2).max(fewest);
        }
        let (n, m) = (self.rows as f64, count as f64);
        let flops = n * m * (self.pair + 2.0 * m + self.passes * self.feature);
        let mut plan = Plan::new(ClusterSolver::Landmarks.to_string(), bytes(count), flops, reason, compute);
        plan.approximation = Some(approximation(count));
        ClusterPlan { solver: ClusterSolver::Landmarks, landmarks: count, plan }
    }
}

impl ClusterPlan {
    /// The plan of a partition that is given: one pass over the kernel matrix.
    pub(super) fn given(rows: usize, clusters: usize, compute: &Compute) -> Self {
        let (n, solver) = (rows as u64, ClusterSolver::Tiles);
        let bytes = 16 * n * clusters as u64;
        let flops = (n * n) as f64 * 2.0 * clusters as f64;
        let plan = Plan::new(solver.to_string(), bytes, flops, "the partition is given", compute);
        Self { solver, landmarks: 0, plan }
    }

    /// What is known of the plan of a fit from a file.
    pub(in crate::view) fn from_file(solver: ClusterSolver, landmarks: usize) -> Self {
        let plan = Plan {
            solver: solver.to_string(),
            bytes: 0,
            flops: 0.0,
            seconds: None,
            reason: crate::learn::FROM_FILE.into(),
            approximation: (landmarks > 0).then(|| approximation(landmarks)),
        };
        Self { solver, landmarks, plan }
    }
}

fn approximation(landmarks: usize) -> String {
    format!(
        "projections on the span of at most {landmarks} landmarks instead of all points; the fit reports the trace that they miss"
    )
}
